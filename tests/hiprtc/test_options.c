/* Tests that options become the compile driver's. */
#include "runtime.h"
#include "log.h"
#include "rtc_options.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* There is no device: the current architecture is asked for elsewhere. */
struct ah_registry ah_registry;
_Thread_local struct ah_thread ah_thread __attribute__((tls_model("initial-exec")));

static char *joined(const struct ah_rtc_arguments *arguments)
{
    char *text = ah_test_print("%s", "");
    for (size_t i = 0; i < arguments->count; i++)
        text = ah_test_print("%s[%s]", text, arguments->at[i]);
    return text;
}

/* Reads options that blanks separate, with '~' for a blank inside one. */
static hiprtcResult read_options(const char *text, struct ah_rtc_options *out, char **out_refused)
{
    const char *options[16];
    int count = 0;
    char *copy = ah_test_print("%s", text), *rest = copy;
    for (char *word; (word = strsep(&rest, " "));)
        if (*word)
            options[count++] = word;
    for (char *c = copy; c < copy + strlen(text); c++)
        if (*c == '~')
            *c = ' ';
    return ah_rtc_options_read(out, count, options, out_refused);
}

static void assert_read(const char *text, const char *arguments, const char *macros,
                        const char *architectures)
{
    struct ah_rtc_options options;
    char *refused;
    assert_int_equal(read_options(text, &options, &refused), HIPRTC_SUCCESS);
    assert_string_equal(joined(&options.arguments), arguments);
    assert_string_equal(joined(&options.macros), macros);
    assert_string_equal(options.architectures ? options.architectures : "", architectures);
    assert_null(refused);
    ah_rtc_options_fini(&options);
}

static void architectures_are_collected_in_either_spelling(void **state)
{
    (void)state;
    assert_read("", "", "", "");
    assert_read("--gpu-architecture=gfx90a:xnack-", "", "", "gfx90a:xnack-");
    assert_read("-arch sm_70", "", "", "sm_70");
    assert_read("--offload-arch=gfx90a --offload-arch gfx1100", "", "", "gfx90a,gfx1100");
    assert_read("--gpu-architecture gfx90a -O1", "[-O1]", "", "gfx90a");
}

static void macros_are_for_the_source_unless_the_header_knows_them(void **state)
{
    (void)state;
    assert_read("-DN=4 -D T=float -UX --define-macro=A --undefine-macro B", "",
                "[-DN=4][-DT=float][-UX][-DA][-UB]", "");
    assert_read("-DHIP_X -DNDEBUG -D_Y -D~~Z", "[-DHIP_X][-DNDEBUG][-D_Y]", "[-DZ]", "");
}

static void values_are_found_after_blanks_and_in_the_next_option(void **state)
{
    (void)state;
    assert_read("-I~~a/b -I c -include~x.h --include-path=d --pre-include y.h",
                "[-Ia/b][-Ic][-includex.h][-Id][-includey.h]", "", "");
}

static void spellings_of_nvidia_become_clangs(void **state)
{
    (void)state;
    assert_read("--fmad=false -lineinfo -G -default-device --maxrregcount=32 -maxrregcount 16",
                "[-ffp-contract=off][-gline-tables-only][-g]", "", "");
    assert_read("-w -mllvm -x=1 -Wall", "[-w][-mllvm][-x=1][-Wall]", "", "");
}

static void options_that_clang_no_longer_has_are_left_out(void **state)
{
    (void)state;
    ah_log_configure(&(struct ah_log_settings){.level = AH_LOG_WARNING, .mask = -1});
    ah_test_capture();
    assert_read("-O2 -flegacy-pass-manager -fno-legacy-pass-manager -w", "[-O2][-w]", "", "");
    const char *said = ah_test_captured();
    assert_contains(said, "hiprtc: -flegacy-pass-manager is obsolete and changes nothing");
    assert_int_equal(ah_test_count_lines(said), 2);
    ah_log_configure(&(struct ah_log_settings){.level = AH_LOG_NONE});
    assert_read("-fexperimental-new-pass-manager -fno-experimental-new-pass-manager", "", "", "");
    assert_read("-mcode-object-v3 -mno-code-object-v3 -famd-opt", "", "", "");
    assert_read("-fcuda-host-device-constexpr -DX", "", "[-DX]", "");
}

static void relocatable_device_code_has_many_names(void **state)
{
    (void)state;
    static const char *const names[] = {"-fgpu-rdc", "--device-c", "-dc", "-rdc=true",
                                        "--relocatable-device-code=true"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ah_rtc_options options;
        char *refused;
        assert_int_equal(ah_rtc_options_read(&options, 1, &names[i], &refused), HIPRTC_SUCCESS);
        assert_true(options.relocatable);
        assert_int_equal(options.arguments.count, 0);
        ah_rtc_options_fini(&options);
    }
}

static void what_would_make_something_else_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const refused_ones[] = {
        "-c", "-E", "-S", "-o", "-x", "-###", "--offload-arch"};
    for (size_t i = 0; i < sizeof refused_ones / sizeof *refused_ones; i++) {
        struct ah_rtc_options options;
        char *refused;
        assert_int_equal(ah_rtc_options_read(&options, 1, &refused_ones[i], &refused),
                         HIPRTC_ERROR_INVALID_OPTION);
        assert_contains(refused, refused_ones[i]);
        free(refused);
        ah_rtc_options_fini(&options);
    }
}

static void the_environment_adds_options(void **state)
{
    (void)state;
    ah_test_setenv("HIPRTC_COMPILE_OPTIONS_APPEND", " -O1  -DN=5\t-w ");
    assert_read("-O2", "[-O2][-O1][-w]", "[-DN=5]", "");
    unsetenv("HIPRTC_COMPILE_OPTIONS_APPEND");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(architectures_are_collected_in_either_spelling),
        AH_TEST(macros_are_for_the_source_unless_the_header_knows_them),
        AH_TEST(values_are_found_after_blanks_and_in_the_next_option),
        AH_TEST(spellings_of_nvidia_become_clangs),
        AH_TEST(options_that_clang_no_longer_has_are_left_out),
        AH_TEST(relocatable_device_code_has_many_names),
        AH_TEST(what_would_make_something_else_is_refused_by_name),
        AH_TEST(the_environment_adds_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
