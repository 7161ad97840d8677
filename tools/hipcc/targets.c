/* Owns the choice of architectures. */
#include "targets.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "known.h"
#include "report.h"

/* Every GPU of AMD's since Vega (generic targets, and the two processors that are in none) and of
 * NVIDIA's since Volta, whose driver translates PTX for later ones. */
static const char default_archs[] = "gfx9-generic,gfx908,gfx90a,gfx9-4-generic,gfx10-1-generic,"
                                    "gfx10-3-generic,gfx11-generic,gfx12-generic,sm_70";

/* gfx followed by digits and letters, or a generic target such as gfx9-4-generic, then features
 * such as :sramecc+:xnack-. */
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
    int level = ah_known_ptx_level(arch);
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

/* Pushes the architectures that a word stands for, but those that were taken back. */
static void push_group(const struct ah_strings *group, const struct ah_strings *removed,
                       struct ah_strings *out)
{
    for (size_t i = 0; i < group->count; i++)
        if (!ah_strings_contain(removed, group->at[i]))
            ah_strings_push(out, group->at[i]);
}

/* Without a GPU, what would be compiled for if nothing was said. */
static void push_native(const struct ah_strings *removed, struct ah_strings *out)
{
    struct ah_strings found = {0};
    const char *setting = getenv("ANYHIP_OFFLOAD_ARCH");
    bool names = setting && *setting && !strstr(setting, "native") && !strstr(setting, "all");
    const char *instead = names ? setting : default_archs;
    ah_targets_of_machine(NULL, &found);
    if (!found.count) {
        ah_report_warning("no GPU found on this machine; 'native' means %s", instead);
        ah_strings_split(&found, instead, ", ;");
    }
    push_group(&found, removed, out);
}

static void expand(const struct ah_strings *wanted, const struct ah_strings *removed,
                   const struct ah_toolchain *toolchain, struct ah_strings *out)
{
    struct ah_strings all = {0};
    for (size_t i = 0; i < wanted->count; i++) {
        if (!strcmp(wanted->at[i], "native")) {
            push_native(removed, out);
        } else if (!strcmp(wanted->at[i], "all")) {
            ah_known_all(toolchain, &all);
            push_group(&all, removed, out);
        } else {
            ah_strings_push(out, wanted->at[i]);
        }
    }
}

/* The architectures to compile for by name, words for several of them replaced. */
static void list_archs(const struct ah_request *request, const struct ah_toolchain *toolchain,
                       struct ah_strings *out_archs)
{
    struct ah_strings wanted = {0};
    const char *setting = getenv("ANYHIP_OFFLOAD_ARCH");
    if (request->archs.count) {
        expand(&request->archs, &request->no_archs, toolchain, out_archs);
        return;
    }
    if (setting)
        ah_strings_split(&wanted, setting, ", ;");
    if (!wanted.count)
        ah_strings_split(&wanted, default_archs, ",");
    struct ah_strings named = {0};
    expand(&wanted, &request->no_archs, toolchain, &named);
    push_group(&named, &request->no_archs, out_archs);
}

bool ah_targets_choose(const struct ah_request *request, const struct ah_toolchain *toolchain,
                       struct ah_targets *out_targets)
{
    struct ah_strings archs = {0}, seen = {0};
    list_archs(request, toolchain, &archs);
    *out_targets = (struct ah_targets){0};
    out_targets->at = ah_text_alloc((archs.count + 1) * sizeof(struct ah_target));
    for (size_t i = 0; i < archs.count; i++) {
        struct ah_target *target = &out_targets->at[out_targets->count];
        if (ah_strings_contain(&seen, archs.at[i]))
            continue;
        ah_strings_push(&seen, archs.at[i]);
        if (!ah_target_named(archs.at[i], target) ||
            (!target->nvidia && !ah_known_processor(archs.at[i], toolchain))) {
            ah_report_error("unsupported GPU architecture '%s'", archs.at[i]);
            ah_known_suggest(archs.at[i], toolchain);
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
