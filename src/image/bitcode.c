/* Owns what is known of the layout of bitcode: its magic numbers, and how it writes strings. */
#include "bitcode.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum ah_container ah_bitcode_container(const void *data, size_t size)
{
    static const struct {
        const char *magic;
        size_t size;
        enum ah_container container;
    } known[] = {
        {"BC\xc0\xde", 4, AH_CONTAINER_BITCODE},
        {"\xde\xc0\x17\x0b", 4, AH_CONTAINER_BITCODE}, /* with a wrapper */
        {"__CLANG_OFFLOAD_BUNDLE__", 24, AH_CONTAINER_BUNDLE},
        {"CCOB", 4, AH_CONTAINER_BUNDLE},
        {"!<arch>\n", 8, AH_CONTAINER_ARCHIVE},
        {"!<thin>\n", 8, AH_CONTAINER_ARCHIVE},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (size >= known[i].size && memcmp(data, known[i].magic, known[i].size) == 0)
            return known[i].container;
    return AH_CONTAINER_NONE;
}

/* Bits of the text as LLVM writes it in a record: a character is two groups of six bits, five of
 * its bits and one that says that the next group belongs to it. */
static unsigned encode(const char *text, unsigned char *out_bits)
{
    unsigned count = 0;
    for (; *text; text++) {
        unsigned groups = ((unsigned)*text & 31) | 32 | ((unsigned)*text >> 5) << 6;
        for (unsigned i = 0; i < 12; i++)
            out_bits[count++] = groups >> i & 1;
    }
    return count;
}

static bool bits_at(const unsigned char *data, size_t at, const unsigned char *bits, unsigned count)
{
    for (unsigned i = 0; i < count; i++, at++)
        if ((data[at / 8] >> at % 8 & 1) != bits[i])
            return false;
    return true;
}

bool ah_bitcode_names_target(const void *data, size_t size, const char *target)
{
    enum { NAME_MAX_ = 16, SEARCHED = 1 << 16 }; /* the target is among a module's first records */
    unsigned char bits[NAME_MAX_ * 12];
    char text[NAME_MAX_ + 32];
    if (strlen(target) > NAME_MAX_)
        return false;
    if (ah_bitcode_container(data, size) != AH_CONTAINER_BITCODE) {
        int length = snprintf(text, sizeof text, "target triple = \"%s", target);
        return memmem(data, size, text, (size_t)length) != NULL;
    }
    unsigned count = encode(target, bits);
    size_t end = (size < SEARCHED ? size : SEARCHED) * 8;
    for (size_t at = 0; at + count <= end; at++)
        if (bits_at(data, at, bits, count))
            return true;
    return false;
}
