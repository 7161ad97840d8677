/* Tests reserved addresses and physical memory mapped there, memory that processes share, and
 * which bytes were written. */
#include "space.h"

#include <string.h>
#include <unistd.h>

enum { PIECE = 2 * MIB };

static void reservations_are_disjoint_and_inaccessible(void **state)
{
    (void)state;
    uint64_t a = sim_address_reserve(PIECE, PIECE, 0), b = sim_address_reserve(PIECE, PIECE, 0);
    assert_true(a && b && a % PIECE == 0 && b % PIECE == 0);
    assert_true(b >= a + PIECE || a >= b + PIECE);
    assert_false(may_read(0, a, 1));
    assert_null(sim_memory_find(a));
    assert_int_equal(sim_memory_used(0), 0);
    assert_true(sim_address_free(a, PIECE));
    assert_false(sim_address_free(a, PIECE));
    assert_false(sim_address_free(b, PIECE / 2));
    assert_false(sim_address_free(b + 4096, PIECE - 4096));
    assert_true(sim_address_free(b, PIECE));
}

static void a_hint_is_followed_where_it_can_be(void **state)
{
    (void)state;
    uint64_t a = sim_address_reserve(PIECE, PIECE, 0), far = a + 64 * (uint64_t)PIECE;
    assert_int_equal(sim_address_reserve(PIECE, PIECE, far), far);
    assert_int_equal(sim_address_reserve(PIECE, PIECE, far + PIECE), far + PIECE);
    uint64_t other = sim_address_reserve(PIECE, PIECE, far);
    assert_true(other && other != far);
    assert_int_not_equal(sim_address_reserve(PIECE, PIECE, 4096), 0);
    assert_true(sim_address_free(far, PIECE));
    assert_int_equal(sim_address_reserve(PIECE, PIECE, far), far);
}

static void invalid_reservations_are_refused(void **state)
{
    (void)state;
    assert_int_equal(sim_address_reserve(0, 0, 0), 0);
    assert_int_equal(sim_address_reserve(SIZE_MAX, 0, 0), 0);
    assert_int_equal(sim_address_reserve(PIECE, 3, 0), 0);
    assert_int_equal(sim_address_reserve(sim_space.device_size + 1, 0, 0), 0);
}

static void physical_memory_counts_until_it_is_closed(void **state)
{
    (void)state;
    int file = sim_physical_create(0, GIB, 0);
    assert_true(file >= 0);
    assert_int_equal(sim_memory_used(0), GIB);
    assert_int_equal(sim_physical_create(0, PIECE, 0), -1);
    assert_null(sim_memory_create(SIM_MEMORY_DEVICE, 0, 1, 0));
    sim_physical_close(0, GIB, file);
    assert_int_equal(sim_memory_used(0), 0);
    assert_int_equal(sim_physical_create(0, 0, 0), -1);
    assert_int_equal(sim_physical_create(DEVICES, PIECE, 0), -1);
}

/* PIECE bytes of device 0, mapped at a reserved address. */
static struct sim_memory *map_piece(int file, size_t offset, uint64_t *out_address)
{
    *out_address = sim_address_reserve(PIECE, PIECE, 0);
    return sim_memory_map(*out_address, PIECE, file, offset, 0);
}

static void a_mapping_is_accessible_to_devices_with_access(void **state)
{
    (void)state;
    uint64_t address;
    int file = sim_physical_create(0, PIECE, 0);
    struct sim_memory *memory = map_piece(file, 0, &address);
    assert_non_null(memory);
    assert_int_equal(memory->kind, SIM_MEMORY_MAPPING);
    assert_false(may_read(0, address, 1));
    assert_null(sim_translate_range(-1, address, 1, false));
    sim_memory_set_access(memory, 0, SIM_ACCESS_READ_WRITE);
    sim_memory_set_access(memory, 1, SIM_ACCESS_READ);
    assert_ptr_equal(sim_translate(0, address + PIECE - 8, 8, true), memory->view + PIECE - 8);
    assert_true(may_read(1, address, 8));
    assert_false(may_write(1, address, 8));
    assert_non_null(sim_translate_range(1, address, PIECE, false));
    assert_null(sim_translate_range(1, address, PIECE, true));
    assert_non_null(sim_translate_range(-1, address, PIECE, true));
    assert_false(may_read(0, address + PIECE, 1));
    sim_peer_set(1, 0, true);
    assert_false(may_write(1, address, 8));
    sim_memory_set_access(memory, 0, SIM_ACCESS_NONE);
    assert_false(may_read(0, address, 1));
    sim_memory_destroy(memory);
    assert_false(may_read(1, address, 1));
    sim_physical_close(0, PIECE, file);
}

static void the_same_memory_mapped_twice_is_the_same(void **state)
{
    (void)state;
    uint64_t a, b, c;
    int file = sim_physical_create(0, 2 * PIECE, 0);
    struct sim_memory *first = map_piece(file, 0, &a), *again = map_piece(file, 0, &b);
    struct sim_memory *second = map_piece(file, PIECE, &c);
    assert_true(first && again && second);
    strcpy((char *)first->view, "one");
    strcpy((char *)second->view, "two");
    assert_string_equal((char *)again->view, "one");
    unsigned char *view = first->view;
    sim_memory_destroy(first);
    strcpy((char *)view, "not");
    assert_string_equal((char *)again->view, "one");
    sim_memory_destroy(again);
    first = sim_memory_map(a, PIECE, file, 0, 0);
    assert_string_equal((char *)first->view, "one");
    sim_memory_destroy(first);
    sim_memory_destroy(second);
    sim_physical_close(0, 2 * PIECE, file);
    assert_true(sim_address_free(a, PIECE));
}

static void a_mapping_needs_reserved_addresses_that_are_free(void **state)
{
    (void)state;
    uint64_t address = sim_address_reserve(2 * PIECE, PIECE, 0);
    int file = sim_physical_create(0, 2 * PIECE, 0);
    assert_null(sim_memory_map(address, 4 * PIECE, file, 0, 0));
    assert_null(sim_memory_map(address + 1, PIECE, file, 0, 0));
    assert_null(sim_memory_map(address, PIECE, file, 1, 0));
    assert_null(sim_memory_map(address, 0, file, 0, 0));
    assert_null(sim_memory_map(address + 2 * PIECE, PIECE, file, 0, 0));
    struct sim_memory *memory = sim_memory_map(address + PIECE, PIECE, file, 0, 0);
    assert_non_null(memory);
    assert_null(sim_memory_map(address + PIECE, PIECE, file, 0, 0));
    assert_null(sim_memory_map(address, 2 * PIECE, file, 0, 0));
    assert_false(sim_address_free(address, 2 * PIECE));
    struct sim_memory *low = sim_memory_map(address, PIECE, file, PIECE, 0);
    assert_non_null(low);
    sim_memory_destroy(low);
    sim_memory_destroy(memory);
    assert_true(sim_address_free(address, 2 * PIECE));
    assert_null(sim_memory_map(address, PIECE, file, 0, 0));
    sim_physical_close(0, 2 * PIECE, file);
}

static void an_invalid_file_is_not_mapped(void **state)
{
    (void)state;
    uint64_t address = sim_address_reserve(PIECE, PIECE, 0);
    ah_test_capture();
    assert_null(sim_memory_map(address, PIECE, -1, 0, 0));
    (void)ah_test_captured();
    assert_null(sim_memory_find(address));
    assert_false(may_read(0, address, 1));
    assert_true(sim_address_free(address, PIECE));
}

/* ---- which bytes were written -------------------------------------------------------------- */

static int open_tracked(void **state)
{
    sim_memory_track_writes(true);
    return open_space(state);
}

static int close_tracked(void **state)
{
    int result = close_space(state);
    sim_memory_track_writes(false);
    return result;
}

static void bytes_count_as_written_once_they_are(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 1000);
    uint64_t address = memory->address;
    assert_false(sim_memory_written(address, 1));
    sim_memory_wrote(address + 3, 1);
    assert_true(sim_memory_written(address + 3, 1));
    assert_false(sim_memory_written(address + 2, 2));
    assert_false(sim_memory_written(address + 3, 2));
    sim_memory_wrote(address + 60, 300);
    assert_true(sim_memory_written(address + 60, 300));
    assert_false(sim_memory_written(address + 59, 1));
    assert_false(sim_memory_written(address + 360, 1));
    sim_memory_wrote(address, 1000);
    assert_true(sim_memory_written(address, 1000));
    assert_false(sim_memory_written(address, 1001));
}

static void memory_of_the_host_counts_as_written(void **state)
{
    (void)state;
    struct sim_memory *host = create(SIM_MEMORY_HOST, -1, 100);
    int local;
    assert_true(sim_memory_written(host->address, 100));
    assert_true(sim_memory_written((uintptr_t)&local, sizeof local));
    sim_memory_wrote((uintptr_t)&local, sizeof local);
}

static void freed_memory_counts_as_never_written(void **state)
{
    (void)state;
    static const size_t sizes[] = {100, 1000000, 20 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, sizes[i]);
        uint64_t address = memory->address;
        sim_memory_wrote(address, sizes[i]);
        sim_memory_destroy(memory);
        for (size_t at = 0; at < sizes[i]; at += 64)
            assert_false(sim_memory_written(address + at, 1));
    }
}

static void without_tracking_all_counts_as_written(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 1000);
    assert_false(sim_memory_tracking);
    assert_true(sim_memory_written(memory->address, 1000));
    sim_memory_wrote(memory->address, 1000);
}

/* ---- shared memory --------------------------------------------------------------- */

static void shared_memory_is_the_same_where_it_is_opened(void **state)
{
    (void)state;
    struct sim_memory *memory[3];
    uint64_t offset, again;
    for (int i = 0; i < 3; i++) { /* all on one page */
        memory[i] = create(SIM_MEMORY_DEVICE, 0, 1000);
        memset(memory[i]->view, i + 1, 1000);
    }
    int file = sim_memory_share(memory[1], &offset);
    assert_true(file >= 0);
    assert_int_equal(sim_memory_share(memory[1], &again), file);
    assert_int_equal(again, offset);
    struct sim_memory *opened = sim_memory_open(file, offset, 1000, 1);
    assert_non_null(opened);
    assert_false(may_read(1, opened->address, 1));
    sim_memory_set_access(opened, 1, SIM_ACCESS_READ_WRITE);
    assert_true(may_write(1, opened->address, 1) && may_write(1, opened->address + 999, 1));
    assert_false(may_read(1, opened->address - 1, 1) || may_read(1, opened->address + 1000, 1));
    assert_int_equal(opened->view[0], 2);
    opened->view[999] = 9;
    assert_int_equal(memory[1]->view[999], 9);
    assert_int_equal(memory[0]->view[999], 1);
    assert_int_equal(memory[2]->view[0], 3);
    uint64_t address = opened->address;
    sim_memory_destroy(opened);
    assert_false(may_read(1, address, 1));
    assert_int_equal(memory[1]->view[999], 9);
    assert_true(may_read(0, memory[1]->address, 1000 % 256));
}

/* The file's pages are released when memory is freed. */
static void shared_memory_is_released_when_it_is_freed(void **state)
{
    (void)state;
    uint64_t offset;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 16 * MIB);
    memset(memory->view, 7, 16 * MIB);
    int file = sim_memory_share(memory, &offset);
    assert_true(file >= 0);
    unsigned char *view = memory->view;
    assert_int_equal(view[8 * MIB], 7);
    sim_memory_destroy(memory);
    unsigned char byte = 1;
    assert_int_equal(pread(file, &byte, 1, (off_t)(offset + 8 * MIB)), 1);
    assert_int_equal(byte, 0);
}

/* They stay in the file. */
static void shared_memory_is_not_kept_for_other_allocations(void **state)
{
    (void)state;
    enum { LARGE = 8 * MIB };
    uint64_t offset;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, LARGE);
    memset(memory->view, 7, LARGE);
    assert_true(sim_memory_share(memory, &offset) >= 0);
    sim_memory_destroy(memory);
    memory = create(SIM_MEMORY_DEVICE, 0, LARGE);
    assert_int_equal(memory->view[0], 0);
    assert_int_equal(memory->view[LARGE - 1], 0);
}

static void only_memory_of_devices_is_shared(void **state)
{
    (void)state;
    uint64_t offset;
    assert_int_equal(sim_memory_share(create(SIM_MEMORY_HOST, -1, 1000), &offset), -1);
    int file = sim_memory_share(create(SIM_MEMORY_DEVICE, 0, 1000), &offset);
    assert_null(sim_memory_open(file, 3, 1000, 0));
    assert_null(sim_memory_open(file, offset, 0, 0));
    assert_null(sim_memory_open(file, offset, SIZE_MAX, 0));
    assert_null(sim_memory_open(-1, offset, 1000, 0));
}

#define TRACKED_TEST(function)                                                                     \
    cmocka_unit_test_setup_teardown(function, open_tracked, close_tracked)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPACE_TEST(reservations_are_disjoint_and_inaccessible),
        SPACE_TEST(a_hint_is_followed_where_it_can_be),
        SPACE_TEST(invalid_reservations_are_refused),
        SPACE_TEST(physical_memory_counts_until_it_is_closed),
        SPACE_TEST(a_mapping_is_accessible_to_devices_with_access),
        SPACE_TEST(the_same_memory_mapped_twice_is_the_same),
        SPACE_TEST(a_mapping_needs_reserved_addresses_that_are_free),
        SPACE_TEST(an_invalid_file_is_not_mapped),
        SPACE_TEST(shared_memory_is_the_same_where_it_is_opened),
        SPACE_TEST(shared_memory_is_released_when_it_is_freed),
        SPACE_TEST(shared_memory_is_not_kept_for_other_allocations),
        SPACE_TEST(only_memory_of_devices_is_shared),
        TRACKED_TEST(bytes_count_as_written_once_they_are),
        TRACKED_TEST(memory_of_the_host_counts_as_written),
        TRACKED_TEST(freed_memory_counts_as_never_written),
        SPACE_TEST(without_tracking_all_counts_as_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
