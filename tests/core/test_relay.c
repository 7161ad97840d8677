/* Gates between drivers, over a driver that only records its calls. */
#include "relay.h"
#include "support.h"

#include <string.h>

enum { CLOSED = 0, OPEN = 1, WORDS_MAX = 4096, CALLS_MAX = 128, FOREIGN = 0x5a };

/* ---- the driver ------------------------------------------------------------------------- */

static struct {
    uint32_t memory[WORDS_MAX]; /* of gates */
    size_t used;                /* words */
    struct call {
        uint32_t *word; /* at which the stream waits */
        void (*open)(void *data, hipError_t status);
        void *data;
    } calls[CALLS_MAX];
    unsigned call_count, wait_count;
} driver;

static hipError_t host_alloc(struct ah_backend_device *device, size_t size, unsigned flags,
                             void **out_pointer)
{
    (void)device, (void)flags;
    assert_true(driver.used + size / sizeof *driver.memory <= WORDS_MAX);
    *out_pointer = driver.memory + driver.used;
    driver.used += size / sizeof *driver.memory;
    return hipSuccess;
}

static hipError_t host_device_pointer(struct ah_backend_device *device, void *pointer,
                                      void **out_pointer)
{
    (void)device;
    *out_pointer = pointer;
    return hipSuccess;
}

static hipError_t event_create(struct ah_backend_device *device, unsigned flags,
                               struct ah_backend_event **out_event)
{
    static char event;
    (void)device, (void)flags;
    *out_event = (struct ah_backend_event *)(void *)&event;
    return hipSuccess;
}

/* No stream passes a gate before its device is reset. */
static hipError_t event_query(struct ah_backend_device *device, struct ah_backend_event *event)
{
    (void)device, (void)event;
    return hipErrorNotReady;
}

static hipError_t event_record(struct ah_backend_device *device, struct ah_backend_event *event,
                               struct ah_backend_stream *stream)
{
    (void)device, (void)event, (void)stream;
    return hipSuccess;
}

static hipError_t stream_create(struct ah_backend_device *device, unsigned flags, int priority,
                                struct ah_backend_stream **out_stream)
{
    (void)device, (void)flags, (void)priority;
    *out_stream = NULL;
    return hipSuccess;
}

static hipError_t stream_destroy(struct ah_backend_device *device, struct ah_backend_stream *stream)
{
    (void)device, (void)stream;
    return hipSuccess;
}

static hipError_t stream_wait_event(struct ah_backend_device *device,
                                    struct ah_backend_stream *stream,
                                    struct ah_backend_event *event)
{
    (void)device, (void)stream, (void)event;
    return hipSuccess;
}

static hipError_t stream_callback(struct ah_backend_device *device,
                                  struct ah_backend_stream *stream,
                                  void (*function)(void *data, hipError_t status), void *data)
{
    (void)device, (void)stream;
    assert_true(driver.call_count < CALLS_MAX);
    struct call *call = &driver.calls[driver.call_count++];
    call->open = function;
    call->data = data;
    return hipSuccess;
}

static hipError_t stream_wait_value(struct ah_backend_device *device,
                                    struct ah_backend_stream *stream, void *pointer, uint64_t value,
                                    uint64_t mask, enum ah_wait_condition condition, int bits)
{
    (void)device, (void)stream;
    assert_true(value == OPEN && mask == UINT32_MAX && bits == 32);
    assert_int_equal(condition, AH_WAIT_EQUAL);
    driver.calls[driver.wait_count++].word = pointer;
    return hipSuccess;
}

static const struct ah_backend_ops ops = {
    .host_alloc = host_alloc,
    .host_device_pointer = host_device_pointer,
    .event_create = event_create,
    .event_query = event_query,
    .event_record = event_record,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_wait_event = stream_wait_event,
    .stream_callback = stream_callback,
    .stream_wait_value = stream_wait_value,
};

static struct ah_device waiter = {.ops = &ops}, opener = {.ops = &ops};
static struct ah_event event = {.handle.device = &opener};

static void wait_often(unsigned count)
{
    memset(&driver, 0, sizeof driver);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(ah_relay_wait(&waiter, NULL, &event), hipSuccess);
        assert_int_equal(*driver.calls[i].word, CLOSED);
    }
    assert_int_equal(driver.call_count, count);
    assert_int_equal(driver.wait_count, count);
}

static void call_all(void)
{
    for (unsigned i = 0; i < driver.call_count; i++)
        driver.calls[i].open(driver.calls[i].data, hipSuccess);
}

/* ---- tests -------------------------------------------------------------------------------- */

enum { WAITS = 100 }; /* more than one allocation has gates */

static void each_callback_opens_one_gate(void **state)
{
    (void)state;
    wait_often(WAITS);
    for (unsigned i = 0; i < WAITS; i++) {
        driver.calls[i].open(driver.calls[i].data, hipSuccess);
        for (unsigned k = 0; k < WAITS; k++)
            assert_int_equal(*driver.calls[k].word, k <= i ? OPEN : CLOSED);
    }
    ah_relay_detach_device(&waiter);
}

/* Every gate is opened before the reset of the waiting device, which frees their memory: what
 * calls back after that must not write there. */
static void the_gates_of_a_device_that_is_reset_are_opened_and_left_alone(void **state)
{
    (void)state;
    wait_often(WAITS);
    ah_relay_detach_device(&waiter);
    for (unsigned i = 0; i < WAITS; i++)
        assert_int_equal(*driver.calls[i].word, OPEN);
    memset(driver.memory, FOREIGN, sizeof driver.memory);
    call_all();
    for (unsigned i = 0; i < WORDS_MAX; i++)
        assert_int_equal(driver.memory[i], FOREIGN * 0x01010101u);
}

/* The driver of a device that is reset may never call back. */
static void gates_of_events_of_a_device_that_is_reset_are_opened(void **state)
{
    (void)state;
    wait_often(WAITS);
    ah_relay_detach_device(&opener);
    for (unsigned i = 0; i < WAITS; i++)
        assert_int_equal(*driver.calls[i].word, OPEN);
    call_all();
    ah_relay_detach_device(&waiter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(each_callback_opens_one_gate),
        AH_TEST(the_gates_of_a_device_that_is_reset_are_opened_and_left_alone),
        AH_TEST(gates_of_events_of_a_device_that_is_reset_are_opened),
    };
    return cmocka_run_group_tests_name("core.relay", tests, NULL, NULL);
}
