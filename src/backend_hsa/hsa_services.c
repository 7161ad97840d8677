/* Owns what kernels need from the host beside their arguments: buffers of printf and what is
 * printed, the heap of malloc, the workspace of cooperative launches. */
#include "hsa_services.h"
#include "amdgpu_abi.h"
#include "hsa_device.h"
#include "hsa_hostcall.h"
#include "hsa_printf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PRINTS_MAX = 32, /* of launches under way; the next waits for them */
    HEAP_HEAD = 512,
    WORKSPACE_SIZE = 8,
};

/* A buffer, free or with the launch that prints into it. */
struct ahhsa_print {
    struct ahhsa_print *next;
    struct ah_backend_device *device;
    void *memory; /* of the device */
    size_t size;
    const struct ah_backend_stream *stream;
    const struct ahhsa_metadata *metadata;
    bool ended;   /* the kernel has */
    bool printed; /* its text is out: it faulted */
};

static void destroy(struct ahhsa_services *services)
{
    pthread_mutex_destroy(&services->lock);
    pthread_mutex_destroy(&services->printing);
    pthread_mutex_destroy(&services->making);
    free(services);
}

static struct ahhsa_services *create(void)
{
    struct ahhsa_services *services = calloc(1, sizeof *services);
    if (!services)
        return NULL;
    pthread_mutex_init(&services->lock, NULL);
    pthread_mutex_init(&services->printing, NULL);
    pthread_mutex_init(&services->making, NULL);
    services->last_print = &services->prints;
    return services;
}

struct ahhsa_services *ahhsa_services_of(struct ah_backend_device *device)
{
    struct ahhsa_services *there = __atomic_load_n(&device->services, __ATOMIC_ACQUIRE);
    if (there)
        return there;
    struct ahhsa_services *services = create();
    if (services && !__atomic_compare_exchange_n(&device->services, &there, services, false,
                                                 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        destroy(services);
        services = there;
    }
    return services;
}

/* ---- buffers of printf ------------------------------------------------------------------ */

static hipError_t write_head(const struct ahhsa_print *print)
{
    uint32_t head[2] = {0, (uint32_t)(print->size - AHHSA_PRINTF_HEADER)};
    return ahhsa_write(print->device, print->memory, head, sizeof head);
}

/* Accepts NULL. */
static void free_print(struct ahhsa_print *print)
{
    if (print)
        ahhsa_raw_free(print->device, print->memory);
    free(print);
}

static hipError_t make_print(struct ah_backend_device *device, struct ahhsa_print **out_print)
{
    struct ahhsa_print *print = calloc(1, sizeof *print);
    if (!print)
        return hipErrorOutOfMemory;
    print->device = device;
    print->size = ahhsa_limit(device, hipLimitPrintfFifoSize) + AHHSA_PRINTF_HEADER;
    hipError_t error =
        ahhsa_raw_alloc(device, device->pools.device_coarse, print->size, &print->memory);
    if (error == hipSuccess)
        error = ahhsa_zero(device, print->memory, print->size);
    if (error == hipSuccess)
        error = write_head(print);
    if (error != hipSuccess)
        free_print(print);
    else
        *out_print = print;
    return error;
}

/* A free one, or the right to make one; NULL and false: there are enough. */
static struct ahhsa_print *take_free(struct ahhsa_services *services, bool *out_make)
{
    pthread_mutex_lock(&services->lock);
    struct ahhsa_print *print = services->free_prints;
    *out_make = !print && services->print_count < PRINTS_MAX;
    if (print)
        services->free_prints = print->next;
    services->print_count += *out_make;
    pthread_mutex_unlock(&services->lock);
    return print;
}

static hipError_t make_counted(struct ah_backend_device *device, struct ahhsa_services *services,
                               struct ahhsa_print **out_print)
{
    hipError_t error = make_print(device, out_print);
    if (error == hipSuccess)
        return hipSuccess;
    pthread_mutex_lock(&services->lock);
    services->print_count--;
    pthread_mutex_unlock(&services->lock);
    return error;
}

/* One of the size that the limit asks for now. */
static hipError_t get_print(struct ah_backend_device *device, struct ahhsa_services *services,
                            struct ahhsa_print **out_print)
{
    for (;;) {
        bool make;
        struct ahhsa_print *print = take_free(services, &make);
        size_t size = ahhsa_limit(device, hipLimitPrintfFifoSize) + AHHSA_PRINTF_HEADER;
        if (print && print->size == size) {
            *out_print = print;
            return hipSuccess;
        }
        if (print || make) {
            free_print(print);
            return make_counted(device, services, out_print);
        }
        hipError_t error = ahhsa_device_drain(device);
        if (error != hipSuccess)
            return error;
    }
}

/* The launch is over; its buffer serves others. */
static void finish(struct ahhsa_print *print)
{
    struct ahhsa_services *services = print->device->services;
    pthread_mutex_lock(&services->lock);
    print->next = services->free_prints;
    services->free_prints = print;
    pthread_mutex_unlock(&services->lock);
}

/* ---- printing --------------------------------------------------------------------------- */

static void put_out(char *text, size_t size, FILE *to)
{
    if (size > 0) {
        fwrite(text, 1, size, to);
        fflush(to);
    }
    free(text);
}

static struct ahhsa_printed write_text(const struct ahhsa_print *print, const void *records,
                                       size_t size)
{
    char *texts[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    FILE *out = open_memstream(&texts[0], &sizes[0]), *error = open_memstream(&texts[1], &sizes[1]);
    struct ahhsa_printed printed = {0};
    if (out && error)
        printed = ahhsa_printf_write(records, size, print->metadata, out, error);
    if (out)
        fclose(out);
    if (error)
        fclose(error);
    put_out(texts[0], sizes[0], stdout);
    put_out(texts[1], sizes[1], stderr);
    return printed;
}

static void report(const struct ahhsa_print *print, const struct ahhsa_printed *printed)
{
    const struct ah_backend_device *device = print->device;
    if (printed->lost)
        AH_LOG_WARN("%s:%d: %u bytes that a kernel printed are lost: hipLimitPrintfFifoSize is %zu",
                    device->backend->name, device->index, printed->lost,
                    print->size - AHHSA_PRINTF_HEADER);
    if (printed->unknown)
        AH_LOG_WARN("%s:%d: a kernel printed with a format that its code object does not have",
                    device->backend->name, device->index);
}

/* Prints what the buffer holds and makes it empty. */
static struct ahhsa_printed print_buffer(const struct ahhsa_print *print)
{
    struct ahhsa_printed printed = {0};
    uint32_t head[4] = {0};
    if (ahhsa_read(print->device, head, print->memory, sizeof head) != hipSuccess || head[0] == 0)
        return printed;
    size_t used = ahhsa_printf_used(head, print->size);
    void *records = malloc(used);
    if (records && ahhsa_read(print->device, records, print->memory, used) == hipSuccess) {
        printed = write_text(print, records, used);
        report(print, &printed);
    }
    free(records);
    if (ahhsa_zero(print->device, print->memory, used) == hipSuccess)
        write_head(print);
    return printed;
}

/* Takes the oldest of the stream's, if its kernel has ended. */
static struct ahhsa_print *take_ended(struct ahhsa_services *services,
                                      const struct ah_backend_stream *stream)
{
    pthread_mutex_lock(&services->lock);
    struct ahhsa_print **link = &services->prints;
    while (*link && (*link)->stream != stream)
        link = &(*link)->next;
    struct ahhsa_print *print = *link && (*link)->ended ? *link : NULL;
    if (print) {
        *link = print->next;
        if (!print->next)
            services->last_print = link;
    }
    pthread_mutex_unlock(&services->lock);
    return print;
}

/* The text of one stream's kernels comes out in their order, whoever learns of their ends. */
static void kernel_ended(void *data)
{
    struct ahhsa_print *print = data;
    struct ahhsa_services *services = print->device->services;
    const struct ah_backend_stream *stream = print->stream;
    pthread_mutex_lock(&services->printing);
    pthread_mutex_lock(&services->lock);
    print->ended = true;
    pthread_mutex_unlock(&services->lock);
    while ((print = take_ended(services, stream))) {
        if (!print->printed)
            print_buffer(print);
        finish(print);
    }
    pthread_mutex_unlock(&services->printing);
}

static hipError_t prepare_print(struct ah_backend_device *device,
                                const struct ah_backend_stream *stream,
                                const struct ah_backend_function *function,
                                struct ahhsa_services *services, struct ahhsa_print **out_print)
{
    struct ahhsa_print *print;
    hipError_t error = get_print(device, services, &print);
    if (error != hipSuccess)
        return error;
    print->next = NULL;
    print->stream = stream;
    print->metadata = &function->module->metadata;
    print->ended = print->printed = false;
    *out_print = print;
    return hipSuccess;
}

void ahhsa_services_launched(struct ahhsa_slot *slot, struct ahhsa_print *print)
{
    if (!print)
        return;
    struct ahhsa_services *services = print->device->services;
    pthread_mutex_lock(&services->lock);
    *services->last_print = print;
    services->last_print = &print->next;
    pthread_mutex_unlock(&services->lock);
    ahhsa_packet_hook(slot, kernel_ended, print);
}

void ahhsa_services_cancelled(struct ahhsa_print *print)
{
    if (print)
        finish(print);
}

static struct ahhsa_print *next_unprinted(struct ahhsa_services *services)
{
    pthread_mutex_lock(&services->lock);
    struct ahhsa_print *print = services->prints;
    while (print && print->printed)
        print = print->next;
    pthread_mutex_unlock(&services->lock);
    return print;
}

/* Kernels that faulted have printed too, and an assertion says in print that it failed. */
hipError_t ahhsa_services_examine(struct ah_backend_device *device, hipError_t error)
{
    struct ahhsa_services *services = __atomic_load_n(&device->services, __ATOMIC_ACQUIRE);
    struct ahhsa_print *print;
    if (!services)
        return error;
    pthread_mutex_lock(&services->printing);
    while ((print = next_unprinted(services))) {
        if (print_buffer(print).assertion)
            error = hipErrorAssert;
        print->printed = true;
    }
    pthread_mutex_unlock(&services->printing);
    pthread_mutex_lock(&services->making);
    if (services->calls && ahhsa_hostcalls_asserted(services->calls))
        error = hipErrorAssert;
    pthread_mutex_unlock(&services->making);
    return error;
}

/* ---- heap and workspace ----------------------------------------------------------------- */

/* Zeroed memory of the device. */
static hipError_t make_zeroed(struct ah_backend_device *device, size_t size, size_t zeroed,
                              void **out_memory)
{
    hipError_t error = ahhsa_raw_alloc(device, device->pools.device_coarse, size, out_memory);
    if (error != hipSuccess)
        return error;
    error = ahhsa_zero(device, *out_memory, zeroed);
    if (error != hipSuccess) {
        ahhsa_raw_free(device, *out_memory);
        *out_memory = NULL;
    }
    return error;
}

static hipError_t make_heap(struct ah_backend_device *device, struct ahhsa_services *services)
{
    uint64_t capacity = ahhsa_limit(device, hipLimitMallocHeapSize);
    void *heap = NULL;
    hipError_t error = make_zeroed(device, HEAP_HEAD + capacity, HEAP_HEAD, &heap);
    if (error == hipSuccess)
        error = ahhsa_write(device, heap, &capacity, sizeof capacity);
    if (error == hipSuccess)
        services->heap = heap;
    else if (heap)
        ahhsa_raw_free(device, heap);
    return error;
}

/* Blocks that kernels hold lie in it, so that it cannot be made anew. */
hipError_t ahhsa_services_resize_heap(struct ah_backend_device *device, size_t size)
{
    const struct ahhsa_services *services = __atomic_load_n(&device->services, __ATOMIC_ACQUIRE);
    if (!services || !services->heap)
        return hipSuccess;
    AH_LOG_ERR("%s:%d: the heap cannot become %zu bytes: kernels that use it were launched",
               device->backend->name, device->index, size);
    return hipErrorInvalidValue;
}

/* What a kernel asks for, beside room for what it prints. */
struct needs {
    bool heap, foreign_heap, calls, workspace;
};

static struct needs needs_of(const struct ah_backend_function *function, bool cooperative)
{
    bool foreign = function->module->foreign;
    bool heap = ahhsa_function_uses(function, AHHSA_VALUE_HEAP);
    return (struct needs){
        .heap = heap && !foreign,
        .foreign_heap = heap && foreign,
        .calls = foreign && ahhsa_function_uses(function, AHHSA_VALUE_HOSTCALL_BUFFER),
        .workspace = cooperative && ahhsa_function_uses(function, AHHSA_VALUE_MULTIGRID_SYNC),
    };
}

/* What is made at its first use. */
static hipError_t make_needed(struct ah_backend_device *device, struct ahhsa_services *services,
                              const struct needs *needs)
{
    hipError_t error = hipSuccess;
    pthread_mutex_lock(&services->making);
    if (needs->heap && !services->heap)
        error = make_heap(device, services);
    if (error == hipSuccess && needs->foreign_heap && !services->foreign_heap)
        error = make_zeroed(device, AMDGPU_HEAP_SIZE, AMDGPU_HEAP_SIZE, &services->foreign_heap);
    if (error == hipSuccess && needs->calls && !services->calls)
        error = ahhsa_hostcalls_start(device, &services->calls);
    if (error == hipSuccess && needs->workspace && !services->workspace)
        error = make_zeroed(device, WORKSPACE_SIZE, WORKSPACE_SIZE, &services->workspace);
    pthread_mutex_unlock(&services->making);
    return error;
}

static void tell(const struct ahhsa_services *services, const struct needs *needs,
                 const struct ahhsa_print *print, struct ahhsa_implicit *out_implicit)
{
    if (needs->heap)
        out_implicit->heap = services->heap;
    if (needs->foreign_heap)
        out_implicit->heap = services->foreign_heap;
    if (needs->calls)
        out_implicit->hostcall_buffer = ahhsa_hostcalls_buffer(services->calls);
    if (needs->workspace)
        out_implicit->workspace = services->workspace;
    if (print)
        out_implicit->printf_buffer = print->memory;
}

hipError_t ahhsa_services_prepare(struct ah_backend_device *device,
                                  struct ah_backend_stream *stream,
                                  const struct ah_backend_function *function, bool cooperative,
                                  struct ahhsa_implicit *out_implicit,
                                  struct ahhsa_print **out_print)
{
    struct needs needs = needs_of(function, cooperative);
    bool prints = ahhsa_function_uses(function, AHHSA_VALUE_PRINTF_BUFFER);
    bool makes = needs.heap | needs.foreign_heap | needs.calls | needs.workspace;
    hipError_t error = hipSuccess;
    if (__builtin_expect(!makes && !prints, 1))
        return hipSuccess;
    struct ahhsa_services *services = ahhsa_services_of(device);
    if (!services)
        return hipErrorOutOfMemory;
    if (makes)
        error = make_needed(device, services, &needs);
    if (error == hipSuccess && prints)
        error = prepare_print(device, stream, function, services, out_print);
    if (error == hipSuccess)
        tell(services, &needs, *out_print, out_implicit);
    return error;
}

void ahhsa_services_drop(struct ah_backend_device *device)
{
    struct ahhsa_services *services = device->services;
    if (device->facts)
        ahhsa_limits_init(device->facts);
    if (!services)
        return;
    while (services->prints) {
        struct ahhsa_print *next = services->prints->next;
        finish(services->prints);
        services->prints = next;
    }
    while (services->free_prints) {
        struct ahhsa_print *next = services->free_prints->next;
        free_print(services->free_prints);
        services->free_prints = next;
    }
    ahhsa_hostcalls_stop(services->calls);
    ahhsa_raw_free(device, services->heap);
    ahhsa_raw_free(device, services->foreign_heap);
    ahhsa_raw_free(device, services->workspace);
    ahhsa_chunks_drop(services);
    destroy(services);
    device->services = NULL;
}
