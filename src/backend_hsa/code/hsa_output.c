/* Owns the buffers that kernels print into: which launch uses which buffer, and when its records
 * are written out.
 *
 * A launch never waits for a buffer. It has a buffer of its own while there are few; beyond that,
 * launches of a stream share one, in which their records follow one another in the order of the
 * kernels. The records are written out when all launches of the buffer have ended, after those of
 * earlier buffers of the stream. */
#include "hsa_hostcall.h"
#include "hsa_printf.h"
#include "hsa_kernel_services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OWN = 32,         /* buffers of a device, before launches share them */
    FULL = 64,        /* buffers of the size that the limit sets */
    SHARE = 256,      /* launches in a buffer, while there are fewer than FULL */
    SMALL = 64 << 10, /* bytes of all further buffers */
};

/* It is free, or used by consecutive launches of one stream. */
struct ahhsa_print_buffer {
    struct ahhsa_print_buffer *next;          /* of the free ones, or of the stream's */
    struct ahhsa_print_buffer *newer, **link; /* of all that are in use */
    struct ah_backend_device *device;
    struct ahhsa_stream_output *output; /* of their stream */
    void *memory;                       /* of the host, at the same address for kernels */
    size_t size;
    struct ahhsa_formats **formats; /* of the kernels, retained */
    size_t format_count;
    bool rocm_abi; /* the layout of records is that of ROCm's device library */
    bool printed;  /* its records were written out when the device failed */
    _Atomic unsigned launches;
    unsigned ended; /* of the launches, how many have ended */
};

/* ---- buffers ---------------------------------------------------------------------------- */

/* Sets the used bytes to 0. */
static void clear(const struct ahhsa_print_buffer *print, size_t used)
{
    uint32_t head[2] = {0, (uint32_t)(print->size - AHHSA_PRINTF_HEADER)};
    memset(print->memory, 0, used);
    memcpy(print->memory, head, sizeof head);
}

static void release_formats(struct ahhsa_print_buffer *print)
{
    for (size_t i = 0; i < print->format_count; i++)
        ahhsa_formats_release(print->formats[i]);
    print->format_count = 0;
}

/* Accepts NULL. */
static void destroy(struct ahhsa_print_buffer *print)
{
    if (!print)
        return;
    release_formats(print);
    ahhsa_raw_free(print->device, print->memory);
    free(print->formats);
    free(print);
}

static hipError_t create(struct ah_backend_device *device, size_t size,
                         struct ahhsa_print_buffer **out_print)
{
    struct ahhsa_print_buffer *print = calloc(1, sizeof *print);
    if (!print)
        return hipErrorOutOfMemory;
    print->device = device;
    print->size = size;
    hipError_t error = ahhsa_raw_alloc(device, device->pools.host_fine, size, &print->memory);
    if (error != hipSuccess) {
        free(print);
        return error;
    }
    clear(print, size);
    *out_print = print;
    return hipSuccess;
}

static size_t size_now(struct ah_backend_device *device, unsigned count)
{
    size_t size = ahhsa_limit(device, hipLimitPrintfFifoSize);
    return (count > FULL && size > SMALL ? SMALL : size) + AHHSA_PRINTF_HEADER;
}

/* A buffer that no launch uses, of the size that the limit sets now. */
static hipError_t acquire_buffer(struct ah_backend_device *device,
                                 struct ahhsa_kernel_services *services,
                                 struct ahhsa_print_buffer **out_print)
{
    pthread_mutex_lock(&services->lock);
    struct ahhsa_print_buffer *print = services->free_prints;
    if (print)
        services->free_prints = print->next;
    else
        services->print_count++;
    size_t size = size_now(device, services->print_count);
    pthread_mutex_unlock(&services->lock);
    hipError_t error = hipSuccess;
    if (!print || print->size != size) {
        destroy(print);
        error = create(device, size, &print);
    }
    if (error == hipSuccess) {
        *out_print = print;
        return hipSuccess;
    }
    pthread_mutex_lock(&services->lock);
    services->print_count--;
    pthread_mutex_unlock(&services->lock);
    return error;
}

/* Makes the buffer available to other launches. */
static void recycle(struct ahhsa_kernel_services *services, struct ahhsa_print_buffer *print)
{
    release_formats(print);
    atomic_store_explicit(&print->launches, 0, memory_order_relaxed);
    print->ended = 0;
    print->printed = false;
    pthread_mutex_lock(&services->lock);
    bool keep = services->print_count <= OWN;
    if (keep) {
        print->next = services->free_prints;
        services->free_prints = print;
    } else {
        services->print_count--;
    }
    pthread_mutex_unlock(&services->lock);
    if (!keep)
        destroy(print);
}

/* ---- who prints into which: under the services' lock ------------------------------------ */

static void append_to_stream(struct ahhsa_kernel_services *services,
                             struct ahhsa_print_buffer *print, struct ah_backend_stream *stream)
{
    struct ahhsa_stream_output *output = ahhsa_stream_output(stream);
    print->output = output;
    print->next = print->newer = NULL;
    print->link = services->last_print;
    *services->last_print = print;
    services->last_print = &print->newer;
    if (output->last)
        output->last->next = print;
    else
        output->first = print;
    output->last = print;
}

/* The buffer is the stream's first. */
static void remove_from_stream(struct ahhsa_kernel_services *services,
                               struct ahhsa_print_buffer *print)
{
    struct ahhsa_stream_output *output = print->output;
    *print->link = print->newer;
    if (print->newer)
        print->newer->link = print->link;
    else
        services->last_print = print->link;
    output->first = print->next;
    if (!output->first)
        output->last = NULL;
}

/* Adds a launch of function to the buffer. */
static hipError_t add_launch(struct ahhsa_print_buffer *print,
                             const struct ah_backend_function *function)
{
    struct ahhsa_formats *formats = function->module->metadata.formats;
    size_t known = 0;
    while (known < print->format_count && print->formats[known] != formats)
        known++;
    if (known == print->format_count) {
        struct ahhsa_formats **grown =
            realloc(print->formats, (known + 1) * sizeof *print->formats);
        if (!grown)
            return hipErrorOutOfMemory;
        print->formats = grown;
        print->formats[print->format_count++] = ahhsa_formats_retain(formats);
    }
    atomic_fetch_add_explicit(&print->launches, 1, memory_order_relaxed);
    return hipSuccess;
}

/* The stream's latest buffer, if its next launch shares it; otherwise NULL. */
static struct ahhsa_print_buffer *buffer_to_share(const struct ahhsa_kernel_services *services,
                                                  const struct ahhsa_stream_output *output,
                                                  bool rocm_abi)
{
    struct ahhsa_print_buffer *print = output->last;
    if (services->free_prints || services->print_count < OWN || !print ||
        print->rocm_abi != rocm_abi)
        return NULL;
    bool filled = atomic_load_explicit(&print->launches, memory_order_relaxed) >= SHARE;
    return filled && services->print_count < FULL ? NULL : print;
}

/* ---- launches --------------------------------------------------------------------------- */

static hipError_t acquire_own(struct ahhsa_kernel_services *services,
                              struct ah_backend_stream *stream,
                              const struct ah_backend_function *function, bool rocm_abi,
                              struct ahhsa_print_buffer **out_print)
{
    struct ahhsa_print_buffer *print;
    hipError_t error = acquire_buffer(ahhsa_stream_device(stream), services, &print);
    if (error != hipSuccess)
        return error;
    print->rocm_abi = rocm_abi;
    error = add_launch(print, function);
    if (error != hipSuccess) {
        recycle(services, print);
        return error;
    }
    pthread_mutex_lock(&services->lock);
    append_to_stream(services, print, stream);
    pthread_mutex_unlock(&services->lock);
    *out_print = print;
    return hipSuccess;
}

hipError_t ahhsa_print_buffer_acquire(struct ahhsa_kernel_services *services,
                                      struct ah_backend_stream *stream,
                                      const struct ah_backend_function *function,
                                      struct ahhsa_print_buffer **out_print)
{
    bool rocm_abi = function->module->abi == AHHSA_ABI_ROCM;
    pthread_mutex_lock(&services->lock);
    struct ahhsa_print_buffer *print =
        buffer_to_share(services, ahhsa_stream_output(stream), rocm_abi);
    hipError_t error = print ? add_launch(print, function) : hipSuccess;
    pthread_mutex_unlock(&services->lock);
    if (!print)
        return acquire_own(services, stream, function, rocm_abi, out_print);
    if (error == hipSuccess)
        *out_print = print;
    return error;
}

void *ahhsa_print_buffer_memory(const struct ahhsa_print_buffer *print)
{
    return print->memory;
}

unsigned ahhsa_print_buffer_flags(const struct ahhsa_print_buffer *print)
{
    return atomic_load_explicit(&print->launches, memory_order_relaxed) == 1 ? AHHSA_DISPATCH_SIGNAL
                                                                             : 0;
}

/* ---- printing --------------------------------------------------------------------------- */

static void flush_text(char *text, size_t size, FILE *to)
{
    if (size > 0) {
        fwrite(text, 1, size, to);
        fflush(to);
    }
    free(text);
}

static struct ahhsa_printed write_text(const struct ahhsa_print_buffer *print, const void *records,
                                       size_t size)
{
    char *texts[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    FILE *out = open_memstream(&texts[0], &sizes[0]), *error = open_memstream(&texts[1], &sizes[1]);
    struct ahhsa_printed printed = {0};
    if (out && error)
        printed =
            ahhsa_printf_write(records, size, print->formats, print->format_count, out, error);
    if (out)
        fclose(out);
    if (error)
        fclose(error);
    flush_text(texts[0], sizes[0], stdout);
    flush_text(texts[1], sizes[1], stderr);
    return printed;
}

static void report(const struct ahhsa_print_buffer *print, const struct ahhsa_printed *printed)
{
    const struct ah_backend_device *device = print->device;
    if (printed->lost)
        AH_LOG_WARN("%s:%d: %u bytes that a kernel printed are lost: there was room for %zu, and "
                    "hipLimitPrintfFifoSize is %zu",
                    device->backend->name, device->index, printed->lost,
                    print->size - AHHSA_PRINTF_HEADER,
                    ahhsa_limit(print->device, hipLimitPrintfFifoSize));
    if (printed->unknown)
        AH_LOG_WARN("%s:%d: a kernel printed with a format that its code object does not have",
                    device->backend->name, device->index);
}

/* Writes out the records of the buffer and clears it. Kernels of a device that has failed may
 * still write to it, so that a copy is read. */
static struct ahhsa_printed print_buffer(const struct ahhsa_print_buffer *print)
{
    struct ahhsa_printed printed = {0};
    if (__atomic_load_n((const uint32_t *)print->memory, __ATOMIC_RELAXED) == 0)
        return printed;
    size_t used = ahhsa_printf_used(print->memory, print->size);
    void *records = malloc(used);
    if (records) {
        memcpy(records, print->memory, used);
        printed = write_text(print, records, used);
        report(print, &printed);
    }
    free(records);
    clear(print, used);
    return printed;
}

/* Removes and returns the stream's oldest buffer, if its kernels have ended. */
static struct ahhsa_print_buffer *remove_finished(struct ahhsa_kernel_services *services,
                                                  const struct ahhsa_stream_output *output)
{
    pthread_mutex_lock(&services->lock);
    struct ahhsa_print_buffer *print = output->first;
    if (print && print->ended == atomic_load_explicit(&print->launches, memory_order_relaxed))
        remove_from_stream(services, print);
    else
        print = NULL;
    pthread_mutex_unlock(&services->lock);
    return print;
}

/* The records of a stream's kernels are written out in the order of the kernels, whichever thread
 * runs the callbacks. */
static void launch_ended(void *data)
{
    struct ahhsa_print_buffer *print = data;
    struct ahhsa_kernel_services *services = print->device->services;
    const struct ahhsa_stream_output *output = print->output;
    pthread_mutex_lock(&services->printing);
    pthread_mutex_lock(&services->lock);
    print->ended++;
    pthread_mutex_unlock(&services->lock);
    while ((print = remove_finished(services, output))) {
        if (!print->printed)
            print_buffer(print);
        recycle(services, print);
    }
    pthread_mutex_unlock(&services->printing);
}

void ahhsa_print_buffer_launched(struct ah_backend_stream *stream, struct ahhsa_print_buffer *print)
{
    ahhsa_stream_add_callback(stream, launch_ended, print);
}

void ahhsa_print_buffer_cancelled(struct ahhsa_print_buffer *print)
{
    if (print)
        launch_ended(print);
}

/* ---- failure and end -------------------------------------------------------------------- */

/* The first buffer in use, or the one after print. No buffer leaves the list while `printing` is
 * held. */
static struct ahhsa_print_buffer *next_in_use(struct ahhsa_kernel_services *services,
                                              const struct ahhsa_print_buffer *print)
{
    pthread_mutex_lock(&services->lock);
    struct ahhsa_print_buffer *next = print ? print->newer : services->prints;
    pthread_mutex_unlock(&services->lock);
    return next;
}

/* Kernels that faulted may have printed, and an assertion that failed is a record. */
bool ahhsa_print_buffers_flush(struct ahhsa_kernel_services *services)
{
    struct ahhsa_print_buffer *print = NULL;
    bool asserted = false;
    pthread_mutex_lock(&services->printing);
    while ((print = next_in_use(services, print))) {
        if (!print->printed)
            asserted |= print_buffer(print).assertion;
        print->printed = true;
    }
    pthread_mutex_unlock(&services->printing);
    return asserted;
}

void ahhsa_print_buffers_free(struct ahhsa_kernel_services *services)
{
    while (services->free_prints) {
        struct ahhsa_print_buffer *next = services->free_prints->next;
        destroy(services->free_prints);
        services->free_prints = next;
    }
}
