/* Tests what errors are called, and the last error's rules, which are HIP 7's. */
#include "without_driver.h"

#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <string.h>

/* ---- names and texts, against the enumeration as the header has it ------- */

struct enumerator {
    char name[64];
    int value;
};

static size_t read_enumeration(struct enumerator *out, size_t capacity)
{
    char *text = ah_test_read_file(AH_TEST_INCLUDE "/hip/api/error_types.h", NULL), *line;
    size_t count = 0;
    assert_non_null(text);
    while ((line = strsep(&text, "\n")))
        if (count < capacity &&
            sscanf(line, " %63[A-Za-z0-9] = %d,", out[count].name, &out[count].value) == 2 &&
            strncmp(out[count].name, "hip", 3) == 0)
            count++;
    return count;
}

enum { CAPACITY = 200, LAST_MOVES = 1054 };
static struct enumerator enumerators[CAPACITY];
static size_t enumerator_count;

static int read_once(void **state)
{
    (void)state;
    enumerator_count = read_enumeration(enumerators, CAPACITY);
    ah_test_tear_down(state);
    return enumerator_count > 80 ? 0 : -1;
}

/* Of several names of one number the first is the one. */
static const char *first_name(int value)
{
    for (size_t i = 0; i < enumerator_count; i++)
        if (enumerators[i].value == value)
            return enumerators[i].name;
    return NULL;
}

static void every_error_is_called_what_the_enumeration_calls_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < enumerator_count; i++)
        if (enumerators[i].value != LAST_MOVES)
            assert_string_equal(hipGetErrorName((hipError_t)enumerators[i].value),
                                first_name(enumerators[i].value));
}

static void every_error_has_a_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < enumerator_count; i++) {
        hipError_t error = (hipError_t)enumerators[i].value;
        assert_true(*hipGetErrorString(error));
        if (error != hipErrorUnknown && enumerators[i].value != LAST_MOVES)
            assert_string_not_equal(hipGetErrorString(error), "unknown error");
    }
}

static void the_texts_that_programs_print_most_are_roc_ms(void **state)
{
    (void)state;
    assert_string_equal(hipGetErrorString(hipSuccess), "no error");
    assert_string_equal(hipGetErrorString(hipErrorInvalidValue), "invalid argument");
    assert_string_equal(hipGetErrorString(hipErrorOutOfMemory), "out of memory");
    assert_string_equal(hipGetErrorString(hipErrorNoDevice), "no ROCm-capable device is detected");
    assert_string_equal(hipGetErrorString(hipErrorNotReady), "device not ready");
    assert_string_equal(hipGetErrorString(hipErrorLaunchFailure), "unspecified launch failure");
}

static void other_numbers_are_unknown_errors(void **state)
{
    (void)state;
    const char *text;
    for (int value = -3; value < 1200; value++) {
        if (first_name(value))
            continue;
        assert_string_equal(hipGetErrorName((hipError_t)value), "hipErrorUnknown");
        assert_string_equal(hipGetErrorString((hipError_t)value), "unknown error");
        assert_int_equal(hipDrvGetErrorName((hipError_t)value, &text), hipErrorInvalidValue);
        assert_int_equal(hipDrvGetErrorString((hipError_t)value, &text), hipErrorInvalidValue);
    }
}

static void the_drivers_forms_give_the_same_names_and_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < enumerator_count; i++) {
        const char *name = NULL, *text = NULL;
        hipError_t error = (hipError_t)enumerators[i].value;
        if (enumerators[i].value == LAST_MOVES)
            continue;
        assert_int_equal(hipDrvGetErrorName(error, &name), hipSuccess);
        assert_int_equal(hipDrvGetErrorString(error, &text), hipSuccess);
        assert_string_equal(name, hipGetErrorName(error));
        assert_string_equal(text, hipGetErrorString(error));
    }
    assert_int_equal(hipDrvGetErrorName(hipSuccess, NULL), hipErrorInvalidValue);
    assert_int_equal(hipDrvGetErrorString(hipSuccess, NULL), hipErrorInvalidValue);
}

/* ---- the last error ----------------------------------------------------- */

static void there_is_no_last_error_at_first(void **state)
{
    (void)state;
    assert_calls("last peek extended", "hipSuccess\nhipSuccess\nhipSuccess\n");
}

static void the_last_error_stays_until_it_is_read(void **state)
{
    (void)state;
    assert_calls("allocate_null peek peek last last peek",
                 "hipErrorInvalidValue\nhipErrorInvalidValue\nhipErrorInvalidValue\n"
                 "hipErrorInvalidValue\nhipSuccess\nhipSuccess\n");
}

static void a_success_does_not_clear_the_last_error(void **state)
{
    (void)state;
    assert_calls("allocate_null runtime_version last",
                 "hipErrorInvalidValue\nhipSuccess\nhipErrorInvalidValue\n");
}

static void a_later_error_replaces_the_last_one(void **state)
{
    (void)state;
    assert_calls("allocate_null allocate last",
                 "hipErrorInvalidValue\nhipErrorNoDevice\nhipErrorNoDevice\n");
}

static void the_extended_form_gives_the_last_calls_result(void **state)
{
    (void)state;
    assert_calls("allocate_null extended extended peek",
                 "hipErrorInvalidValue\nhipErrorInvalidValue\nhipSuccess\nhipErrorInvalidValue\n");
    assert_calls("allocate_null runtime_version extended last",
                 "hipErrorInvalidValue\nhipSuccess\nhipSuccess\nhipErrorInvalidValue\n");
}

static void each_thread_has_its_own_last_error(void **state)
{
    (void)state;
    assert_calls("allocate_null last_of_thread last",
                 "hipErrorInvalidValue\nhipSuccess\nhipErrorInvalidValue\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(every_error_is_called_what_the_enumeration_calls_it),
        AH_TEST(every_error_has_a_text),
        AH_TEST(the_texts_that_programs_print_most_are_roc_ms),
        AH_TEST(other_numbers_are_unknown_errors),
        AH_TEST(the_drivers_forms_give_the_same_names_and_texts),
        AH_DRIVERLESS_TEST(there_is_no_last_error_at_first),
        AH_DRIVERLESS_TEST(the_last_error_stays_until_it_is_read),
        AH_DRIVERLESS_TEST(a_success_does_not_clear_the_last_error),
        AH_DRIVERLESS_TEST(a_later_error_replaces_the_last_one),
        AH_DRIVERLESS_TEST(the_extended_form_gives_the_last_calls_result),
        AH_DRIVERLESS_TEST(each_thread_has_its_own_last_error),
    };
    return cmocka_run_group_tests(tests, read_once, NULL);
}
