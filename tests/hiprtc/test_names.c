/* Tests that the symbols of name expressions are read from LLVM's text. */
#include "log.h"
#include "rtc_names.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* A program with the expressions "0", "1", ... and nothing else. */
static struct ah_rtc_program with_names(struct ah_rtc_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        names[i] = (struct ah_rtc_name){.expression = ah_test_print("x%zu", i)};
    return (struct ah_rtc_program){.names = names, .name_count = count};
}

static void assert_lowered(struct ah_rtc_name *name, const char *expected)
{
    assert_non_null(name->lowered);
    assert_string_equal(name->lowered, expected);
    free(name->lowered);
    name->lowered = NULL;
}

static void the_symbol_is_the_initialiser_of_the_variable(void **state)
{
    (void)state;
    struct ah_rtc_name names[4];
    struct ah_rtc_program program = with_names(names, 4);
    static const char text[] =
        "; ModuleID = 'x'\n"
        "@__hiprtc_name_1 = addrspace(4) constant ptr addrspacecast (ptr addrspace(1) "
        "@_ZN1N2V2E to ptr), align 8\n"
        "@__hiprtc_name_0 = addrspace(4) constant ptr @_Z1kILi3EfEvPT0_, align 8\n"
        "@__hiprtc_name_2 = constant ptr @\"odd\\22 name\\5C$\", align 8\n"
        "@__hiprtc_name_3 = constant ptr @x.managed-1";
    assert_int_equal(ah_rtc_names_read(&program, text), HIPRTC_SUCCESS);
    assert_lowered(&names[0], "_Z1kILi3EfEvPT0_");
    assert_lowered(&names[1], "_ZN1N2V2E");
    assert_lowered(&names[2], "odd\" name\\$");
    assert_lowered(&names[3], "x.managed-1");
}

static void what_names_no_symbol_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n@__hiprtc_name_0 = constant i32 42, align 4\n@other = constant ptr @k\n",
        "\n@__hiprtc_name_0 = constant ptr @\"open\n",
        "\n@__hiprtc_name_0 = constant ptr @",
        "\n@__hiprtc_name_01 = constant ptr @k\n",
    };
    ah_log_configure(&(struct ah_log_settings){.level = AH_LOG_ERROR, .mask = -1});
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ah_rtc_name name;
        struct ah_rtc_program program = with_names(&name, 1);
        ah_test_capture();
        assert_int_equal(ah_rtc_names_read(&program, texts[i]),
                         HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
        assert_contains(ah_test_captured(), "the name expression \"x0\" is not the address of a "
                                            "kernel or of a variable of the device");
        assert_null(name.lowered);
    }
}

static void each_expression_is_a_variable_with_lines_of_its_own(void **state)
{
    (void)state;
    struct ah_rtc_name names[2];
    struct ah_rtc_program program = with_names(names, 2);
    for (int variables = 0; variables < 2; variables++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        ah_rtc_names_write(out, &program, variables);
        fclose(out);
        assert_contains(text, "#line 1 \"name expression 1\"\n");
        assert_contains(text, "const auto __hiprtc_name_1 =\nx1\n;\n");
        assert_int_equal(strstr(text, "__device__") != NULL, variables);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(the_symbol_is_the_initialiser_of_the_variable),
        AH_TEST(what_names_no_symbol_is_refused),
        AH_TEST(each_expression_is_a_variable_with_lines_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
