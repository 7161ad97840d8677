/* Tests allocations and registrations: which devices can access which bytes, and for how long. */
#include "log.h"
#include "space.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- bounds ---------------------------------------------------------------------------- */

static void an_access_is_checked_to_the_byte(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 3, 16, 255, 256, 257, 1000, 4096, 65537, 3 * MIB + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = sizes[i];
        struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, size);
        uint64_t end = memory->address + size;
        assert_int_equal(memory->address % 256, 0);
        assert_ptr_equal(sim_translate(0, memory->address, 1, true), memory->view);
        assert_ptr_equal(sim_translate(0, end - 1, 1, true), memory->view + size - 1);
        assert_false(may_read(0, end, 1));
        assert_false(may_read(0, end - 1, 2));
        assert_false(may_read(0, memory->address - 1, 1));
        for (uint64_t past = 0; past < 256; past += 16)
            assert_false(may_write(0, end + past, 1));
    }
}

/* So that the host needs few pages for them. */
static void a_large_allocation_begins_at_a_large_page(void **state)
{
    (void)state;
    create(SIM_MEMORY_DEVICE, 0, 1000);
    for (unsigned i = 0; i < 3; i++) {
        struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 4 * MIB + i);
        assert_int_equal(memory->address % (2 * MIB), 0);
        assert_int_equal((uintptr_t)memory->view % (2 * MIB), 0);
    }
}

static void what_is_written_to_the_view_is_read_at_the_address(void **state)
{
    (void)state;
    struct sim_memory *a = create(SIM_MEMORY_DEVICE, 0, 1000);
    struct sim_memory *b = create(SIM_MEMORY_DEVICE, 1, 1000);
    memset(a->view, 1, a->size);
    memset(b->view, 2, b->size);
    assert_int_equal(*sim_translate(0, a->address + 999, 1, false), 1);
    assert_int_equal(*sim_translate(1, b->address, 1, false), 2);
}

static void a_range_must_lie_within_one_allocation(void **state)
{
    (void)state;
    struct sim_memory *a = create(SIM_MEMORY_DEVICE, 0, MIB);
    create(SIM_MEMORY_DEVICE, 0, MIB);
    assert_ptr_equal(sim_translate_range(0, a->address, MIB, true), a->view);
    assert_ptr_equal(sim_translate_range(-1, a->address + 7, MIB - 7, false), a->view + 7);
    assert_null(sim_translate_range(0, a->address + 1, MIB, true));
    assert_null(sim_translate_range(0, a->address - 1, 2, true));
    assert_null(sim_translate_range(0, a->address, SIZE_MAX, true));
    assert_null(sim_translate_range(1, a->address, 1, false));
}

static void no_address_outside_of_allocations_is_accessible(void **state)
{
    (void)state;
    static const uint64_t addresses[] = {0, 8, SIM_SHARED_WINDOW, SIM_LOCAL_WINDOW, UINT64_MAX};
    int local = 0;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
        assert_false(may_read(0, addresses[i], 1));
    assert_false(may_read(0, (uintptr_t)&local, sizeof local));
    assert_false(may_read(0, sim_space.base, 1));
    assert_false(may_read(0, sim_space.base + sim_space.device_size, 1));
    assert_false(may_read(0, sim_space.base + sim_space.size - 1, 1));
    assert_false(may_read(0, sim_space.base + sim_space.size, 1));
}

static void allocations_have_the_requested_alignment(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 4 * MIB; alignment *= 2) {
        struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, 100, alignment);
        assert_non_null(memory);
        assert_int_equal(memory->address % (alignment < 256 ? 256 : alignment), 0);
    }
    assert_null(sim_memory_create(SIM_MEMORY_DEVICE, 0, 100, 3));
    assert_null(sim_memory_create(SIM_MEMORY_DEVICE, 0, 100, 768));
}

static void invalid_allocations_are_refused(void **state)
{
    (void)state;
    assert_null(sim_memory_create(SIM_MEMORY_DEVICE, 0, 0, 0));
    assert_null(sim_memory_create(SIM_MEMORY_DEVICE, -1, 1, 0));
    assert_null(sim_memory_create(SIM_MEMORY_DEVICE, DEVICES, 1, 0));
    assert_null(sim_memory_create(SIM_MEMORY_DEVICE, 0, SIZE_MAX, 0));
    assert_null(sim_memory_create(SIM_MEMORY_HOST, -1, SIZE_MAX, 0));
    assert_null(sim_memory_create(SIM_MEMORY_HOST, -1, SIZE_MAX / 2, 0));
    assert_null(sim_memory_create(SIM_MEMORY_REGISTERED, 0, 1, 0));
    assert_null(sim_memory_create(SIM_MEMORY_MAPPING, 0, 1, 0));
    sim_memory_destroy(NULL);
}

/* ---- guards ------------------------------------------------------------------------------ */

/* Counts the bytes between memory and what follows it that may not be read. */
static size_t guard_of(const struct sim_memory *memory)
{
    size_t step = 256, size = 0;
    while (!may_read(0, memory->address + (memory->size + step - 1) / step * step + size, 1))
        size += step;
    return size;
}

static void a_guard_follows_each_allocation(void **state)
{
    static const size_t sizes[] = {1, 100000, 4 * MIB};
    (void)state;
    for (int wide = 0; wide < 2; wide++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            sim_memory_widen_guards(wide);
            struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, sizes[i]);
            create(SIM_MEMORY_DEVICE, 0, 1);
            size_t guard = guard_of(memory);
            assert_true(guard >= 256);
            if (wide)
                assert_true(guard >= MIB && guard >= sizes[i]);
            else
                assert_true(guard <= 64 << 10);
        }
    sim_memory_widen_guards(false);
}

/* The space has 260 GiB of addresses. */
static void guards_shrink_when_addresses_run_short(void **state)
{
    enum { COUNT = 300000 };
    (void)state;
    sim_memory_widen_guards(true);
    for (int i = 0; i < COUNT; i++)
        create(SIM_MEMORY_DEVICE, 0, 256);
    sim_memory_widen_guards(false);
}

/* ---- ends ------------------------------------------------------------------------------- */

static void freed_memory_is_not_accessible(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 256, 5000, 40 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, sizes[i]);
        uint64_t address = memory->address;
        sim_memory_destroy(memory);
        assert_null(sim_memory_find(address));
        for (size_t at = 0; at < sizes[i]; at += 256)
            assert_false(may_read(0, address + at, 1));
        assert_null(sim_translate_range(0, address, sizes[i], false));
    }
}

static void freed_addresses_are_not_reused_soon(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 1000);
    uint64_t freed = memory->address;
    sim_memory_destroy(memory);
    for (int i = 0; i < 1000; i++) {
        memory = create(SIM_MEMORY_DEVICE, 0, 1000);
        assert_true(memory->address > freed);
        assert_false(may_read(0, freed, 1));
        sim_memory_destroy(memory);
    }
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = true }; /* a sanitizer uses addresses and memory that tests cannot know */
#else
enum { SANITIZED = false };
#endif

static size_t resident(void)
{
    size_t all, pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu %zu", &all, &pages), 2);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void freed_memory_is_returned_to_the_kernel(void **state)
{
    (void)state;
    if (SANITIZED)
        return;
    static const size_t sizes[] = {48, 700, 6000, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t before = resident(), total = 0;
        while (total < (size_t)64 * MIB) {
            struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, sizes[i]);
            memset(memory->view, 1, sizes[i]);
            sim_memory_destroy(memory);
            total += sizes[i] < 512 ? 512 : sizes[i];
        }
        assert_true(resident() < before + 16 * MIB);
    }
}

static void free_pages_next_to_freed_memory_are_returned_too(void **state)
{
    (void)state;
    if (SANITIZED)
        return;
    enum { COUNT = 10000 };
    struct sim_memory **memories = ah_test_alloc(COUNT * sizeof *memories);
    size_t before = resident();
    for (int i = 0; i < COUNT; i++) {
        memories[i] = create(SIM_MEMORY_DEVICE, 0, 4096);
        memset(memories[i]->view, 1, 4096);
    }
    assert_true(resident() > before + COUNT * (size_t)4096);
    for (int i = 0; i < COUNT; i++) /* of two neighbours alternately */
        sim_memory_destroy(memories[i % 2 ? COUNT - i : i]);
    create(SIM_MEMORY_DEVICE, 0, MIB);
    assert_true(resident() < before + 8 * MIB);
}

static void the_rest_of_a_chunk_is_returned_when_the_next_allocation_is_elsewhere(void **state)
{
    (void)state;
    if (SANITIZED)
        return;
    size_t before = resident();
    for (int i = 0; i < 8000; i++) {
        struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, 4096, 64 << 10);
        memset(memory->view, 1, 4096);
        sim_memory_destroy(memory);
    }
    assert_true(resident() < before + 16 * MIB);
}

/* Large pages that are kept for other allocations: moved by Linux 5.7 and later. */
enum { LARGE = 16 * MIB, KEPT_MAX = 256 * MIB };

static bool kernel_moves_pages(void)
{
    enum { PAGE = 4096, DONTUNMAP = 4 };
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    bool moves = mremap(pages, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED | DONTUNMAP,
                        pages + PAGE) != MAP_FAILED;
    munmap(pages, 2 * PAGE);
    return moves;
}

static bool has_only(const unsigned char *bytes, size_t size, unsigned char value)
{
    return bytes[0] == value && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static void large_pages_of_freed_memory_move_to_the_next_allocation(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, LARGE);
    const unsigned char *old = memory->view;
    memset(memory->view, 7, LARGE);
    sim_memory_destroy(memory);
    memory = create(SIM_MEMORY_DEVICE, 1, LARGE);
    assert_true(memory->view >= old + LARGE);
    assert_true(has_only(old, LARGE, 0));
    if (kernel_moves_pages())
        assert_true(has_only(memory->view, LARGE, 7));
    assert_true(has_only(create(SIM_MEMORY_DEVICE, 0, LARGE)->view, LARGE, 0));
    assert_true(has_only(create(SIM_MEMORY_MANAGED, 0, LARGE)->view, LARGE, 0));
}

static void few_large_pages_are_kept(void **state)
{
    (void)state;
    if (SANITIZED)
        return;
    size_t before = resident();
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 2 * (size_t)KEPT_MAX);
    memset(memory->view, 1, memory->size);
    sim_memory_destroy(memory);
    assert_true(resident() < before + KEPT_MAX + 16 * MIB);
}

static unsigned count_mappings(void)
{
    unsigned count = 0;
    FILE *file = fopen("/proc/self/maps", "re");
    assert_non_null(file);
    for (int c = fgetc(file); c != EOF; c = fgetc(file))
        count += c == '\n';
    fclose(file);
    return count;
}

static void pages_that_move_leave_no_mappings_behind(void **state)
{
    (void)state;
    unsigned before = count_mappings();
    for (int i = 0; i < 1000; i++) {
        struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, LARGE + (size_t)(i % 7) * MIB);
        memset(memory->view + (size_t)(i % 16) * MIB, 1, 1);
        sim_memory_destroy(memory);
    }
    assert_true(count_mappings() < before + KEPT_MAX / (2 * MIB) + 16);
}

static void identifiers_are_never_used_again(void **state)
{
    (void)state;
    uint64_t last = 0;
    for (int i = 0; i < 10; i++) {
        struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 1);
        assert_true(memory->id > last);
        last = memory->id;
        sim_memory_destroy(memory);
    }
}

/* ---- capacity ----------------------------------------------------------------------------- */

static void a_device_cannot_exceed_its_capacity(void **state)
{
    (void)state;
    struct sim_memory *most = create(SIM_MEMORY_DEVICE, 0, GIB - MIB);
    assert_int_equal(sim_memory_used(0), GIB - MIB);
    assert_null(sim_memory_create(SIM_MEMORY_DEVICE, 0, MIB + 1, 0));
    struct sim_memory *rest = create(SIM_MEMORY_VARIABLE, 0, MIB);
    assert_null(sim_memory_create(SIM_MEMORY_HEAP, 0, 1, 0));
    create(SIM_MEMORY_DEVICE, 1, GIB);
    create(SIM_MEMORY_HOST, -1, MIB);
    create(SIM_MEMORY_MANAGED, 0, 2 * GIB);
    assert_int_equal(sim_memory_used(0), GIB);
    sim_memory_destroy(rest);
    sim_memory_destroy(most);
    assert_int_equal(sim_memory_used(0), 0);
    create(SIM_MEMORY_DEVICE, 0, GIB);
}

static void the_whole_capacity_can_be_allocated_in_the_smallest_pieces(void **state)
{
    (void)state;
    const size_t small = 64 * MIB;
    sim_space_close();
    assert_true(sim_space_open(&small, 1));
    for (size_t total = 0; total < small; total += 256)
        create(SIM_MEMORY_HEAP, 0, 1);
    assert_null(sim_memory_create(SIM_MEMORY_HEAP, 0, 1, 0));
}

/* ---- access
 * ------------------------------------------------------------------------------------ */

static void a_peer_is_accessible_while_access_is_enabled(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 1, 100);
    assert_true(sim_peer_get(0, 0));
    assert_false(sim_peer_get(0, 1));
    assert_false(may_read(0, memory->address, 1));
    sim_peer_set(0, 1, true);
    assert_true(sim_peer_get(0, 1));
    assert_false(sim_peer_get(1, 0));
    assert_ptr_equal(sim_translate(0, memory->address, 1, true), memory->view);
    assert_ptr_equal(sim_translate_range(0, memory->address, 100, true), memory->view);
    sim_peer_set(0, 1, false);
    assert_false(may_read(0, memory->address, 1));
    sim_peer_set(0, 0, false);
    sim_peer_set(0, DEVICES, true);
    assert_true(sim_peer_get(0, 0));
    assert_false(sim_peer_get(0, DEVICES));
}

static void host_and_managed_memory_has_one_address_for_all(void **state)
{
    (void)state;
    static const enum sim_kind kinds[] = {SIM_MEMORY_HOST, SIM_MEMORY_MANAGED};
    for (int i = 0; i < 2; i++) {
        struct sim_memory *memory = create(kinds[i], i - 1, 1000);
        unsigned char *bytes = (unsigned char *)(uintptr_t)memory->address;
        assert_ptr_equal(memory->view, bytes);
        bytes[999] = 7;
        for (int device = 0; device < DEVICES; device++)
            assert_ptr_equal(sim_translate(device, memory->address + 999, 1, true), bytes + 999);
        assert_false(may_read(0, memory->address + 1000, 1));
        assert_ptr_equal(sim_translate_range(1, memory->address, 1000, true), bytes);
        sim_memory_destroy(memory);
        assert_false(may_read(0, (uintptr_t)bytes, 1));
    }
}

static int signal_of_reading(uint64_t address)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(*(volatile unsigned char *)(uintptr_t)address != 77);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void the_host_faults_on_addresses_of_devices(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 1000);
    struct sim_memory *host = create(SIM_MEMORY_HOST, -1, 1000);
    memory->view[0] = 77;
    assert_int_equal(signal_of_reading(memory->address), SIGSEGV);
    assert_int_equal(signal_of_reading(host->address), 0);
}

static void a_child_may_query_and_allocate(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 1000);
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct sim_memory *own = sim_memory_create(SIM_MEMORY_DEVICE, 0, 100, 0);
        bool good = own && sim_memory_find(memory->address) == memory;
        sim_memory_destroy(own);
        _exit(!good);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* ---- registered memory -------------------------------------------------------------------- */

static void registered_memory_is_accessible_to_the_byte(void **state)
{
    (void)state;
    char *bytes = ah_test_alloc(10000);
    uint64_t start = (uintptr_t)bytes + 3;
    struct sim_memory *memory = sim_memory_register(bytes + 3, 9000);
    assert_non_null(memory);
    assert_int_equal(memory->kind, SIM_MEMORY_REGISTERED);
    for (int device = 0; device < DEVICES; device++) {
        assert_ptr_equal(sim_translate(device, start, 1, true), bytes + 3);
        assert_ptr_equal(sim_translate(device, start + 8999, 1, true), bytes + 9002);
        assert_false(may_read(device, start - 1, 1));
        assert_false(may_read(device, start + 8999, 2));
        assert_false(may_read(device, start + 9000, 1));
    }
    assert_ptr_equal(sim_translate_range(0, start, 9000, true), bytes + 3);
    assert_null(sim_translate_range(0, start, 9001, true));
    sim_memory_destroy(memory);
    assert_false(may_read(0, start, 1));
}

static void memory_is_registered_once(void **state)
{
    (void)state;
    char *bytes = ah_test_alloc(1000);
    struct sim_memory *host = create(SIM_MEMORY_HOST, -1, 1000);
    struct sim_memory *device = create(SIM_MEMORY_DEVICE, 0, 1000);
    struct sim_memory *memory = sim_memory_register(bytes + 100, 100);
    assert_non_null(memory);
    assert_null(sim_memory_register(bytes + 100, 100));
    assert_null(sim_memory_register(bytes + 199, 10));
    assert_null(sim_memory_register(bytes, 101));
    assert_null(sim_memory_register(bytes, 1000));
    assert_null(sim_memory_register(host->view, 10));
    assert_null(sim_memory_register((void *)(uintptr_t)device->address, 10));
    assert_null(sim_memory_register((void *)(uintptr_t)(sim_space.base - 8), 16));
    assert_null(sim_memory_register((void *)(uintptr_t)(sim_space.base + GIB), 16));
    assert_null(sim_memory_register((void *)(uintptr_t)(sim_space.base + sim_space.size - 8), 16));
    assert_null(sim_memory_register(NULL, 10));
    assert_null(sim_memory_register(bytes, 0));
    assert_null(sim_memory_register(bytes, SIZE_MAX));
    struct sim_memory *before = sim_memory_register(bytes, 100);
    struct sim_memory *after = sim_memory_register(bytes + 200, 100);
    assert_true(before && after);
    sim_memory_destroy(memory);
    assert_false(may_read(0, (uintptr_t)bytes + 100, 1));
    assert_true(may_read(0, (uintptr_t)bytes + 99, 1));
    assert_true(may_read(0, (uintptr_t)bytes + 200, 1));
    assert_non_null(sim_memory_register(bytes + 100, 100));
}

static void many_registrations_are_distinguished(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    char *bytes = ah_test_alloc(COUNT * 20);
    struct sim_memory *memories[COUNT];
    for (int i = 0; i < COUNT; i++) {
        int at = i * 7 % COUNT;
        memories[at] = sim_memory_register(bytes + at * 20, 10);
        assert_non_null(memories[at]);
    }
    for (int i = 0; i < COUNT; i += 2)
        sim_memory_destroy(memories[i]);
    for (int i = 0; i < COUNT; i++) {
        uint64_t start = (uintptr_t)bytes + (unsigned)i * 20;
        assert_int_equal(may_read(0, start + 9, 1), i % 2);
        assert_false(may_read(0, start + 10, 1));
    }
}

/* ---- questions ---------------------------------------------------------------------------- */

static void an_allocation_is_found_by_any_address_in_it(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 0, 1000);
    assert_ptr_equal(sim_memory_find(memory->address), memory);
    assert_ptr_equal(sim_memory_find(memory->address + 999), memory);
    assert_null(sim_memory_find(memory->address + 1000));
    assert_null(sim_memory_find(memory->address - 1));
}

static bool count_upwards(struct sim_memory *memory, void *data)
{
    uint64_t *seen = data;
    assert_true(memory->address > seen[1]);
    seen[1] = memory->address;
    return ++seen[0] < 5;
}

static bool destroy_each(struct sim_memory *memory, void *data)
{
    ++*(int *)data;
    sim_memory_destroy(memory);
    return true;
}

static void allocations_are_visited_by_address_until_the_callback_stops(void **state)
{
    (void)state;
    uint64_t seen[2] = {0};
    int destroyed = 0;
    for (int i = 0; i < 8; i++)
        create(i % 2 ? SIM_MEMORY_HOST : SIM_MEMORY_DEVICE, 0, 100);
    sim_memory_each(count_upwards, seen);
    assert_int_equal(seen[0], 5);
    sim_memory_each(destroy_each, &destroyed);
    assert_int_equal(destroyed, 8);
    sim_memory_each(destroy_each, &destroyed);
    assert_int_equal(destroyed, 8);
}

static void a_report_describes_the_nearest_allocation(void **state)
{
    (void)state;
    struct sim_memory *memory = create(SIM_MEMORY_DEVICE, 1, 1024);
    uint64_t address = memory->address;
    const char *name = ah_test_print("the 1024-byte allocation at 0x%llx of device 1",
                                     (unsigned long long)address);
    assert_string_equal(described(address + 1028),
                        ah_test_print("4 bytes past the end of %s", name));
    assert_string_equal(described(address + 1024), ah_test_print("at the end of %s", name));
    assert_string_equal(described(address + 5), ah_test_print("5 bytes inside %s", name));
    assert_string_equal(described(address - 8), ah_test_print("8 bytes before %s", name));
    sim_memory_destroy(memory);
    assert_string_equal(described(address + 5), ah_test_print("5 bytes inside %s, freed", name));
    assert_string_equal(described(address + 1028),
                        ah_test_print("4 bytes past the end of %s, freed", name));
    create(SIM_MEMORY_DEVICE, 0, 16);
    assert_string_equal(described(address + 5), ah_test_print("5 bytes inside %s, freed", name));
}

static void a_report_names_variables_and_kinds(void **state)
{
    (void)state;
    static const struct {
        enum sim_kind kind;
        const char *words;
    } kinds[] = {
        {SIM_MEMORY_VARIABLE, "4-byte variable counter at 0x"},
        {SIM_MEMORY_HEAP, "4-byte allocation of a kernel's malloc counter at 0x"},
        {SIM_MEMORY_HOST, "4-byte host allocation counter at 0x"},
        {SIM_MEMORY_MANAGED, "4-byte managed allocation counter at 0x"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct sim_memory *memory = create(kinds[i].kind, 0, 4);
        sim_memory_name(memory, "counter");
        assert_contains(described(memory->address + 4), kinds[i].words);
    }
    char *bytes = ah_test_alloc(100);
    assert_non_null(sim_memory_register(bytes, 100));
    assert_contains(described((uintptr_t)bytes + 100),
                    "at the end of the 100-byte registered memory of the host at 0x");
}

static void a_report_says_when_nothing_is_near(void **state)
{
    (void)state;
    uint64_t reserved = sim_address_reserve(2 * MIB, 0, 0);
    assert_string_equal(described(0), "a null pointer");
    assert_string_equal(described(16), "a null pointer and an offset");
    assert_contains(described(reserved + 100), "where nothing is mapped");
    assert_contains(described(sim_space.base + GIB), "no allocation is near");
    assert_contains(described(0x1000000), "memory of the host must be registered");
    char cut[8];
    sim_memory_describe(0x1000000, cut, sizeof cut);
    assert_string_equal(cut, "no allo");
}

/* ---- the space ---------------------------------------------------------------------------- */

static void with_few_addresses_the_space_is_small_and_says_so(void **state)
{
    (void)state;
    int status;
    sim_space_close();
    if (SANITIZED)
        return;
    ah_test_capture();
    pid_t child = fork();
    if (child == 0) {
        ah_log_configure(&(struct ah_log_settings){AH_LOG_WARNING, AH_LOG_DEFAULT_MASK, NULL, 0});
        const size_t bytes = 16 * GIB;
        struct rlimit limit = {8 * GIB, 8 * GIB};
        bool good = setrlimit(RLIMIT_AS, &limit) == 0 && sim_space_open(&bytes, 1);
        struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, MIB, 0);
        good = good && memory && may_write(0, memory->address, 1) && malloc(GIB);
        limit.rlim_cur = 64 * MIB;
        sim_space_close();
        good = good && setrlimit(RLIMIT_AS, &limit) == 0 && !sim_space_open(&bytes, 1);
        _exit(!good);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    const char *said = ah_test_captured();
    assert_int_equal(status, 0);
    assert_contains(said, "the process cannot reserve 288 GiB of addresses");
    assert_contains(said, "the process cannot reserve them (see ulimit -v)");
}

static void a_space_is_opened_once(void **state)
{
    (void)state;
    const size_t bytes = GIB;
    assert_false(sim_space_open(&bytes, 1));
    create(SIM_MEMORY_DEVICE, 0, 1000);
    sim_space_close();
    sim_space_close();
    assert_false(may_read(0, 1, 1));
    assert_null(sim_memory_create(SIM_MEMORY_DEVICE, 0, 1, 0));
    assert_null(sim_memory_register(&state, 1));
    assert_int_equal(sim_address_reserve(4096, 0, 0), 0);
    assert_true(sim_space_open(&bytes, 1));
    create(SIM_MEMORY_DEVICE, 0, GIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPACE_TEST(an_access_is_checked_to_the_byte),
        SPACE_TEST(a_large_allocation_begins_at_a_large_page),
        SPACE_TEST(what_is_written_to_the_view_is_read_at_the_address),
        SPACE_TEST(a_range_must_lie_within_one_allocation),
        SPACE_TEST(no_address_outside_of_allocations_is_accessible),
        SPACE_TEST(allocations_have_the_requested_alignment),
        SPACE_TEST(invalid_allocations_are_refused),
        SPACE_TEST(a_guard_follows_each_allocation),
        SPACE_TEST(guards_shrink_when_addresses_run_short),
        SPACE_TEST(freed_memory_is_not_accessible),
        SPACE_TEST(freed_addresses_are_not_reused_soon),
        SPACE_TEST(freed_memory_is_returned_to_the_kernel),
        SPACE_TEST(free_pages_next_to_freed_memory_are_returned_too),
        SPACE_TEST(the_rest_of_a_chunk_is_returned_when_the_next_allocation_is_elsewhere),
        SPACE_TEST(large_pages_of_freed_memory_move_to_the_next_allocation),
        SPACE_TEST(few_large_pages_are_kept),
        SPACE_TEST(pages_that_move_leave_no_mappings_behind),
        SPACE_TEST(identifiers_are_never_used_again),
        SPACE_TEST(a_device_cannot_exceed_its_capacity),
        SPACE_TEST(the_whole_capacity_can_be_allocated_in_the_smallest_pieces),
        SPACE_TEST(a_peer_is_accessible_while_access_is_enabled),
        SPACE_TEST(host_and_managed_memory_has_one_address_for_all),
        SPACE_TEST(the_host_faults_on_addresses_of_devices),
        SPACE_TEST(a_child_may_query_and_allocate),
        SPACE_TEST(registered_memory_is_accessible_to_the_byte),
        SPACE_TEST(memory_is_registered_once),
        SPACE_TEST(many_registrations_are_distinguished),
        SPACE_TEST(an_allocation_is_found_by_any_address_in_it),
        SPACE_TEST(allocations_are_visited_by_address_until_the_callback_stops),
        SPACE_TEST(a_report_describes_the_nearest_allocation),
        SPACE_TEST(a_report_names_variables_and_kinds),
        SPACE_TEST(a_report_says_when_nothing_is_near),
        SPACE_TEST(with_few_addresses_the_space_is_small_and_says_so),
        SPACE_TEST(a_space_is_opened_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
