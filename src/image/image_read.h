/* Bounds-checked reading of little-endian data; private to this folder. */
#ifndef AH_IMAGE_READ_H
#define AH_IMAGE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A cursor. A read past the end returns 0 and sets failed, which stays set. */
struct ah_reader {
    const unsigned char *data;
    size_t size;
    size_t at;
    bool failed;
};

uint16_t ah_read_u16(struct ah_reader *reader);
uint32_t ah_read_u32(struct ah_reader *reader);
uint64_t ah_read_u64(struct ah_reader *reader);

/* The next size bytes, or NULL. */
const unsigned char *ah_read_bytes(struct ah_reader *reader, uint64_t size);

/* Past white space and comments of NUL-terminated PTX. */
const char *ah_skip_ptx_space(const char *text);

#endif
