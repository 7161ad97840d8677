/* mov: registers, packing and unpacking; and the changes of element size that other
 * instructions request. */
#include "ptx_warp.h"

#include <string.h>

/* ---- whole registers: d from a ------------------------------------------------------- */

typedef uint64_t part __attribute__((vector_size(16)));

__attribute__((always_inline)) static inline const struct ptx_op *
move(struct ptx_warp *warp, const struct ptx_op *op, unsigned size)
{
    unsigned char *d = warp->regs + op->d;
    const unsigned char *a = warp->regs + op->a;
    if (warp->whole) {
        for (unsigned i = 0; i < PTX_LANES * size / sizeof(part); i++)
            ((part *)(void *)d)[i] = ((const part *)(const void *)a)[i];
        return op + 1;
    }
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        memmove(d + lane * size, a + lane * size, size);
    }
    return op + 1;
}

const struct ptx_op *ptx_run_move_2(struct ptx_warp *warp, const struct ptx_op *op)
{
    return move(warp, op, 2);
}

const struct ptx_op *ptx_run_move_4(struct ptx_warp *warp, const struct ptx_op *op)
{
    return move(warp, op, 4);
}

const struct ptx_op *ptx_run_move_8(struct ptx_warp *warp, const struct ptx_op *op)
{
    return move(warp, op, 8);
}

const struct ptx_op *ptx_run_move_16(struct ptx_warp *warp, const struct ptx_op *op)
{
    return move(warp, op, 16);
}

static void put_mask(struct ptx_warp *warp, uint32_t slot, uint32_t bits)
{
    uint32_t old;
    memcpy(&old, warp->regs + slot, sizeof old);
    bits = (bits & warp->mask) | (old & ~warp->mask);
    memcpy(warp->regs + slot, &bits, sizeof bits);
}

const struct ptx_op *ptx_run_move_mask(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t bits;
    memcpy(&bits, warp->regs + op->a, sizeof bits);
    put_mask(warp, op->d, bits ^ op->b);
    return op + 1;
}

/* ---- other sizes: b: bytes read of a's elements, c: their width, e: d's, bits: signed --- */

const struct ptx_op *ptx_run_resize(struct ptx_warp *warp, const struct ptx_op *op)
{
    unsigned char *d = warp->regs + op->d;
    const unsigned char *a = warp->regs + op->a;
    unsigned shift = op->b < 8 ? 64 - 8 * op->b : 0;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t value[2] = {0};
        memcpy(value, a + lane * op->c, op->b < 8 ? op->b : 8);
        if (op->bits)
            value[0] = (uint64_t)((int64_t)(value[0] << shift) >> shift);
        value[1] = op->bits && value[0] >> 63 ? UINT64_MAX : 0;
        memcpy(d + lane * op->e, value, op->e);
    }
    return op + 1;
}

const struct ptx_op *ptx_run_narrow_8_4(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    const uint64_t *a = (const uint64_t *)(const void *)(warp->regs + op->a);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? (uint32_t)a[lane] : d[lane];
    return op + 1;
}

const struct ptx_op *ptx_run_narrow_4_2(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint16_t *d = (uint16_t *)(void *)(warp->regs + op->d);
    const uint32_t *a = (const uint32_t *)(const void *)(warp->regs + op->a);
    for (unsigned lane = 0; lane < PTX_LANES; lane++)
        d[lane] = warp->lanes[lane] ? (uint16_t)a[lane] : d[lane];
    return op + 1;
}

/* The address of a variable in this activation's local memory. */
const struct ptx_op *ptx_run_local_address(struct ptx_warp *warp, const struct ptx_op *op)
{
    uint64_t address = op->bits + warp->local_offset;
    for (uint32_t left = warp->mask; left; left &= left - 1)
        memcpy(warp->regs + op->d + (size_t)op->c * (unsigned)__builtin_ctz(left), &address, op->c);
    return op + 1;
}

/* ---- packing ---------------------------------------------------------------------------- */

const struct ptx_op *ptx_run_pack(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_pieces *p = op->extra;
    unsigned whole = p->count * p->size;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        unsigned char value[16];
        for (unsigned i = 0; i < p->count; i++)
            memcpy(value + i * p->size, warp->regs + p->slots[i] + lane * p->width, p->size);
        memcpy(warp->regs + op->d + lane * whole, value, whole);
    }
    return op + 1;
}

const struct ptx_op *ptx_run_unpack(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_pieces *p = op->extra;
    unsigned whole = p->count * p->size;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        unsigned char value[16];
        memcpy(value, warp->regs + op->a + lane * whole, whole);
        for (unsigned i = 0; i < p->count; i++) {
            unsigned char *d = warp->regs + p->slots[i] + lane * p->width;
            if (p->width > p->size)
                memset(d, 0, p->width);
            memcpy(d, value + i * p->size, p->size);
        }
    }
    return op + 1;
}

/* The ones that compilers write all the time. Sources are copied first, so that
 * the compiler need not fear that a result overwrites them. */
const struct ptx_op *ptx_run_pack_2x4(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_pieces *p = op->extra;
    uint32_t parts[2][PTX_LANES];
    uint64_t *d = (uint64_t *)(void *)(warp->regs + op->d);
    for (unsigned i = 0; i < 2; i++)
        memcpy(parts[i], warp->regs + p->slots[i], sizeof parts[i]);
    if (warp->whole)
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            d[lane] = (uint64_t)parts[1][lane] << 32 | parts[0][lane];
    else
        for (uint32_t left = warp->mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            d[lane] = (uint64_t)parts[1][lane] << 32 | parts[0][lane];
        }
    return op + 1;
}

const struct ptx_op *ptx_run_pack_2x2(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_pieces *p = op->extra;
    uint16_t parts[2][PTX_LANES];
    uint32_t *d = (uint32_t *)(void *)(warp->regs + op->d);
    for (unsigned i = 0; i < 2; i++)
        memcpy(parts[i], warp->regs + p->slots[i], sizeof parts[i]);
    if (warp->whole)
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            d[lane] = (uint32_t)parts[1][lane] << 16 | parts[0][lane];
    else
        for (uint32_t left = warp->mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            d[lane] = (uint32_t)parts[1][lane] << 16 | parts[0][lane];
        }
    return op + 1;
}

const struct ptx_op *ptx_run_unpack_2x4(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_pieces *p = op->extra;
    uint64_t whole[PTX_LANES];
    memcpy(whole, warp->regs + op->a, sizeof whole);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t *d = (uint32_t *)(void *)(warp->regs + p->slots[i]);
        if (warp->whole)
            for (unsigned lane = 0; lane < PTX_LANES; lane++)
                d[lane] = (uint32_t)(whole[lane] >> (32 * i));
        else
            for (uint32_t left = warp->mask; left; left &= left - 1)
                d[__builtin_ctz(left)] = (uint32_t)(whole[__builtin_ctz(left)] >> (32 * i));
    }
    return op + 1;
}

const struct ptx_op *ptx_run_unpack_2x2(struct ptx_warp *warp, const struct ptx_op *op)
{
    const struct ptx_pieces *p = op->extra;
    uint32_t whole[PTX_LANES];
    memcpy(whole, warp->regs + op->a, sizeof whole);
    for (unsigned i = 0; i < 2; i++) {
        uint16_t *d = (uint16_t *)(void *)(warp->regs + p->slots[i]);
        if (warp->whole)
            for (unsigned lane = 0; lane < PTX_LANES; lane++)
                d[lane] = (uint16_t)(whole[lane] >> (16 * i));
        else
            for (uint32_t left = warp->mask; left; left &= left - 1)
                d[__builtin_ctz(left)] = (uint16_t)(whole[__builtin_ctz(left)] >> (16 * i));
    }
    return op + 1;
}
