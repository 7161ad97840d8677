/* Owns the decompression of LZ4 blocks, with which older CUDA compilers compress PTX. Source: the
 * description of LZ4's block format. */
#include "simcuda_driver.h"

#include <string.h>

struct reader {
    const unsigned char *at, *end;
};

/* A length whose first four bits are 15 continues in bytes until one is not 255. */
static bool read_length(struct reader *reader, size_t *length)
{
    enum { MORE = 255, FOUR_BITS = 15 };
    unsigned char byte = MORE;
    if (*length != FOUR_BITS)
        return true;
    while (byte == MORE) {
        if (reader->at == reader->end)
            return false;
        byte = *reader->at++;
        *length += byte;
    }
    return true;
}

/* A match may overlap the bytes that it writes. */
static void copy_match(unsigned char *to, size_t distance, size_t length)
{
    const unsigned char *from = to - distance;
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
}

size_t simcuda_lz4(const unsigned char *in, size_t size, unsigned char *out, size_t capacity)
{
    enum { MATCH_MIN = 4 };
    struct reader reader = {in, in + size};
    size_t done = 0;
    while (reader.at < reader.end) {
        unsigned char token = *reader.at++;
        size_t literals = token >> 4, match = token & 15;
        if (!read_length(&reader, &literals) || literals > (size_t)(reader.end - reader.at) ||
            literals > capacity - done)
            return 0;
        memcpy(out + done, reader.at, literals);
        reader.at += literals;
        done += literals;
        if (reader.at == reader.end) /* the last sequence has no match */
            return done;
        if (reader.end - reader.at < 2)
            return 0;
        size_t distance = (size_t)reader.at[0] | (size_t)reader.at[1] << 8;
        reader.at += 2;
        if (!read_length(&reader, &match))
            return 0;
        match += MATCH_MIN;
        if (distance == 0 || distance > done || match > capacity - done)
            return 0;
        copy_match(out + done, distance, match);
        done += match;
    }
    return 0;
}
