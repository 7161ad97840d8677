/* hsa_calls LIBRARY MODEL CODE_FOLDER [PART...]: makes HSA calls on a runtime given by its path,
 * with two simulated devices of a model, and prints a line for what each gave. Every part runs in
 * a process of its own, so that a runtime that crashes is a line too. */
#include "calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>

struct functions rt;
struct here here;
uint64_t zeros[1024] __attribute__((aligned(4096)));

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "hsa_calls: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    _exit(EXIT_FAILURE);
}

static void open_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail("%s", dlerror());
#define HSA_FUNCTION(result, name, parameters) *(void **)&rt.name = dlsym(library, #name);
#include "hsa_functions.def"
#undef HSA_FUNCTION
}

static void run_here(const char *library, const struct part *part)
{
    alarm(60); /* a call that never returns */
    open_library(library);
    if (!(part->flags & RAW)) {
        must(rt.hsa_init());
        look_around();
    }
    within("%s", part->name);
    part->run();
    fflush(stdout);
    _exit(EXIT_SUCCESS);
}

/* What a runtime says of a crash is nobody's to compare. */
static void run(const char *library, const struct part *part)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        run_here(library, part);
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail("%s: no process", part->name);
    within("%s", part->name);
    if (WIFSIGNALED(status))
        say("end", "signal %d", WTERMSIG(status));
    else
        say("end", "exit code %d", WEXITSTATUS(status));
}

static bool is_wanted(const struct part *part, const char *model, char **names)
{
    if (part->flags & ONE_MODEL && strcmp(model, "gfx90a") != 0)
        return false;
    for (char **name = names; *name; name++)
        if (strcmp(*name, part->name) == 0)
            return true;
    return !*names;
}

int main(int argc, char **argv)
{
    static const struct part *const all[] = {parts_of_system,  parts_of_agents, parts_of_memory,
                                             parts_of_signals, parts_of_queues, parts_of_code,
                                             parts_of_copies,  parts_of_errors};
    char devices[64];
    if (argc < 4)
        fail("LIBRARY MODEL CODE_FOLDER [PART...]");
    here.model = argv[2];
    here.code_folder = argv[3];
    snprintf(devices, sizeof devices, "%s*2", here.model);
    setenv("ANYHIP_SIM_DEVICES", devices, 1);
    setenv("ANYHIP_SIM_MEMORY", "1GiB", 1);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* what came before a crash is seen */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const struct part *part = all[i]; part->name; part++)
            if (is_wanted(part, here.model, argv + 4))
                run(argv[1], part);
    return EXIT_SUCCESS;
}
