/* Trap handlers: the code that the runtime sets is executed when waves trap and fault; the contents
 * of its registers, and the effects of its actions. */
#include "kernels.h"

enum { /* HW_REG_TRAPSTS and HW_REG_STATUS */
       MEM_VIOL = 1 << 8,
       ILLEGAL_INST = 1 << 11,
       XNACK_ERROR = 1 << 28,
       PRIV = 1 << 5,
       HALT = 1 << 13,
};

/* The results of the handler REPORTS. */
struct seen {
    uint64_t address;
    uint32_t doorbell, exceptions;
    uint32_t group[3], wave;
    uint32_t status, status_in_handler;
};

struct world {
    struct queue queue;
    struct seen *seen;
    uint32_t *target, **argument;
    amd_signal_t *done;
    HsaEvent *fault;
};

static struct world make_world(enum handler handler)
{
    struct world world = {.seen = allocate(0, PAGE)};
    memset(world.seen, 0, PAGE);
    ok(kmt.hsaKmtSetTrapHandler(GPU, kernels + HANDLERS + (unsigned)handler * HANDLER, HANDLER,
                                world.seen, PAGE));
    world.target = allocate(0, PAGE);
    *world.target = 0;
    world.argument = allocate(0, PAGE);
    *world.argument = world.target;
    world.done = new_signal(NULL);
    world.fault = new_event(HSA_EVENTTYPE_MEMORY, true);
    world.queue = make_queue(GPU);
    return world;
}

static void destroy_world(struct world *world)
{
    destroy_queue(&world->queue);
    ok(kmt.hsaKmtDestroyEvent(world->fault));
    ok(kmt.hsaKmtFreeMemory(world->seen, 0));
    ok(kmt.hsaKmtFreeMemory(world->target, 0));
    ok(kmt.hsaKmtFreeMemory(world->argument, 0));
    ok(kmt.hsaKmtFreeMemory(world->done, 0));
}

static void start(struct world *world, enum kernel kernel, uint32_t groups)
{
    hsa_kernel_dispatch_packet_t packet =
        packet_of(kernel, groups, 128, world->argument, world->done);
    put_kernel(&world->queue, &packet);
}

static int64_t wait_for_reason(struct world *world)
{
    ok(kmt.hsaKmtWaitOnEvent(world->queue.event, SECONDS_10));
    return *world->queue.reason;
}

static uint64_t code_of(enum kernel kernel)
{
    int64_t offset; /* from the descriptor to the code, written by the linker */
    const unsigned char *descriptor = kernels + (unsigned)kernel * DESCRIPTOR;
    memcpy(&offset, descriptor + 16, sizeof offset);
    return (uint64_t)((int64_t)(uintptr_t)descriptor + offset);
}

static void a_handler_gets_the_cause_and_its_interrupt_is_the_queues_error(void **state)
{
    (void)state;
    struct world world = make_world(REPORTS);
    start(&world, ABORTS, 1);
    assert_int_equal(wait_for_reason(&world), 1 << (KFD_EC_QUEUE_WAVE_TRAP - 1));
    const struct seen *seen = world.seen;
    uint64_t doorbell = world.queue.resource.QueueDoorBell / 8 % 1024;
    assert_int_equal(seen->address, code_of(ABORTS) | UINT64_C(2) << 48);
    assert_int_equal(seen->doorbell, doorbell);
    assert_int_equal(seen->exceptions, 0);
    assert_int_equal(seen->group[0], 0);
    assert_true(seen->wave < 2);
    assert_int_equal(seen->status & (PRIV | HALT), 0);
    assert_int_equal(seen->status_in_handler & PRIV, PRIV);
    assert_int_equal(*world.target, 0);
    assert_int_equal(value_of(world.done), 1);
    destroy_world(&world);
}

static uint32_t exceptions_of(enum kernel kernel, bool memory)
{
    struct world world = make_world(REPORTS);
    start(&world, kernel, 3);
    assert_int_equal(wait_for_reason(&world), 1 << (KFD_EC_QUEUE_WAVE_TRAP - 1));
    if (memory)
        ok(kmt.hsaKmtWaitOnEvent(world.fault, SECONDS_10));
    else
        expect(kmt.hsaKmtWaitOnEvent(world.fault, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
    uint32_t exceptions = world.seen->exceptions;
    assert_int_equal(world.seen->address >> 48, 0); /* not a trap */
    assert_true(world.seen->address - code_of(kernel) < 256);
    assert_int_equal(*world.target, 0);
    destroy_world(&world);
    return exceptions;
}

static void faults_are_exceptions_of_the_handler(void **state)
{
    (void)state;
    assert_int_equal(exceptions_of(ILLEGAL, false), ILLEGAL_INST);
    assert_int_equal(exceptions_of(MISALIGNED, false), MEM_VIOL);
    assert_int_equal(exceptions_of(ABSENT, true), MEM_VIOL | XNACK_ERROR);
}

static void wait_until_done(const struct world *world)
{
    while (value_of(world->done) != 0)
        usleep(100);
}

static void a_kernel_continues_when_its_handler_returns(void **state)
{
    (void)state;
    const enum kernel some[] = {ABORTS, BREAKS, ILLEGAL};
    for (int i = 0; i < 3; i++) {
        struct world world = make_world(CONTINUES);
        start(&world, some[i], 5);
        wait_until_done(&world);
        assert_int_equal(*world.target, 7);
        assert_int_equal(world.seen->address, 5 * 2); /* a count of waves */
        assert_int_equal(*world.queue.reason, 0);
        destroy_world(&world);
    }
}

/* Like AMD's handlers for drivers without queue exceptions. */
static void a_handler_stores_to_the_signals_of_its_queue(void **state)
{
    (void)state;
    struct world world = make_world(STORES);
    HsaEvent *event = new_event(HSA_EVENTTYPE_SIGNAL, false);
    amd_signal_t *inactive = new_signal(event);
    amd_queue_t **queues = allocate(0, 2 * PAGE);
    inactive->value = 0;
    world.queue.amd->queue_inactive_signal.handle = (uintptr_t)inactive;
    queues[world.queue.resource.QueueDoorBell / 8 % 1024] = world.queue.amd;
    ok(kmt.hsaKmtSetTrapHandler(GPU, kernels + HANDLERS + STORES * HANDLER, HANDLER, queues,
                                2 * PAGE));
    start(&world, ABORTS, 1);
    ok(kmt.hsaKmtWaitOnEvent(event, SECONDS_10));
    assert_int_equal(value_of(inactive), 0x80000000);
    assert_int_equal(*world.queue.reason, 0);
    ok(kmt.hsaKmtDestroyEvent(event));
    destroy_world(&world);
    ok(kmt.hsaKmtFreeMemory(inactive, 0));
    ok(kmt.hsaKmtFreeMemory(queues, 0));
}

/* Otherwise the instruction would cause the same fault again. */
static void a_handler_that_returns_to_a_fault_ends_the_kernel(void **state)
{
    (void)state;
    struct world world = make_world(RETURNS);
    start(&world, ILLEGAL, 1);
    assert_int_equal(wait_for_reason(&world), 1 << (KFD_EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION - 1));
    destroy_world(&world);
}

static void a_fault_in_a_handler_ends_the_kernel(void **state)
{
    (void)state;
    struct world world = make_world(FAULTS);
    ok(kmt.hsaKmtSetTrapHandler(GPU, kernels + HANDLERS + FAULTS * HANDLER, HANDLER, NULL, 0));
    start(&world, ABORTS, 1);
    ok(kmt.hsaKmtWaitOnEvent(world.fault, SECONDS_10));
    destroy_world(&world);
}

static void a_handler_in_freed_memory_ends_the_kernel(void **state)
{
    (void)state;
    struct world world = make_world(REPORTS);
    void *code = allocate(0, PAGE);
    ok(kmt.hsaKmtSetTrapHandler(GPU, code, HANDLER, NULL, 0));
    ok(kmt.hsaKmtFreeMemory(code, 0));
    start(&world, ABORTS, 1);
    ok(kmt.hsaKmtWaitOnEvent(world.fault, SECONDS_10));
    destroy_world(&world);
}

static void invalid_handlers_are_errors(void **state)
{
    (void)state;
    expect(kmt.hsaKmtSetTrapHandler(GPU, kernels + 4, 256, NULL, 0),
           HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtSetTrapHandler(GPU, kernels, 0, NULL, 0), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtSetTrapHandler(GPU, (void *)(uintptr_t)4096, 256, NULL, 0),
           HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtSetTrapHandler(0, kernels, 256, NULL, 0), HSAKMT_STATUS_INVALID_NODE_UNIT);
}

static int open_all(void **state)
{
    int result = open_driver(state);
    load_kernels();
    return result;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_gets_the_cause_and_its_interrupt_is_the_queues_error),
        cmocka_unit_test(faults_are_exceptions_of_the_handler),
        cmocka_unit_test(a_kernel_continues_when_its_handler_returns),
        cmocka_unit_test(a_handler_stores_to_the_signals_of_its_queue),
        cmocka_unit_test(a_handler_that_returns_to_a_fault_ends_the_kernel),
        cmocka_unit_test(a_fault_in_a_handler_ends_the_kernel),
        cmocka_unit_test(a_handler_in_freed_memory_ends_the_kernel),
        cmocka_unit_test(invalid_handlers_are_errors),
    };
    return cmocka_run_group_tests_name("simulated kernel driver: trap handlers", tests, open_all,
                                       close_driver);
}
