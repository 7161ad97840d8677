/* Tests that names in messages are those of the source. libstdc++ is found when it is not linked.
 */
#include "demangle.h"
#include "support.h"

static void names_are_as_the_source_has_them(void **state)
{
    (void)state;
    ah_demangle_prepare();
    assert_string_equal(ah_demangle("_Z3addPfi"), "add(float*, int)");
    assert_string_equal(ah_demangle("_ZN1a4swapIdEEvPT_"), "void a::swap<double>(double*)");
    assert_string_equal(ah_demangle("_Z3addPfi+0x54"), "add(float*, int)+0x54");
}

static void other_names_stay(void **state)
{
    (void)state;
    assert_string_equal(ah_demangle("add"), "add");
    assert_string_equal(ah_demangle("add+0x10"), "add+0x10");
    assert_string_equal(ah_demangle(""), "");
    assert_string_equal(ah_demangle("_Z"), "_Z");
    assert_string_equal(ah_demangle("_Z3addP"), "_Z3addP");
    const char *length = ah_test_print("_Z%dk%0*dv", 1200, 1199, 0);
    assert_string_equal(ah_demangle(length), length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(names_are_as_the_source_has_them),
        AH_TEST(other_names_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
