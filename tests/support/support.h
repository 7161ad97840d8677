/* What unit tests share: environment and standard error taken over and given back, files in
 * a folder of their own, memory that ends where reading must end, child processes. Running out
 * of anything ends the test program with a message, so nothing here fails. */
#ifndef AH_TEST_SUPPORT_H
#define AH_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* cmocka's setup and teardown: the teardown gives back the environment and standard error
 * and removes the folder. */
int ah_test_set_up(void **state);
int ah_test_tear_down(void **state);

/* A setup in which child processes find no driver, also on machines that have one: ANYHIP_BACKEND
 * is cuda, whose library is found to be none. Nothing is configured or logged. */
int ah_test_without_driver(void **state);

/* A test between the two. */
#define AH_TEST(function)                                                                          \
    cmocka_unit_test_setup_teardown(function, ah_test_set_up, ah_test_tear_down)

/* value NULL unsets. The old value comes back at the end of the test. */
void ah_test_setenv(const char *name, const char *value);

/* Zeroed memory and text that live until the end of the test. */
void *ah_test_alloc(size_t size);
char *ah_test_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Standard error goes into a file from now on. */
void ah_test_capture(void);

/* What was written since; standard error is as before. Lives until the end of the test. */
const char *ah_test_captured(void);

size_t ah_test_count_lines(const char *text);
size_t ah_test_count(const char *text, const char *part);

/* As cmocka's assertions: text holds part, and does not. */
#define assert_contains(text, part) ah_test_contains(text, part, true, __FILE__, __LINE__)
#define assert_lacks(text, part)    ah_test_contains(text, part, false, __FILE__, __LINE__)
void ah_test_contains(const char *text, const char *part, bool expected, const char *file,
                      int line);

/* Whether the whole of text matches an extended regular expression. */
bool ah_test_matches(const char *text, const char *pattern);

/* The path of name in a fresh folder that is removed at the end of the test. */
const char *ah_test_path(const char *name);

/* Writes a file of that folder, with the folders that it needs; returns its path. */
const char *ah_test_write_file(const char *name, const void *data, size_t size);
const char *ah_test_write_text(const char *name, const char *text);

/* The whole file with a NUL after it, until the end of the test. NULL: it cannot be read. */
char *ah_test_read_file(const char *path, size_t *out_size);

/* A copy of data whose last byte is followed by memory that cannot be read. Lives until
 * ah_test_unguard or the end of the test. */
void *ah_test_guard(const void *data, size_t size);
void ah_test_unguard(void *data, size_t size);

struct ah_test_run {
    int status;      /* exit status, 128 + the signal when killed */
    const char *out; /* standard output, */
    const char *err; /* standard error: until the end of the test */
};

/* Runs a program with arguments, ended by a NULL, in the environment as it is. */
struct ah_test_run ah_test_execute(const char *const *argv);

/* A random number from a fixed seed, the same in every run. */
uint64_t ah_test_random(uint64_t *seed);

/* How many files this process has open. */
int ah_test_open_files(void);

#endif
