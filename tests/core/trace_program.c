/* What a traced program may do, in the order of its arguments; it needs no device. test_trace.c
 * starts it. */
#include <hip/anyhip.h>
#include <hip/hip_runtime_api.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void call(unsigned long count)
{
    int devices;
    for (unsigned long i = 0; i < count; i++)
        (void)hipGetDeviceCount(&devices);
}

static void *call_in_thread(void *count)
{
    call(*(unsigned long *)count);
    return NULL;
}

static void call_in_threads(unsigned long threads, unsigned long count)
{
    pthread_t ids[64];
    for (unsigned long i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, call_in_thread, &count) != 0)
            abort();
    for (unsigned long i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

/* How often text occurs in a file. */
static size_t occurrences(const char *path, const char *text)
{
    static char content[8 << 20];
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(content, 1, sizeof content - 1, file) : 0, found = 0;
    if (file)
        fclose(file);
    content[size] = '\0';
    for (const char *at = strstr(content, text); at; at = strstr(at + 1, text))
        found++;
    return found;
}

/* Until the file has that many calls. */
static void wait_for(const char *path, unsigned long calls)
{
    while (occurrences(path, "\"name\":\"hipGetDeviceCount\"") < calls)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* A sanitizer that looks for leaks at the end asks for this. A child has one thread, and memory of
 * the others looks leaked. */
static _Atomic(int) is_child;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return is_child;
}

static void fork_child(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        is_child = 1;
        call(3);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        abort();
}

/* The rest of the arguments are those of the next program, in a child; "exec": in this one. */
static void start_again(char **rest, int in_child)
{
    int status = -1;
    pid_t child = in_child ? fork() : 0;
    char name[] = "trace_program";
    rest[0] = name;
    if (child == 0) {
        execv("/proc/self/exe", rest);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        abort();
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit = {bytes, bytes};
    signal(SIGXFSZ, SIG_DFL); /* what is sent must not end the program */
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        abort();
}

/* Past sanitizers, which take this for a race. */
static void close_all(void)
{
    if (syscall(SYS_close_range, 3, 63, 0) != 0)
        abort();
    if (open("/dev/zero", O_RDONLY | O_CLOEXEC) < 0)
        abort();
}

static void mark(void)
{
    anyhipTraceMark(anyhipTraceMarkPush, 0, "out\"er\n");
    anyhipTraceMark(anyhipTraceMarkStart, 7, "across threads");
    anyhipTraceMark(anyhipTraceMarkInstant, 0, "a mark");
    anyhipTraceMark(anyhipTraceMarkInstant, 0, NULL);
    anyhipTraceMark(anyhipTraceMarkPop, 0, NULL);
    anyhipTraceMark(anyhipTraceMarkStop, 7, NULL);
    anyhipTraceMark((enum anyhipTraceMarkKind)99, 0, "no such kind");
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *what = argv[i];
        unsigned long number = i + 1 < argc ? strtoul(argv[i + 1], NULL, 0) : 0;
        unsigned long other = i + 2 < argc ? strtoul(argv[i + 2], NULL, 0) : 0;
        if (strcmp(what, "call") == 0)
            call(number), i++;
        else if (strcmp(what, "threads") == 0)
            call_in_threads(number, other), i += 2;
        else if (strcmp(what, "wait") == 0)
            wait_for(argv[i + 1], other), i += 2;
        else if (strcmp(what, "fork") == 0)
            fork_child();
        else if (strcmp(what, "child") == 0)
            start_again(&argv[i], 1), i = argc;
        else if (strcmp(what, "exec") == 0)
            start_again(&argv[i], 0);
        else if (strcmp(what, "limit") == 0)
            limit_files(number), i++;
        else if (strcmp(what, "close") == 0)
            close_all();
        else if (strcmp(what, "mark") == 0)
            mark();
        else if (strcmp(what, "kill") == 0)
            raise((int)number), i++;
        else if (strcmp(what, "_exit") == 0)
            _exit((int)number);
        else
            return 2;
    }
    return 0;
}
