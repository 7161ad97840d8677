/* Owns the service for hostcalls of ROCm's device library: printing, and memory for malloc. Text
 * is written while the kernel runs. */
#include "hsa_hostcall.h"
#include "amdgpu_abi.h"
#include "hsa_printf.h"

#include <stdlib.h>
#include <string.h>

enum {
    PACKETS_MIN = 256,
    PACKETS_MAX = 1 << 14,
    WAVES_OF_A_UNIT = 40,  /* no GPU has more */
    MESSAGE_MAX = 1 << 20, /* bytes; and as many messages at a time */
    MESSAGES_MAX = 1 << 20,
    PAGE = 4096,
};

/* A message of a lane, which arrives in several pieces. */
struct message {
    uint64_t *words;
    size_t count, room;
    bool open;
    unsigned next_free;
};

/* Memory that a kernel asked for. */
struct block {
    struct block *next;
    void *memory;
    uint64_t address; /* inside of memory, aligned */
};

struct ahhsa_hostcalls {
    struct ah_backend_device *device;
    struct amdgpu_hostcall_buffer *buffer;
    size_t size;
    /* Copies of what is in the header of the buffer, which kernels can overwrite. */
    struct amdgpu_hostcall_header *headers;
    struct amdgpu_hostcall_payload *payloads;
    uint64_t packets; /* a power of two */
    hsa_signal_t doorbell;
    pthread_t thread;
    _Atomic bool stop, asserted;
    /* used by the thread only */
    struct message *messages;
    unsigned message_count, message_room, first_free; /* first_free: its number + 1 */
    struct block *blocks;
};

/* ---- what is printed -------------------------------------------------------------------- */

/* NULL: out of memory, or a kernel has begun too many messages without ending them. */
static struct message *open_message(struct ahhsa_hostcalls *calls)
{
    if (calls->first_free == 0 && calls->message_count == calls->message_room) {
        unsigned room = calls->message_room ? 2 * calls->message_room : 64;
        struct message *grown =
            room <= MESSAGES_MAX ? realloc(calls->messages, room * sizeof *grown) : NULL;
        if (!grown)
            return NULL;
        calls->messages = grown;
        calls->message_room = room;
    }
    struct message *message;
    if (calls->first_free) {
        message = &calls->messages[calls->first_free - 1];
        calls->first_free = message->next_free;
    } else {
        message = &calls->messages[calls->message_count++];
        *message = (struct message){0};
    }
    message->open = true;
    return message;
}

static struct message *message_of(struct ahhsa_hostcalls *calls, uint64_t number)
{
    return number < calls->message_count && calls->messages[number].open ? &calls->messages[number]
                                                                         : NULL;
}

static void close_message(struct ahhsa_hostcalls *calls, struct message *message)
{
    message->open = false;
    message->count = 0;
    message->next_free = calls->first_free;
    calls->first_free = (unsigned)(message - calls->messages) + 1;
}

static bool append(struct message *message, const uint64_t *words, size_t count)
{
    if (message->count + count > message->room) {
        size_t room = message->room ? 2 * message->room : 32;
        uint64_t *grown = room * sizeof *words <= MESSAGE_MAX
                              ? realloc(message->words, room * sizeof *words)
                              : NULL;
        if (!grown)
            return false;
        message->words = grown;
        message->room = room;
    }
    for (size_t i = 0; i < count; i++)
        message->words[message->count++] = words[i];
    return true;
}

/* Returns the number of characters, or -1 when out of memory. */
static int64_t flush_message(struct ahhsa_hostcalls *calls, const struct message *message)
{
    struct ahhsa_printed printed = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return -1;
    bool to_error = message->count > 0 && (message->words[0] & 1);
    ahhsa_printf_message(message->words, message->count * sizeof *message->words, to, to, &printed);
    fclose(to);
    to = to_error || printed.assertion ? stderr : stdout;
    fwrite(text, 1, size, to);
    fflush(to);
    free(text);
    if (printed.assertion)
        atomic_store(&calls->asserted, true);
    return (int64_t)size;
}

/* The result is the number of the message, and for its last piece the result of printf. */
static void print(struct ahhsa_hostcalls *calls, uint64_t slot[8])
{
    enum { COUNT_MASK = 7, FLAGS = (1 << AMDGPU_MESSAGE_NUMBER) - 1 };
    uint64_t descriptor = slot[0];
    struct message *message = descriptor & AMDGPU_MESSAGE_BEGIN
                                  ? open_message(calls)
                                  : message_of(calls, descriptor >> AMDGPU_MESSAGE_NUMBER);
    if (!message || !append(message, slot + 1, descriptor >> AMDGPU_MESSAGE_WORDS & COUNT_MASK)) {
        AH_LOG_WARN("%s:%d: part of a message of a kernel is lost: out of memory, or too many "
                    "messages at a time",
                    calls->device->backend->name, calls->device->index);
        slot[0] = UINT64_MAX;
        return;
    }
    slot[0] = (descriptor & FLAGS & ~(uint64_t)AMDGPU_MESSAGE_BEGIN) |
              (uint64_t)(message - calls->messages) << AMDGPU_MESSAGE_NUMBER;
    if (!(descriptor & AMDGPU_MESSAGE_END))
        return;
    slot[0] = (uint64_t)flush_message(calls, message);
    close_message(calls, message);
}

/* ---- memory ----------------------------------------------------------------------------- */

static hipError_t allocate(struct ah_backend_device *device, size_t size, struct block *block)
{
    uint64_t alignment = size >= AMDGPU_SLAB_SIZE ? AMDGPU_SLAB_SIZE : PAGE;
    hipError_t error = ahhsa_raw_alloc(device, device->pools.device_coarse, size, &block->memory);
    if (error == hipSuccess && (uintptr_t)block->memory % alignment != 0) {
        ahhsa_raw_free(device, block->memory);
        error =
            ahhsa_raw_alloc(device, device->pools.device_coarse, size + alignment, &block->memory);
    }
    if (error == hipSuccess)
        block->address = ((uintptr_t)block->memory + alignment - 1) & ~(alignment - 1);
    return error;
}

static uint64_t allocate_for_kernel(struct ahhsa_hostcalls *calls, uint64_t size)
{
    struct block *block = calloc(1, sizeof *block);
    if (!block || size == 0 || size > SIZE_MAX / 2 ||
        allocate(calls->device, size, block) != hipSuccess) {
        free(block);
        return 0;
    }
    block->next = calls->blocks;
    calls->blocks = block;
    return block->address;
}

static void free_for_kernel(struct ahhsa_hostcalls *calls, uint64_t address)
{
    struct block **link = &calls->blocks;
    while (*link && (*link)->address != address)
        link = &(*link)->next;
    struct block *block = *link;
    if (!block) {
        AH_LOG_WARN("%s:%d: a kernel frees memory at 0x%llx that was not allocated",
                    calls->device->backend->name, calls->device->index,
                    (unsigned long long)address);
        return;
    }
    *link = block->next;
    ahhsa_raw_free(calls->device, block->memory);
    free(block);
}

/* ---- calls ------------------------------------------------------------------------------ */

static void answer(struct ahhsa_hostcalls *calls, uint32_t service, uint64_t slot[8])
{
    switch (service) {
    case AMDGPU_HOSTCALL_PRINTF:
        print(calls, slot);
        break;
    case AMDGPU_HOSTCALL_MEMORY:
        if (slot[0])
            free_for_kernel(calls, slot[0]);
        slot[0] = slot[0] ? 0 : allocate_for_kernel(calls, slot[1]);
        break;
    default: /* also calls of functions by address, since a faulty kernel could end the process */
        AH_LOG_ERR("%s:%d: a kernel called service %u of the host, which is not supported: only "
                   "printf (%d) "
                   "and memory (%d) are",
                   calls->device->backend->name, calls->device->index, service,
                   AMDGPU_HOSTCALL_PRINTF, AMDGPU_HOSTCALL_MEMORY);
        slot[0] = slot[1] = 0;
    }
}

static void answer_packet(struct ahhsa_hostcalls *calls, struct amdgpu_hostcall_header *header,
                          struct amdgpu_hostcall_payload *payload)
{
    for (uint64_t lanes = header->lanes; lanes; lanes &= lanes - 1)
        answer(calls, header->service, payload->slots[__builtin_ctzll(lanes)]);
    __atomic_and_fetch(&header->control, ~(uint32_t)AMDGPU_HOSTCALL_READY, __ATOMIC_RELEASE);
}

/* Answers all packets that are ready, in any order, since a wave has one at a time. Links that a
 * kernel has overwritten may form a cycle. */
static void answer_all(struct ahhsa_hostcalls *calls)
{
    uint64_t ready = __atomic_exchange_n(&calls->buffer->ready_stack, 0, __ATOMIC_ACQUIRE);
    for (uint64_t seen = 0; ready && seen < calls->packets; seen++) {
        uint64_t index = ready & (calls->packets - 1);
        struct amdgpu_hostcall_header *header = &calls->headers[index];
        uint64_t next = header->next; /* the kernel owns it once it is answered */
        answer_packet(calls, header, &calls->payloads[index]);
        ready = next;
    }
}

static void *serve(void *data)
{
    struct ahhsa_hostcalls *calls = data;
    hsa_signal_value_t seen = 0;
    while (!atomic_load(&calls->stop)) {
        answer_all(calls);
        seen = calls->device->api->hsa_signal_wait_scacquire(
            calls->doorbell, HSA_SIGNAL_CONDITION_NE, seen, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    }
    return NULL;
}

/* ---- beginning and end ------------------------------------------------------------------ */

/* At least as many as there can be waves, so that no wave waits for a packet. */
static uint64_t packets_for(const struct ah_backend_device *device)
{
    uint64_t packets = PACKETS_MIN;
    while (packets < (uint64_t)device->compute_units * WAVES_OF_A_UNIT && packets < PACKETS_MAX)
        packets *= 2;
    return packets;
}

/* Puts all packets on the free list: each points to the one below it, and the lowest to the end.
 * Packet 0 is named with a count of 1, since 0 means the end. */
static void fill_buffer(struct ahhsa_hostcalls *calls)
{
    struct amdgpu_hostcall_buffer *buffer = calls->buffer;
    memset(buffer, 0, calls->size);
    buffer->payloads = calls->payloads;
    buffer->headers = calls->headers;
    buffer->doorbell = calls->doorbell.handle;
    buffer->index_mask = calls->packets - 1;
    buffer->free_stack = calls->packets;
    for (uint64_t i = 1; i < calls->packets; i++) {
        calls->headers[i].next = buffer->free_stack;
        buffer->free_stack = i;
    }
}

static hipError_t start(struct ahhsa_hostcalls *calls)
{
    struct ah_backend_device *device = calls->device;
    uint64_t packets = packets_for(device);
    void *memory = NULL;
    calls->size = PAGE + packets * (sizeof(struct amdgpu_hostcall_payload) +
                                    sizeof(struct amdgpu_hostcall_header));
    hipError_t error = ahhsa_raw_alloc(device, device->pools.host_fine, calls->size, &memory);
    if (error != hipSuccess)
        return error;
    calls->buffer = memory;
    calls->packets = packets;
    calls->payloads = (void *)((char *)memory + PAGE);
    calls->headers = (void *)(calls->payloads + packets);
    hsa_status_t status = device->api->hsa_signal_create(0, 0, NULL, &calls->doorbell);
    if (status != HSA_STATUS_SUCCESS)
        return ahhsa_report(device, "hsa_signal_create", status);
    fill_buffer(calls);
    return pthread_create(&calls->thread, NULL, serve, calls) == 0 ? hipSuccess
                                                                   : hipErrorOutOfMemory;
}

static void destroy(struct ahhsa_hostcalls *calls)
{
    while (calls->blocks)
        free_for_kernel(calls, calls->blocks->address);
    for (unsigned i = 0; i < calls->message_count; i++)
        free(calls->messages[i].words);
    free(calls->messages);
    if (calls->doorbell.handle)
        calls->device->api->hsa_signal_destroy(calls->doorbell);
    ahhsa_raw_free(calls->device, calls->buffer);
    free(calls);
}

hipError_t ahhsa_hostcalls_start(struct ah_backend_device *device,
                                 struct ahhsa_hostcalls **out_calls)
{
    struct ahhsa_hostcalls *calls = calloc(1, sizeof *calls);
    if (!calls)
        return hipErrorOutOfMemory;
    calls->device = device;
    hipError_t error = start(calls);
    if (error != hipSuccess)
        destroy(calls);
    else
        *out_calls = calls;
    return error;
}

void *ahhsa_hostcalls_buffer(const struct ahhsa_hostcalls *calls)
{
    return calls->buffer;
}

bool ahhsa_hostcalls_asserted(const struct ahhsa_hostcalls *calls)
{
    return atomic_load(&calls->asserted);
}

void ahhsa_hostcalls_stop(struct ahhsa_hostcalls *calls)
{
    if (!calls)
        return;
    atomic_store(&calls->stop, true);
    calls->device->api->hsa_signal_store_screlease(calls->doorbell, -1);
    pthread_join(calls->thread, NULL);
    destroy(calls);
}
