/* Owns the functions for files and processes, in the place of the C library's. */
#include "fault_calls.h"
#include "fault_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *last = "";
static unsigned long last_where;

const char *fault_calls_name(void)
{
    return last_where == fault_memory_where() ? last : "";
}

static bool fails(const char *name, const void *caller, int error)
{
    if (!fault_memory_fails(caller))
        return false;
    last = name;
    last_where = fault_memory_where();
    errno = error;
    return true;
}

#define INSTEAD      __attribute__((visibility("default")))
#define FAILS(error) fails(__func__, __builtin_return_address(0), error)
#define REAL(name)   ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* ---- files and folders --------------------------------------------------------------------- */

INSTEAD int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return FAILS(EMFILE) ? -1 : REAL(open)(path, flags, mode);
}

INSTEAD int fstat(int file, struct stat *out)
{
    return FAILS(EIO) ? -1 : REAL(fstat)(file, out);
}

INSTEAD ssize_t read(int file, void *out, size_t size)
{
    return FAILS(EIO) ? -1 : REAL(read)(file, out, size);
}

INSTEAD FILE *fopen(const char *path, const char *mode)
{
    return FAILS(EMFILE) ? NULL : REAL(fopen)(path, mode);
}

INSTEAD FILE *open_memstream(char **text, size_t *size)
{
    return FAILS(ENOMEM) ? NULL : REAL(open_memstream)(text, size);
}

INSTEAD size_t fwrite(const void *data, size_t size, size_t count, FILE *file)
{
    enum { ERROR_SEEN = 0x20 }; /* what ferror asks for: _IO_ERR_SEEN */
    if (!FAILS(ENOSPC))
        return REAL(fwrite)(data, size, count, file);
    file->_flags |= ERROR_SEEN;
    return 0;
}

INSTEAD int fclose(FILE *file)
{
    bool failed = FAILS(ENOSPC);
    int status = REAL(fclose)(file);
    if (failed)
        errno = ENOSPC;
    return failed ? EOF : status;
}

INSTEAD int access(const char *path, int mode)
{
    return FAILS(EACCES) ? -1 : REAL(access)(path, mode);
}

INSTEAD char *mkdtemp(char *path)
{
    return FAILS(ENOSPC) ? NULL : REAL(mkdtemp)(path);
}

INSTEAD int mkdir(const char *path, mode_t mode)
{
    return FAILS(ENOSPC) ? -1 : REAL(mkdir)(path, mode);
}

INSTEAD int nftw(const char *path, __nftw_func_t function, int files, int flags)
{
    return FAILS(EACCES) ? -1 : REAL(nftw)(path, function, files, flags);
}

/* ---- processes ----------------------------------------------------------------------------- */

INSTEAD int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *actions, int number,
                                             const char *path, int flags, mode_t mode)
{
    return FAILS(ENOMEM)
               ? ENOMEM
               : REAL(posix_spawn_file_actions_addopen)(actions, number, path, flags, mode);
}

INSTEAD int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int from, int to)
{
    return FAILS(ENOMEM) ? ENOMEM : REAL(posix_spawn_file_actions_adddup2)(actions, from, to);
}

INSTEAD int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from)
{
    return FAILS(ENOMEM) ? ENOMEM : REAL(posix_spawn_file_actions_addclosefrom_np)(actions, from);
}

INSTEAD int posix_spawnp(pid_t *out, const char *program, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const *argv,
                         char *const *variables)
{
    return FAILS(EAGAIN) ? EAGAIN
                         : REAL(posix_spawnp)(out, program, actions, attributes, argv, variables);
}

INSTEAD pid_t waitpid(pid_t child, int *out_status, int options)
{
    bool failed = FAILS(ECHILD);
    pid_t ended = REAL(waitpid)(child, out_status, options);
    if (failed)
        errno = ECHILD;
    return failed ? -1 : ended;
}

/* ---- formatted text: also as programs with checks of sizes call it ------------------------------
 */

static int print(char **out, const char *format, va_list values, const void *caller)
{
    if (fails("asprintf", caller, ENOMEM))
        return -1;
    int length = REAL(vasprintf)(out, format, values);
    if (length >= 0)
        fault_memory_add(*out, caller);
    return length;
}

#define PRINT(out, format)                                                                         \
    va_list values;                                                                                \
    va_start(values, format);                                                                      \
    int length = print(out, format, values, __builtin_return_address(0));                          \
    va_end(values);                                                                                \
    return length

INSTEAD int vasprintf(char **out, const char *format, va_list values)
{
    return print(out, format, values, __builtin_return_address(0));
}

INSTEAD int asprintf(char **out, const char *format, ...)
{
    PRINT(out, format);
}

int __vasprintf_chk(char **out, int flag, const char *format, va_list values);
INSTEAD int __vasprintf_chk(char **out, int flag, const char *format, va_list values)
{
    (void)flag;
    return print(out, format, values, __builtin_return_address(0));
}

int __asprintf_chk(char **out, int flag, const char *format, ...);
INSTEAD int __asprintf_chk(char **out, int flag, const char *format, ...)
{
    (void)flag;
    PRINT(out, format);
}
