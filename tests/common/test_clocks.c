/* Tests the conversion of a device's time to the host's, with clocks that the test makes run. */
#include "clocks.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const uint64_t BOOT = 7000000000000; /* ns: the host has run for two hours */
static const double SECOND = 1e9;

/* A device whose clock is off by parts of a million. */
struct device {
    double frequency, rate; /* as it says, and in truth */
    uint64_t start;
};

static struct device device_of(double frequency, double parts_per_million)
{
    return (struct device){frequency, frequency * (1 + parts_per_million * 1e-6), 123456789};
}

static uint64_t ticks_at(const struct device *device, uint64_t ns)
{
    return device->start + (uint64_t)((double)(ns - BOOT) * device->rate / SECOND);
}

/* The error of the conversion of what happens at ns. */
static double error_at(const struct ah_clocks *clocks, const struct device *device, uint64_t ns)
{
    return (double)(int64_t)(ah_clocks_convert(clocks, ticks_at(device, ns)) - ns);
}

static void one_sample_is_enough_for_a_short_time(void **state)
{
    struct device device = device_of(1e8, 0);
    struct ah_clocks clocks;
    (void)state;
    ah_clocks_init(&clocks, device.frequency);
    ah_clocks_sample(&clocks, ticks_at(&device, BOOT + 500), BOOT + 500);
    for (int i = -50; i <= 50; i++)
        assert_true(
            fabs(error_at(&clocks, &device, BOOT + 5000000 + (uint64_t)(int64_t)i * 100000)) <= 10);
}

/* Samples four times a second, for ten hours: a clock that is never mended is off by 3.6 s then. */
static void a_clock_that_drifts_stays_close_for_hours(void **state)
{
    enum { SAMPLES = 4 * 3600 * 10 };
    struct device device = device_of(31.25e6, 100);
    struct ah_clocks clocks;
    double worst = 0;
    (void)state;
    ah_clocks_init(&clocks, device.frequency);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t now = BOOT + i * 250000000;
        ah_clocks_sample(&clocks, ticks_at(&device, now), now);
        double error = fabs(error_at(&clocks, &device, now + 100000000));
        worst = i > 40 && error > worst ? error : worst; /* ten seconds later it has settled */
    }
    assert_in_range((uint64_t)worst, 0, 1000);
}

/* A sample is as good as the time that it takes to read two clocks. */
static void order_is_kept_when_samples_are_bad(void **state)
{
    struct device device = device_of(1e8, -40);
    struct ah_clocks clocks;
    uint64_t last = 0, now = BOOT;
    (void)state;
    srand(3);
    ah_clocks_init(&clocks, device.frequency);
    for (int i = 0; i < 20000; i++) {
        if (i % 7 == 0)
            ah_clocks_sample(&clocks, ticks_at(&device, now), now + (uint64_t)(rand() % 40000));
        uint64_t converted = ah_clocks_convert(&clocks, ticks_at(&device, now));
        assert_true(converted >= last);
        last = converted;
        now += 100000 + (uint64_t)(rand() % 1000);
    }
}

static void what_began_long_ago_is_found_on_its_own_line(void **state)
{
    enum { SAMPLES = 4 * AH_CLOCKS_SEGMENTS };
    struct device device = device_of(1e9, 20);
    struct ah_clocks clocks;
    (void)state;
    ah_clocks_init(&clocks, device.frequency);
    for (uint64_t i = 0; i < SAMPLES; i++)
        ah_clocks_sample(&clocks, ticks_at(&device, BOOT + i * 250000000), BOOT + i * 250000000);
    for (uint64_t i = 40; i < SAMPLES; i++)
        assert_true(fabs(error_at(&clocks, &device, BOOT + i * 250000000 - 1000)) < 2000);
}

static void a_machine_that_slept_begins_anew(void **state)
{
    const uint64_t hour = 3600000000000;
    struct device device = device_of(1e8, 0);
    struct ah_clocks clocks;
    (void)state;
    ah_clocks_init(&clocks, device.frequency);
    ah_clocks_sample(&clocks, ticks_at(&device, BOOT), BOOT);
    ah_clocks_sample(&clocks, ticks_at(&device, BOOT + 1000000), BOOT + 1000000);
    /* the device's clock stood still for an hour */
    ah_clocks_sample(&clocks, ticks_at(&device, BOOT + 2000000), BOOT + 2000000 + hour);
    assert_true(ah_clocks_convert(&clocks, ticks_at(&device, BOOT + 3000000)) ==
                BOOT + 3000000 + hour);
    assert_true(ah_clocks_convert(&clocks, ticks_at(&device, BOOT + 1500000)) < BOOT + 2000000);
}

static void samples_that_come_too_late_are_ignored(void **state)
{
    struct device device = device_of(1e9, 0);
    struct ah_clocks clocks;
    (void)state;
    ah_clocks_init(&clocks, device.frequency);
    ah_clocks_sample(&clocks, ticks_at(&device, BOOT + 1000), BOOT + 1000);
    ah_clocks_sample(&clocks, ticks_at(&device, BOOT + 1000), BOOT + 9000);
    ah_clocks_sample(&clocks, ticks_at(&device, BOOT + 500), BOOT + 9000);
    ah_clocks_sample(&clocks, ticks_at(&device, BOOT + 2000), BOOT + 900);
    assert_true(clocks.count == 1);
    assert_true(ah_clocks_convert(&clocks, ticks_at(&device, BOOT + 1000)) == BOOT + 1000);
}

static void the_host_clock_counts_nanoseconds(void **state)
{
    struct timespec before, after;
    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &before);
    uint64_t now = ah_clock_now();
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(now >= (uint64_t)before.tv_sec * 1000000000 + (uint64_t)before.tv_nsec);
    assert_true(now <= (uint64_t)after.tv_sec * 1000000000 + (uint64_t)after.tv_nsec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sample_is_enough_for_a_short_time),
        cmocka_unit_test(a_clock_that_drifts_stays_close_for_hours),
        cmocka_unit_test(order_is_kept_when_samples_are_bad),
        cmocka_unit_test(what_began_long_ago_is_found_on_its_own_line),
        cmocka_unit_test(a_machine_that_slept_begins_anew),
        cmocka_unit_test(samples_that_come_too_late_are_ignored),
        cmocka_unit_test(the_host_clock_counts_nanoseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
