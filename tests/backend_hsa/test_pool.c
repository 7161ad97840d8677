/* Pools of the HSA backend: reuse of memory, limits, and what happens when memory runs out. */
#include "hsa_device.h"
#include "work.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { SIZE = 100000, LARGE = 3 << 20 };

static struct ah_backend_pool *new_pool(size_t limit)
{
    struct ah_backend_pool *pool;
    hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned, .maxSize = limit};
    ok(OPS->pool_create(first, &properties, &pool));
    return pool;
}

static void *new_block(struct ah_backend_pool *pool, size_t size, struct ah_backend_stream *stream)
{
    void *pointer;
    ok(OPS->pool_alloc(first, pool, size, stream, &pointer));
    return pointer;
}

static uint64_t pool_count(struct ah_backend_pool *pool, hipMemPoolAttr attribute)
{
    uint64_t value = 0;
    ok(OPS->pool_get_attribute(first, pool, attribute, &value));
    return value;
}

static unsigned device_allocations(void)
{
    struct fakehsa_counts counts;
    fakehsa_count(&counts);
    return counts.device_allocations;
}

/* ---- order ------------------------------------------------------------------------------ */

static void another_stream_reuses_memory_after_the_work_before_its_release(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking),
                             *other = new_stream(first, hipStreamNonBlocking);
    struct ah_backend_pool *pool = new_pool(0);
    uint32_t *words = new_pinned(64);
    struct gate gate = closed_gate(first, stream);
    (void)state;
    void *a = new_block(pool, SIZE, stream);
    ok(OPS->pool_free(first, a, stream));
    void *b = new_block(pool, SIZE, other);
    assert_ptr_equal(a, b);
    ok(OPS->stream_write_value(first, other, words, 1, 32));
    assert_int_equal(OPS->stream_query(first, other), hipErrorNotReady);
    open_gate(gate);
    ok(OPS->stream_synchronize(first, other));
    assert_int_equal(words[0], 1);
    ok(OPS->stream_query(first, stream)); /* which it waited for */
    ok(OPS->pool_free(first, b, other));
    ok(OPS->pool_destroy(first, pool));
    ok(OPS->stream_destroy(first, stream));
    ok(OPS->stream_destroy(first, other));
    ok(OPS->host_free(first, words));
    free_gate(gate);
}

static void a_block_of_the_same_stream_is_preferred_to_one_that_is_waited_for(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking),
                             *other = new_stream(first, hipStreamNonBlocking);
    struct ah_backend_pool *pool = new_pool(0);
    struct gate gates[] = {closed_gate(first, stream), closed_gate(first, other)};
    (void)state;
    void *a = new_block(pool, SIZE, stream), *b = new_block(pool, SIZE, other);
    ok(OPS->pool_free(first, a, stream));
    ok(OPS->pool_free(first, b, other));
    assert_ptr_equal(new_block(pool, SIZE, stream), a);
    assert_ptr_equal(new_block(pool, SIZE, other), b);
    for (int i = 0; i < 2; i++)
        open_gate(gates[i]);
    ok(OPS->pool_free(first, a, stream));
    ok(OPS->pool_free(first, b, other));
    ok(OPS->pool_destroy(first, pool));
    ok(OPS->stream_destroy(first, stream));
    ok(OPS->stream_destroy(first, other));
    for (int i = 0; i < 2; i++)
        free_gate(gates[i]);
}

/* ---- limits ----------------------------------------------------------------------------- */

static void a_pool_allocates_no_more_than_its_limit(void **state)
{
    struct ah_backend_pool *pool = new_pool(1 << 20);
    uint64_t threshold = UINT64_MAX;
    void *a = new_block(pool, 600000, legacy_stream(first)), *b;
    (void)state;
    ok(OPS->pool_set_attribute(first, pool, hipMemPoolAttrReleaseThreshold, &threshold));
    assert_int_equal(OPS->pool_alloc(first, pool, 600000, NULL, &b), hipErrorOutOfMemory);
    b = new_block(pool, 400000, legacy_stream(first));
    ok(OPS->pool_free(first, a, legacy_stream(first)));
    ok(OPS->device_synchronize(first));
    assert_true(pool_count(pool, hipMemPoolAttrReservedMemCurrent) >= 1000000);
    a = new_block(pool, 610000, legacy_stream(first)); /* in the memory of an unused block */
    assert_int_equal(OPS->pool_alloc(first, pool, SIZE_MAX - 100, NULL, &a), hipErrorOutOfMemory);
    assert_true(pool_count(pool, hipMemPoolAttrReservedMemCurrent) <= 1 << 20);
    ok(OPS->pool_free(first, a, legacy_stream(first)));
    ok(OPS->pool_free(first, b, legacy_stream(first)));
    ok(OPS->pool_destroy(first, pool));
}

/* ---- no memory -------------------------------------------------------------------------- */

static const char *const function_of_memory = "hsa_amd_memory_pool_allocate";

/* Blocks are rounded up, and so is the limit. */
static void a_pool_allocates_as_much_as_its_limit(void **state)
{
    struct ah_backend_pool *pool = new_pool(1000);
    void *none;
    (void)state;
    void *all = new_block(pool, 1000, legacy_stream(first));
    assert_int_equal(OPS->pool_alloc(first, pool, 1, legacy_stream(first), &none),
                     hipErrorOutOfMemory);
    ok(OPS->pool_free(first, all, legacy_stream(first)));
    ok(OPS->pool_destroy(first, pool));
}

static void unused_memory_of_pools_is_freed_when_memory_runs_out(void **state)
{
    struct ah_backend_pool *pool = new_pool(0), *other = new_pool(0);
    uint64_t threshold = 1 << 30;
    void *small[2], *large;
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct ah_backend_pool *its = i ? other : pool;
        ok(OPS->pool_set_attribute(first, its, hipMemPoolAttrReleaseThreshold, &threshold));
        small[i] = new_block(its, SIZE, legacy_stream(first));
        ok(OPS->pool_free(first, small[i], legacy_stream(first)));
    }
    ok(OPS->device_synchronize(first));
    assert_true(pool_count(other, hipMemPoolAttrReservedMemCurrent) >= SIZE);
    fakehsa_fail(function_of_memory, 1, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    large = new_block(pool, LARGE, legacy_stream(first));
    assert_int_equal(pool_count(other, hipMemPoolAttrReservedMemCurrent), 0);
    assert_int_equal(pool_count(pool, hipMemPoolAttrReservedMemCurrent), LARGE);
    fakehsa_fail(function_of_memory, 0, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    assert_int_equal(OPS->pool_alloc(first, pool, LARGE, NULL, &small[0]), hipErrorOutOfMemory);
    fakehsa_clear_faults();
    ok(OPS->pool_free(first, large, legacy_stream(first)));
    ok(OPS->pool_destroy(first, pool));
    ok(OPS->pool_destroy(first, other));
}

struct allocator {
    struct ah_backend_pool *pool;
    void *pointer;
    hipError_t error;
};

static void *allocate(void *data)
{
    struct allocator *allocator = data;
    allocator->error = OPS->pool_alloc(first, allocator->pool, LARGE, stream_of_thread(first),
                                       &allocator->pointer);
    return NULL;
}

static void a_thread_that_waits_for_memory_does_not_hold_the_lock_of_the_pool(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    struct allocator allocator = {.pool = new_pool(0)};
    struct gate gate = closed_gate(first, stream);
    void *a = new_block(allocator.pool, SIZE, stream), *b = new_block(allocator.pool, SIZE, stream);
    pthread_t thread;
    (void)state;
    ok(OPS->pool_free(first, a, stream)); /* which is what will be waited for */
    unsigned calls = fakehsa_calls(function_of_memory);
    fakehsa_fail(function_of_memory, 0, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    assert_int_equal(pthread_create(&thread, NULL, allocate, &allocator), 0);
    while (fakehsa_calls(function_of_memory) < calls + 2) /* and again in memory that is not used */
        sched_yield();
    fakehsa_clear_faults();
    ok(OPS->pool_free(first, b, stream));
    assert_true(pool_count(allocator.pool, hipMemPoolAttrUsedMemCurrent) == 0);
    open_gate(gate);
    pthread_join(thread, NULL);
    ok(allocator.error);
    ok(OPS->pool_free(first, allocator.pointer, stream));
    ok(OPS->pool_destroy(first, allocator.pool));
    ok(OPS->stream_destroy(first, stream));
    free_gate(gate);
}

/* ---- the end of a pool ------------------------------------------------------------------ */

static void a_destroyed_pool_is_freed_when_the_work_that_uses_it_has_ended(void **state)
{
    struct ah_backend_stream *stream = new_stream(first, hipStreamNonBlocking);
    struct gate gate = closed_gate(first, stream);
    (void)state;
    ok(OPS->stream_query(first, legacy_stream(first)));
    unsigned before = device_allocations();
    const struct ah_backend_pool *earlier = atomic_load(&first->first_pool);
    struct ah_backend_pool *pool = new_pool(0), *other = new_pool(0);
    void *a = new_block(pool, SIZE, stream), *b = new_block(other, SIZE, stream);
    uint64_t threshold = 1 << 30;
    ok(OPS->pool_set_attribute(first, other, hipMemPoolAttrReleaseThreshold, &threshold));
    ok(OPS->pool_free(first, a, stream));
    ok(OPS->pool_destroy(first, pool)); /* all of it free, and the work has not ended */
    ok(OPS->pool_destroy(first, other));
    ok(OPS->pool_free(first, b, stream)); /* the last of a pool that was destroyed */
    assert_int_equal(device_allocations(), before + 2);
    open_gate(gate);
    ok(OPS->stream_synchronize(first, stream));
    assert_int_equal(device_allocations(), before);
    assert_ptr_equal(atomic_load(&first->first_pool), earlier);
    ok(OPS->stream_destroy(first, stream));
    free_gate(gate);
}

static void *change_pools(void *data)
{
    struct ah_backend_pool **pools = data;
    for (int i = 0; i < 500; i++)
        ok(OPS->pool_set_current(first, pools[i % 2]));
    return NULL;
}

static void the_current_pool_may_change_while_other_threads_allocate(void **state)
{
    struct ah_backend_pool *pools[] = {new_pool(0), new_pool(0)};
    pthread_t thread;
    (void)state;
    ok(OPS->pool_set_current(first, pools[0]));
    assert_int_equal(pthread_create(&thread, NULL, change_pools, pools), 0);
    for (int i = 0; i < 500; i++)
        ok(OPS->pool_free(first, new_block(NULL, SIZE, legacy_stream(first)),
                          legacy_stream(first)));
    pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++)
        ok(OPS->pool_destroy(first, pools[i]));
    ok(OPS->pool_free(first, new_block(NULL, SIZE, legacy_stream(first)),
                      legacy_stream(first))); /* the default one is current */
    ok(OPS->device_synchronize(first));
}

/* ---- access ----------------------------------------------------------------------------- */

static hipMemAccessFlags access_of_second(struct ah_backend_pool *pool)
{
    hipMemAccessFlags access;
    ok(OPS->pool_get_access(first, pool, second, &access));
    return access;
}

static void access_applies_to_present_and_later_blocks(void **state)
{
    struct ah_backend_pool *pool = new_pool(0);
    void *blocks[] = {new_block(pool, SIZE, legacy_stream(first)),
                      new_block(pool, SIZE, legacy_stream(first))};
    const char *const function = "hsa_amd_agents_allow_access";
    (void)state;
    unsigned calls = fakehsa_calls(function);
    ok(OPS->pool_set_access(first, pool, second, hipMemAccessFlagsProtReadWrite));
    assert_int_equal(fakehsa_calls(function), calls + 2);
    assert_int_equal(access_of_second(pool), hipMemAccessFlagsProtReadWrite);
    void *later = new_block(pool, LARGE, legacy_stream(first));
    assert_int_equal(fakehsa_calls(function), calls + 3);
    fakehsa_fail(function, 2, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    assert_int_equal(OPS->pool_set_access(first, pool, second, hipMemAccessFlagsProtNone),
                     hipErrorOutOfMemory);
    assert_int_equal(access_of_second(pool), hipMemAccessFlagsProtReadWrite);
    ok(OPS->pool_set_access(first, pool, second, hipMemAccessFlagsProtNone));
    assert_int_equal(access_of_second(pool), hipMemAccessFlagsProtNone);
    for (int i = 0; i < 2; i++)
        ok(OPS->pool_free(first, blocks[i], legacy_stream(first)));
    ok(OPS->pool_free(first, later, legacy_stream(first)));
    ok(OPS->pool_destroy(first, pool));
}

static void a_block_to_which_peers_get_no_access_is_freed(void **state)
{
    struct ah_backend_pool *pool = new_pool(0);
    void *block;
    (void)state;
    unsigned before = device_allocations();
    ok(OPS->pool_set_access(first, pool, second, hipMemAccessFlagsProtReadWrite));
    fakehsa_fail("hsa_amd_agents_allow_access", 1, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    assert_int_equal(OPS->pool_alloc(first, pool, SIZE, NULL, &block), hipErrorInvalidValue);
    assert_int_equal(device_allocations(), before);
    assert_int_equal(pool_count(pool, hipMemPoolAttrReservedMemCurrent), 0);
    ok(OPS->pool_destroy(first, pool));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_stream_reuses_memory_after_the_work_before_its_release),
        cmocka_unit_test(a_block_of_the_same_stream_is_preferred_to_one_that_is_waited_for),
        cmocka_unit_test(a_pool_allocates_no_more_than_its_limit),
        cmocka_unit_test(a_pool_allocates_as_much_as_its_limit),
        cmocka_unit_test(unused_memory_of_pools_is_freed_when_memory_runs_out),
        cmocka_unit_test(a_thread_that_waits_for_memory_does_not_hold_the_lock_of_the_pool),
        cmocka_unit_test(a_destroyed_pool_is_freed_when_the_work_that_uses_it_has_ended),
        cmocka_unit_test(the_current_pool_may_change_while_other_threads_allocate),
        cmocka_unit_test(access_applies_to_present_and_later_blocks),
        cmocka_unit_test(a_block_to_which_peers_get_no_access_is_freed),
    };
    return cmocka_run_group_tests(tests, open_two_devices, close_devices);
}
