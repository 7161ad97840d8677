/* Video instructions on one lane. Included by ptx_alu.c only. */
#ifndef PTX_ALU_VIDEO_H
#define PTX_ALU_VIDEO_H

#include "ptx_alu_int.h"

LANE s64 video_value(u32 x, bool is_signed)
{
    return is_signed ? (s64)(s32)x : (s64)x;
}
LANE s64 video_a(const struct ptx_op *op, u32 a)
{
    return video_value(a, op->bits & PTX_ALU_VIDEO_SIGNED_A);
}
LANE s64 video_b(const struct ptx_op *op, u32 b)
{
    return video_value(b, op->bits & PTX_ALU_VIDEO_SIGNED_B);
}
/* vset has no result type. */
LANE s64 video_set_a(const struct ptx_op *op, u32 a)
{
    return video_value(a, op->bits & PTX_ALU_VIDEO_SIGNED_D);
}
LANE s64 video_set_b(const struct ptx_op *op, u32 b)
{
    return video_value(b, op->bits & PTX_ALU_VIDEO_SIGNED_A);
}
LANE u32 video_amount(const struct ptx_op *op, u32 b)
{
    return op->mods & PTX_MOD_WRAP ? b & 31 : b > 32 ? 32 : b;
}

LANE s64 sum(s64 a, s64 b)
{
    return a + b;
}
LANE s64 difference(s64 a, s64 b)
{
    return a - b;
}
LANE s64 distance(s64 a, s64 b)
{
    return a < b ? b - a : a - b;
}
LANE s64 lesser(s64 a, s64 b)
{
    return a < b ? a : b;
}
LANE s64 greater(s64 a, s64 b)
{
    return a > b ? a : b;
}
/* Rounded away from zero. */
LANE s64 average(s64 a, s64 b)
{
    return (a + b + (a + b >= 0)) >> 1;
}

/* The result converted to its type. */
LANE u32 video_limit(const struct ptx_op *op, s64 x)
{
    bool is_signed = op->bits & PTX_ALU_VIDEO_SIGNED_D;
    u32 limited = is_signed ? (u32)limit_s32(x) : limit_u32(x);
    return op->mods & PTX_MOD_SAT ? limited : (u32)x;
}
LANE u32 video_holds(const struct ptx_op *op, u32 relation)
{
    return op->bits >> PTX_ALU_COMPARE_SHIFT & relation ? 1 : 0;
}
/* The part of x that begins at bit at. */
LANE s64 simd_part(u32 x, u32 at, u32 width, bool is_signed)
{
    return is_signed ? field_s32((s32)x, at, width) : (s64)field_u32(x, at, width);
}
/* Inserts a part into the result. */
LANE u32 simd_merge(const struct ptx_op *op, u32 result, u32 at, u32 width, s64 part)
{
    bool is_signed = op->bits & PTX_ALU_VIDEO_SIGNED_D;
    s64 most = ((s64)1 << width) - 1;
    s64 low = is_signed ? -(most / 2) - 1 : 0, high = is_signed ? most / 2 : most;
    s64 limited = part < low ? low : part > high ? high : part;
    if (op->bits & PTX_ALU_VIDEO_ADD)
        return result + (u32)part;
    return insert_u32((u32)(op->mods & PTX_MOD_SAT ? limited : part), result, at, width);
}

#endif
