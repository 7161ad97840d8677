/* Owns the addresses of device memory. They are reserved and nobody can read or
 * write them: the same offsets of a file, mapped elsewhere, are the memory itself,
 * so that host code which follows a device pointer faults, and other processes
 * can map it. */
#include "fake.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t heap_size = (size_t)8 << 30;
enum { ALIGNMENT = 512, PUNCHED = 1 << 20 };

static struct {
    int file;
    unsigned char *addresses; /* PROT_NONE: what devices call it */
    unsigned char *view;
    struct span {
        uintptr_t base;
        size_t size;
    } * spans; /* taken, in order */
    size_t count, capacity;
} heap;

static bool open_heap(void)
{
    if (heap.addresses)
        return true;
    heap.file = memfd_create("fakecuda", MFD_CLOEXEC);
    if (heap.file < 0 || ftruncate(heap.file, (off_t)heap_size) != 0)
        return false;
    void *addresses =
        mmap(NULL, heap_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *view = mmap(NULL, heap_size, PROT_READ | PROT_WRITE, MAP_SHARED, heap.file, 0);
    if (addresses == MAP_FAILED || view == MAP_FAILED)
        return false;
    heap.addresses = addresses;
    heap.view = view;
    return true;
}

static uintptr_t aligned(uintptr_t value, size_t alignment)
{
    return (value + alignment - 1) & ~(uintptr_t)(alignment - 1);
}

static void insert_span(size_t at, uintptr_t base, size_t size)
{
    if (heap.count == heap.capacity) {
        heap.capacity = heap.capacity ? 2 * heap.capacity : 256;
        heap.spans = realloc(heap.spans, heap.capacity * sizeof *heap.spans);
        if (!heap.spans)
            abort();
    }
    memmove(&heap.spans[at + 1], &heap.spans[at], (heap.count - at) * sizeof *heap.spans);
    heap.spans[at] = (struct span){base, size};
    heap.count++;
}

/* The first gap that is large enough. */
CUresult fake_heap_take(size_t size, size_t alignment, uintptr_t *out_base)
{
    if (!open_heap() || size > heap_size)
        return CUDA_ERROR_OUT_OF_MEMORY;
    size = aligned(size, ALIGNMENT);
    alignment = alignment < ALIGNMENT ? ALIGNMENT : alignment;
    uintptr_t base = aligned((uintptr_t)heap.addresses, alignment);
    size_t at = 0;
    while (at < heap.count && heap.spans[at].base < base + size) {
        uintptr_t end = heap.spans[at].base + heap.spans[at].size;
        base = end > base ? aligned(end, alignment) : base;
        at++;
    }
    if (base + size > (uintptr_t)heap.addresses + heap_size)
        return CUDA_ERROR_OUT_OF_MEMORY;
    insert_span(at, base, size);
    *out_base = base;
    return CUDA_SUCCESS;
}

void fake_heap_give(uintptr_t base, size_t size)
{
    size_t at = 0;
    while (at < heap.count && heap.spans[at].base != base)
        at++;
    if (at == heap.count)
        abort();
    memmove(&heap.spans[at], &heap.spans[at + 1], (heap.count - at - 1) * sizeof *heap.spans);
    heap.count--;
    if (size >= PUNCHED)
        fallocate(heap.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)(base - (uintptr_t)heap.addresses), (off_t)size);
}

unsigned char *fake_heap_view(uintptr_t address)
{
    return heap.view + (address - (uintptr_t)heap.addresses);
}

int fake_heap_file(size_t *out_offset, uintptr_t address)
{
    *out_offset = address - (uintptr_t)heap.addresses;
    return heap.file;
}
