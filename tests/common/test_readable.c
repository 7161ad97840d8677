/* Tests how far memory of unknown size can be read. */
#include "readable.h"
#include "support.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *map(char *at, size_t size, int protection)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0);
    char *memory = mmap(at, size, protection, flags, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static void memory_ends_at_the_first_page_that_cannot_be_read(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = map(NULL, 4 * page, PROT_NONE);
    mprotect(memory, page, PROT_READ | PROT_WRITE);
    mprotect(memory + page, page, PROT_READ); /* another mapping, adjacent */
    assert_int_equal(ah_memory_readable(memory), 2 * page);
    assert_int_equal(ah_memory_readable(memory + 1), 2 * page - 1);
    assert_int_equal(ah_memory_readable(memory + 2 * page - 1), 1);
    assert_int_equal(ah_memory_readable(memory + 2 * page), 0);
    mprotect(memory + 2 * page, page, PROT_READ | PROT_EXEC);
    assert_int_equal(ah_memory_readable(memory), 3 * page);
    munmap(memory + 2 * page, page);
    assert_int_equal(ah_memory_readable(memory), 2 * page);
    assert_int_equal(ah_memory_readable(memory + 2 * page), 0);
    munmap(memory, 4 * page);
}

static void nowhere_nothing_can_be_read(void **state)
{
    (void)state;
    int files = ah_test_open_files();
    assert_int_equal(ah_memory_readable(NULL), 0);
    assert_int_equal(ah_memory_readable((void *)16), 0);
    assert_int_equal(ah_memory_readable((void *)(UINTPTR_MAX - 4096)), 0);
    assert_int_equal(ah_memory_readable((void *)UINTPTR_MAX), 0);
    assert_int_equal(ah_test_open_files(), files);
}

static void the_programs_own_memory_can_be_read(void **state)
{
    (void)state;
    static const char constant[] = "constant";
    int local = 0;
    char *heap = ah_test_alloc(100000);
    assert_true(ah_memory_readable(constant) >= sizeof constant);
    assert_true(ah_memory_readable(&local) >= sizeof local);
    assert_true(ah_memory_readable(heap) >= 100000);
}

/* The bytes that can be read from a page of the file at path on, which another page follows. */
static size_t readable_of_file(const char *path, size_t page)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0);
    char *memory = map(NULL, 3 * page, PROT_NONE);
    assert_ptr_equal(mmap(memory, page, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0), memory);
    close(file);
    mprotect(memory + page, page, PROT_READ);
    size_t readable = ah_memory_readable(memory);
    munmap(memory, 3 * page);
    return readable;
}

/* A file's mapping is a line of the process's map as long as its path is; wherever such a line is
 * cut, the rest of this path could pass for a mapping at 1. */
static void mappings_of_files_with_long_paths_do_not_end_memory(void **state)
{
    (void)state;
    static const char alike[] = "1-2 r";
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *zeroes = ah_test_alloc(2 * page);
    for (int shift = 0; shift < 5; shift++) {
        char name[1024] = "";
        memset(name, 'x', (size_t)shift);
        for (int i = 0; i < 160; i++)
            strcat(name, i % 40 == 39 ? "/" : alike);
        strcat(name, "x");
        const char *path = ah_test_write_file(name, zeroes, 2 * page);
        assert_int_equal(readable_of_file(path, page), 2 * page);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(memory_ends_at_the_first_page_that_cannot_be_read),
        AH_TEST(nowhere_nothing_can_be_read),
        AH_TEST(the_programs_own_memory_can_be_read),
        AH_TEST(mappings_of_files_with_long_paths_do_not_end_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
