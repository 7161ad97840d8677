/* Saves and restores the state of the process that unit tests change. */
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <regex.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { VARIABLES_MAX = 64, TEXTS_MAX = 4096 };

static struct {
    struct variable {
        char *name, *value;
    } variables[VARIABLES_MAX];
    int variable_count;
    void *texts[TEXTS_MAX];
    int text_count;
    char folder[64];
    int capture, saved_stderr; /* descriptors, -1: none */
} borrowed = {.capture = -1, .saved_stderr = -1};

__attribute__((noreturn)) static void give_up(const char *what)
{
    dprintf(borrowed.saved_stderr >= 0 ? borrowed.saved_stderr : STDERR_FILENO,
            "the test cannot go on: %s: %s\n", what, strerror(errno));
    _exit(99);
}

static void *keep(void *memory, const char *what)
{
    if (!memory || borrowed.text_count == TEXTS_MAX)
        give_up(what);
    return borrowed.texts[borrowed.text_count++] = memory;
}

void *ah_test_alloc(size_t size)
{
    return keep(calloc(1, size), "calloc");
}

char *ah_test_print(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    return keep(text, "vasprintf");
}

/* ---- environment -------------------------------------------------------- */

void ah_test_setenv(const char *name, const char *value)
{
    if (borrowed.variable_count == VARIABLES_MAX)
        give_up("too many variables");
    struct variable *saved = &borrowed.variables[borrowed.variable_count++];
    const char *old = getenv(name);
    saved->name = strdup(name);
    saved->value = old ? strdup(old) : NULL;
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void restore_environment(void)
{
    while (borrowed.variable_count > 0) {
        struct variable *saved = &borrowed.variables[--borrowed.variable_count];
        if (saved->value)
            setenv(saved->name, saved->value, 1);
        else
            unsetenv(saved->name);
        free(saved->name);
        free(saved->value);
    }
}

/* ---- standard error ----------------------------------------------------- */

static int temporary_file(void)
{
    int file = memfd_create("test", MFD_CLOEXEC);
    if (file < 0)
        give_up("memfd_create");
    return file;
}

static char *read_all(int file, size_t *out_size)
{
    struct stat status;
    size_t size = fstat(file, &status) == 0 ? (size_t)status.st_size : 0;
    char *text = keep(calloc(1, size + 1), "calloc");
    ssize_t got = pread(file, text, size, 0);
    if (got != (ssize_t)size)
        give_up("read");
    if (out_size)
        *out_size = size;
    return text;
}

void ah_test_capture(void)
{
    fflush(stderr);
    borrowed.capture = temporary_file();
    borrowed.saved_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    if (borrowed.saved_stderr < 0 || dup2(borrowed.capture, STDERR_FILENO) < 0)
        give_up("dup2");
}

static void restore_stderr(void)
{
    if (borrowed.saved_stderr < 0)
        return;
    fflush(stderr);
    dup2(borrowed.saved_stderr, STDERR_FILENO);
    close(borrowed.saved_stderr);
    borrowed.saved_stderr = -1;
}

const char *ah_test_captured(void)
{
    restore_stderr();
    char *text = read_all(borrowed.capture, NULL);
    close(borrowed.capture);
    borrowed.capture = -1;
    return text;
}

size_t ah_test_count(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

size_t ah_test_count_lines(const char *text)
{
    return ah_test_count(text, "\n");
}

void ah_test_contains(const char *text, const char *part, bool expected, const char *file, int line)
{
    if (text && part && (strstr(text, part) != NULL) == expected)
        return;
    print_error("\"%s\"\n%s\n\"%s\"\n", text ? text : "(null)",
                expected ? "does not hold" : "holds", part ? part : "(null)");
    _fail(file, line);
}

bool ah_test_matches(const char *text, const char *pattern)
{
    regex_t compiled;
    regmatch_t match;
    if (regcomp(&compiled, pattern, REG_EXTENDED) != 0)
        give_up(pattern);
    bool good = regexec(&compiled, text, 1, &match, 0) == 0 && match.rm_so == 0 &&
                text[match.rm_eo] == '\0';
    regfree(&compiled);
    return good;
}

/* ---- files -------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

static void remove_folder(void)
{
    if (*borrowed.folder)
        nftw(borrowed.folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    *borrowed.folder = '\0';
}

const char *ah_test_path(const char *name)
{
    if (!*borrowed.folder) {
        strcpy(borrowed.folder, "/tmp/anyhip-test-XXXXXX");
        if (!mkdtemp(borrowed.folder))
            give_up("mkdtemp");
    }
    return ah_test_print("%s/%s", borrowed.folder, name);
}

const char *ah_test_write_file(const char *name, const void *data, size_t size)
{
    const char *path = ah_test_path(name);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            give_up(path);
        *slash = '/';
    }
    FILE *file = fopen(path, "we");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        give_up(path);
    return path;
}

const char *ah_test_write_text(const char *name, const char *text)
{
    return ah_test_write_file(name, text, strlen(text));
}

char *ah_test_read_file(const char *path, size_t *out_size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    char *text = read_all(file, out_size);
    close(file);
    return text;
}

/* ---- guarded memory ----------------------------------------------------- */

static size_t whole_pages(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

void *ah_test_guard(const void *data, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), body = whole_pages(size);
    char *memory =
        mmap(NULL, body + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + body, page, PROT_NONE) != 0)
        give_up("mmap");
    return memcpy(memory + body - size, data, size);
}

void ah_test_unguard(void *data, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), body = whole_pages(size);
    munmap((char *)data + size - body, body + page);
}

/* ---- processes ---------------------------------------------------------- */

struct ah_test_run ah_test_execute(const char *const *argv)
{
    int out = temporary_file(), err = temporary_file(), status = 0;
    pid_t child;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    errno = posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (errno != 0)
        give_up(argv[0]);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            give_up("waitpid");
    struct ah_test_run run = {
        .status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
        .out = read_all(out, NULL),
        .err = read_all(err, NULL),
    };
    close(out);
    close(err);
    return run;
}

uint64_t ah_test_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- around a test ------------------------------------------------------ */

int ah_test_set_up(void **state)
{
    (void)state;
    return 0;
}

int ah_test_tear_down(void **state)
{
    (void)state;
    restore_stderr();
    if (borrowed.capture >= 0)
        close(borrowed.capture);
    borrowed.capture = -1;
    restore_environment();
    remove_folder();
    while (borrowed.text_count > 0)
        free(borrowed.texts[--borrowed.text_count]);
    return 0;
}

int ah_test_without_driver(void **state)
{
    static const char *const unset[] = {"ANYHIP_CONFIG",        "HIP_VISIBLE_DEVICES",
                                        "CUDA_VISIBLE_DEVICES", "AMD_LOG_LEVEL",
                                        "AMD_LOG_MASK",         "AMD_LOG_LEVEL_FILE",
                                        "AMD_LOG_LEVEL_SIZE",   "HIP_LAUNCH_BLOCKING",
                                        "AMD_SERIALIZE_KERNEL", "AMD_SERIALIZE_COPY"};
    (void)state;
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        ah_test_setenv(unset[i], NULL);
    ah_test_setenv("HOME", ah_test_path("home"));
    ah_test_setenv("XDG_CONFIG_HOME", ah_test_path("home"));
    ah_test_setenv("ANYHIP_BACKEND", "cuda");
    /* The loader looks here first, and does not look on when a file is no library. */
    ah_test_write_text("libraries/libcuda.so.1", "no library");
    ah_test_write_text("libraries/libcuda.so", "no library");
    ah_test_setenv("LD_LIBRARY_PATH", ah_test_path("libraries"));
    return 0;
}

int ah_test_open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}
