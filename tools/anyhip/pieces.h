/* The containers that follow one another in a section or a file: which one starts here, how far
 * it reaches, and what is in those that src/image does not take apart. The bytes may be anything
 * at all. */
#ifndef AH_ANYHIP_PIECES_H
#define AH_ANYHIP_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ah_piece {
    AH_PIECE_UNKNOWN,
    AH_PIECE_BUNDLE,      /* clang's offload bundle */
    AH_PIECE_COMPRESSED,  /* the same, compressed */
    AH_PIECE_CUDA_FATBIN, /* NVIDIA's */
    AH_PIECE_OFFLOAD,     /* LLVM's, of relocatable device code */
    AH_PIECE_IMAGE,       /* an image by itself: ELF, PTX, SPIR-V, LLVM bitcode */
};

enum ah_piece ah_piece_at(const void *data, size_t size);

/* The same for containers only; fast enough to be called at every offset of a file. */
enum ah_piece ah_piece_container_at(const void *data, size_t size);

/* The size of the piece according to its header: at most size; 0: the header does not contain
 * it. */
size_t ah_piece_extent(enum ah_piece piece, const void *data, size_t size);

bool ah_is_bitcode(const void *data, size_t size);

/* One image of NVIDIA's container. */
struct ah_cuda_entry {
    bool ptx;            /* else machine code */
    unsigned sm;         /* 90 */
    const char *packing; /* "" or how it is compressed: "zstd", "LZ4" */
    const unsigned char *data;
    size_t size;
    size_t unpacked_size; /* of a compressed one */
};

/* The entry at *at, which moves on; start with 0. False at the end and where it is damaged, which
 * *out_damaged tells. */
bool ah_cuda_entry_next(const void *fatbin, size_t size, size_t *at, struct ah_cuda_entry *out,
                        bool *out_damaged);

/* The unpacked image of a zstd entry, to be freed; NULL when it is damaged. */
void *ah_cuda_entry_unpack(const struct ah_cuda_entry *entry);

/* LLVM's container: one image with its triple and architecture. */
struct ah_offload_entry {
    char label[160]; /* "amdgcn-amd-amdhsa gfx90a" */
    const unsigned char *data;
    size_t size;
};

/* False: damaged. */
bool ah_offload_entry_read(const void *data, size_t size, struct ah_offload_entry *out);

#endif
