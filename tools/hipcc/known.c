/* Owns the lists of architectures. */
#include "known.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "jobs.h"
#include "report.h"
#include "spelling.h"

/* The PTX level of an image decides how old a driver may be. Each architecture gets the
 * lowest level that clang accepts for it, but not below 7.0, where the instructions that
 * the kernel-language headers use begin. clang's driver takes no name of a family (sm_100f). */
static const struct {
    const char *arch;
    int level;
} ptx_levels[] = {
    {"sm_50", 70},   {"sm_52", 70},   {"sm_53", 70},   {"sm_60", 70},   {"sm_61", 70},
    {"sm_62", 70},   {"sm_70", 70},   {"sm_72", 70},   {"sm_75", 70},   {"sm_80", 70},
    {"sm_86", 71},   {"sm_87", 74},   {"sm_88", 90},   {"sm_89", 78},   {"sm_90", 78},
    {"sm_90a", 80},  {"sm_100", 86},  {"sm_100a", 86}, {"sm_101", 86},  {"sm_101a", 86},
    {"sm_103", 88},  {"sm_103a", 88}, {"sm_110", 90},  {"sm_110a", 90}, {"sm_120", 87},
    {"sm_120a", 87}, {"sm_121", 88},  {"sm_121a", 88},
};
enum { PTX_LEVEL_COUNT = sizeof ptx_levels / sizeof *ptx_levels };

/* AMD's processors and generic targets that clang 22 knows. */
static const char processors[] =
    "gfx600 gfx601 gfx602 gfx700 gfx701 gfx702 gfx703 gfx704 gfx705 gfx801 gfx802 gfx803 gfx805 "
    "gfx810 gfx900 gfx902 gfx904 gfx906 gfx908 gfx909 gfx90a gfx90c gfx942 gfx950 gfx1010 gfx1011 "
    "gfx1012 gfx1013 gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 gfx1100 gfx1101 "
    "gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx1200 gfx1201 gfx1250 gfx1251 "
    "gfx9-generic gfx9-4-generic gfx10-1-generic gfx10-3-generic gfx11-generic gfx12-generic";

/* Earlier GPUs lack what warp functions and atomics need. */
enum { OLDEST_AMD = 8, OLDEST_NVIDIA = 70 };

int ah_known_ptx_level(const char *arch)
{
    for (size_t i = 0; i < PTX_LEVEL_COUNT; i++)
        if (!strcmp(ptx_levels[i].arch, arch))
            return ptx_levels[i].level;
    return 0;
}

/* clang writes its list on standard error. */
static void ask_clang(const struct ah_toolchain *toolchain, struct ah_strings *out_processors)
{
    static const char *const command[] = {"/bin/sh", "-c", "exec \"$0\" \"$@\" 2>&1"};
    struct ah_strings argv = {0}, lines = {0};
    for (size_t i = 0; i < sizeof command / sizeof *command; i++)
        ah_strings_push(&argv, command[i]);
    ah_toolchain_push_clang(toolchain, false, &argv);
    ah_strings_push(&argv, "--target=amdgcn-amd-amdhsa");
    ah_strings_push(&argv, "-print-supported-cpus");
    const char *output = ah_jobs_output_of(&argv);
    if (output)
        ah_strings_split(&lines, output, " \t\r\n");
    for (size_t i = 0; i < lines.count; i++)
        if (ah_text_starts(lines.at[i], "gfx") && isdigit((unsigned char)lines.at[i][3]))
            ah_strings_push(out_processors, lines.at[i]);
}

/* In the order above, which is not clang's, and then what a newer clang has besides. */
static void list_processors(const struct ah_toolchain *toolchain, struct ah_strings *out)
{
    struct ah_strings known = {0}, ours = {0};
    ah_strings_split(&ours, processors, " ");
    if (toolchain)
        ask_clang(toolchain, &known);
    for (size_t i = 0; i < ours.count; i++)
        if (!known.count || ah_strings_contain(&known, ours.at[i]))
            ah_strings_push(out, ours.at[i]);
    for (size_t i = 0; i < known.count; i++)
        if (!ah_strings_contain(&ours, known.at[i]))
            ah_strings_push(out, known.at[i]);
}

bool ah_known_processor(const char *arch, const struct ah_toolchain *toolchain)
{
    struct ah_strings known = {0};
    const char *name = ah_text_copy(arch, strcspn(arch, ":"));
    ah_strings_split(&known, processors, " ");
    if (ah_strings_contain(&known, name))
        return true;
    known = (struct ah_strings){0};
    if (toolchain)
        ask_clang(toolchain, &known);
    return ah_strings_contain(&known, name);
}

/* 9 of gfx90a and gfx9-4-generic, 11 of gfx1100: what precedes two more letters or a dash. */
static long generation_of(const char *processor)
{
    size_t dash = strcspn(processor, "-"), length = strlen(processor);
    size_t digits = dash < length ? dash - 3 : length - 5;
    return length > 5 ? strtol(ah_text_copy(processor + 3, digits), NULL, 10) : 0;
}

void ah_known_all(const struct ah_toolchain *toolchain, struct ah_strings *out_archs)
{
    struct ah_strings amd = {0};
    list_processors(toolchain, &amd);
    for (size_t i = 0; i < amd.count; i++)
        if (generation_of(amd.at[i]) >= OLDEST_AMD)
            ah_strings_push(out_archs, amd.at[i]);
    for (size_t i = 0; i < PTX_LEVEL_COUNT; i++)
        if (strtol(ptx_levels[i].arch + strlen("sm_"), NULL, 10) >= OLDEST_NVIDIA)
            ah_strings_push(out_archs, ptx_levels[i].arch);
}

static const char *joined(const struct ah_strings *words)
{
    const char *text = "";
    for (size_t i = 0; i < words->count; i++)
        text = ah_text_print("%s%s%s", text, i ? " " : "", words->at[i]);
    return text;
}

/* The name in the spelling of architectures, without features: CUDA also says compute_80. */
static const char *normalised(const char *arch)
{
    char *name = ah_text_copy(arch, strcspn(arch, ":"));
    for (char *p = name; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    const char *number = ah_text_after(name, "compute_");
    return number ? ah_text_print("sm_%s", number) : ah_text_replace(name, "_generic", "-generic");
}

/* Preferably one that begins alike: the last letters tell GPUs of a family apart. */
static const char *nearest_to(const char *name, const struct ah_strings *names)
{
    const char *nearest = NULL;
    size_t length = strlen(name);
    for (size_t cut = 1; cut <= 3 && cut < length && !nearest; cut++) {
        struct ah_strings alike = {0};
        for (size_t i = 0; i < names->count; i++)
            if (!strncmp(names->at[i], name, length - cut))
                ah_strings_push(&alike, names->at[i]);
        nearest = ah_spelling_nearest(name, alike.at, alike.count);
    }
    return nearest ? nearest : ah_spelling_nearest(name, names->at, names->count);
}

void ah_known_suggest(const char *arch, const struct ah_toolchain *toolchain)
{
    struct ah_strings amd = {0}, nvidia = {0}, every = {0};
    const char *name = normalised(arch);
    list_processors(toolchain, &amd);
    for (size_t i = 0; i < PTX_LEVEL_COUNT; i++)
        ah_strings_push(&nvidia, ptx_levels[i].arch);
    ah_strings_append(&every, &amd);
    ah_strings_append(&every, &nvidia);
    ah_strings_push(&every, "native");
    ah_strings_push(&every, "all");
    const char *nearest = nearest_to(name, &every);
    if (nearest)
        ah_report_note("did you mean %s%s?", nearest,
                       ah_text_starts(nearest, "gfx") ? arch + strcspn(arch, ":") : "");
    if (!ah_text_starts(name, "sm_"))
        ah_report_note("AMD: %s; features may follow, as in gfx90a:sramecc+:xnack-", joined(&amd));
    if (!ah_text_starts(name, "gfx"))
        ah_report_note("NVIDIA: %s", joined(&nvidia));
    ah_report_note("native: the GPUs of this machine; all: every one of these from gfx%d and "
                   "sm_%d on",
                   OLDEST_AMD, OLDEST_NVIDIA);
}
