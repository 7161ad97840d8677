/* Owns the running of steps: starting programs, waiting, and the order of what they say. */
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report.h"
#include "temp.h"

enum { WAITING, RUNNING, DONE, FAILED };

struct ah_job *ah_jobs_add(struct ah_jobs *jobs)
{
    if (jobs->count == jobs->capacity) {
        size_t capacity = jobs->capacity ? jobs->capacity * 2 : 16;
        struct ah_job **at = ah_text_alloc(capacity * sizeof(struct ah_job *));
        if (jobs->count)
            memcpy(at, jobs->at, jobs->count * sizeof(struct ah_job *));
        jobs->at = at;
        jobs->capacity = capacity;
    }
    return jobs->at[jobs->count++] = ah_text_alloc(sizeof(struct ah_job));
}

void ah_job_needs(struct ah_jobs *jobs, struct ah_job *job, const struct ah_job *earlier)
{
    size_t *needs = ah_text_alloc((job->need_count + 1) * sizeof(*needs));
    if (job->need_count)
        memcpy(needs, job->needs, job->need_count * sizeof(*needs));
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->at[i] == earlier)
            needs[job->need_count++] = i;
    job->needs = needs;
}

unsigned ah_jobs_processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > 0 ? (unsigned)n : 1;
}

const char *ah_jobs_command(const struct ah_strings *argv)
{
    size_t length = 1;
    for (size_t i = 0; i < argv->count; i++)
        length += strlen(ah_text_quote(argv->at[i])) + 1;
    char *line = ah_text_alloc(length), *p = line;
    for (size_t i = 0; i < argv->count; i++)
        p += sprintf(p, "%s%s", i ? " " : "", ah_text_quote(argv->at[i]));
    return line;
}

static void show(const struct ah_job *job)
{
    if (job->argv.count)
        fprintf(stderr, " %s%s%s\n", ah_jobs_command(&job->argv), job->standard_input ? " < " : "",
                job->standard_input ? ah_text_quote(job->standard_input) : "");
    if (job->shows)
        fprintf(stderr, " # %s\n", job->shows);
}

/* The kernel limits the size of all arguments together; beyond it a response file takes them. */
static const struct ah_strings *within_limit(const struct ah_strings *argv)
{
    enum { LIMIT = 512 * 1024 };
    static unsigned number;
    size_t size = 0;
    for (size_t i = 0; i < argv->count; i++)
        size += strlen(argv->at[i]) + 1 + sizeof(char *);
    const char *path =
        size > LIMIT ? ah_temp_path(ah_text_print("arguments-%u", number++), false) : NULL;
    if (!path)
        return argv;
    char *text = ah_text_alloc(size * 2), *p = text;
    for (size_t i = 1; i < argv->count; i++) {
        *p++ = '"';
        for (const char *c = argv->at[i]; *c; c++) {
            if (*c == '"' || *c == '\\')
                *p++ = '\\';
            *p++ = *c;
        }
        *p++ = '"';
        *p++ = '\n';
    }
    if (!ah_file_write(path, text, (size_t)(p - text)))
        return argv;
    struct ah_strings *shorter = ah_text_alloc(sizeof(*shorter));
    ah_strings_push(shorter, argv->at[0]);
    ah_strings_push(shorter, ah_text_print("@%s", path));
    return shorter;
}

extern char **environ;

/* Starts argv as the leader of a process group, so that a signal reaches what it starts too. */
static int spawn(const struct ah_strings *argv, const char *input, const char *output,
                 const char *errors, pid_t *out_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input ? input : "/dev/null", O_RDONLY,
                                     0);
    if (output)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output,
                                         O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (errors)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors,
                                         O_WRONLY | O_CREAT | O_TRUNC, 0666);
    /* posix_spawn has no const for arguments that it does not change. */
    char **arguments = ah_text_alloc((argv->count + 1) * sizeof(*arguments));
    memcpy(arguments, argv->at, argv->count * sizeof(*arguments));
    int error = posix_spawn(out_pid, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (!error)
        ah_temp_child_started(*out_pid);
    return error;
}

static void complete(struct ah_job *job)
{
    if (job->state != FAILED && job->finish && !job->finish(job)) {
        job->state = FAILED;
        job->status = 1;
    }
    if (job->state != FAILED)
        job->state = DONE;
    else if (job->product && ah_path_is_file(job->product))
        unlink(job->product);
}

static void start(struct ah_job *job, bool capture, bool verbose)
{
    static unsigned number;
    fflush(stdout);
    if (verbose)
        show(job);
    if (verbose && job->target) /* CMake learns the default architecture from such words */
        fprintf(stderr, " # for -target-cpu %s \n", job->target);
    if (!job->argv.count) {
        complete(job);
        return;
    }
    if (capture)
        job->said = ah_temp_path(ah_text_print("said-%u", number++), false);
    pid_t pid;
    int error =
        spawn(within_limit(&job->argv), job->standard_input, job->standard_output, job->said, &pid);
    if (!error) {
        job->pid = pid;
        job->state = RUNNING;
        return;
    }
    ah_report_error("cannot run %s: %s", job->argv.at[0], strerror(error));
    job->said = NULL;
    job->state = FAILED;
    job->status = 1;
    complete(job);
}

static void ended(struct ah_job *job, int wait_status)
{
    ah_temp_child_ended(job->pid);
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0) {
        complete(job);
        return;
    }
    job->state = FAILED;
    if (WIFEXITED(wait_status)) {
        job->status = WEXITSTATUS(wait_status);
    } else {
        job->status = 128 + WTERMSIG(wait_status);
        if (!ah_temp_signal())
            ah_report_error("%s was ended by signal %d (%s)", job->argv.at[0],
                            WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    }
    complete(job);
}

static bool ready(const struct ah_jobs *jobs, const struct ah_job *job)
{
    if (job->state != WAITING)
        return false;
    for (size_t i = 0; i < job->need_count; i++)
        if (jobs->at[job->needs[i]]->state != DONE)
            return false;
    return true;
}

/* A message without its closing "2 errors generated when compiling for gfx90a.", so that the same
 * message of several passes is recognised. */
static size_t message_length(const char *text, size_t size)
{
    while (size) {
        size_t line = size - 1;
        while (line && text[line - 1] != '\n')
            line--;
        if (!memmem(text + line, size - line, " generated", 10))
            break;
        size = line;
    }
    return size;
}

/* Prints what the job said, unless an earlier job said the very same. */
static void repeat(const struct ah_job *job, struct ah_strings *heard)
{
    size_t size = 0;
    char *text = job->said ? ah_file_read(job->said, &size) : NULL;
    if (!text || !size)
        return;
    const char *message = ah_text_copy(text, message_length(text, size));
    bool known = *message && ah_strings_contain(heard, message);
    if (!known)
        fwrite(text, 1, size, stderr);
    ah_strings_push(heard, message);
}

static struct ah_job *job_of(const struct ah_jobs *jobs, pid_t pid)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->at[i]->state == RUNNING && jobs->at[i]->pid == pid)
            return jobs->at[i];
    return NULL;
}

/* Starts what can start and returns whether any program runs. */
static bool advance(struct ah_jobs *jobs, const struct ah_jobs_options *options, unsigned *running,
                    bool *failed)
{
    for (size_t i = 0; i < jobs->count && *running < options->parallel; i++) {
        if (*failed || ah_temp_signal())
            break;
        struct ah_job *job = jobs->at[i];
        if (!ready(jobs, job))
            continue;
        start(job, jobs->count > 1, options->verbose);
        *running += job->state == RUNNING;
        *failed = *failed || job->state == FAILED;
        if (job->state == DONE) /* it may have made an earlier-looked-at one ready */
            i = (size_t)-1;
    }
    return *running > 0;
}

static int first_failure(const struct ah_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->at[i]->state == FAILED)
            return jobs->at[i]->status ? jobs->at[i]->status : 1;
    return 0;
}

int ah_jobs_run(struct ah_jobs *jobs, const struct ah_jobs_options *options)
{
    struct ah_strings heard = {0};
    unsigned running = 0;
    size_t printed = 0;
    bool failed = false;
    for (size_t i = 0; i < jobs->count && options->dry_run; i++)
        show(jobs->at[i]);
    if (options->dry_run)
        return 0;
    while (advance(jobs, options, &running, &failed)) {
        int status;
        pid_t pid = waitpid(-1, &status, 0);
        struct ah_job *job = pid > 0 ? job_of(jobs, pid) : NULL;
        if (!job)
            continue;
        running--;
        ended(job, status);
        failed = failed || job->state == FAILED;
        for (; printed < jobs->count && jobs->at[printed]->state >= DONE; printed++)
            repeat(jobs->at[printed], &heard);
    }
    for (; printed < jobs->count; printed++)
        repeat(jobs->at[printed], &heard);
    ah_temp_obey_signal();
    return first_failure(jobs);
}

char *ah_jobs_output_of(const struct ah_strings *argv)
{
    static unsigned number;
    const char *path = ah_temp_path(ah_text_print("output-%u", number++), false);
    pid_t pid;
    int status;
    if (!path || spawn(argv, NULL, path, "/dev/null", &pid))
        return NULL;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    ah_temp_child_ended(pid);
    ah_temp_obey_signal();
    size_t size;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ah_file_read(path, &size) : NULL;
}
