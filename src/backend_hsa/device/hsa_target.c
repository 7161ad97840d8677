/* Owns the names of AMD's processors: parsing of target ids, the code objects that a processor
 * runs, and its register file. */
#include "hsa_device_info.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------ */

/* "gfx90a": the last character is the stepping, the one before it the minor number. */
static void parse_version(struct ahhsa_target *target)
{
    size_t digits = strlen(target->processor);
    if (strncmp(target->processor, "gfx", 3) != 0 || digits < 6)
        return;
    char major[8] = "", minor = target->processor[digits - 2];
    snprintf(major, sizeof major, "%.*s", (int)(digits - 5), target->processor + 3);
    target->major = (unsigned)strtoul(major, NULL, 10);
    target->minor =
        (unsigned)(isdigit((unsigned char)minor)    ? minor - '0'
                   : isxdigit((unsigned char)minor) ? tolower((unsigned char)minor) - 'a' + 10
                                                    : 0);
}

static void parse_feature(struct ahhsa_target *target, const char *feature, size_t length)
{
    enum ah_image_feature *out = NULL;
    if (length == strlen("xnack+") && strncmp(feature, "xnack", length - 1) == 0)
        out = &target->xnack;
    else if (length == strlen("sramecc+") && strncmp(feature, "sramecc", length - 1) == 0)
        out = &target->sramecc;
    if (out && feature[length - 1] == '+')
        *out = AH_FEATURE_ON;
    else if (out && feature[length - 1] == '-')
        *out = AH_FEATURE_OFF;
}

bool ahhsa_target_parse(const char *isa, struct ahhsa_target *out_target)
{
    const char *at = strstr(isa, "--");
    *out_target = (struct ahhsa_target){0};
    at = at ? at + 2 : isa;
    size_t length = strcspn(at, ":");
    if (strncmp(at, "gfx", 3) != 0 || length >= sizeof out_target->processor)
        return false;
    memcpy(out_target->processor, at, length);
    parse_version(out_target);
    for (at += length; *at == ':'; at += length) {
        length = strcspn(++at, ":");
        parse_feature(out_target, at, length);
    }
    return true;
}

/* ---- images ----------------------------------------------------------------------------- */

/* Whether the generic target, in the version that the image was compiled for, covers the
 * processor. */
static bool generic_covers(const struct ah_image *image, const char *processor)
{
    static const struct {
        const char *generic, *processor;
        unsigned version;
    } rows[] = {
#define AMDGPU_GENERIC(generic, processor, version) {generic, processor, version},
#include "amdgpu_generic.def"
#undef AMDGPU_GENERIC
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].generic, image->processor) == 0 &&
            strcmp(rows[i].processor, processor) == 0)
            return image->generic_version >= rows[i].version;
    return false;
}

/* 0: the code cannot run; 1: it runs with the feature on or off; 2: it was compiled for this
 * setting. A processor without the feature runs code that does not require it to be on. */
static int rank_feature(enum ah_image_feature code, enum ah_image_feature device)
{
    if (code == AH_FEATURE_UNSUPPORTED || code == AH_FEATURE_ANY)
        return 1;
    if (device == AH_FEATURE_UNSUPPORTED)
        return code == AH_FEATURE_OFF ? 1 : 0;
    return code == device ? 2 : 0;
}

/* Code for this processor is preferred to code for its family, and an exact match of features to
 * code for any setting. */
int ahhsa_target_rank(const struct ahhsa_target *target, const struct ah_image *image)
{
    enum { EXACT = 1000, GENERIC = 500, FEATURE = 10, VERSION_MIN = 3 };
    if (image->kind != AH_IMAGE_AMDGPU || image->code_object_version < VERSION_MIN)
        return 0;
    bool exact = strcmp(image->processor, target->processor) == 0;
    if (!exact && !generic_covers(image, target->processor))
        return 0;
    int xnack = rank_feature(image->xnack, target->xnack);
    int sramecc = rank_feature(image->sramecc, target->sramecc);
    if (xnack == 0 || sramecc == 0)
        return 0;
    return (exact ? EXACT : GENERIC) + FEATURE * (xnack + sramecc) + image->code_object_version;
}

/* ---- registers -------------------------------------------------------------------------- */

struct ahhsa_registers ahhsa_registers_of(const char *processor, unsigned lanes)
{
    static const struct {
        const char *prefix;
        unsigned lanes;
        struct ahhsa_registers registers;
    } rows[] = {
#define HSA_REGISTERS(prefix, lanes, vgprs, unit, sgprs, lds)                                      \
    {prefix, lanes, {vgprs, unit, sgprs, lds}},
#include "hsa_registers.def"
#undef HSA_REGISTERS
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].lanes == lanes &&
            strncmp(processor, rows[i].prefix, strlen(rows[i].prefix)) == 0)
            return rows[i].registers;
    return (struct ahhsa_registers){0};
}
