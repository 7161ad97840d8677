/* Tests how libraries are opened and their symbols bound, and how failures are reported. */
#include "dynlib.h"
#include "log.h"
#include "support.h"

#include <dlfcn.h>
#include <string.h>

struct table {
    int (*first)(void);
    int (*second)(void);
    int (*third)(void);
    int (*fourth)(void);
};

#define ROW(need, field, name)                                                                     \
    {                                                                                              \
        name, offsetof(struct table, field), need                                                  \
    }
static const struct ah_dynlib_symbol rows[] = {
    ROW(AH_REQUIRED, first, "ahtest_first"),
    ROW(AH_REQUIRED, second, "ahtest_second_v2"),
    ROW(AH_OPTIONAL, third, "ahtest_third"),
    ROW(AH_REQUIRED, fourth, "ahtest_fourth"),
};

static const char whole[] = AH_TEST_WHOLE;
static const char partial[] = AH_TEST_PARTIAL;
static const char unresolved[] = AH_TEST_UNRESOLVED;

static void the_first_candidate_that_opens_is_taken(void **state)
{
    (void)state;
    const char *const candidates[] = {"/nonexistent/libx.so.1", whole, partial, NULL};
    struct ah_dynlib lib = {0};
    assert_true(ah_dynlib_open(&lib, candidates));
    assert_non_null(lib.handle);
    assert_string_equal(lib.path, whole);
    assert_int_equal(lib.attempt_count, 2);
    assert_string_equal(lib.attempts[0].path, "/nonexistent/libx.so.1");
    assert_contains(lib.attempts[0].error, "/nonexistent/libx.so.1");
    assert_string_equal(lib.attempts[1].path, whole);
    assert_null(lib.attempts[1].error);
    ah_dynlib_close(&lib);
}

static void every_candidate_that_fails_is_remembered_with_the_loaders_words(void **state)
{
    (void)state;
    const char *text = ah_test_write_text("libtext.so", "this is no library\n");
    const char *empty = ah_test_write_text("libempty.so", "");
    const char *const candidates[] = {
        "libahtest-nowhere.so.1", text, empty, unresolved, "/tmp", NULL};
    static const char *const words[] = {"cannot open shared object file", "too short", "too short",
                                        "ahtest_nobody_has_this", "/tmp"};
    struct ah_dynlib lib = {0};
    assert_false(ah_dynlib_open(&lib, candidates));
    assert_null(lib.handle);
    assert_null(lib.path);
    assert_int_equal(lib.attempt_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(lib.attempts[i].path, candidates[i]);
        assert_non_null(lib.attempts[i].error);
        assert_contains(lib.attempts[i].error, words[i]);
    }
    ah_dynlib_close(&lib);
}

static void attempts_are_logged_at_level_4(void **state)
{
    (void)state;
    const char *const candidates[] = {"/nonexistent/libx.so.1", whole, NULL};
    struct ah_dynlib lib = {0};
    ah_log_configure(&(struct ah_log_settings){.level = AH_LOG_DEBUG, .mask = AH_LOG_INIT});
    ah_test_capture();
    ah_dynlib_open(&lib, candidates);
    const char *text = ah_test_captured();
    ah_log_configure(&(struct ah_log_settings){.level = AH_LOG_NONE});
    ah_dynlib_close(&lib);
    assert_int_equal(ah_test_count_lines(text), 2);
    assert_contains(text, "dlopen /nonexistent/libx.so.1: ");
    assert_contains(text, ah_test_print("dlopen %s: ok\n", whole));
}

static void without_candidates_nothing_is_opened(void **state)
{
    (void)state;
    const char *const candidates[] = {NULL};
    struct ah_dynlib lib = {0};
    assert_false(ah_dynlib_open(&lib, candidates));
    assert_int_equal(lib.attempt_count, 0);
    ah_dynlib_close(&lib);
}

static struct ah_dynlib opened(const char *path)
{
    const char *const candidates[] = {path, NULL};
    struct ah_dynlib lib = {0};
    assert_true(ah_dynlib_open(&lib, candidates));
    return lib;
}

static void the_path_is_the_file_that_the_loader_found(void **state)
{
    (void)state;
    struct ah_dynlib lib = opened("libm.so.6");
    assert_int_equal(*lib.path, '/');
    assert_contains(lib.path, "libm.so.6");
    ah_dynlib_close(&lib);
}

static void symbols_land_at_their_offsets_by_their_exported_names(void **state)
{
    (void)state;
    struct ah_dynlib lib = opened(whole);
    struct table table;
    memset(&table, 0xff, sizeof table);
    assert_true(ah_dynlib_bind(&lib, rows, 3, &table));
    assert_null(lib.missing);
    assert_int_equal(table.first(), 1);
    assert_int_equal(table.second(), 22);
    assert_null(table.third);
    assert_int_equal((uintptr_t)table.fourth, UINTPTR_MAX);
    ah_dynlib_close(&lib);
}

static void all_missing_required_symbols_are_listed_and_optional_ones_are_not(void **state)
{
    (void)state;
    struct ah_dynlib lib = opened(partial);
    struct table table;
    memset(&table, 0xff, sizeof table);
    assert_false(ah_dynlib_bind(&lib, rows, 4, &table));
    assert_string_equal(lib.missing, "ahtest_second_v2, ahtest_fourth");
    assert_int_equal(table.first(), 1);
    assert_null(table.second);
    assert_null(table.third);
    assert_null(table.fourth);
    ah_dynlib_close(&lib);
}

static void symbols_of_the_library_do_not_become_the_programs(void **state)
{
    (void)state;
    struct ah_dynlib lib = opened(whole);
    assert_null(dlsym(RTLD_DEFAULT, "ahtest_first"));
    ah_dynlib_close(&lib);
}

static void closing_leaves_nothing_and_may_be_repeated(void **state)
{
    (void)state;
    struct ah_dynlib lib = opened(partial);
    struct table table;
    ah_dynlib_bind(&lib, rows, 4, &table);
    ah_dynlib_close(&lib);
    static const struct ah_dynlib nothing;
    assert_memory_equal(&lib, &nothing, sizeof lib);
    ah_dynlib_close(&lib);
    assert_null(dlopen(partial, RTLD_NOW | RTLD_NOLOAD));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(the_first_candidate_that_opens_is_taken),
        AH_TEST(every_candidate_that_fails_is_remembered_with_the_loaders_words),
        AH_TEST(attempts_are_logged_at_level_4),
        AH_TEST(without_candidates_nothing_is_opened),
        AH_TEST(the_path_is_the_file_that_the_loader_found),
        AH_TEST(symbols_land_at_their_offsets_by_their_exported_names),
        AH_TEST(all_missing_required_symbols_are_listed_and_optional_ones_are_not),
        AH_TEST(symbols_of_the_library_do_not_become_the_programs),
        AH_TEST(closing_leaves_nothing_and_may_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
