/* Elements between memory and the registers of lanes: the building blocks of amdgpu_access.c.
 * Included by amdgpu_access.c only, compiled once for each instruction set of the host; everything
 * is static. Kernels may have races, so that nothing here is instrumented for the thread sanitizer.
 */
#ifndef AMDGPU_ELEMENTS_H
#define AMDGPU_ELEMENTS_H

#include "amdgpu_access.h"

#include <string.h>

#define INLINE __attribute__((always_inline, no_sanitize("thread"))) static inline

/* Words of memory, anywhere. */
typedef uint16_t any16 __attribute__((aligned(1), may_alias));
typedef uint32_t any32 __attribute__((aligned(1), may_alias));

/* ---- one lane ------------------------------------------------------------------------- */

/* v: the lane's first register; registers of a lane are lanes words apart. */
INLINE void fetch(uint32_t *restrict v, unsigned lanes, const unsigned char *from,
                  enum amdgpu_element element)
{
    const any32 *words = (const any32 *)(const void *)from;
    switch (element) {
    case AMDGPU_ELEMENT_U8:
        v[0] = *from;
        break;
    case AMDGPU_ELEMENT_I8:
        v[0] = (uint32_t)(int32_t)(signed char)*from;
        break;
    case AMDGPU_ELEMENT_U16:
        v[0] = *(const any16 *)(const void *)from;
        break;
    case AMDGPU_ELEMENT_I16:
        v[0] = (uint32_t)(int32_t)(int16_t) * (const any16 *)(const void *)from;
        break;
    case AMDGPU_ELEMENT_128:
        v[0] = words[0], v[lanes] = words[1], v[2 * lanes] = words[2], v[3 * lanes] = words[3];
        break;
    case AMDGPU_ELEMENT_96:
        v[0] = words[0], v[lanes] = words[1], v[2 * lanes] = words[2];
        break;
    case AMDGPU_ELEMENT_64:
        v[0] = words[0], v[lanes] = words[1];
        break;
    case AMDGPU_ELEMENT_32:
        v[0] = words[0];
        break;
    case AMDGPU_ELEMENT_LOW_U8:
        v[0] = (v[0] & 0xffff0000) | *from;
        break;
    case AMDGPU_ELEMENT_LOW_I8:
        v[0] = (v[0] & 0xffff0000) | (uint16_t)(int16_t)(signed char)*from;
        break;
    case AMDGPU_ELEMENT_LOW_16:
        v[0] = (v[0] & 0xffff0000) | *(const any16 *)(const void *)from;
        break;
    case AMDGPU_ELEMENT_HIGH_U8:
        v[0] = (v[0] & 0xffff) | (uint32_t)*from << 16;
        break;
    case AMDGPU_ELEMENT_HIGH_I8:
        v[0] = (v[0] & 0xffff) | (uint32_t)(int32_t)(signed char)*from << 16;
        break;
    default: /* AMDGPU_ELEMENT_HIGH_16 */
        v[0] = (v[0] & 0xffff) | (uint32_t) * (const any16 *)(const void *)from << 16;
    }
}

INLINE void put(const uint32_t *restrict v, unsigned lanes, unsigned char *to,
                enum amdgpu_element element)
{
    any32 *words = (any32 *)(void *)to;
    switch (element) {
    case AMDGPU_ELEMENT_U8:
        *to = (unsigned char)v[0];
        break;
    case AMDGPU_ELEMENT_U16:
        *(any16 *)(void *)to = (uint16_t)v[0];
        break;
    case AMDGPU_ELEMENT_HIGH_U8:
        *to = (unsigned char)(v[0] >> 16);
        break;
    case AMDGPU_ELEMENT_HIGH_16:
        *(any16 *)(void *)to = (uint16_t)(v[0] >> 16);
        break;
    case AMDGPU_ELEMENT_128:
        words[0] = v[0], words[1] = v[lanes], words[2] = v[2 * lanes], words[3] = v[3 * lanes];
        break;
    case AMDGPU_ELEMENT_96:
        words[0] = v[0], words[1] = v[lanes], words[2] = v[2 * lanes];
        break;
    case AMDGPU_ELEMENT_64:
        words[0] = v[0], words[1] = v[lanes];
        break;
    default: /* AMDGPU_ELEMENT_32 */
        words[0] = v[0];
    }
}

/* ---- words in a row, several lanes at a time ------------------------------------------- */

INLINE void fetch_some(uint32_t *restrict v, unsigned n, const uint32_t *live, uintptr_t row)
{
    const any32 *from = (const any32 *)row;
    for (unsigned lane = 0; lane < n; lane++)
        if (live[lane])
            v[lane] = from[lane];
}

INLINE void put_some(const uint32_t *restrict v, unsigned n, const uint32_t *live, uintptr_t row)
{
    any32 *to = (any32 *)row;
    for (unsigned lane = 0; lane < n; lane++)
        if (live[lane])
            to[lane] = v[lane];
}

#endif
