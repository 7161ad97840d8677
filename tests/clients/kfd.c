/* Loaded into programs that open the device file of AMD's kernel driver only to see whether they
 * may: they get another file. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
    va_list list;
    int (*real)(const char *path, int flags, ...);
    *(void **)&real = dlsym(RTLD_NEXT, "open");
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; /* of a file it makes */
    va_end(list);
    return real(strcmp(path, "/dev/kfd") == 0 ? "/dev/null" : path, flags, mode);
}
