/* Owns the options of `anyhip profile`, and how the program is run: as a child, with a folder for
 * what its processes count. */
#include "profile.h"

#include "command_line.h"
#include "devices.h"
#include "profiles.h"

#include <hip/anyhip.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEVICES_SIZE = 1024 };

struct request {
    char devices[DEVICES_SIZE]; /* as ANYHIP_BACKEND has them; "": no option named one */
    const char *output, *old;   /* files of -o and --compare, or NULL */
    bool json;
    char **program; /* with its arguments, NULL at the end */
    cJSON *before;  /* what is in old */
};

static const char command[] = "profile";

/* ---- the command line -------------------------------------------------------------------------
 */

static bool take_device(void *data, const char *value)
{
    struct request *request = data;
    return ah_devices_add(command, value, request->devices, sizeof request->devices);
}

static bool take_output(void *data, const char *value)
{
    ((struct request *)data)->output = value;
    return true;
}

static bool take_old(void *data, const char *value)
{
    ((struct request *)data)->old = value;
    return true;
}

static bool take_json(void *data, const char *none)
{
    (void)none;
    return ((struct request *)data)->json = true;
}

static const struct ah_option options[] = {{.name = "--device", .take = take_device},
                                           {.name = "-o", .take = take_output},
                                           {.name = "--compare", .take = take_old},
                                           {.name = "--json", .take = take_json, .alone = true}};

/* ---- devices ----------------------------------------------------------------------------------
 */

/* The library's report, without what it says on standard error, which the program will say. NULL:
 * there is none. */
static char *report_of_devices(void)
{
    int said = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    char *text = NULL;
    if (said >= 0 && nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    if (anyhipGetReport(&text) != hipSuccess)
        text = NULL;
    if (said >= 0) {
        dup2(said, STDERR_FILENO);
        close(said);
    }
    if (nowhere >= 0)
        close(nowhere);
    return text;
}

/* The name of a GPU that a program would use; "": there is none. */
static void find_gpu(char *out, size_t size)
{
    char *text = report_of_devices();
    *out = '\0';
    if (!text)
        return;
    cJSON *report = cJSON_Parse(text);
    const cJSON *device;
    cJSON_ArrayForEach(device, cJSON_GetObjectItemCaseSensitive(report, "devices"))
    {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(device, "name"));
        if (!*out && !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(device, "simulated")))
            snprintf(out, size, "%s", name ? name : "a GPU");
    }
    cJSON_Delete(report);
    free(text);
}

/* AMD's own HSA runtime finds simulated GPUs below it where these variables say so
 * (docs/rocr.md). */
static bool is_amds_runtime_on_simulated(const char *devices)
{
    return devices && strstr(devices, "hsa") &&
           (getenv("ANYHIP_SIM_DEVICES") || getenv("HSA_MODEL_TOPOLOGY"));
}

/* Only simulated devices count. */
static bool has_simulated(const struct request *request)
{
    const char *devices = *request->devices ? request->devices : getenv("ANYHIP_BACKEND");
    char gpu[DEVICES_SIZE] = "";
    if ((devices && strstr(devices, "sim")) || is_amds_runtime_on_simulated(devices))
        return true;
    if (devices && *devices)
        snprintf(gpu, sizeof gpu, "%s", devices);
    else
        find_gpu(gpu, sizeof gpu);
    if (!*gpu)
        return true;
    return ah_refuse(
        command,
        "counts on simulated devices, and the program would run on %s: name one, as in "
        "--device sm_80 or --device gfx90a. Profilers of GPUs are NVIDIA's ncu and AMD's "
        "rocprofv3",
        gpu);
}

/* ---- the child ----------------------------------------------------------------------------------
 */

static pid_t child;

static void pass_on(int signal_number)
{
    kill(child, signal_number);
}

/* Ends in the program, or writes errno to the pipe. */
__attribute__((noreturn)) static void become(const struct request *request, const char *folder,
                                             int pipe_end)
{
    int error = 0;
    if (setenv("ANYHIP_SIM_PROFILE", folder, 1) != 0 ||
        (*request->devices && setenv("ANYHIP_BACKEND", request->devices, 1) != 0) ||
        (request->json && !request->output && dup2(STDERR_FILENO, STDOUT_FILENO) < 0))
        error = errno;
    if (!error) {
        execvp(request->program[0], request->program);
        error = errno;
    }
    (void)!write(pipe_end, &error, sizeof error);
    _exit(AH_EXIT_CANNOT_START);
}

static int wait_for_child(void)
{
    int status = 0;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = pass_on};
    sigaction(SIGINT, &ignore, NULL); /* of the terminal, which the child gets too */
    sigaction(SIGQUIT, &ignore, NULL);
    sigaction(SIGTERM, &pass, NULL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* Returns the exit status; *out_ran: whether there was a program. */
static int run(const struct request *request, const char *folder, bool *out_ran)
{
    int ends[2], error = 0;
    fflush(NULL);
    *out_ran = false;
    if (pipe2(ends, O_CLOEXEC) != 0 || (child = fork()) < 0)
        return ah_complain(request->program[0], "%s", strerror(errno)), AH_EXIT_CANNOT_START;
    if (child == 0)
        become(request, folder, ends[1]);
    close(ends[1]);
    bool failed = read(ends[0], &error, sizeof error) == (ssize_t)sizeof error;
    close(ends[0]);
    int status = wait_for_child();
    if (failed) {
        ah_complain(request->program[0], "%s", strerror(error));
        return error == ENOENT ? AH_EXIT_NOT_FOUND : AH_EXIT_CANNOT_START;
    }
    *out_ran = true;
    if (WIFSIGNALED(status)) {
        ah_complain(request->program[0],
                    "it was killed by signal %d; what was counted until shortly before is here",
                    WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}

/* ---- the folder
 * ----------------------------------------------------------------------------------- */

static char *make_folder(void)
{
    const char *top = getenv("TMPDIR");
    char *folder = NULL;
    if (asprintf(&folder, "%s/anyhip-profile-XXXXXX", top && *top ? top : "/tmp") < 0)
        return NULL;
    if (mkdtemp(folder))
        return folder;
    ah_complain(folder, "%s", strerror(errno));
    free(folder);
    return NULL;
}

static void remove_folder(const char *folder)
{
    DIR *files = opendir(folder);
    int at = files ? dirfd(files) : -1;
    const struct dirent *entry;
    while (at >= 0 && (entry = readdir(files)))
        if (entry->d_name[0] != '.')
            unlinkat(at, entry->d_name, 0);
    if (files)
        closedir(files);
    rmdir(folder);
}

/* ---- the profile
 * -------------------------------------------------------------------------------------
 */

static cJSON *make_profile(const struct request *request, int status, cJSON *processes)
{
    cJSON *profile = cJSON_CreateObject();
    cJSON *program = cJSON_AddArrayToObject(profile, "program");
    cJSON_AddNumberToObject(profile, "anyhip_profile", AH_PROFILE_VERSION);
    cJSON_AddStringToObject(profile, "anyhip", anyhipVersion());
    for (char **word = request->program; *word; word++)
        cJSON_AddItemToArray(program, cJSON_CreateString(*word));
    cJSON_AddNumberToObject(profile, "status", status);
    cJSON_AddItemToObject(profile, "processes", processes);
    return profile;
}

static bool write_json(const cJSON *profile, const char *name)
{
    char *text = cJSON_Print(profile);
    FILE *file = name ? fopen(name, "we") : stdout;
    bool good = text && file && fprintf(file, "%s\n", text) >= 0;
    if (file && (name ? fclose(file) : fflush(file)) != 0)
        good = false;
    if (!good)
        ah_complain(name ? name : "standard output", "%s", strerror(text ? errno : ENOMEM));
    cJSON_free(text);
    return good;
}

/* Returns the exit status. */
static int report(const struct request *request, const cJSON *profile)
{
    int status = 0;
    if (ah_profile_kernels(profile) == 0)
        status = ah_complain(request->program[0],
                             "no kernel has run on a simulated device, and nothing was counted");
    if (request->output && !write_json(profile, request->output))
        status = 1;
    if (request->before)
        return ah_profile_compare(request->before, profile, request->old) ? 1 : status;
    if (request->json && !request->output)
        return write_json(profile, NULL) ? status : 1;
    if (!request->json)
        ah_profile_print(profile);
    return status;
}

static int profile(struct request *request)
{
    bool ran;
    char *folder = make_folder();
    if (!folder)
        return 1;
    int status = run(request, folder, &ran), reported = 0;
    if (ran) {
        cJSON *processes = ah_profiles_collect(folder);
        cJSON *made = processes ? make_profile(request, status, processes) : NULL;
        reported = made ? report(request, made) : 1;
        cJSON_Delete(made);
    }
    remove_folder(folder);
    free(folder);
    return status ? status : reported;
}

/* What can be found before the program runs, which may take long. */
static bool can_write(const char *name)
{
    int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        ah_complain(name, "%s", strerror(errno));
        return false;
    }
    close(file);
    return true;
}

int ah_profile(int count, char **arguments)
{
    static const struct ah_starter starter = {command, options, sizeof options / sizeof *options,
                                              "options are --device, --json, -o and --compare"};
    struct request request = {.devices = ""};
    int program = ah_read_options(&starter, &request, count, arguments);
    if (program < 0)
        return AH_EXIT_USAGE;
    request.program = arguments + program;
    if (!has_simulated(&request))
        return AH_EXIT_USAGE;
    if (request.old && !(request.before = ah_profile_read(request.old)))
        return 1;
    int status = request.output && !can_write(request.output) ? 1 : profile(&request);
    cJSON_Delete(request.before);
    return status;
}
