/* simulated_watch: runs a program on simulated devices for some seconds at most, and writes how far it
 * came when:
 *
 *   simulated_watch SECONDS RECORD PROGRAM [ARGUMENT...]
 *
 * RECORD has a line for how it ended and what it took, and lines with times in nanoseconds since its
 * start. They are made of two things that every version of the library has: the program's trace
 * (ANYHIP_TRACE), of which the ends of kernels are kept, and the report that simulated devices make on
 * SIGQUIT, of which the number of blocks of kernels in progress is kept.
 *
 *   end exit|signal|limit NUMBER wall SECONDS user SECONDS system SECONDS memory KIB
 *   kernel NUMBER BEGIN END         not all that end within 10 ms of one another
 *   blocks TIME RUNNING ENDED ALL   of a kernel that has run for RUNNING
 *   lost                            the trace lacks records: numbers of kernels are wrong
 *
 * What the program prints goes to RECORD.out, up to 64 KiB. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull
#define SECOND 1000000000ull

enum { OUTPUT_MAX = 64 << 10, LINE_MAX_LENGTH = 1024 };

struct output {
    int from, to;  /* a pipe of the program's; the file */
    size_t copied; /* bytes that went to the file */
    char line[LINE_MAX_LENGTH];
    size_t length;
};

static uint64_t started;
static pid_t child;
static FILE *record;
static struct output outputs[2];

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "simulated_watch: %s: %s\n", what, strerror(errno));
    exit(125);
}

/* ---- what the program prints ---------------------------------------------------------------- */

/* A report on SIGQUIT has for each kernel "has run for 4.2 s; blocks: 2 ended, 1 in progress, 0 not
 * begun". */
static void read_line(const char *line)
{
    double running;
    unsigned long long ended, in_progress, not_begun;
    const char *at = strstr(line, " has run for ");
    if (at &&
        sscanf(at, " has run for %lf s; blocks: %llu ended, %llu in progress, %llu not begun",
               &running, &ended, &in_progress, &not_begun) == 4)
        fprintf(record, "blocks %llu %.0f %llu %llu\n", (unsigned long long)(now() - started),
                running * 1e9, ended, ended + in_progress + not_begun);
}

static void read_bytes(struct output *output, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n') {
            if (output->length < sizeof output->line - 1)
                output->line[output->length++] = bytes[i];
            continue;
        }
        output->line[output->length] = '\0';
        output->length = 0;
        read_line(output->line);
    }
}

/* False: nothing more will come. */
static bool copy_output(struct output *output)
{
    char bytes[1 << 14];
    ssize_t size = read(output->from, bytes, sizeof bytes);
    if (size <= 0)
        return size < 0 && errno == EINTR;
    size_t rest = OUTPUT_MAX - output->copied, some = (size_t)size < rest ? (size_t)size : rest;
    if (some && write(output->to, bytes, some) < 0)
        fail("output");
    output->copied += some;
    read_bytes(output, bytes, (size_t)size);
    return true;
}

/* Waits until time, or until the program prints something. */
static void wait_until(uint64_t time)
{
    struct pollfd files[2] = {{.fd = outputs[0].from, .events = POLLIN},
                              {.fd = outputs[1].from, .events = POLLIN}};
    uint64_t here = now();
    int wait = time > here ? (int)((time - here) / MS) + 1 : 0;
    if (poll(files, 2, wait) < 0 && errno != EINTR)
        fail("poll");
    for (int i = 0; i < 2; i++) {
        if (files[i].revents && !copy_output(&outputs[i])) {
            close(outputs[i].from);
            outputs[i].from = -1;
        }
    }
}

/* ---- the program ------------------------------------------------------------------------------ */

/* The simulated driver has a handler once a kernel was started; before that the signal would end the
 * program. */
static void ask_for_blocks(void)
{
    char path[64], line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    FILE *status = fopen(path, "r");
    if (!status)
        return;
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "SigCgt: %llx", &caught) == 1)
            break;
    fclose(status);
    if (caught >> (SIGQUIT - 1) & 1)
        kill(child, SIGQUIT);
}

static void start(char **program, const char *out, const char *trace)
{
    int pipes[2][2];
    int file = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0 || pipe2(pipes[0], O_CLOEXEC) || pipe2(pipes[1], O_CLOEXEC))
        fail(out);
    started = now();
    child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0) {
        int null = open("/dev/null", O_RDONLY);
        setpgid(0, 0);
        signal(SIGQUIT, SIG_DFL);
        setenv("ANYHIP_TRACE", trace, 1);
        dup2(null, 0);
        dup2(pipes[0][1], 1);
        dup2(pipes[1][1], 2);
        execv(program[0], program);
        fail(program[0]);
    }
    for (int i = 0; i < 2; i++) {
        close(pipes[i][1]);
        outputs[i] = (struct output){.from = pipes[i][0], .to = file};
    }
}

/* SIGQUIT comes after 1, 2, 4, 7, 11 ... seconds, and just before the end. */
static uint64_t next_question(uint64_t asked, uint64_t end)
{
    static unsigned step = 1;
    uint64_t next = asked + step++ * SECOND, last = end - SECOND / 4;
    return next < last || asked >= last ? next : last;
}

static bool has_ended(siginfo_t *info)
{
    info->si_pid = 0;
    return waitid(P_PID, (id_t)child, info, WEXITED | WNOHANG | WNOWAIT) == 0 && info->si_pid != 0;
}

static void watch(double seconds)
{
    siginfo_t info;
    uint64_t end = started + (uint64_t)(seconds * 1e9);
    uint64_t question = next_question(started, end);
    bool ended = false;
    while (!(ended = has_ended(&info)) && now() < end) {
        uint64_t soon = now() + 50 * MS, next = question < end ? question : end;
        wait_until(next < soon ? next : soon);
        if (now() < question)
            continue;
        ask_for_blocks();
        question = next_question(question, end);
    }
    kill(-child, SIGKILL);

    int status;
    struct rusage used;
    double wall = (double)(now() - started) / 1e9;
    if (wait4(child, &status, 0, &used) != child)
        fail("wait4");
    fprintf(record, "end %s %d wall %.3f user %.3f system %.3f memory %ld\n",
            !ended ? "limit" : WIFEXITED(status) ? "exit" : "signal",
            !ended ? 0 : WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), wall,
            (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec / 1e6,
            (double)used.ru_stime.tv_sec + (double)used.ru_stime.tv_usec / 1e6, used.ru_maxrss);
    for (int i = 0; i < 2; i++)
        while (outputs[i].from >= 0 && copy_output(&outputs[i]))
            ;
}

/* ---- its trace -------------------------------------------------------------------------------- */

/* A kernel, or the launch of a graph: a slice of a device, in microseconds with three digits. */
static bool read_slice(const char *line, uint64_t *out_begin, uint64_t *out_end)
{
    bool is_work = strstr(line, "\"ph\":\"X\",\"cat\":\"kernel\"") ||
                   strstr(line, "\"ph\":\"X\",\"cat\":\"graph\"");
    const char *begin = is_work ? strstr(line, "\"ts\":") : NULL;
    const char *length = begin ? strstr(begin, "\"dur\":") : NULL;
    if (!length)
        return false;
    double from = strtod(begin + 5, NULL) * 1e3, duration = strtod(length + 6, NULL) * 1e3;
    *out_begin = (uint64_t)from;
    *out_end = (uint64_t)(from + duration);
    return true;
}

static uint64_t since_start(uint64_t time)
{
    return time > started ? time - started : 0;
}

static void write_kernel(uint64_t number, uint64_t begin, uint64_t end)
{
    fprintf(record, "kernel %llu %llu %llu\n", (unsigned long long)number,
            (unsigned long long)since_start(begin), (unsigned long long)since_start(end));
}

static void read_trace(const char *path)
{
    FILE *trace = fopen(path, "r");
    char *line = NULL;
    size_t space = 0;
    uint64_t begin = 0, end = 0, count = 0, written = 0, latest = 0;
    if (!trace)
        return;
    while (getline(&line, &space, trace) > 0) {
        uint64_t from, to;
        if (strstr(line, "\"name\":\"records lost\""))
            fprintf(record, "lost\n");
        if (!read_slice(line, &from, &to))
            continue;
        begin = from;
        end = to > end ? to : end;
        count++;
        if (end - latest < 10 * MS)
            continue;
        write_kernel(count, begin, end);
        latest = end;
        written = count;
    }
    if (written < count)
        write_kernel(count, begin, end);
    free(line);
    fclose(trace);
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fprintf(stderr, "usage: simulated_watch SECONDS RECORD PROGRAM [ARGUMENT...]\n");
        return 125;
    }
    char out[4096], trace[4096];
    snprintf(out, sizeof out, "%s.out", arguments[2]);
    snprintf(trace, sizeof trace, "%s.trace", arguments[2]);
    record = fopen(arguments[2], "we");
    if (!record)
        fail(arguments[2]);
    unlink(trace);
    start(arguments + 3, out, trace);
    watch(strtod(arguments[1], NULL));
    read_trace(trace);
    unlink(trace);
    return fclose(record) ? 125 : 0;
}
