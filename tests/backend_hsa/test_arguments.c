/* Tests the contents of the kernel argument segment. */
#include "hsa_module.h"
#include "support.h"

#include <string.h>

enum { SIZE = 512, FILL = 0xee };

/* As clang lays out a kernel (int *, char, float) that uses everything. */
static const struct ahhsa_argument arguments_v5[] = {
    {0, 8, AHHSA_VALUE_BUFFER},
    {8, 1, AHHSA_VALUE_BY_VALUE},
    {12, 4, AHHSA_VALUE_BY_VALUE},
    {16, 4, AHHSA_VALUE_BLOCK_COUNT_X},
    {20, 4, AHHSA_VALUE_BLOCK_COUNT_Y},
    {24, 4, AHHSA_VALUE_BLOCK_COUNT_Z},
    {28, 2, AHHSA_VALUE_GROUP_SIZE_X},
    {30, 2, AHHSA_VALUE_GROUP_SIZE_Y},
    {32, 2, AHHSA_VALUE_GROUP_SIZE_Z},
    {34, 2, AHHSA_VALUE_REMAINDER_X},
    {36, 2, AHHSA_VALUE_REMAINDER_Y},
    {38, 2, AHHSA_VALUE_REMAINDER_Z},
    {56, 8, AHHSA_VALUE_GLOBAL_OFFSET_X},
    {64, 8, AHHSA_VALUE_GLOBAL_OFFSET_Y},
    {72, 8, AHHSA_VALUE_GLOBAL_OFFSET_Z},
    {80, 2, AHHSA_VALUE_GRID_DIMS},
    {88, 8, AHHSA_VALUE_PRINTF_BUFFER},
    {96, 8, AHHSA_VALUE_HOSTCALL_BUFFER},
    {104, 8, AHHSA_VALUE_MULTIGRID_SYNC},
    {112, 8, AHHSA_VALUE_HEAP},
    {120, 8, AHHSA_VALUE_DEFAULT_QUEUE},
    {128, 8, AHHSA_VALUE_COMPLETION_ACTION},
    {136, 4, AHHSA_VALUE_DYNAMIC_LDS_SIZE},
    {208, 4, AHHSA_VALUE_PRIVATE_BASE},
    {212, 4, AHHSA_VALUE_SHARED_BASE},
    {216, 8, AHHSA_VALUE_QUEUE_PTR},
};

static struct ahhsa_kernel_metadata kernel = {
    .name = (char *)"kernel",
    .arguments = (struct ahhsa_argument *)(uintptr_t)arguments_v5,
    .argument_count = sizeof arguments_v5 / sizeof *arguments_v5,
    .explicit_count = 3,
    .kernarg_size = 272,
};
static const struct ah_backend_function function = {
    .kernel = &kernel, .kernarg_size = 272, .explicit_end = 16};

static const struct ah_launch launch = {.grid = {5, 6, 7}, .block = {64, 2, 1}, .shared = 1000};

static uint64_t value_at(const unsigned char *segment, size_t offset, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, segment + offset, size);
    return value;
}

static void fill(unsigned char *segment, const struct ah_launch *what, void **params, void **extra,
                 const struct ahhsa_implicit *implicit)
{
    struct ah_launch copy = *what;
    copy.params = params;
    copy.extra = extra;
    memset(segment, FILL, SIZE);
    ahhsa_arguments_write(segment, &function, &copy, implicit);
    for (size_t i = function.kernarg_size; i < SIZE; i++)
        assert_int_equal(segment[i], FILL);
}

static void arguments_lie_where_the_metadata_says(void **state)
{
    (void)state;
    unsigned char segment[SIZE];
    void *pointer = segment;
    char character = 'x';
    float number = 1.5f;
    void *params[] = {&pointer, &character, &number};
    struct ahhsa_implicit none = {0};
    fill(segment, &launch, params, NULL, &none);
    assert_memory_equal(segment, &pointer, sizeof pointer);
    assert_int_equal(segment[8], 'x');
    assert_memory_equal(segment + 12, &number, sizeof number);
    assert_int_equal(value_at(segment, 40, 8) + value_at(segment, 48, 8), 0); /* gaps are 0 */
}

static void implicit_arguments_include_the_sizes_of_the_launch(void **state)
{
    (void)state;
    unsigned char segment[SIZE];
    uint64_t zero = 0;
    void *params[] = {&zero, &zero, &zero};
    struct ahhsa_implicit none = {0};
    fill(segment, &launch, params, NULL, &none);
    assert_int_equal(value_at(segment, 16, 4), 5);
    assert_int_equal(value_at(segment, 20, 4), 6);
    assert_int_equal(value_at(segment, 24, 4), 7);
    assert_int_equal(value_at(segment, 28, 2), 64);
    assert_int_equal(value_at(segment, 30, 2), 2);
    assert_int_equal(value_at(segment, 32, 2), 1);
    assert_int_equal(value_at(segment, 34, 8), 0); /* remainders */
    assert_int_equal(value_at(segment, 56, 8), 0);
    assert_int_equal(value_at(segment, 80, 2), 3);
    assert_int_equal(value_at(segment, 136, 4), 1000);
    struct ah_launch line = {.grid = {9, 1, 1}, .block = {64, 1, 1}};
    fill(segment, &line, params, NULL, &none);
    assert_int_equal(value_at(segment, 80, 2), 1);
    struct ah_launch plane = {.grid = {9, 1, 1}, .block = {64, 2, 1}};
    fill(segment, &plane, params, NULL, &none);
    assert_int_equal(value_at(segment, 80, 2), 2);
}

static void implicit_arguments_include_services_and_the_queue(void **state)
{
    (void)state;
    unsigned char segment[SIZE];
    uint64_t zero = 0;
    void *params[] = {&zero, &zero, &zero};
    amd_queue_t queue = {.group_segment_aperture_base_hi = 0x10000,
                         .private_segment_aperture_base_hi = 0x20000};
    struct ahhsa_implicit implicit = {.printf_buffer = (void *)0x1000,
                                      .multigrid_sync = (void *)0x2000,
                                      .heap = (void *)0x3000,
                                      .queue = &queue.hsa_queue};
    fill(segment, &launch, params, NULL, &implicit);
    assert_int_equal(value_at(segment, 88, 8), 0x1000);
    assert_int_equal(value_at(segment, 96, 8), 0);
    assert_int_equal(value_at(segment, 104, 8), 0x2000);
    assert_int_equal(value_at(segment, 112, 8), 0x3000);
    assert_int_equal(value_at(segment, 208, 4), 0x20000);
    assert_int_equal(value_at(segment, 212, 4), 0x10000);
    assert_int_equal(value_at(segment, 216, 8), (uintptr_t)&queue);
}

static void an_argument_buffer_is_copied_up_to_the_end_of_the_arguments(void **state)
{
    (void)state;
    unsigned char segment[SIZE], buffer[64];
    size_t size = sizeof buffer; /* a C structure with padding at its end, or a larger buffer */
    void *extra[] = {(void *)1, buffer, (void *)2, &size, (void *)3};
    struct ahhsa_implicit none = {0};
    memset(buffer, 0x77, sizeof buffer);
    fill(segment, &launch, NULL, extra, &none);
    for (int i = 0; i < 16; i++)
        assert_int_equal(segment[i], 0x77);
    assert_int_equal(value_at(segment, 16, 4), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_lie_where_the_metadata_says),
        cmocka_unit_test(implicit_arguments_include_the_sizes_of_the_launch),
        cmocka_unit_test(implicit_arguments_include_services_and_the_queue),
        cmocka_unit_test(an_argument_buffer_is_copied_up_to_the_end_of_the_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
