/* Files of any content, as `anyhip inspect` takes them apart. */
#include "archive.h"
#include "elffile.h"
#include "fuzz.h"
#include "image.h"
#include "kernels.h"
#include "pieces.h"

#include <stdlib.h>
#include <string.h>

static volatile size_t total;

static void read_bytes(const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        total += ((const uint8_t *)data)[i];
}

static void count_kernel(void *data, const char *name, size_t length)
{
    (void)data;
    read_bytes(name, length);
}

static void read_image(const void *data, size_t size)
{
    struct ah_image image;
    ah_image_identify(&image, data, size);
    ah_kernels_each(&image, count_kernel, NULL);
}

static void read_archive(const void *data, size_t size)
{
    struct ah_archive archive;
    struct ah_member member;
    if (!ah_archive_open(&archive, data, size))
        return;
    while (ah_archive_next(&archive, &member) == AH_ARCHIVE_MEMBER) {
        total += strlen(member.name);
        if (member.data)
            read_bytes(member.data, member.size);
    }
}

static void read_elf(const void *data, size_t size)
{
    struct ah_elf elf;
    struct ah_elf_section section;
    struct ah_elf_symbol symbol;
    if (!ah_elf_open(&elf, data, size))
        return;
    total += strlen(ah_elf_kind(&elf));
    for (uint64_t i = 0; i < elf.section_count && i < 64; i++) {
        if (!ah_elf_section(&elf, i, &section))
            continue;
        total += strlen(section.name);
        read_bytes(section.data, section.size);
        for (uint64_t s = 0; s < 64 && ah_elf_symbol(&elf, &section, s, &symbol); s++)
            total += strlen(symbol.name);
    }
}

static void read_piece(const void *data, size_t size)
{
    struct ah_cuda_entry entry;
    struct ah_offload_entry offload;
    size_t at = 0;
    bool damaged;
    enum ah_piece piece = ah_piece_at(data, size);
    fuzz_check(ah_piece_extent(piece, data, size) <= size);
    while (piece == AH_PIECE_CUDA_FATBIN && ah_cuda_entry_next(data, size, &at, &entry, &damaged)) {
        read_bytes(entry.data, entry.size);
        free(strcmp(entry.packing, "zstd") == 0 ? ah_cuda_entry_unpack(&entry) : NULL);
    }
    if (piece == AH_PIECE_OFFLOAD && ah_offload_entry_read(data, size, &offload))
        read_bytes(offload.data, offload.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_image(data, size);
    read_archive(data, size);
    read_elf(data, size);
    read_piece(data, size);
    return 0;
}
