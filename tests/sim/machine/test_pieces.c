/* The program's memory, in pieces that overlapping registrations share. */
#include "sim_pieces.h"
#include "space.h"

#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 16 };

static uint64_t base; /* of PAGES pages; the last is not mapped */

static int open_pages(void **state)
{
    void *pages =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (open_space(state) != 0 || pages == MAP_FAILED)
        return -1;
    base = (uintptr_t)pages;
    return munmap((char *)pages + (PAGES - 1) * PAGE, PAGE);
}

static int close_pages(void **state)
{
    return munmap((void *)(uintptr_t)base, (PAGES - 1) * PAGE) | close_space(state);
}

static uint64_t page(unsigned number)
{
    return base + (uint64_t)number * PAGE;
}

static bool is_reached(unsigned number)
{
    return sim_translate_range(0, page(number), PAGE, true) != NULL;
}

static void overlapping_covers_share_pieces(void **state)
{
    (void)state;
    struct sim_pieces pieces = {0};
    assert_true(sim_pieces_cover(&pieces, page(2), page(6)));
    assert_true(sim_pieces_cover(&pieces, page(0), page(8)));
    assert_int_equal(sim_pieces_find(&pieces, page(3))->count, 2);
    assert_int_equal(sim_pieces_find(&pieces, page(1))->count, 1);
    assert_int_equal(sim_piece_end(sim_pieces_find(&pieces, page(7))), page(8));
    assert_null(sim_pieces_find(&pieces, page(8)));
    assert_non_null(sim_translate_range(0, page(0), 8 * PAGE, true));
    sim_pieces_uncover(&pieces, page(2), page(6));
    assert_true(is_reached(3));
    sim_pieces_uncover(&pieces, page(0), page(8));
    assert_false(is_reached(3));
    assert_int_equal(pieces.ranges.count, 0);
}

static void attributes_cover_only_memory_of_the_program(void **state)
{
    (void)state;
    struct sim_pieces pieces = {0};
    assert_true(sim_pieces_cover(&pieces, page(10), page(12)));
    assert_false(sim_pieces_cover(&pieces, page(9), page(PAGES)));
    assert_int_equal(sim_pieces_find(&pieces, page(10))->count, 1);
    assert_null(sim_pieces_find(&pieces, page(9)));
    assert_false(is_reached(9));
    sim_pieces_uncover(&pieces, page(10), page(12));
    assert_int_equal(pieces.ranges.count, 0);
}

/* ---- owners ---------------------------------------------------------------------------------- */

static unsigned begun, ended;
static bool refuses;

static bool begin(struct sim_piece *piece)
{
    piece->owner = &begun;
    begun += !refuses;
    if (refuses)
        sim_memory_destroy(piece->memory);
    return !refuses;
}

static void end(struct sim_piece *piece)
{
    assert_ptr_equal(piece->owner, &begun);
    sim_memory_destroy(piece->memory);
    ended++;
}

static void owners_are_called_once_for_each_piece(void **state)
{
    (void)state;
    struct sim_pieces pieces = {.begin = begin, .end = end};
    assert_true(sim_pieces_cover(&pieces, page(4), page(6)));
    assert_true(sim_pieces_cover(&pieces, page(4), page(8)));
    assert_int_equal(begun, 2);
    refuses = true;
    assert_false(sim_pieces_cover(&pieces, page(0), page(8)));
    assert_int_equal(ended, 0);
    sim_pieces_uncover(&pieces, page(4), page(6));
    assert_int_equal(ended, 0);
    sim_pieces_uncover(&pieces, page(4), page(8));
    assert_int_equal(ended, 2);
    assert_false(is_reached(5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlapping_covers_share_pieces),
        cmocka_unit_test(attributes_cover_only_memory_of_the_program),
        cmocka_unit_test(owners_are_called_once_for_each_piece),
    };
    return cmocka_run_group_tests(tests, open_pages, close_pages);
}
