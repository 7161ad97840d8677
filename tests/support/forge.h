/* Makes device binaries byte by byte: the headers that identify them, and containers. All of
 * it lives until the end of the test. */
#ifndef AH_TEST_FORGE_H
#define AH_TEST_FORGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ah_forged {
    unsigned char *data;
    size_t size;
};

/* An ELF file of 64 bits that is a header and nothing else. */
struct ah_forged ah_forge_elf(unsigned machine, unsigned osabi, unsigned abiversion,
                              unsigned flags);

/* Of AMDGPU, for HSA; version as people count code objects, 2 to 6. */
struct ah_forged ah_forge_amdgpu(int version, unsigned flags);

/* An ELF file with a section table: pairs of a name and its content, ended by a NULL name. */
struct ah_forge_section {
    const char *name;
    const void *data;
    size_t size;
};
struct ah_forged ah_forge_sections(unsigned machine, const struct ah_forge_section *sections);

struct ah_forged ah_forge_text(const char *text);

/* A container of NVIDIA's that holds size bytes of anything. */
struct ah_forged ah_forge_cuda_fatbin(size_t size);

/* The same around entries, of which this is one: an image of PTX or machine code, packed with
 * zstd if so wanted. */
struct ah_forged ah_forge_cuda_container(struct ah_forged entries);
struct ah_forged ah_forge_cuda_entry(bool ptx, unsigned sm, struct ah_forged image, bool packed);

/* LLVM's container of relocatable device code. */
struct ah_forged ah_forge_offload(const char *triple, const char *arch, struct ah_forged image);

struct ah_forge_entry {
    const char *label;
    struct ah_forged image;
};

/* clang's offload bundle; each image starts at a multiple of alignment. */
struct ah_forged ah_forge_bundle(const struct ah_forge_entry *entries, size_t count,
                                 size_t alignment);

enum ah_forge_method { AH_FORGE_ZLIB, AH_FORGE_ZSTD };

/* The same compressed ("CCOB"), version 1 to 3. */
struct ah_forged ah_forge_compressed(struct ah_forged content, unsigned version,
                                     enum ah_forge_method method);

/* The bytes of a and then those of b, which starts at a multiple of alignment. */
struct ah_forged ah_forge_join(struct ah_forged a, struct ah_forged b, size_t alignment);

#endif
