/* Owns the translation of options: those of HIP's and NVIDIA's run-time compilers that clang spells
 * differently, and those that would produce another kind of output. */
#include "rtc_options.h"

#include "log.h"
#include "runtime.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum action {
    ARCHITECTURE, /* the value names one */
    RELOCATABLE,
    SPELLED,  /* becomes `becomes`, followed by the value where there is one */
    DROPPED,  /* nothing to choose here */
    OBSOLETE, /* no longer in clang; dropped with a line in the log */
    REFUSED,
};

struct row {
    const char *spelling; /* with '=' at its end: a value follows, or is the next option */
    enum action action;
    const char *becomes;
};

static const struct row rows[] = {
    {"--gpu-architecture=", ARCHITECTURE, NULL},
    {"--offload-arch=", ARCHITECTURE, NULL},
    {"-arch=", ARCHITECTURE, NULL},
    {"-fgpu-rdc", RELOCATABLE, NULL},
    {"--device-c", RELOCATABLE, NULL},
    {"-dc", RELOCATABLE, NULL},
    {"--relocatable-device-code=true", RELOCATABLE, NULL},
    {"-rdc=true", RELOCATABLE, NULL},
    {"--relocatable-device-code=false", DROPPED, NULL},
    {"-rdc=false", DROPPED, NULL},
    {"--device-w", DROPPED, NULL},
    {"-dw", DROPPED, NULL},
    {"--fmad=true", SPELLED, "-ffp-contract=fast"},
    {"-fmad=true", SPELLED, "-ffp-contract=fast"},
    {"--fmad=false", SPELLED, "-ffp-contract=off"},
    {"-fmad=false", SPELLED, "-ffp-contract=off"},
    {"--ftz=true", SPELLED, "-fgpu-flush-denormals-to-zero"},
    {"-ftz=true", SPELLED, "-fgpu-flush-denormals-to-zero"},
    {"--ftz=false", SPELLED, "-fno-gpu-flush-denormals-to-zero"},
    {"-ftz=false", SPELLED, "-fno-gpu-flush-denormals-to-zero"},
    {"--device-debug", SPELLED, "-g"},
    {"-G", SPELLED, "-g"},
    {"--generate-line-info", SPELLED, "-gline-tables-only"},
    {"-lineinfo", SPELLED, "-gline-tables-only"},
    {"--define-macro=", SPELLED, "-D"},
    {"--undefine-macro=", SPELLED, "-U"},
    {"--include-path=", SPELLED, "-I"},
    {"--pre-include=", SPELLED, "-include"},
    {"--disable-warnings", SPELLED, "-w"},
    {"--default-device", DROPPED, NULL},
    {"-default-device", DROPPED, NULL},
    {"--maxrregcount=", DROPPED, NULL},
    {"-maxrregcount=", DROPPED, NULL},
    {"--prec-div=", DROPPED, NULL},
    {"-prec-div=", DROPPED, NULL},
    {"--prec-sqrt=", DROPPED, NULL},
    {"-prec-sqrt=", DROPPED, NULL},
    {"-hip-pch", DROPPED, NULL},
    {"-flegacy-pass-manager", OBSOLETE, NULL},
    {"-fno-legacy-pass-manager", OBSOLETE, NULL},
    {"-fexperimental-new-pass-manager", OBSOLETE, NULL},
    {"-fno-experimental-new-pass-manager", OBSOLETE, NULL},
    {"-mcode-object-v3", OBSOLETE, NULL},
    {"-mno-code-object-v3", OBSOLETE, NULL},
    {"-fcuda-host-device-constexpr", OBSOLETE, NULL},
    {"-famd-opt", OBSOLETE, NULL},
    {"-c", REFUSED, NULL},
    {"-E", REFUSED, NULL},
    {"-M", REFUSED, NULL},
    {"-MM", REFUSED, NULL},
    {"-S", REFUSED, NULL},
    {"-o", REFUSED, NULL},
    {"-x", REFUSED, NULL},
    {"-###", REFUSED, NULL},
    {"-emit-llvm", REFUSED, NULL},
    {"-fsyntax-only", REFUSED, NULL},
    {"--emit-static-lib", REFUSED, NULL},
    {"--cuda-host-only", REFUSED, NULL},
    {"--offload-host-only", REFUSED, NULL},
};

static bool takes_value(const struct row *row)
{
    return row->spelling[strlen(row->spelling) - 1] == '=';
}

/* The row that an option fits; out_value is its value, or NULL where that is the next option. */
static const struct row *find_row(const char *option, const char **out_value)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = strlen(rows[i].spelling);
        *out_value = NULL;
        if (takes_value(&rows[i]) && strncmp(option, rows[i].spelling, length) == 0) {
            *out_value = option + length;
            return &rows[i];
        }
        size_t bare = takes_value(&rows[i]) ? length - 1 : length;
        if (strlen(option) == bare && strncmp(option, rows[i].spelling, bare) == 0)
            return &rows[i];
    }
    return NULL;
}

/* PTX is compiled for NVIDIA's virtual architecture. */
static bool add_architecture(struct ah_rtc_options *options, const char *name)
{
    bool is_virtual = strncmp(name, "compute_", 8) == 0;
    const char *comma = options->architectures ? "," : "";
    char *joined = NULL;
    int length = asprintf(&joined, "%s%s%s%s", options->architectures ? options->architectures : "",
                          comma, is_virtual ? "sm_" : "", is_virtual ? name + 8 : name);
    if (length < 0)
        return false;
    free(options->architectures);
    options->architectures = joined;
    return true;
}

/* Macros that configure the runtime's header. */
static bool is_for_the_header(const char *macro)
{
    return *macro == '_' || strncmp(macro, "HIP", 3) == 0 || strncmp(macro, "NDEBUG", 6) == 0;
}

static void push_value(struct ah_rtc_options *options, const char *option, const char *value)
{
    bool macro = (strcmp(option, "-D") == 0 || strcmp(option, "-U") == 0) && *value &&
                 !is_for_the_header(value);
    ah_rtc_push(macro ? &options->macros : &options->arguments, "%s%s", option, value);
}

/* An option of clang's. The value may follow in the same word, after blanks ("-I  folder") or not,
 * or be the next option; taken is then set. */
static void push_as_it_is(struct ah_rtc_options *options, const char *option, const char *next,
                          bool *out_taken)
{
    static const char *const valued[] = {"-include", "-isystem", "-I", "-D", "-U"};
    *out_taken = false;
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        size_t length = strlen(valued[i]);
        if (strncmp(option, valued[i], length) != 0)
            continue;
        const char *value = option + length + strspn(option + length, " \t");
        *out_taken = !*value && next;
        push_value(options, valued[i], *out_taken ? next : value);
        return;
    }
    ah_rtc_push(&options->arguments, "%s", option);
}

static hiprtcResult take(struct ah_rtc_options *options, const struct row *row, const char *value)
{
    switch (row->action) {
    case ARCHITECTURE:
        return add_architecture(options, value) ? HIPRTC_SUCCESS : HIPRTC_ERROR_OUT_OF_MEMORY;
    case RELOCATABLE:
        options->relocatable = true;
        break;
    case SPELLED:
        push_value(options, row->becomes, value ? value : "");
        break;
    case DROPPED:
        break;
    case OBSOLETE:
        AH_LOG(AH_LOG_WARNING, AH_LOG_CODE, "hiprtc: %s is obsolete and changes nothing",
               row->spelling);
        break;
    case REFUSED:
        return HIPRTC_ERROR_INVALID_OPTION;
    }
    return HIPRTC_SUCCESS;
}

static hiprtcResult read_all(struct ah_rtc_options *out, const struct ah_rtc_arguments *given,
                             char **out_refused)
{
    for (size_t i = 0; i < given->count; i++) {
        const char *option = given->at[i], *value;
        if (strncmp(option, "-print-", 7) == 0 && i > 0 && strcmp(given->at[i - 1], "-mllvm") == 0)
            out->prints = true;
        const struct row *row = find_row(option, &value);
        if (!row) {
            bool taken;
            push_as_it_is(out, option, i + 1 < given->count ? given->at[i + 1] : NULL, &taken);
            i += taken;
            continue;
        }
        if (takes_value(row) && !value)
            value = i + 1 < given->count ? given->at[++i] : NULL;
        hiprtcResult result =
            takes_value(row) && !value ? HIPRTC_ERROR_INVALID_OPTION : take(out, row, value);
        if (result == HIPRTC_ERROR_INVALID_OPTION &&
            asprintf(out_refused, "error: the option %s %s\n", option,
                     takes_value(row) ? "needs a value" : "is not one of run-time compilation") < 0)
            *out_refused = NULL;
        if (result != HIPRTC_SUCCESS)
            return result;
    }
    return HIPRTC_SUCCESS;
}

hiprtcResult ah_rtc_options_read(struct ah_rtc_options *out, int count, const char *const *options,
                                 char **out_refused)
{
    struct ah_rtc_arguments given = {0};
    *out = (struct ah_rtc_options){0};
    *out_refused = NULL;
    for (int i = 0; i < count; i++)
        if (*options[i])
            ah_rtc_push(&given, "%s", options[i]);
    ah_rtc_push_variable(&given, "HIPRTC_COMPILE_OPTIONS_APPEND");
    hiprtcResult result = read_all(out, &given, out_refused);
    if (given.failed || out->arguments.failed || out->macros.failed)
        result = HIPRTC_ERROR_OUT_OF_MEMORY;
    ah_rtc_arguments_fini(&given);
    return result;
}

void ah_rtc_options_fini(struct ah_rtc_options *options)
{
    ah_rtc_arguments_fini(&options->arguments);
    ah_rtc_arguments_fini(&options->macros);
    free(options->architectures);
    *options = (struct ah_rtc_options){0};
}

char *ah_rtc_current_architecture(void)
{
    return ah_rtc_architecture(NULL);
}

static bool read_architecture(struct ah_device *device, hipDeviceProp_tR0600 *out)
{
    device = device ? device : ah_device_current();
    return device && device->ops->device_properties(device->native, out) == hipSuccess;
}

char *ah_rtc_architecture(struct ah_device *device)
{
    hipDeviceProp_tR0600 properties;
    return read_architecture(device, &properties) ? strdup(properties.gcnArchName) : NULL;
}

bool ah_rtc_is_nvidia(struct ah_device *device)
{
    hipDeviceProp_tR0600 properties;
    return read_architecture(device, &properties) && strncmp(properties.gcnArchName, "sm_", 3) == 0;
}
