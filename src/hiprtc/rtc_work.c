/* Owns the private folders, and finds, starts and waits for the compile driver. */
#include "rtc_work.h"

#include "env.h"
#include "log.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Headers may be called "../x.h": the sources lie this deep, so that those names stay inside. */
static const char nesting[] = "/sources/1/2/3";
enum { NESTING = 3 };

/* The status with which the driver says that a tool is missing, as a shell does. */
enum { STATUS_NOT_FOUND = 127 };

/* ---- arguments ------------------------------------------------------------------ */

static bool has_room(struct ah_rtc_arguments *arguments)
{
    if (arguments->count + 1 < arguments->capacity)
        return true;
    size_t capacity = arguments->capacity ? arguments->capacity * 2 : 32;
    char **at = realloc(arguments->at, capacity * sizeof *at);
    if (!at)
        return false;
    arguments->at = at;
    arguments->capacity = capacity;
    return true;
}

void ah_rtc_push(struct ah_rtc_arguments *arguments, const char *format, ...)
{
    va_list values;
    char *text = NULL;
    va_start(values, format);
    if (!has_room(arguments) || vasprintf(&text, format, values) < 0) {
        arguments->failed = true;
    } else {
        arguments->at[arguments->count++] = text;
        arguments->at[arguments->count] = NULL;
    }
    va_end(values);
}

void ah_rtc_push_all(struct ah_rtc_arguments *arguments, const struct ah_rtc_arguments *more)
{
    for (size_t i = 0; i < more->count; i++)
        ah_rtc_push(arguments, "%s", more->at[i]);
}

void ah_rtc_arguments_fini(struct ah_rtc_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        free(arguments->at[i]);
    free(arguments->at);
    *arguments = (struct ah_rtc_arguments){0};
}

/* ---- variables ------------------------------------------------------------------- */

bool ah_rtc_variable(const char *name, char **out_value)
{
    errno = 0;
    *out_value = ah_env_path(name);
    return *out_value || errno != ENOMEM;
}

void ah_rtc_push_variable(struct ah_rtc_arguments *arguments, const char *name)
{
    char *value;
    arguments->failed |= !ah_rtc_variable(name, &value);
    char *rest = value;
    for (char *word; rest && (word = strsep(&rest, " \t\n"));)
        if (*word)
            ah_rtc_push(arguments, "%s", word);
    free(value);
}

/* ---- the folder ------------------------------------------------------------------ */

/* Makes the folders that lead to path, from its first `done` characters on. */
static bool make_folders(char *path, size_t done)
{
    for (char *slash = path + done; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

bool ah_rtc_work_open(struct ah_rtc_work *work)
{
    char *base;
    bool known = ah_rtc_variable("TMPDIR", &base);
    const char *where = base && *base ? base : "/tmp";
    size_t room = sizeof work->folder;
    bool fits = (size_t)snprintf(work->folder, room, "%s/hiprtc-XXXXXX", where) < room;
    bool made = known && fits && mkdtemp(work->folder);
    if (!made) {
        AH_LOG_ERR("cannot make a folder for hiprtc's files in %s: %s; name another folder in "
                   "TMPDIR",
                   where, known && !fits ? "its name is too long" : strerror(errno));
        *work->folder = '\0';
    }
    free(base);
    if (!made)
        return false;
    snprintf(work->sources, sizeof work->sources, "%s%s/", work->folder, nesting);
    made = make_folders(work->sources, strlen(work->folder));
    work->sources[strlen(work->sources) - 1] = '\0';
    if (made)
        return true;
    AH_LOG_ERR("cannot make the folder %s: %s", work->sources, strerror(errno));
    ah_rtc_work_close(work);
    return false;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

void ah_rtc_work_close(struct ah_rtc_work *work)
{
    enum { OPEN_FOLDERS = 16 };
    if (*work->folder && nftw(work->folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) != 0)
        AH_LOG_WARN("cannot remove the folder %s: %s", work->folder, strerror(errno));
    *work->folder = '\0';
}

bool ah_rtc_work_name_valid(const char *name)
{
    int depth = NESTING;
    if (!*name || *name == '/' || strlen(name) >= PATH_MAX / 4 || name[strlen(name) - 1] == '/')
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        size_t length = strcspn(part, "/");
        if (length == 2 && strncmp(part, "..", 2) == 0)
            depth--;
        else if (length > 1 || (length == 1 && *part != '.'))
            depth++;
        if (depth < 0)
            return false;
    }
    return true;
}

bool ah_rtc_work_write(const struct ah_rtc_work *work, const char *name, const void *data,
                       size_t size)
{
    char *path = NULL;
    FILE *file = NULL;
    if (asprintf(&path, "%s/%s", work->sources, name) < 0)
        return false;
    if (make_folders(path, strlen(work->sources)))
        file = fopen(path, "wbe");
    bool written = file && fwrite(data, 1, size, file) == size;
    if (file && fclose(file) != 0)
        written = false;
    if (!written)
        AH_LOG_ERR("cannot write %s: %s", path, strerror(errno));
    free(path);
    return written;
}

static bool read_all(int file, struct ah_rtc_bytes *out)
{
    struct stat status;
    *out = (struct ah_rtc_bytes){0};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    size_t size = (size_t)status.st_size;
    out->data = malloc(size + 1);
    while (out->data && out->size < size) {
        ssize_t n = read(file, out->data + out->size, size - out->size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        out->size += (size_t)n;
    }
    if (out->data && out->size == size) {
        out->data[size] = '\0';
        return true;
    }
    free(out->data);
    *out = (struct ah_rtc_bytes){0};
    return false;
}

bool ah_rtc_work_read(const struct ah_rtc_work *work, const char *name,
                      struct ah_rtc_bytes *out_bytes)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", work->folder, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    *out_bytes = (struct ah_rtc_bytes){0};
    if (file < 0)
        return false;
    bool good = read_all(file, out_bytes);
    close(file);
    return good;
}

/* ---- the driver ------------------------------------------------------------------ */

/* hipcc beside this library: in the folder of programs of the same installation or build. */
static bool driver_beside(const char *folder_to_programs, char out_path[PATH_MAX])
{
    Dl_info self;
    char library[PATH_MAX];
    if (!dladdr((const void *)nesting, &self) || !self.dli_fname ||
        !realpath(self.dli_fname, library))
        return false;
    *strrchr(library, '/') = '\0';
    int length = snprintf(out_path, PATH_MAX, "%s/%s/hipcc", library, folder_to_programs);
    return length < PATH_MAX && access(out_path, X_OK) == 0;
}

/* ANYHIP_HIPCC, otherwise the one beside this library, otherwise AnyHIP's in PATH, which has a
 * unique name. False: out of memory. */
static bool find_driver(char out_path[PATH_MAX])
{
    char *named;
    bool known = ah_rtc_variable("ANYHIP_HIPCC", &named);
    if (named && *named)
        snprintf(out_path, PATH_MAX, "%s", named);
    else if (!driver_beside(ANYHIP_LIBRARY_TO_PROGRAMS, out_path) &&
             !driver_beside("../bin", out_path))
        snprintf(out_path, PATH_MAX, "%s", "anyhip-clang++");
    free(named);
    return known;
}

extern char **environ;

/* Variables for the program, or for compilations by users, and not for this one. */
static bool is_left_out(const char *variable)
{
    static const char *const names[] = {
        "LD_PRELOAD=", "HIPCC_COMPILE_FLAGS_APPEND=", "HIPCC_LINK_FLAGS_APPEND=", "HIPCC_VERBOSE="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static char **driver_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    char **variables = malloc((count + 1) * sizeof *variables);
    for (size_t i = 0; variables && i < count; i++)
        if (!is_left_out(environ[i]))
            variables[kept++] = environ[i];
    if (variables)
        variables[kept] = NULL;
    return variables;
}

/* The driver does not inherit the program's files. */
static int set_files(posix_spawn_file_actions_t *actions, const char *said)
{
    int error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, said, O_WRONLY | O_CREAT,
                                                 0600);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    if (!error)
        error = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#endif
    return error;
}

/* It does not inherit its signal settings either. */
static void set_signals(posix_spawnattr_t *attributes)
{
    sigset_t signals;
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(attributes, &signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(attributes, &signals);
}

static int spawn(const char *driver, char *const *argv, char *const *variables, const char *said,
                 pid_t *out_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    posix_spawnattr_init(&attributes); /* takes no memory */
    set_signals(&attributes);
    error = set_files(&actions, said);
    if (!error)
        error = posix_spawnp(out_pid, driver, &actions, &attributes, argv, variables);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Writes to the log, and to the file of the driver's messages. */
static void cannot_start(const char *said, const char *error, const char *note)
{
    AH_LOG_ERR("%s; %s", error, note);
    FILE *file = fopen(said, "we");
    if (file) {
        fprintf(file, "error: %s\nnote: %s\n", error, note);
        fclose(file);
    }
}

void ah_rtc_run_start(struct ah_rtc_run *run, const struct ah_rtc_work *work,
                      const struct ah_rtc_arguments *arguments, const char *said)
{
    char driver[PATH_MAX], path[PATH_MAX], reason[PATH_MAX + 128];
    *run = (struct ah_rtc_run){0};
    snprintf(path, sizeof path, "%s/%s", work->folder, said);
    if (ah_env_is_privileged()) {
        cannot_start(
            path,
            "hiprtc does not start a compiler in a set-user-id or set-group-id program, or "
            "one with file capabilities",
            "compile as the user, or when the program is built");
        return;
    }
    char **argv = calloc(arguments->count + 2, sizeof *argv);
    char **variables = driver_environment();
    int error = ENOMEM;
    if (find_driver(driver) && argv && variables) {
        argv[0] = driver;
        memcpy(argv + 1, arguments->at, arguments->count * sizeof *argv);
        error = spawn(driver, argv, variables, path, &run->pid);
    }
    if (error) {
        snprintf(reason, sizeof reason, "hiprtc cannot start the compile driver %s: %s", driver,
                 strerror(error));
        cannot_start(path, reason, "install AnyHIP's hipcc, or name it in ANYHIP_HIPCC");
        run->pid = 0;
    }
    free(variables);
    free(argv);
}

/* The exit status; -1 where the program has taken it, or ignores its children's. */
static int exit_status(pid_t pid)
{
    int status;
    pid_t ended;
    do
        ended = waitpid(pid, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

enum ah_rtc_outcome ah_rtc_run_finish(struct ah_rtc_run *run, const struct ah_rtc_work *work,
                                      const char *made)
{
    char path[PATH_MAX];
    if (run->pid == 0)
        return AH_RTC_NO_COMPILER;
    int status = exit_status(run->pid);
    snprintf(path, sizeof path, "%s/%s", work->folder, made);
    run->pid = 0;
    if (status == STATUS_NOT_FOUND)
        return AH_RTC_NO_COMPILER;
    /* The driver removes incomplete outputs. */
    return (status == 0 || status == -1) && access(path, R_OK) == 0 ? AH_RTC_DONE : AH_RTC_FAILED;
}
