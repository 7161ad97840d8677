/* Owns bounds-checked reading. */
#include "image_read.h"
#include "image.h"
#include "image.h"

#include <ctype.h>
#include <string.h>

const unsigned char *ah_read_bytes(struct ah_reader *reader, uint64_t size)
{
    if (reader->failed || size > reader->size - reader->at) {
        reader->failed = true;
        return NULL;
    }
    const unsigned char *bytes = reader->data + reader->at;
    reader->at += (size_t)size;
    return bytes;
}

static uint64_t read_little_endian(struct ah_reader *reader, unsigned size)
{
    const unsigned char *bytes = ah_read_bytes(reader, size);
    uint64_t value = 0;
    for (unsigned i = 0; bytes && i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

uint16_t ah_read_u16(struct ah_reader *reader)
{
    return (uint16_t)read_little_endian(reader, 2);
}

uint32_t ah_read_u32(struct ah_reader *reader)
{
    return (uint32_t)read_little_endian(reader, 4);
}

uint64_t ah_read_u64(struct ah_reader *reader)
{
    return read_little_endian(reader, 8);
}

const char *ah_skip_ptx_space(const char *text)
{
    for (;;) {
        while (isspace((unsigned char)*text))
            text++;
        if (text[0] == '/' && text[1] == '/') {
            text += strcspn(text, "\n");
        } else if (text[0] == '/' && text[1] == '*') {
            const char *end = strstr(text + 2, "*/");
            text = end ? end + 2 : text + strlen(text);
        } else {
            return text;
        }
    }
}

bool ah_read_fatbin_size(const void *data, size_t size, uint64_t *out_size)
{
    enum { MAGIC = 0xba55ed50u };
    struct ah_reader reader = {data, size, 0, false};
    uint32_t magic = ah_read_u32(&reader);
    ah_read_u16(&reader); /* version */
    uint16_t header = ah_read_u16(&reader);
    uint64_t payload = ah_read_u64(&reader);
    *out_size = payload <= UINT64_MAX - header ? header + payload : UINT64_MAX;
    return !reader.failed && magic == MAGIC;
}
