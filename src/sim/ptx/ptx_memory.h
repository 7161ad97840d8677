/* What the memory instructions share: how one describes its accesses, and the way
 * from addresses in registers to the host memory that each lane touches. */
#ifndef PTX_MEMORY_H
#define PTX_MEMORY_H

#include "ptx_exec.h"

enum { PTX_VECTOR_MAX = 8 };

/* An instruction's access, the extra of its op. Lane l touches bytes bytes at
 *   register base of l (if any) + address of symbol (if any) + offset. */
struct ptx_access {
    enum ptx_space space; /* PTX_PARAM: the launch's parameters; those of functions are in
                             PTX_LOCAL */
    enum ptx_space named; /* as the program wrote it */
    uint8_t address_size; /* bytes of an element of base: 4 or 8; 0: no base */
    uint8_t size;         /* bytes of an element in memory */
    uint8_t count;        /* elements: 1, or those of the vector */
    uint8_t bytes;        /* size * count */
    bool write, atomic;
    bool sign;  /* loads into wider registers extend the sign */
    bool frame; /* the symbol's address is relative to the activation's local memory */
    uint32_t base;
    unsigned line; /* in the PTX text */
    int64_t offset;
    const struct ptx_symbol *symbol; /* has its address when the kernel runs */
    uint32_t slots[PTX_VECTOR_MAX];  /* of the elements: destinations or sources */
    uint8_t widths[PTX_VECTOR_MAX];  /* bytes of an element of each slot */
};

/* What the modifiers of an instruction say. */
struct ptx_words {
    enum ptx_space space; /* PTX_GENERIC: none is named */
    enum ptx_type type;   /* the last type named */
    unsigned vector;      /* 1, 2, 4, 8 */
    bool entry, func;     /* .param::entry, .param::func */
    unsigned line;        /* of the instruction */
};
void ptx_words_read(const struct ptx_inst *inst, struct ptx_words *out_words);
/* Whether modifier is among the instruction's. */
bool ptx_inst_has(const struct ptx_inst *inst, const char *modifier);

/* ---- translation ---------------------------------------------------------------- */

/* A new access to an address operand, of count elements of type; NULL: no memory. */
struct ptx_access *ptx_access_create(struct ptx_builder *builder, const struct ptx_operand *address,
                                     const struct ptx_words *words, bool write);
/* Element index of a vector operand, or the scalar operand itself. */
struct ptx_operand ptx_vector_element(const struct ptx_operand *operand, unsigned index);
/* Appends an op for access, after the checks that are asked for. */
struct ptx_op *ptx_access_op(struct ptx_builder *builder, ptx_handler handler,
                             const struct ptx_access *access);

void ptx_emit_address(struct ptx_builder *builder, const struct ptx_inst *inst);
void ptx_emit_atomic(struct ptx_builder *builder, const struct ptx_inst *inst);
void ptx_emit_copy_async(struct ptx_builder *builder, const struct ptx_inst *inst);
void ptx_emit_mbarrier(struct ptx_builder *builder, const struct ptx_inst *inst);
void ptx_emit_image(struct ptx_builder *builder, const struct ptx_inst *inst);

/* ---- execution ------------------------------------------------------------------- */

enum ptx_shape {
    PTX_SHAPE_FAULT, /* reported */
    PTX_SHAPE_RUN,   /* the lanes of the mask lie one after the other, by lane */
    PTX_SHAPE_ANY,
};

/* The address of each lane, whether it is in the mask or not. */
void ptx_access_addresses(const struct ptx_warp *warp, const struct ptx_access *access,
                          uint64_t out_at[PTX_LANES]);

/* Where each lane of the mask reads or writes; reports the first lane that must not. */
enum ptx_shape ptx_access_reach(struct ptx_warp *warp, const struct ptx_op *op,
                                const struct ptx_access *access, const uint64_t at[PTX_LANES],
                                unsigned char *out_where[PTX_LANES]);

/* Both, and the handlers of loads and stores, once per instruction set. */
struct ptx_access_functions {
    void (*addresses)(const struct ptx_warp *warp, const struct ptx_access *access,
                      uint64_t out_at[PTX_LANES]);
    enum ptx_shape (*reach)(struct ptx_warp *warp, const struct ptx_op *op,
                            const struct ptx_access *access, const uint64_t at[PTX_LANES],
                            unsigned char *out_where[PTX_LANES]);
    ptx_handler load, load_parameter, store;
};
extern const struct ptx_access_functions ptx_access_base, ptx_access_avx2, ptx_access_avx512;

/* The space that a generic address lies in, and its offset there; PTX_GLOBAL for
 * all that is in no window. */
enum ptx_space ptx_generic_space(uint64_t address, uint64_t *out_offset);

#endif
