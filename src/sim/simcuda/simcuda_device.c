/* Owns the driver's start: the list of devices; and the names of its errors. */
#include "simcuda_driver.h"
#include "simcuda.h"
#include "config.h"
#include "env.h"
#include "jit_exit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the list of devices ------------------------------------------------------- */

static const struct simcuda_model models[] = {
#define SIMCUDA_MODEL(...) {__VA_ARGS__},
#include "simcuda_models.def"
#undef SIMCUDA_MODEL
};

enum { DEFAULT_SM = 80 };
static char configured[256]; /* by anyhipSimConfigure */

static const struct simcuda_model *model_of(unsigned sm)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (models[i].sm == sm)
            return &models[i];
    return NULL;
}

/* Reads "sm_80" or "default"; returns its length, 0: there is no such model. *out_sm is 0 for a
 * device that another vendor's library simulates. */
static int read_model(const char *text, unsigned *out_sm)
{
    static const char usual[] = "default", others[] = "gfx";
    int used = 0;
    if (strncmp(text, others, sizeof others - 1) == 0) {
        *out_sm = 0;
        return (int)strcspn(text, "*, \t");
    }
    if (strncmp(text, usual, sizeof usual - 1) == 0) {
        *out_sm = DEFAULT_SM;
        return sizeof usual - 1;
    }
    return sscanf(text, "sm_%u%n", out_sm, &used) == 1 && model_of(*out_sm) ? used : 0;
}

static void refuse(const char *list, const char *at)
{
    char names[256] = "";
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%ssm_%u", i ? ", " : "",
                 models[i].sm);
    AH_LOG_NOTICE(AH_LOG_ERROR,
                  "simulated CUDA devices \"%s\": cannot use \"%s\"; at most %d of the models %s, "
                  "as sm_80*2,sm_90",
                  list, at, SIMCUDA_DEVICES_MAX, names);
}

/* Parses "sm_80*2,sm_90" into the compute capability of each device. -1: the list is invalid, and
 * the log says where. */
static int read_list(const char *list, unsigned out_sm[SIMCUDA_DEVICES_MAX])
{
    const char *at = list;
    int count = 0;
    while (*at) {
        unsigned sm, times = 1;
        int more = 0;
        while (isspace((unsigned char)*at))
            at++;
        int used = read_model(at, &sm);
        bool good = used > 0;
        if (good && at[used] == '*')
            good = sscanf(at + used, "*%u%n", &times, &more) == 1 && times > 0;
        const char *end = at + used + more;
        if (!good || (*end && *end != ',') || (*end && !end[1]) ||
            times > (unsigned)(SIMCUDA_DEVICES_MAX - count)) {
            refuse(list, at);
            return -1;
        }
        for (; sm != 0 && times > 0; times--)
            out_sm[count++] = sm;
        at = end + (*end == ',');
    }
    return count;
}

CUresult simcuda_anyhipSimConfigure(const char *devices)
{
    unsigned sm[SIMCUDA_DEVICES_MAX];
    SIMCUDA_ENTER(anyhipSimConfigure);
    if (simcuda.initialised)
        return simcuda_leave(CUDA_ERROR_ILLEGAL_STATE);
    if (!devices || strlen(devices) >= sizeof configured)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    int count = read_list(devices, sm);
    if (count == 0) /* all of them another vendor's */
        refuse(devices, devices);
    if (count <= 0)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    snprintf(configured, sizeof configured, "%s", devices);
    return simcuda_leave(CUDA_SUCCESS);
}

/* ---- start --------------------------------------------------------------------- */

/* The identity of a device is the same in every process: its model and its position. No byte is 0,
 * because some programs use it as text. */
static void make_uuid(CUuuid *uuid, int position, unsigned sm)
{
    memcpy(uuid->bytes, "AnyHIP simulated", sizeof uuid->bytes);
    uuid->bytes[14] = (char)sm;
    uuid->bytes[15] = (char)(position + 1);
}

static void make_device(struct simcuda_device *device, int position, unsigned sm)
{
    const struct sim_options *options = sim_options();
    *device = (struct simcuda_device){.position = position, .model = *model_of(sm)};
    device->total = options->memory;
    device->shared_per_block = SIMCUDA_SHARED_PER_BLOCK;
    if (options->compute_units > 0)
        device->model.units = (int)options->compute_units;
    if (options->shared_per_block > 0) {
        int shared = (int)options->shared_per_block;
        device->shared_per_block = shared;
        device->model.shared_optin =
            shared > device->model.shared_optin ? shared : device->model.shared_optin;
        int unit = device->model.shared_optin + device->model.shared_reserved;
        device->model.shared_per_unit =
            unit > device->model.shared_per_unit ? unit : device->model.shared_per_unit;
    }
    snprintf(device->name, sizeof device->name, "AnyHIP simulated sm_%u", sm);
    make_uuid(&device->uuid, position, sm);
}

static bool uuid_starts(const struct simcuda_device *device, const char *text)
{
    char uuid[48] = "GPU-";
    size_t used = 4;
    for (int i = 0; i < 16; i++) {
        bool dash = i == 4 || i == 6 || i == 8 || i == 10;
        used += (size_t)snprintf(uuid + used, sizeof uuid - used, "%s%02x", dash ? "-" : "",
                                 (unsigned char)device->uuid.bytes[i]);
    }
    return strncasecmp(uuid, text, strlen(text)) == 0;
}

/* The position that an element of CUDA_VISIBLE_DEVICES selects, -1: none. */
static int visible_position(const struct simcuda_device *all, int count, const char *element)
{
    char *end;
    if (strncasecmp(element, "GPU-", 4) == 0) {
        for (int i = 0; i < count; i++)
            if (uuid_starts(&all[i], element))
                return i;
        return -1;
    }
    long position = strtol(element, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    return end == element || *end || position < 0 || position >= count ? -1 : (int)position;
}

/* CUDA_VISIBLE_DEVICES ends at the first element that selects no device; if a device is selected
 * twice, none is visible. */
static int apply_visibility(struct simcuda_device *all, int count)
{
    char *list = ah_env_string("CUDA_VISIBLE_DEVICES"), *rest = list, *element;
    bool seen[SIMCUDA_DEVICES_MAX] = {false};
    int chosen[SIMCUDA_DEVICES_MAX], left = 0, position;
    if (!list)
        return count;
    while ((element = strsep(&rest, ",")) &&
           (position = visible_position(all, count, element)) >= 0) {
        if (seen[position]) {
            left = 0;
            break;
        }
        seen[position] = true;
        chosen[left++] = position;
    }
    free(list);
    struct simcuda_device *copy = malloc((size_t)count * sizeof *copy);
    if (!copy)
        return 0;
    memcpy(copy, all, (size_t)count * sizeof *copy);
    for (int i = 0; i < left; i++)
        all[i] = copy[chosen[i]];
    free(copy);
    return left;
}

static CUresult open_devices(void)
{
    unsigned sm[SIMCUDA_DEVICES_MAX];
    size_t totals[SIMCUDA_DEVICES_MAX];
    const struct sim_options *options = sim_options();
    const char *list = *configured ? configured : options->devices;
    int count = read_list(*list ? list : "default", sm);
    for (int i = 0; i < count; i++)
        make_device(&simcuda.devices[i], i, sm[i]);
    if (count > 0)
        count = apply_visibility(simcuda.devices, count);
    if (count <= 0)
        return CUDA_ERROR_NO_DEVICE;
    for (int i = 0; i < count; i++) {
        struct simcuda_device *device = &simcuda.devices[i];
        device->ordinal = i;
        totals[i] = device->total;
        device->primary = simcuda_object_new(SIMCUDA_CONTEXT, sizeof *device->primary, NULL);
        if (!device->primary)
            return CUDA_ERROR_OUT_OF_MEMORY;
        device->primary->device = device;
        device->primary->primary = true;
    }
    sim_memory_track_writes((options->checks & SIM_CHECK_UNINITIALISED) != 0);
    sim_memory_widen_guards((options->checks & SIM_CHECK_GUARDS) != 0);
    if (!sim_space_open(totals, count))
        return CUDA_ERROR_OUT_OF_MEMORY;
    sim_run_configure(&options->run);
    jit_wait_at_exit();
    simcuda.device_count = count;
    return CUDA_SUCCESS;
}

CUresult simcuda_cuInit(unsigned flags)
{
    static bool tried;
    simcuda_watch_forks();
    SIMCUDA_ENTER(cuInit);
    if (flags != 0)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    if (!tried) {
        tried = true;
        ah_config_start_log();
        simcuda.init_result = open_devices();
        simcuda.initialised = simcuda.init_result == CUDA_SUCCESS;
    }
    return simcuda_leave(simcuda.init_result);
}

CUresult simcuda_cuDriverGetVersion(int *version)
{
    SIMCUDA_ENTER(cuDriverGetVersion);
    if (!version)
        return simcuda_leave(CUDA_ERROR_INVALID_VALUE);
    *version = simcuda_script.version ? simcuda_script.version : SIMCUDA_VERSION;
    return simcuda_leave(CUDA_SUCCESS);
}

static const struct {
    CUresult value;
    const char *name, *text;
} errors[] = {
#define SIMCUDA_ERROR(value, name, text)                                                           \
    {value, value ? "CUDA_ERROR_" #name : "CUDA_SUCCESS", text},
#include "simcuda_errors.def"
#undef SIMCUDA_ERROR
};

static CUresult describe_error(CUresult error, const char **out, bool text)
{
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].value == error) {
            *out = text ? errors[i].text : errors[i].name;
            return CUDA_SUCCESS;
        }
    }
    *out = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult simcuda_cuGetErrorName(CUresult error, const char **name)
{
    SIMCUDA_ENTER(cuGetErrorName);
    return simcuda_leave(describe_error(error, name, false));
}

CUresult simcuda_cuGetErrorString(CUresult error, const char **text)
{
    SIMCUDA_ENTER(cuGetErrorString);
    return simcuda_leave(describe_error(error, text, true));
}
