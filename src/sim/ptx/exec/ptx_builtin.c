/* vprintf, malloc, free and __assertfail of device code, and generic addresses as
 * these functions use them. */
#include "ptx_builtin.h"

#include "ptx_memory.h"
#include "ptx_printf.h"
#include "ptx_warp.h"
#include "sim_memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAP_ALIGN = 16 };

/* ---- memory -------------------------------------------------------------------------- */

/* Byte by byte, as kernels' own accesses are: other threads may write meanwhile. */
__attribute__((no_sanitize("thread"))) static void copy(unsigned char *to,
                                                        const unsigned char *from, size_t size)
{
    volatile unsigned char *out = to;
    const volatile unsigned char *in = from;
    for (size_t i = 0; i < size; i++)
        out[i] = in[i];
}

static unsigned char *within(const unsigned char *start, size_t limit, uint64_t offset, size_t size)
{
    bool inside = offset <= limit && size <= limit - offset;
    return inside ? (unsigned char *)(uintptr_t)(start + offset) : NULL;
}

/* Where lane finds size bytes, which cross no multiple of SIM_GRANULE, in local memory of
 * PTX_LOCAL_UNIT. */
static unsigned char *pointer_of(struct ptx_warp *warp, unsigned lane, uint64_t address,
                                 size_t size, bool write)
{
    uint64_t offset;
    switch (ptx_generic_space(address, &offset)) {
    case PTX_SHARED:
        return within(warp->shared, warp->shared_size, offset, size);
    case PTX_LOCAL:
        return within(warp->local, warp->local_stride, offset, size)
                   ? warp->local + ptx_local_place(lane, offset)
                   : NULL;
    case PTX_PARAM:
        return write ? NULL : within(warp->params, warp->param_size, offset, size);
    default:
        return sim_translate(warp->device, address, size, write);
    }
}

static size_t piece_size(uint64_t address, size_t left)
{
    uint64_t offset;
    unsigned unit = ptx_generic_space(address, &offset) == PTX_LOCAL ? PTX_LOCAL_UNIT : SIM_GRANULE;
    size_t size = unit - address % unit;
    return size < left ? size : left;
}

bool ptx_read_bytes(struct ptx_warp *warp, unsigned lane, uint64_t address, void *out, size_t size)
{
    unsigned char *to = out;
    while (size > 0) {
        size_t piece = piece_size(address, size);
        const unsigned char *from = pointer_of(warp, lane, address, piece, false);
        if (!from)
            return false;
        copy(to, from, piece);
        to += piece, address += piece, size -= piece;
    }
    return true;
}

bool ptx_write_bytes(struct ptx_warp *warp, unsigned lane, uint64_t address, const void *bytes,
                     size_t size)
{
    const unsigned char *from = bytes;
    while (size > 0) {
        size_t piece = piece_size(address, size);
        unsigned char *to = pointer_of(warp, lane, address, piece, true);
        if (!to)
            return false;
        copy(to, from, piece);
        uint64_t offset;
        if (sim_memory_tracking && ptx_generic_space(address, &offset) == PTX_GLOBAL)
            sim_memory_wrote(address, piece);
        from += piece, address += piece, size -= piece;
    }
    return true;
}

/* A parameter of 8 bytes. */
static uint64_t word(const unsigned char *arguments, size_t offset)
{
    uint64_t bits;
    memcpy(&bits, arguments + offset, sizeof(bits));
    return bits;
}

static void write_result(unsigned char *result, size_t stride, unsigned lane, const void *value,
                         size_t size)
{
    if (result)
        memcpy(result + lane * stride, value, size);
}

/* ---- vprintf -------------------------------------------------------------------------- */

struct reader {
    struct ptx_warp *warp;
    unsigned lane;
};

static bool read_for_lane(void *data, uint64_t address, void *out, size_t size)
{
    const struct reader *reader = data;
    return ptx_read_bytes(reader->warp, reader->lane, address, out, size);
}

static bool report(const struct reader *reader, const struct ptx_op *op,
                   const struct ptx_printf *print, enum ptx_printf_result result)
{
    if (result == PTX_PRINTF_FAULT)
        ptx_fault_access(reader->warp, op, reader->lane, print->fault_address, print->fault_size,
                         false, PTX_GENERIC);
    else if (result == PTX_PRINTF_NO_MEMORY)
        ptx_fault(reader->warp, op, reader->lane, PTX_END_NO_MEMORY, "no memory to print in");
    return result == PTX_PRINTF_OK;
}

/* One lane's call; *out_count is what it returns. */
static bool print_lane(struct reader *reader, const struct ptx_op *op, uint64_t format,
                       uint64_t values, int32_t *out_count)
{
    *out_count = -1;
    if (!format)
        return true;
    struct ptx_printf print = {.read = read_for_lane, .data = reader};
    char *text = NULL;
    size_t length;
    enum ptx_printf_result result = ptx_printf_string(&print, format, SIZE_MAX, &text, &length);
    if (result == PTX_PRINTF_OK)
        result = ptx_printf_format(&print, text, values, out_count);
    struct ptx_context *context = reader->warp->launch->context;
    if (result == PTX_PRINTF_OK && print.length > 0 && context->print)
        context->print(context, print.text, print.length);
    free(text);
    free(print.text);
    return report(reader, op, &print, result);
}

static bool call_vprintf(struct ptx_warp *warp, const struct ptx_op *op,
                         const unsigned char *arguments, size_t stride, unsigned char *result,
                         size_t result_stride)
{
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        struct reader reader = {warp, (unsigned)__builtin_ctz(left)};
        const unsigned char *own = arguments + reader.lane * stride;
        int32_t count;
        if (!print_lane(&reader, op, word(own, 0), word(own, 8), &count))
            return false;
        write_result(result, result_stride, reader.lane, &count, sizeof(count));
    }
    return true;
}

/* ---- malloc, free ----------------------------------------------------------------------- */

/* Counts size bytes of the context's heap. False: they are not left. */
static bool take_heap(struct ptx_context *context, size_t size)
{
    size_t used = atomic_load_explicit(&context->heap_used, memory_order_relaxed);
    do
        if (used > context->heap_size || size > context->heap_size - used)
            return false;
    while (!atomic_compare_exchange_weak_explicit(&context->heap_used, &used, used + size,
                                                  memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void release_heap(struct ptx_context *context, size_t size)
{
    atomic_fetch_sub_explicit(&context->heap_used, size, memory_order_relaxed);
}

/* 0: none is left. */
static uint64_t allocate(struct ptx_context *context, uint64_t size)
{
    uint64_t rounded = (size + HEAP_ALIGN - 1) & ~(uint64_t)(HEAP_ALIGN - 1);
    if (!size || rounded < size || !take_heap(context, rounded))
        return 0;
    struct sim_memory *memory =
        sim_memory_create(SIM_MEMORY_HEAP, context->device, rounded, HEAP_ALIGN);
    if (!memory) {
        release_heap(context, rounded);
        return 0;
    }
    memory->owner = context;
    return memory->address;
}

static bool call_malloc(struct ptx_warp *warp, const struct ptx_op *op,
                        const unsigned char *arguments, size_t stride, unsigned char *result,
                        size_t result_stride)
{
    (void)op;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = allocate(warp->launch->context, word(arguments + lane * stride, 0));
        write_result(result, result_stride, lane, &address, sizeof(address));
    }
    return true;
}

/* False: address is not what malloc returned, or was freed. Two threads may free
 * the same: the second one is to find nothing. */
static bool release(struct ptx_context *context, uint64_t address)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    struct sim_memory *memory = sim_memory_find(address);
    bool ours = memory && memory->kind == SIM_MEMORY_HEAP && memory->owner == context &&
                memory->address == address;
    if (ours) {
        release_heap(context, memory->size);
        sim_memory_destroy(memory);
    }
    pthread_mutex_unlock(&lock);
    return ours;
}

static bool call_free(struct ptx_warp *warp, const struct ptx_op *op,
                      const unsigned char *arguments, size_t stride, unsigned char *result,
                      size_t result_stride)
{
    (void)result, (void)result_stride;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t address = word(arguments + lane * stride, 0);
        if (!address || release(warp->launch->context, address))
            continue;
        char where[256];
        sim_memory_describe(address, where, sizeof(where));
        ptx_fault(warp, op, lane, PTX_END_ILLEGAL_ADDRESS,
                  "free(0x%llx): not what malloc returned, or freed already; %s",
                  (unsigned long long)address, where);
        return false;
    }
    return true;
}

/* ---- __assertfail ------------------------------------------------------------------------ */

/* The string at address, to be freed; a word in its place when it cannot be read.
 * NULL: no memory. */
static char *read_text(struct reader *reader, uint64_t address)
{
    struct ptx_printf print = {.read = read_for_lane, .data = reader};
    char *text;
    size_t length;
    switch (address ? ptx_printf_string(&print, address, SIZE_MAX, &text, &length)
                    : PTX_PRINTF_FAULT) {
    case PTX_PRINTF_OK:
        return text;
    case PTX_PRINTF_FAULT:
        return strdup("(null)");
    default:
        return NULL;
    }
}

static void find_thread(const struct reader *reader, uint32_t out_thread[3])
{
    const uint32_t *size = reader->warp->launch->block;
    uint32_t number = reader->warp->number * PTX_LANES + reader->lane;
    out_thread[0] = number % size[0];
    out_thread[1] = number / size[0] % size[1];
    out_thread[2] = number / size[0] / size[1];
}

static void print_assertion(struct reader *reader, const unsigned char *arguments)
{
    uint32_t line, thread[3];
    memcpy(&line, arguments + 16, sizeof(line));
    char *message = read_text(reader, word(arguments, 0));
    char *file = read_text(reader, word(arguments, 8));
    char *function = read_text(reader, word(arguments, 24));
    const uint32_t *block = reader->warp->block->sim->index;
    find_thread(reader, thread);
    if (message && file && function)
        fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                file, line, function, block[0], block[1], block[2], thread[0], thread[1], thread[2],
                message);
    free(message);
    free(file);
    free(function);
}

static bool call_assertfail(struct ptx_warp *warp, const struct ptx_op *op,
                            const unsigned char *arguments, size_t stride, unsigned char *result,
                            size_t result_stride)
{
    (void)result, (void)result_stride;
    for (uint32_t left = warp->mask; left; left &= left - 1) {
        struct reader reader = {warp, (unsigned)__builtin_ctz(left)};
        print_assertion(&reader, arguments + reader.lane * stride);
    }
    ptx_fault(warp, op, (unsigned)__builtin_ctz(warp->mask), PTX_END_ASSERT, "an assertion failed");
    return false;
}

/* ---- all of them --------------------------------------------------------------------------- */

bool ptx_builtin_call(const struct ptx_builtin *builtin, struct ptx_warp *warp,
                      const struct ptx_op *op, const unsigned char *arguments, size_t stride,
                      unsigned char *result, size_t result_stride)
{
    static bool (*const calls[PTX_BUILTIN_COUNT])(struct ptx_warp * warp, const struct ptx_op *op,
                                                  const unsigned char *arguments, size_t stride,
                                                  unsigned char *result, size_t result_stride) = {
        [PTX_BUILTIN_VPRINTF] = call_vprintf,
        [PTX_BUILTIN_MALLOC] = call_malloc,
        [PTX_BUILTIN_FREE] = call_free,
        [PTX_BUILTIN_ASSERTFAIL] = call_assertfail,
    };
    return calls[builtin->number](warp, op, arguments, stride, result, result_stride);
}
