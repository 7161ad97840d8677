/* Tests how the host answers calls of kernels that are linked with ROCm's device library: each is
 * a packet that a wave has filled. */
#include "support.h"

#include "hsa_hostcall.c"

enum { PACKETS = 4 };

static struct ah_backend backend = {.name = "hsa"};
static struct ah_backend_device device = {.backend = &backend};
static struct amdgpu_hostcall_header headers[PACKETS];
static struct amdgpu_hostcall_payload payloads[PACKETS];
static struct amdgpu_hostcall_buffer buffer;

/* Nothing here calls for memory. */
hipError_t ahhsa_raw_alloc(struct ah_backend_device *of, hsa_amd_memory_pool_t pool, size_t size,
                           void **out_pointer)
{
    (void)of, (void)pool, (void)size, (void)out_pointer;
    return hipErrorOutOfMemory;
}

hipError_t ahhsa_raw_free(struct ah_backend_device *of, void *pointer)
{
    (void)of, (void)pointer;
    return hipSuccess;
}

hipError_t ahhsa_report(const struct ah_backend_device *of, const char *what, hsa_status_t status)
{
    (void)of, (void)what, (void)status;
    return hipErrorUnknown;
}

static struct ahhsa_hostcalls *new_calls(void)
{
    struct ahhsa_hostcalls *calls = calloc(1, sizeof *calls);
    memset(headers, 0, sizeof headers);
    memset(payloads, 0, sizeof payloads);
    *calls = (struct ahhsa_hostcalls){
        .device = &device,
        .buffer = &buffer,
        .headers = headers,
        .payloads = payloads,
        .packets = PACKETS,
    };
    return calls;
}

static void free_calls(struct ahhsa_hostcalls *calls)
{
    for (unsigned i = 0; i < calls->message_count; i++)
        free(calls->messages[i].words);
    free(calls->messages);
    free(calls);
}

/* Lane 0 begins a message of a flag and as many words of text as fit into one piece. */
static void print_text(unsigned packet, bool end, const char *text)
{
    uint64_t *slot = payloads[packet].slots[0];
    size_t words = strlen(text) / sizeof *slot + 1;
    assert_true(words <= 6);
    memset(slot, 0, sizeof payloads[packet].slots[0]);
    memcpy(slot + 2, text, strlen(text));
    slot[0] =
        AMDGPU_MESSAGE_BEGIN | (end ? AMDGPU_MESSAGE_END : 0) | (words + 1) << AMDGPU_MESSAGE_WORDS;
    headers[packet].lanes = 1;
    headers[packet].service = AMDGPU_HOSTCALL_PRINTF;
    headers[packet].control = AMDGPU_HOSTCALL_READY;
}

static void a_packet_that_is_not_ready_is_not_answered(void **state)
{
    struct ahhsa_hostcalls *calls = new_calls();
    (void)state;
    print_text(0, false, "a wave fills it\n");
    buffer.ready_stack = 0;
    answer_all(calls);
    assert_int_equal(headers[0].control, AMDGPU_HOSTCALL_READY);
    assert_int_equal(calls->message_count, 0);
    print_text(1, false, "one\n");
    print_text(2, false, "two\n");
    headers[2].next = PACKETS + 1; /* a count of uses, and packet 1 */
    buffer.ready_stack = PACKETS + 2;
    answer_all(calls);
    assert_int_equal(headers[0].control, AMDGPU_HOSTCALL_READY);
    assert_int_equal(headers[1].control, 0);
    assert_int_equal(headers[2].control, 0);
    assert_int_equal(calls->message_count, 2);
    free_calls(calls);
}

static void only_a_failed_assertion_is_one(void **state)
{
    struct ahhsa_hostcalls *calls = new_calls();
    (void)state;
    print_text(1, true, "text of a kernel\n");
    buffer.ready_stack = 1;
    answer_all(calls);
    assert_int_equal(payloads[1].slots[0][0], strlen("text of a kernel\n"));
    assert_false(ahhsa_hostcalls_asserted(calls));
    print_text(1, true, "%s:%u: %s: Device-side assertion `%s' failed\n");
    buffer.ready_stack = 1;
    answer_all(calls);
    assert_true(ahhsa_hostcalls_asserted(calls));
    free_calls(calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_that_is_not_ready_is_not_answered),
        cmocka_unit_test(only_a_failed_assertion_is_one),
    };
    return cmocka_run_group_tests_name("backend_hsa.hostcall", tests, NULL, NULL);
}
