/* The calls of kernels to the host, of any content. Pieces of 16 bytes: the packet, the lane and
 * the word of its slot where 8 bytes go, the packet's service, and whether the host is called. A
 * piece that begins with 255 writes to the head of the buffer, which kernels can do too. */
#include "fuzz.h"
#include "hsa_hostcall.c"

enum { PACKETS = 4, PIECE = 16, ROOM_MAX = 1 << 16 };
enum { HEAD_WORDS = sizeof(struct amdgpu_hostcall_buffer) / sizeof(uint64_t) };

struct buffer {
    struct amdgpu_hostcall_buffer buffer;
    struct amdgpu_hostcall_header headers[PACKETS];
    struct amdgpu_hostcall_payload payloads[PACKETS];
};

static struct ah_backend backend = {.name = "fuzz"};
static struct ah_backend_device device = {.backend = &backend};
static size_t live;

hipError_t ahhsa_raw_alloc(struct ah_backend_device *of, hsa_amd_memory_pool_t pool, size_t size,
                           void **out_pointer)
{
    (void)pool;
    fuzz_check(of == &device);
    *out_pointer = size <= ROOM_MAX ? malloc(size) : NULL;
    live += *out_pointer != NULL;
    return *out_pointer ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t ahhsa_raw_free(struct ah_backend_device *of, void *pointer)
{
    fuzz_check(of == &device && live > 0);
    live--;
    free(pointer);
    return hipSuccess;
}

hipError_t ahhsa_report(const struct ah_backend_device *of, const char *what, hsa_status_t status)
{
    (void)of, (void)what, (void)status;
    return hipErrorUnknown;
}

/* A kernel gives back an address that it was given, for it cannot guess one. */
static uint64_t word_of(const struct ahhsa_hostcalls *calls, const uint8_t *piece)
{
    uint64_t word;
    memcpy(&word, piece + 8, sizeof word);
    return piece[4] % 4 == 3 && calls->blocks ? calls->blocks->address : word;
}

static void put(struct ahhsa_hostcalls *calls, struct buffer *buffer, const uint8_t *piece)
{
    unsigned packet = piece[0] % PACKETS, lane = piece[1] % 64;
    if (piece[0] == 255) {
        memcpy((uint64_t *)&buffer->buffer + piece[1] % HEAD_WORDS, piece + 8, sizeof(uint64_t));
        return;
    }
    struct amdgpu_hostcall_header *header = &buffer->headers[packet];
    buffer->payloads[packet].slots[lane][piece[2] % 8] = word_of(calls, piece);
    header->service = piece[3] % 5;
    header->lanes |= UINT64_C(1) << lane;
    header->control = AMDGPU_HOSTCALL_READY;
    header->next = piece[5];
    if (piece[6] % 2 == 0)
        return;
    buffer->buffer.ready_stack = piece[7];
    answer_all(calls);
    for (unsigned i = 0; i < PACKETS; i++)
        buffer->headers[i].lanes = 0;
}

static void end(struct ahhsa_hostcalls *calls)
{
    while (calls->blocks)
        free_for_kernel(calls, calls->blocks->address);
    for (unsigned i = 0; i < calls->message_count; i++)
        free(calls->messages[i].words);
    free(calls->messages);
    fuzz_check(live == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer buffer = {.buffer = {.index_mask = PACKETS - 1}};
    struct ahhsa_hostcalls calls = {.device = &device,
                                    .buffer = &buffer.buffer,
                                    .headers = buffer.headers,
                                    .payloads = buffer.payloads,
                                    .packets = PACKETS};
    buffer.buffer.headers = buffer.headers;
    buffer.buffer.payloads = buffer.payloads;
    for (; size >= PIECE; data += PIECE, size -= PIECE)
        put(&calls, &buffer, data);
    end(&calls);
    return 0;
}
