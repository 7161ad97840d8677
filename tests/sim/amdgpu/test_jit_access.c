/* Loads and stores that compiled regions leave to functions of the host, against one element after
 * the other: any lanes, in rows of any lengths, in one place or anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amdgpu_jit_region.h"
#include "sim_memory.h"

#include <string.h>

enum { LANES = AMDGPU_LANES_MAX, BYTES = 8192, ROUNDS = 4000 };

/* What is accessed, in global memory or in LDS. */
struct place {
    unsigned char *bytes;
    uint64_t address; /* of global memory */
    bool lds;
};

struct lanes {
    uint32_t low[LANES], high[LANES], data[4 * LANES];
    struct amdgpu_scattered access;
};

static uint64_t seed;

static uint32_t draw(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % limit;
}

static uint64_t draw_exec(unsigned lanes)
{
    uint64_t all = UINT64_MAX >> (64 - lanes), bits = 0;
    for (unsigned i = 0; i < 4; i++)
        bits = bits << 16 | draw(1 << 16);
    switch (draw(4)) {
    case 0:
        return bits & all;
    case 1:
        return all >> draw(lanes);
    case 2:
        return all >> draw(lanes) << draw(lanes) & all;
    default:
        return all;
    }
}

/* A row ends behind one lane of so many, on average; step is that within rows. */
static void draw_offsets(uint32_t *offsets, unsigned lanes, unsigned bytes)
{
    static const unsigned often[] = {1, 4, 18, 100};
    unsigned ends = often[draw(4)], step = draw(8) ? bytes : 0;
    for (unsigned i = 0; i < lanes; i++)
        if (i == 0 || draw(ends) == 0 || offsets[i - 1] + step > BYTES - bytes)
            offsets[i] = draw((BYTES - LANES * bytes) / bytes) * bytes;
        else
            offsets[i] = offsets[i - 1] + step;
}

static void draw_lanes(struct lanes *out, const struct place *place, unsigned lanes, unsigned bytes)
{
    uint32_t offsets[LANES];
    uint64_t base = draw(2) ? 256 : 0; /* which the offsets of lanes may make wrap */
    draw_offsets(offsets, lanes, bytes);
    for (unsigned i = 0; i < lanes; i++) {
        uint64_t at = (place->lds ? 0 : place->address) + offsets[i] - base;
        out->low[i] = (uint32_t)at;
        out->high[i] = (uint32_t)(at >> 32);
    }
    for (unsigned i = 0; i < sizeof out->data / sizeof *out->data; i++)
        out->data[i] = draw(UINT32_MAX);
    out->access = (struct amdgpu_scattered){.low = out->low,
                                            .high = place->lds ? NULL : out->high,
                                            .base = base,
                                            .exec = draw_exec(lanes),
                                            .data = out->data,
                                            .flags = (uint64_t)bytes << AMDGPU_ACCESS_SIZE |
                                                     (place->lds ? AMDGPU_ACCESS_LDS : 0),
                                            .lanes = lanes,
                                            .lds = place->lds ? place->bytes : NULL,
                                            .lds_size = place->lds ? BYTES : 0};
}

static size_t offset_of(const struct lanes *lanes, const struct place *place, unsigned lane)
{
    if (place->lds)
        return (uint32_t)(lanes->low[lane] + (uint32_t)lanes->access.base);
    return (lanes->low[lane] | (uint64_t)lanes->high[lane] << 32) + lanes->access.base -
           place->address;
}

/* By words. */
static void move_each(const struct lanes *lanes, const struct place *place, unsigned words,
                      bool write, unsigned char *bytes, uint32_t *data)
{
    for (unsigned lane = 0; lane < lanes->access.lanes; lane++)
        for (unsigned r = 0; r < words && lanes->access.exec >> lane & 1; r++) {
            unsigned char *word = bytes + offset_of(lanes, place, lane) + 4 * r;
            uint32_t *value = &data[r * lanes->access.lanes + lane];
            if (write)
                memcpy(word, value, sizeof *value);
            else
                memcpy(value, word, sizeof *value);
        }
}

static void check_once(const struct place *place, unsigned count, unsigned words, bool write)
{
    static unsigned char bytes[BYTES];
    static struct lanes lanes;
    uint32_t data[4 * LANES];
    const struct amdgpu_jit_functions *functions = amdgpu_jit_functions();
    draw_lanes(&lanes, place, count, 4 * words);
    for (unsigned i = 0; i < BYTES; i++)
        place->bytes[i] = (unsigned char)draw(256);
    memcpy(bytes, place->bytes, BYTES);
    memcpy(data, lanes.data, sizeof data);
    move_each(&lanes, place, words, write, bytes, data);
    assert_true((write ? functions->store : functions->load)(&lanes.access));
    assert_memory_equal(place->bytes, bytes, BYTES);
    assert_memory_equal(lanes.data, data, sizeof data);
}

static void check(const struct place *place)
{
    for (seed = 1; seed <= ROUNDS; seed++) {
        uint64_t round = seed;
        unsigned lanes = round % 2 ? 32 : 64, words = round % 5 == 0 ? 2 : 1;
        check_once(place, lanes, words, round / 2 % 2);
        seed = round;
    }
}

static void words_of_lanes_in_rows_are_moved_in_lds(void **state)
{
    static unsigned char lds[BYTES];
    (void)state;
    check(&(struct place){.bytes = lds, .lds = true});
}

static void words_of_lanes_in_rows_are_moved_in_global_memory(void **state)
{
    (void)state;
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, BYTES, BYTES);
    assert_non_null(memory);
    check(&(struct place){.bytes = memory->view, .address = memory->address});
    sim_memory_destroy(memory);
}

/* A row whose last word is beyond the end; with that lane off it is not. */
static void a_row_beyond_the_end_is_refused(void **state)
{
    static unsigned char lds[BYTES];
    static struct lanes lanes;
    const struct amdgpu_jit_functions *functions = amdgpu_jit_functions();
    (void)state;
    draw_lanes(&lanes, &(struct place){.bytes = lds, .lds = true}, 32, 4);
    for (unsigned i = 0; i < 32; i++)
        lanes.low[i] = i < 20 ? 16 * 4 + 4 * i : BYTES - 11 * 4 + 4 * (i - 20);
    lanes.access.base = 0;
    lanes.access.exec = UINT32_MAX;
    assert_false(functions->load(&lanes.access));
    assert_false(functions->store(&lanes.access));
    lanes.access.exec = UINT32_MAX >> 1;
    assert_true(functions->load(&lanes.access));
    assert_true(functions->store(&lanes.access));
}

static int space_open(void **state)
{
    (void)state;
    size_t bytes = (size_t)1 << 30;
    return sim_space_open(&bytes, 1) ? 0 : -1;
}

static int space_close(void **state)
{
    (void)state;
    sim_space_close();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_lanes_in_rows_are_moved_in_lds),
        cmocka_unit_test(words_of_lanes_in_rows_are_moved_in_global_memory),
        cmocka_unit_test(a_row_beyond_the_end_is_refused),
    };
    return cmocka_run_group_tests(tests, space_open, space_close);
}
