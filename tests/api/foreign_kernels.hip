// Kernels that use ROCm's interface between device code and host, not that of this project's
// headers (docs/kernel-abi.md): calls of the host, its printf and memory. HOSTCALL: printf goes
// through calls of the host, else through a buffer.
#if defined(__HIP_DEVICE_COMPILE__) && !defined(__NVPTX__)

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
typedef unsigned long word;

extern "C" __device__ int printf(const char *, ...);

static __device__ const word *implicit_arguments()
{
    return (const word *)__builtin_amdgcn_implicitarg_ptr();
}

static __device__ unsigned thread()
{
    return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
           __builtin_amdgcn_workitem_id_x();
}

#ifdef HOSTCALL

// ---- calls of the host

struct header {
    word next, lanes;
    unsigned service, control;
};
struct payload {
    word slots[64][8];
};
struct call_buffer {
    header *headers;
    payload *payloads;
    word doorbell, free_stack, ready_stack, index_mask;
};

static __device__ word first_lane(word value)
{
    unsigned low = __builtin_amdgcn_readfirstlane(unsigned(value));
    unsigned high = __builtin_amdgcn_readfirstlane(unsigned(value >> 32));
    return word(high) << 32 | low;
}

static __device__ word take_packet(call_buffer *b)
{
    word top = __hip_atomic_load(&b->free_stack, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM), next;
    do
        next = __hip_atomic_load(&b->headers[top & b->index_mask].next, __ATOMIC_RELAXED,
                                 __HIP_MEMORY_SCOPE_SYSTEM);
    while (!__hip_atomic_compare_exchange_strong(&b->free_stack, &top, next, __ATOMIC_ACQUIRE,
                                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM));
    return top;
}

static __device__ void push(call_buffer *b, word *stack, word packet)
{
    word top = __hip_atomic_load(stack, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    do
        b->headers[packet & b->index_mask].next = top;
    while (!__hip_atomic_compare_exchange_strong(stack, &top, packet, __ATOMIC_RELEASE,
                                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM));
}

// An HSA signal: its value, where an interrupt's number goes, that number.
static __device__ void ring(word doorbell)
{
    word *signal = (word *)doorbell;
    __hip_atomic_fetch_add(&signal[1], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
    if (signal[2]) {
        unsigned event = unsigned(signal[3]);
        __hip_atomic_store((word *)signal[2], event, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
        __builtin_amdgcn_s_sendmsg(1, __builtin_amdgcn_readfirstlane(event) & 0xff);
    }
}

// All active lanes call at once, each with words of its own. The answer is its first word.
static __device__ __attribute__((noinline)) word call(unsigned service, word a, word b, word c,
                                                      word d, word e, word f, word g, word h)
{
    call_buffer *buffer = (call_buffer *)implicit_arguments()[10];
    unsigned lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
    bool leads = lane == (unsigned)__builtin_amdgcn_readfirstlane(lane);
    word packet = 0;
    if (leads)
        packet = take_packet(buffer);
    packet = first_lane(packet);
    header *head = &buffer->headers[packet & buffer->index_mask];
    volatile word *slot = buffer->payloads[packet & buffer->index_mask].slots[lane];
    word lanes = __builtin_amdgcn_read_exec();
    if (leads) {
        head->service = service;
        head->lanes = lanes;
        head->control = 1;
    }
    slot[0] = a, slot[1] = b, slot[2] = c, slot[3] = d;
    slot[4] = e, slot[5] = f, slot[6] = g, slot[7] = h;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
    if (leads) {
        push(buffer, &buffer->ready_stack, packet);
        ring(buffer->doorbell);
    }
    for (unsigned ready = 1; ready;) {
        if (leads)
            ready = __hip_atomic_load(&head->control, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
        ready = __builtin_amdgcn_readfirstlane(ready) & 1;
        __builtin_amdgcn_s_sleep(1);
    }
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
    word answer = slot[0];
    if (leads)
        push(buffer, &buffer->free_stack, packet + buffer->index_mask + 1);
    return answer;
}

// ---- printf as clang implements it: messages in pieces of up to 7 words

enum { PRINTF = 2, MEMORY = 3, BEGIN = 1, END = 2, COUNT = 5, COUNT_MASK = 7 << 5 };

extern "C" __device__ word __ockl_printf_begin(word version)
{
    return call(PRINTF, BEGIN | 1 << COUNT, version, 0, 0, 0, 0, 0, 0);
}

extern "C" __device__ word __ockl_printf_append_args(word message, unsigned count, word a, word b,
                                                     word c, word d, word e, word f, word g,
                                                     unsigned is_last)
{
    message = (message & ~word(COUNT_MASK)) | word(count) << COUNT | (is_last ? END : 0);
    return call(PRINTF, message, a, b, c, d, e, f, g);
}

// length counts the zero byte.
extern "C" __device__ word __ockl_printf_append_string_n(word message, const char *text,
                                                         word length, unsigned is_last)
{
    for (word at = 0; at < length || at == 0; at += 56) {
        word words[7] = {};
        unsigned count = 0;
        for (word i = 0; i < 56 && at + i < length; ++i) {
            words[i / 8] |= word((unsigned char)text[at + i]) << i % 8 * 8;
            count = unsigned(i / 8) + 1;
        }
        message = __ockl_printf_append_args(message, count ? count : 1, words[0], words[1],
                                            words[2], words[3], words[4], words[5], words[6],
                                            is_last && at + 56 >= length);
    }
    return message;
}

// ---- the other services

extern "C" __global__ void fail()
{
    static const char format[] = "%s:%u: %s: Device-side assertion `%s' failed.\n";
    word message = __ockl_printf_begin(1); // 1: to the error stream
    message = __ockl_printf_append_string_n(message, format, sizeof format, 0);
    message = __ockl_printf_append_string_n(message, "foreign.hip", 12, 0);
    message = __ockl_printf_append_args(message, 1, 42, 0, 0, 0, 0, 0, 0, 0);
    message = __ockl_printf_append_string_n(message, "fail", 5, 0);
    __ockl_printf_append_string_n(message, "pigs == fly", 12, 1);
    __builtin_trap();
}

// Each thread allocates memory of its own, uses it, and frees it.
extern "C" __global__ void use_memory(word size, word alignment, int *wrong)
{
    word address = call(MEMORY, 0, size, 0, 0, 0, 0, 0, 0);
    if (!address || address % alignment) {
        __hip_atomic_fetch_add(wrong, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        return;
    }
    volatile unsigned *p = (volatile unsigned *)address;
    p[0] = thread();
    p[size / 4 - 1] = thread() + 1;
    if (p[0] != thread() || p[size / 4 - 1] != thread() + 1)
        __hip_atomic_fetch_add(wrong, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (call(MEMORY, address, 0, 0, 0, 0, 0, 0, 0) != 0)
        __hip_atomic_fetch_add(wrong, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

extern "C" __global__ void ask(unsigned service, word a, word b, word *answers)
{
    answers[thread()] = call(service, a, b, 0, 0, 0, 0, 0, 0);
}

// A heap of the device library begins as zeros.
extern "C" __global__ void look_at_heap(word *sum)
{
    const word *heap = (const word *)implicit_arguments()[12];
    *sum = heap ? 0 : 1;
    for (int i = 0; heap && i < (128 << 10) / 8; ++i)
        *sum |= heap[i];
}

#else

#ifdef VERSION // of this project's headers: says what implicit arguments mean, and nothing else
extern "C" __device__ __attribute__((weak, used)) unsigned __anyhip_device_abi = VERSION;
#endif

// ---- printf into a buffer: records without gaps from byte 8 on

extern "C" __device__ __attribute__((address_space(1))) void *__printf_alloc(unsigned bytes)
{
    typedef __attribute__((address_space(1))) unsigned char global_byte;
    typedef __attribute__((address_space(1))) unsigned global_word;
    global_word *buffer = (global_word *)implicit_arguments()[9];
    unsigned capacity = buffer[1];
    unsigned used = __hip_atomic_load(buffer, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    do
        if (used + bytes + 8 > capacity)
            return nullptr;
    while (!__hip_atomic_compare_exchange_strong(buffer, &used, used + bytes, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
    return (global_byte *)buffer + 8 + used;
}

#endif

extern "C" __global__ void print(int n, const char *text, int *returned)
{
    int i = int(thread());
    if (i >= n)
        return;
    returned[i] =
        printf("thread %d: %s, %.2f, %lx, %c%%\n", i,
               i % 3 ? text : "words that are too long for one piece of a message, by far",
               i * 0.25, 0x123456789abul + i, 'a' + i % 26);
}

#endif
