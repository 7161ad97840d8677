/* Owns the choice of architectures and the table of PTX levels. */
#include "targets.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static const char default_archs[] = "gfx90a,gfx1100,sm_70";

/* The PTX level of an image decides how old a driver may be. Each architecture gets the
 * lowest level that clang accepts for it, but not below 7.0, where the instructions that
 * the kernel-language headers use begin. */
static const struct {
    const char *arch;
    int level;
} ptx_levels[] = {
    {"sm_50", 70},   {"sm_52", 70},   {"sm_53", 70},   {"sm_60", 70},   {"sm_61", 70},
    {"sm_62", 70},   {"sm_70", 70},   {"sm_72", 70},   {"sm_75", 70},   {"sm_80", 70},
    {"sm_86", 71},   {"sm_87", 74},   {"sm_88", 90},   {"sm_89", 78},   {"sm_90", 78},
    {"sm_90a", 80},  {"sm_100", 86},  {"sm_100a", 86}, {"sm_100f", 88}, {"sm_101", 86},
    {"sm_101a", 86}, {"sm_101f", 88}, {"sm_103", 88},  {"sm_103a", 88}, {"sm_103f", 88},
    {"sm_110", 90},  {"sm_110a", 90}, {"sm_110f", 90}, {"sm_120", 87},  {"sm_120a", 87},
    {"sm_120f", 88}, {"sm_121", 88},  {"sm_121a", 88}, {"sm_121f", 88},
};

static int ptx_level(const char *arch)
{
    for (size_t i = 0; i < sizeof(ptx_levels) / sizeof(*ptx_levels); i++)
        if (!strcmp(ptx_levels[i].arch, arch))
            return ptx_levels[i].level;
    return 0;
}

/* gfx followed by digits and letters, or a generic target such as gfx9-4-generic, then features
 * such as :sramecc+:xnack-. Whether the processor exists is clang's to say. */
static bool is_amd_name(const char *arch)
{
    const char *p = ah_text_after(arch, "gfx");
    if (!p || !isdigit((unsigned char)*p))
        return false;
    while (isalnum((unsigned char)*p) || *p == '-')
        p++;
    while (*p == ':') {
        size_t length = strcspn(++p, "+-");
        bool known =
            (length == 5 && !strncmp(p, "xnack", 5)) || (length == 7 && !strncmp(p, "sramecc", 7));
        p += length;
        if (!known || !*p)
            return false;
        p++;
    }
    return !*p;
}

/* gfx90a:xnack+ in a file name. */
static const char *file_spelling(const char *arch)
{
    const char *text = ah_text_replace(arch, ":", "-");
    text = ah_text_replace(text, "+", "-on");
    return ah_text_ends(text, "-") ? ah_text_print("%soff", text) : text;
}

bool ah_target_named(const char *arch, struct ah_target *out_target)
{
    if (is_amd_name(arch)) {
        *out_target = (struct ah_target){
            .arch = arch,
            .triple = "amdgcn-amd-amdhsa",
            .bundle = ah_text_print("hipv4-amdgcn-amd-amdhsa--%s", arch),
            .file = ah_text_print("hip-amdgcn-amd-amdhsa-%s", file_spelling(arch)),
        };
        return true;
    }
    int level = ptx_level(arch);
    if (!level)
        return false;
    *out_target = (struct ah_target){
        .arch = arch,
        .nvidia = true,
        .ptx = ah_text_print("+ptx%d", level),
        .triple = "nvptx64-nvidia-cuda",
        .bundle = ah_text_print("hip-nvptx64-nvidia-cuda--%s", arch),
        .file = ah_text_print("hip-nvptx64-nvidia-cuda-%s", arch),
    };
    return true;
}

static void say_unsupported(const char *arch)
{
    struct ah_strings known = {0};
    for (size_t i = 0; i < sizeof(ptx_levels) / sizeof(*ptx_levels); i++)
        ah_strings_push(&known, ptx_levels[i].arch);
    ah_report_error("unsupported GPU architecture '%s'", arch);
    if (ah_text_starts(arch, "sm_") || ah_text_starts(arch, "compute_"))
        ah_report_note("NVIDIA architectures: %s ... %s", known.at[0], known.at[known.count - 1]);
    else if (ah_text_starts(arch, "gfx"))
        ah_report_note("AMD architectures are spelled gfx90a or gfx90a:sramecc+:xnack-");
    else
        ah_report_note("architectures are spelled gfx90a (AMD) or sm_70 (NVIDIA)");
}

/* A processor with a feature and the same processor without one: which image a device should take
 * would be undefined. */
static const char *features(const char *arch, char sign_removed[64])
{
    const char *colon = strchr(arch, ':');
    size_t n = 0;
    for (const char *p = colon ? colon : ""; *p && n < 63; p++)
        if (*p != '+' && *p != '-')
            sign_removed[n++] = *p;
    sign_removed[n] = '\0';
    return sign_removed;
}

static bool conflict(const char *a, const char *b)
{
    char x[64], y[64];
    size_t n = strcspn(a, ":");
    return n == strcspn(b, ":") && !strncmp(a, b, n) && strcmp(features(a, x), features(b, y));
}

static bool check_pairs(const struct ah_targets *targets)
{
    for (size_t i = 0; i < targets->count; i++)
        for (size_t k = 0; k < i; k++)
            if (conflict(targets->at[i].arch, targets->at[k].arch)) {
                ah_report_error("architectures '%s' and '%s' cannot be mixed: a feature must be "
                                "given for every image of a processor or for none",
                                targets->at[k].arch, targets->at[i].arch);
                return false;
            }
    return true;
}

static void expand_native(const struct ah_strings *wanted, struct ah_strings *out)
{
    for (size_t i = 0; i < wanted->count; i++) {
        if (strcmp(wanted->at[i], "native")) {
            ah_strings_push(out, wanted->at[i]);
            continue;
        }
        size_t before = out->count;
        ah_targets_of_machine(NULL, out);
        if (out->count == before) {
            ah_report_warning("no GPU found on this machine; 'native' means %s", default_archs);
            ah_strings_split(out, default_archs, ",");
        }
    }
}

bool ah_targets_choose(const struct ah_request *request, struct ah_targets *out_targets)
{
    struct ah_strings wanted = {0}, archs = {0}, seen = {0};
    const char *setting = getenv("ANYHIP_OFFLOAD_ARCH");
    ah_strings_append(&wanted, &request->archs);
    if (!wanted.count && setting)
        ah_strings_split(&wanted, setting, ", ;");
    if (!wanted.count)
        ah_strings_split(&wanted, default_archs, ",");
    expand_native(&wanted, &archs);
    *out_targets = (struct ah_targets){0};
    out_targets->at = ah_text_alloc((archs.count + 1) * sizeof(struct ah_target));
    for (size_t i = 0; i < archs.count; i++) {
        if (ah_strings_contain(&seen, archs.at[i]) ||
            (!request->archs.count && ah_strings_contain(&request->no_archs, archs.at[i])))
            continue;
        ah_strings_push(&seen, archs.at[i]);
        if (!ah_target_named(archs.at[i], &out_targets->at[out_targets->count])) {
            say_unsupported(archs.at[i]);
            return false;
        }
        out_targets->count++;
    }
    if (!out_targets->count) {
        ah_report_error("no GPU architecture is left to compile for");
        return false;
    }
    return check_pairs(out_targets);
}
