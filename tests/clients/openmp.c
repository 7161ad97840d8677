/* An OpenMP program that GCC compiled for AMD's devices: what target regions leave behind is
 * compared with the same work on the host. With an argument, a region that fails. */
#include "check.h"

#include <omp.h>
#include <stdint.h>
#include <string.h>

enum { COUNT = 3000, SIDE = 24 };

static uint32_t in[COUNT], out[COUNT];

static void fill(void)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        in[i] = i * 2654435761u;
        out[i] = 1;
    }
}

static void regions_run_on_the_device(void)
{
    int host = 1, devices = omp_get_num_devices();
    CHECK(devices >= 1);
    for (int device = 0; device < devices; device++) {
        host = 1;
#pragma omp target map(from : host) device(device)
        host = omp_is_initial_device();
        CHECK(!host);
    }
}

static void loops_are_shared_out(void)
{
    fill();
#pragma omp target teams distribute parallel for map(to : in) map(tofrom : out)
    for (int i = 0; i < COUNT; i++)
        out[i] += in[i] ^ (uint32_t)i;
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(out[i] == (in[i] ^ i) + 1);
    fill();
#pragma omp target parallel for simd map(to : in) map(from : out) schedule(dynamic, 7)
    for (int i = 0; i < COUNT; i++)
        out[i] = in[i] / 3 + in[COUNT - 1 - i] % 1000;
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(out[i] == in[i] / 3 + in[COUNT - 1 - i] % 1000);
}

static void reductions_bring_results(void)
{
    long sum = 5, expected = 5;
    uint32_t most = 0, highest = 0;
    double halves = 0, all = 0;
    fill();
#pragma omp target teams distribute parallel for reduction(+ : sum, halves) reduction(max : most)  \
    map(to : in)
    for (int i = 0; i < COUNT; i++) {
        sum += in[i] % 1000;
        halves += in[i] % 8 / 2.0;
        most = in[i] > most ? in[i] : most;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        expected += in[i] % 1000;
        all += in[i] % 8 / 2.0;
        highest = in[i] > highest ? in[i] : highest;
    }
    CHECK(sum == expected && halves == all && most == highest);
}

static void teams_and_threads_have_numbers(void)
{
    int teams = 0, threads = 0, counts[64] = {0};
#pragma omp target teams num_teams(5) thread_limit(4) map(tofrom : teams, threads, counts)
    {
        int team = omp_get_team_num();
        if (team == 0)
            teams = omp_get_num_teams();
#pragma omp parallel num_threads(4)
        {
            if (team == 0 && omp_get_thread_num() == 0)
                threads = omp_get_num_threads();
#pragma omp atomic
            counts[team * 8 + omp_get_thread_num()]++;
        }
    }
    CHECK(teams == 5 && threads >= 1);
    for (int i = 0; i < 64; i++)
        CHECK(counts[i] == (i / 8 < teams && i % 8 < threads));
}

static void data_stays_while_it_is_mapped(void)
{
    uint32_t *rows = malloc(COUNT * sizeof *rows), first = 0;
    fill();
    for (uint32_t i = 0; i < COUNT; i++)
        rows[i] = i;
#pragma omp target enter data map(to : rows [0:COUNT])
#pragma omp target teams distribute parallel for
    for (int i = 0; i < COUNT; i++)
        rows[i] *= 2;
    CHECK(rows[COUNT - 1] == COUNT - 1); /* not yet */
#pragma omp target update from(rows [10:20])
    for (uint32_t i = 0; i < COUNT; i++)
        CHECK(rows[i] == (i >= 10 && i < 30 ? 2 * i : i));
    rows[0] = 77;
#pragma omp target update to(rows [0:1])
#pragma omp target map(from : first)
    first = rows[0] + rows[COUNT - 1];
    CHECK(first == 77 + 2 * (COUNT - 1));
#pragma omp target exit data map(from : rows [0:COUNT])
    for (uint32_t i = 1; i < COUNT; i++)
        CHECK(rows[i] == 2 * i);
    free(rows);
}

#pragma omp declare target
static uint32_t scale = 3;
static uint32_t ackermann(uint32_t m, uint32_t n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
#pragma omp end declare target

/* Arrays of a thread's own and deep calls: what lies in scratch. */
static void threads_have_stacks(void)
{
    uint32_t result = 0;
#pragma omp target teams distribute parallel for map(to : in) map(from : out)
    for (int i = 0; i < COUNT; i++) {
        uint32_t own[32];
        for (uint32_t k = 0; k < 32; k++)
            own[k * 7 % 32] = in[i] + k;
        out[i] = own[in[i] % 32] * scale;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t own[32];
        for (uint32_t k = 0; k < 32; k++)
            own[k * 7 % 32] = in[i] + k;
        CHECK(out[i] == own[in[i] % 32] * 3);
    }
#pragma omp target map(from : result)
    result = ackermann(2, 3);
    CHECK(result == 9);
}

static void matrices_are_multiplied(void)
{
    static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i / SIDE][i % SIDE] = i % 7;
        b[i / SIDE][i % SIDE] = i % 5 - 2;
    }
#pragma omp target teams distribute parallel for collapse(2) map(to : a, b) map(from : c)
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            double sum = 0;
            for (int k = 0; k < SIDE; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            double sum = 0;
            for (int k = 0; k < SIDE; k++)
                sum += a[i][k] * b[k][j];
            CHECK(c[i][j] == sum);
        }
}

static void regions_wait_for_each_other(void)
{
    uint32_t value = 1;
#pragma omp target enter data map(to : value)
#pragma omp target nowait map(alloc : value) depend(out : value)
    value += 4;
#pragma omp target nowait map(alloc : value) depend(inout : value)
    value *= 10;
#pragma omp taskwait
#pragma omp target exit data map(from : value)
    CHECK(value == 50);
}

/* Never returns: the runtime ends the program. */
static void a_region_fails(void)
{
    volatile uint32_t *nowhere = (volatile uint32_t *)(uintptr_t)64;
#pragma omp target is_device_ptr(nowhere)
    *nowhere = 1;
    printf("FAILED: went on\n");
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        a_region_fails();
    regions_run_on_the_device();
    loops_are_shared_out();
    reductions_bring_results();
    teams_and_threads_have_numbers();
    data_stays_while_it_is_mapped();
    threads_have_stacks();
    matrices_are_multiplied();
    regions_wait_for_each_other();
    printf("done\n");
    return 0;
}
