/* What the tests of simulated memory share: a space with two devices of 1 GiB. */
#ifndef AH_TEST_SIM_SPACE_H
#define AH_TEST_SIM_SPACE_H

#include "sim_memory.h"
#include "support.h"

enum { DEVICES = 2, MIB = 1 << 20 };
static const size_t GIB = (size_t)1 << 30;

static inline int open_space(void **state)
{
    const size_t bytes[DEVICES] = {GIB, GIB};
    return ah_test_set_up(state) || !sim_space_open(bytes, DEVICES);
}

static inline int close_space(void **state)
{
    sim_space_close();
    return ah_test_tear_down(state);
}

#define SPACE_TEST(function) cmocka_unit_test_setup_teardown(function, open_space, close_space)

static inline struct sim_memory *create(enum sim_kind kind, int device, size_t size)
{
    struct sim_memory *memory = sim_memory_create(kind, device, size, 0);
    assert_non_null(memory);
    return memory;
}

static inline bool may_read(int device, uint64_t address, size_t size)
{
    return sim_translate(device, address, size, false) != NULL;
}

static inline bool may_write(int device, uint64_t address, size_t size)
{
    return sim_translate(device, address, size, true) != NULL;
}

static inline const char *described(uint64_t address)
{
    char *text = ah_test_alloc(256);
    sim_memory_describe(address, text, 256);
    return text;
}

#endif
