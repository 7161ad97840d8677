/* SDMA queues: the effects of packets, and invalid packets. */
#include "engine.h"

static void bytes_are_copied_through_a_device(void **state)
{
    (void)state;
    struct engine engine = make_engine(GPU);
    unsigned char *from = allocate(0, 2 * PAGE), *to = allocate(0, 2 * PAGE);
    void *device = allocate(GPU, 2 * PAGE);
    for (int i = 0; i < 2 * PAGE; i++)
        from[i] = (unsigned char)(i * 7);
    memset(to, 0, 2 * PAGE);
    put_copy(&engine, device, from, 2 * PAGE);
    put_copy(&engine, to + 3, (char *)device + 1, 5001);
    drain(&engine);
    assert_memory_equal(to + 3, from + 1, 5001);
    assert_int_equal(to[2], 0);
    assert_int_equal(to[3 + 5001], 0);
    destroy_engine(&engine);
    ok(kmt.hsaKmtFreeMemory(from, 0));
    ok(kmt.hsaKmtFreeMemory(to, 0));
    ok(kmt.hsaKmtFreeMemory(device, 0));
}

static void a_read_index_that_a_program_writes_is_ignored(void **state)
{
    (void)state;
    struct engine engine = make_engine(GPU);
    unsigned char *from = allocate(0, PAGE), *to = allocate(0, PAGE);
    memset(from, 5, PAGE);
    memset(to, 0, PAGE);
    put_copy(&engine, to, from, 8);
    drain(&engine);
    atomic_store(engine.read, RING - 1);
    put_copy(&engine, to + 8, from, 8);
    drain(&engine);
    assert_memory_equal(to, from, 16);
    destroy_engine(&engine);
    ok(kmt.hsaKmtFreeMemory(from, 0));
    ok(kmt.hsaKmtFreeMemory(to, 0));
}

static void boxes_are_copied_by_elements(void **state)
{
    (void)state;
    struct engine engine = make_engine(GPU);
    uint32_t *from = allocate(0, PAGE), *to = allocate(0, PAGE);
    for (uint32_t i = 0; i < PAGE / 4; i++)
        from[i] = i, to[i] = 0;
    /* 3 x 2 x 2 words, from (1, 2, 0) of rows of 8 and slices of 32 to (0, 1, 1) of rows of 4 and
     * slices of 16 */
    const uint32_t words[] = {1 | 4 << 8 | 2u << 29,
                              LOW(from),
                              HIGH(from),
                              1 | 2 << 16,
                              0 | 7 << 13,
                              31,
                              LOW(to),
                              HIGH(to),
                              0 | 1 << 16,
                              1 | 3 << 13,
                              15,
                              2 | 1 << 16,
                              1};
    put(&engine, words, 13);
    drain(&engine);
    unsigned moved = 0;
    for (uint32_t z = 0; z < 2; z++)
        for (uint32_t y = 0; y < 2; y++)
            for (uint32_t x = 0; x < 3; x++)
                assert_int_equal(to[x + (y + 1) * 4 + (z + 1) * 16],
                                 from[x + 1 + (y + 2) * 8 + z * 32]);
    for (uint32_t i = 0; i < PAGE / 4; i++)
        moved += to[i] != 0;
    assert_int_equal(moved, 12);
    destroy_engine(&engine);
    ok(kmt.hsaKmtFreeMemory(from, 0));
    ok(kmt.hsaKmtFreeMemory(to, 0));
}

static void words_are_filled_and_signals_are_changed(void **state)
{
    (void)state;
    struct engine engine = make_engine(GPU);
    uint32_t *words = allocate(0, PAGE);
    memset(words, 0, PAGE);
    uint64_t *value = (uint64_t *)(void *)(words + 512), *time = value + 1;
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    *value = 5;
    const uint32_t fill[] = {11 | 2u << 30, LOW(words), HIGH(words), 0x01020304, 4 * 99};
    const uint32_t atomic[] = {10 | 47u << 25, LOW(value), HIGH(value), UINT32_MAX,
                               UINT32_MAX,     0,          0,           0};
    const uint32_t clock[] = {13 | 2 << 8, LOW(time), HIGH(time)};
    const uint32_t fence[] = {5, (uint32_t)event->EventData.HWData2,
                              (uint32_t)(event->EventData.HWData2 >> 32), event->EventId};
    const uint32_t trap[] = {6, event->EventId};
    put(&engine, fill, 5);
    put(&engine, atomic, 8);
    put(&engine, clock, 3);
    put(&engine, (const uint32_t[]){0 | 3 << 16, 9, 9, 9}, 4); /* a no-operation of 4 words */
    put(&engine, fence, 4);
    put(&engine, trap, 2);
    ok(kmt.hsaKmtWaitOnEvent(event, SECONDS_10));
    assert_int_equal(words[0], 0x01020304);
    assert_int_equal(words[99], 0x01020304);
    assert_int_equal(words[100], 0);
    assert_int_equal(*value, 4);
    assert_int_not_equal(*time, 0);
    destroy_engine(&engine);
    ok(kmt.hsaKmtDestroyEvent(event));
    ok(kmt.hsaKmtFreeMemory(words, 0));
}

static void an_engine_waits_for_memory(void **state)
{
    (void)state;
    struct engine engine = make_engine(GPU);
    uint32_t *words = allocate(0, PAGE);
    memset(words, 0, PAGE);
    words[0] = 0x100;
    const uint32_t poll[] = {8 | 3u << 28 | 1u << 31, LOW(words), HIGH(words), 7, 0xff, 0};
    put(&engine, poll, 6);
    put_copy(&engine, words + 8, words, 4);
    usleep(20000);
    assert_int_equal(atomic_load(engine.read), 0);
    __atomic_store_n(&words[0], 0x107, __ATOMIC_RELEASE); /* equal under the mask */
    drain(&engine);
    assert_int_equal(words[8], 0x107);
    destroy_engine(&engine);
    ok(kmt.hsaKmtFreeMemory(words, 0));
}

static void the_ring_is_used_again_and_again(void **state)
{
    (void)state;
    struct engine engine = make_engine(GPU);
    uint32_t *words = allocate(0, PAGE);
    words[0] = 0;
    const uint32_t add[] = {10 | 15u << 25, LOW(words), HIGH(words), 1, 0, 0, 0, 0};
    for (unsigned i = 0; i < 3 * RING / 32; i++) {
        while (atomic_load(engine.write) - atomic_load(engine.read) > RING - 64)
            usleep(10);
        put(&engine, add, 8);
    }
    drain(&engine);
    assert_int_equal(words[0], 3 * RING / 32);
    destroy_engine(&engine);
    ok(kmt.hsaKmtFreeMemory(words, 0));
}

static void a_waiting_engine_is_destroyed(void **state)
{
    (void)state;
    struct engine engine = make_engine(GPU);
    uint32_t *words = allocate(0, PAGE);
    words[0] = 0;
    put(&engine, (const uint32_t[]){8 | 3u << 28 | 1u << 31, LOW(words), HIGH(words), 7, 0xff, 0},
        6);
    usleep(2000);
    destroy_engine(&engine);
    ok(kmt.hsaKmtFreeMemory(words, 0));
}

/* As with page faults of the kernel driver, there is an event of memory, and the engine stops. */
static void packets_with_invalid_addresses_are_reported_and_stop_the_engine(void **state)
{
    (void)state;
    uint32_t *words = allocate(0, PAGE);
    static const uint32_t wrong[][13] = {
        {1, 63, 0, 64, 0, 64, 0},                   /* no memory there */
        {1 | 9 << 8, 0},                            /* no such copy */
        {5, 6, 0, 1},                               /* not aligned */
        {10 | 47u << 25, 0x1000, 0, 1},             /* no memory there */
        {10 | 99u << 25, 0x1000, 0, 1},             /* no such atomic */
        {11 | 1u << 30, 0x1000, 0, 1, 4},           /* no such size */
        {99},                                       /* no such packet */
        {13 | 7 << 8, 0x1000, 0},                   /* no such clock */
        {8 | 3u << 28 | 1u << 31, 0x1001, 0, 1, 1}, /* not aligned */
        {1 | 4 << 8 | 7u << 29, 0x1000},            /* no such element */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct engine engine = make_engine(GPU);
        HsaEvent *event = new_event(HSA_EVENTTYPE_MEMORY, true);
        put(&engine, wrong[i], 13);
        ok(kmt.hsaKmtWaitOnEvent(event, SECONDS_10));
        assert_int_equal(event->EventData.EventData.MemoryAccessFault.NodeId, GPU);
        assert_int_equal(event->EventData.EventData.MemoryAccessFault.Flags,
                         HSA_EVENTID_MEMORY_FATAL_PROCESS);
        assert_int_equal(atomic_load(engine.read), 0);
        destroy_engine(&engine);
        ok(kmt.hsaKmtDestroyEvent(event));
    }
    ok(kmt.hsaKmtFreeMemory(words, 0));
}

static void doorbells_beyond_the_ring_are_ignored(void **state)
{
    (void)state;
    struct engine engine = make_engine(GPU);
    uint32_t *words = allocate(0, PAGE);
    words[0] = 0;
    atomic_store(engine.doorbell, UINT64_C(1) << 40);
    usleep(5000);
    put(&engine, (const uint32_t[]){5, LOW(words), HIGH(words), 3}, 4);
    drain(&engine);
    assert_int_equal(words[0], 3);
    destroy_engine(&engine);
    ok(kmt.hsaKmtFreeMemory(words, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_copied_through_a_device),
        cmocka_unit_test(a_read_index_that_a_program_writes_is_ignored),
        cmocka_unit_test(boxes_are_copied_by_elements),
        cmocka_unit_test(words_are_filled_and_signals_are_changed),
        cmocka_unit_test(an_engine_waits_for_memory),
        cmocka_unit_test(the_ring_is_used_again_and_again),
        cmocka_unit_test(a_waiting_engine_is_destroyed),
        cmocka_unit_test(packets_with_invalid_addresses_are_reported_and_stop_the_engine),
        cmocka_unit_test(doorbells_beyond_the_ring_are_ignored),
    };
    return cmocka_run_group_tests_name("simulated kernel driver: SDMA", tests, open_driver,
                                       close_driver);
}
