/* AMD's code objects: what an ELF file for AMDGPU holds (LLVM, User Guide for AMDGPU
 * Backend). */
#ifndef AMDGPU_ABI_H
#define AMDGPU_ABI_H

#include <stdint.h>

enum { AMDGPU_EM = 224, AMDGPU_ELFOSABI_HSA = 64 };
/* e_ident[EI_ABIVERSION]: code object versions. */
enum { AMDGPU_ABI_V3 = 1, AMDGPU_ABI_V4, AMDGPU_ABI_V5, AMDGPU_ABI_V6 };

/* e_flags. */
enum {
    AMDGPU_EF_MACH = 0xff,
    AMDGPU_EF_XNACK = 0x300, /* of version 4 and later */
    AMDGPU_EF_XNACK_UNSUPPORTED = 0,
    AMDGPU_EF_XNACK_ANY = 0x100,
    AMDGPU_EF_XNACK_OFF = 0x200,
    AMDGPU_EF_XNACK_ON = 0x300,
    AMDGPU_EF_SRAMECC = 0xc00,
    AMDGPU_EF_SRAMECC_UNSUPPORTED = 0,
    AMDGPU_EF_SRAMECC_ANY = 0x400,
    AMDGPU_EF_SRAMECC_OFF = 0x800,
    AMDGPU_EF_SRAMECC_ON = 0xc00,
};

enum { AMDGPU_NT_METADATA = 32 }; /* a note of "AMDGPU": MessagePack */

enum amdgpu_relocation {
    R_AMDGPU_NONE = 0,
    R_AMDGPU_ABS32_LO = 1,
    R_AMDGPU_ABS32_HI = 2,
    R_AMDGPU_ABS64 = 3,
    R_AMDGPU_REL32 = 4,
    R_AMDGPU_REL64 = 5,
    R_AMDGPU_ABS32 = 6,
    R_AMDGPU_RELATIVE64 = 13,
};

/* The symbol <kernel>.kd; its address is the kernel object of a dispatch. */
struct amdgpu_kernel_descriptor {
    uint32_t group_segment_fixed_size;
    uint32_t private_segment_fixed_size;
    uint32_t kernarg_size;
    uint32_t reserved0;
    int64_t kernel_code_entry_byte_offset; /* from the descriptor */
    uint8_t reserved1[20];
    uint32_t compute_pgm_rsrc3;
    uint32_t compute_pgm_rsrc1;
    uint32_t compute_pgm_rsrc2;
    uint16_t kernel_code_properties;
    uint16_t kernarg_preload;
    uint8_t reserved3[4];
};
_Static_assert(sizeof(struct amdgpu_kernel_descriptor) == 64, "as the hardware reads it");

/* compute_pgm_rsrc1: first bit of each field. */
enum {
    AMDGPU_RSRC1_VGPRS = 0,         /* 6 bits: granulated count, less one */
    AMDGPU_RSRC1_SGPRS = 6,         /* 4 bits */
    AMDGPU_RSRC1_ROUND_32 = 12,     /* 2 bits: 0 nearest even, 1 +inf, 2 -inf, 3 zero */
    AMDGPU_RSRC1_ROUND_16_64 = 14,  /* 2 bits */
    AMDGPU_RSRC1_DENORM_32 = 16,    /* 2 bits: bit 0 keeps sources, bit 1 keeps results */
    AMDGPU_RSRC1_DENORM_16_64 = 18, /* 2 bits */
    AMDGPU_RSRC1_DX10_CLAMP = 21,   /* 1 bit */
    AMDGPU_RSRC1_IEEE_MODE = 23,    /* 1 bit */
    AMDGPU_RSRC1_FP16_OVFL = 26,    /* 1 bit */
    AMDGPU_RSRC1_WGP_MODE = 29,     /* gfx10 and later */
};
/* compute_pgm_rsrc2. */
enum {
    AMDGPU_RSRC2_SCRATCH = 0,
    AMDGPU_RSRC2_USER_SGPRS = 1, /* 5 bits */
    AMDGPU_RSRC2_WORKGROUP_ID_X = 7,
    AMDGPU_RSRC2_WORKGROUP_ID_Y = 8,
    AMDGPU_RSRC2_WORKGROUP_ID_Z = 9,
    AMDGPU_RSRC2_WORKGROUP_INFO = 10,
    AMDGPU_RSRC2_WORKITEM_ID = 11, /* 2 bits: dimensions less one */
};
/* compute_pgm_rsrc3 of gfx90a and gfx942. */
enum { AMDGPU_RSRC3_ACCUM_OFFSET = 0 /* 6 bits: in units of 4 registers, less one */ };
/* kernel_code_properties: user SGPRs in this order. */
enum {
    AMDGPU_PROPERTY_PRIVATE_SEGMENT_BUFFER = 1 << 0, /* 4 SGPRs */
    AMDGPU_PROPERTY_DISPATCH_PTR = 1 << 1,           /* 2 */
    AMDGPU_PROPERTY_QUEUE_PTR = 1 << 2,              /* 2 */
    AMDGPU_PROPERTY_KERNARG_SEGMENT_PTR = 1 << 3,    /* 2 */
    AMDGPU_PROPERTY_DISPATCH_ID = 1 << 4,            /* 2 */
    AMDGPU_PROPERTY_FLAT_SCRATCH_INIT = 1 << 5,      /* 2 */
    AMDGPU_PROPERTY_PRIVATE_SEGMENT_SIZE = 1 << 6,   /* 1 */
    AMDGPU_PROPERTY_WAVEFRONT_SIZE32 = 1 << 10,
    AMDGPU_PROPERTY_DYNAMIC_STACK = 1 << 11,
};

/* ---- calls of kernels to the host, as ROCm's device library makes them ------------------- */

/* hidden_hostcall_buffer points to this. A wave takes a packet from the free stack, fills it,
 * pushes it on the ready stack, rings the doorbell (adds 1) and spins until the host clears
 * AMDGPU_HOSTCALL_READY; then it reads the two first words of each lane's slot and gives the
 * packet back. Both stacks hold the number of a packet in the bits of index_mask and a count
 * above them, which grows with each use; 0 is the end of a stack. */
struct amdgpu_hostcall_header {
    uint64_t next;
    uint64_t lanes; /* a bit for each that calls */
    uint32_t service;
    uint32_t control;
};

struct amdgpu_hostcall_payload {
    uint64_t slots[64][8]; /* of each lane */
};

struct amdgpu_hostcall_buffer {
    struct amdgpu_hostcall_header *headers;
    struct amdgpu_hostcall_payload *payloads;
    uint64_t doorbell; /* handle of an HSA signal */
    uint64_t free_stack, ready_stack;
    uint64_t index_mask;
};

enum { AMDGPU_HOSTCALL_READY = 1 }; /* of control */

enum amdgpu_hostcall_service {
    AMDGPU_HOSTCALL_FUNCTION = 1,  /* calls a function of the host by its address */
    AMDGPU_HOSTCALL_PRINTF = 2,    /* word 0 is a descriptor, up to 7 words of a message follow */
    AMDGPU_HOSTCALL_MEMORY = 3,    /* {0, size} allocates memory, {address, 0} frees it */
    AMDGPU_HOSTCALL_SANITIZER = 4, /* the report of an instrumented kernel */
};

/* A descriptor: the first and the last piece of a message are marked, and the host writes the
 * message's number into the answer to the first. */
enum {
    AMDGPU_MESSAGE_BEGIN = 1,
    AMDGPU_MESSAGE_END = 2,
    AMDGPU_MESSAGE_WORDS = 5,  /* first bit of 3 */
    AMDGPU_MESSAGE_NUMBER = 8, /* first bit of 56 */
};

/* hidden_heap_v1 of that library: zeroed memory of this size is an empty heap, which requests slabs
 * from the host. */
enum { AMDGPU_HEAP_SIZE = 128 << 10, AMDGPU_SLAB_SIZE = 2 << 20 };

#endif
