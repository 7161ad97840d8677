/* Tests which constant variables are moved to global memory, and that nothing else changes. */
#include "check.h"
#include "constants.h"

#include <string.h>

static void sizes_are_added_with_their_alignment(void)
{
    CHECK(ah_constants_size("") == 0);
    CHECK(ah_constants_size(".visible .const .align 4 .b8 big[80000];\n") == 80000);
    CHECK(ah_constants_size(".const .align 8 .u64 x = 5;\n.weak .const .align 4 .f32 y;\n") == 12);
    CHECK(ah_constants_size(".const .align 1 .b8 a[3];\n.const .align 8 .b64 b[2][4];\n") == 72);
    CHECK(ah_constants_size("// .const .align 4 .b8 a[4];\n\t.const .b8 b;\n"
                            ".visible .global .align 4 .b8 c[70000];\n.const") == 0);
}

static const char ptx[] = ".visible .const .align 4 .b8 big[60000];\n"
                          ".visible .const .align 4 .b8 small[6000];\n"
                          ".const .align 4 .b8 local_$_1[5000];\n";

#define BIG   "@big = dso_local addrspace(4) externally_initialized constant [15000 x i32] undef\n"
#define SMALL "@small = addrspace(4) constant [1500 x i32] [i32 4, i32 5]\n"
#define LOCAL "@local.1 = internal addrspace(4) constant [5000 x i8] c\"@big \\22@small\\22\"\n"
#define CAST  "load i32, ptr addrspacecast (ptr addrspace(4) @big to ptr)\n"

#define BIG_GLOBAL                                                                                 \
    "@big = dso_local addrspace(1) externally_initialized constant [15000 x i32] undef\n"
#define CAST_GLOBAL "load i32, ptr addrspacecast (ptr addrspace(1) @big to ptr)\n"

/* The module moved, or "none"; names are those that were moved, in one line. */
static const char *moved(const char *module, const char *text, const char **out_names)
{
    struct ah_strings names = {0};
    const char *changed = ah_constants_move(module, text, &names);
    *out_names = "";
    for (size_t i = 0; i < names.count; i++)
        *out_names = ah_text_print("%s%s%s", *out_names, i ? " " : "", names.at[i]);
    return changed ? changed : "none";
}

static void the_largest_go_until_the_rest_fits(void)
{
    const char *names, *more = ah_text_print("%s.const .align 4 .b8 more[61000];\n", ptx);
    CHECK_TEXT(moved(BIG SMALL LOCAL CAST, ptx, &names), BIG_GLOBAL SMALL LOCAL CAST_GLOBAL);
    CHECK_TEXT(names, "big");
    moved(BIG SMALL LOCAL "@more = addrspace(4) global i32 0\n", more, &names);
    CHECK_TEXT(names, "more big");
}

static void addresses_within_a_variable_follow_it(void)
{
    const char *names;
    const char use[] = "store ptr addrspacecast (ptr addrspace(4) getelementptr inbounds nuw "
                       "([15000 x i32], ptr addrspace(4) @big, i64 0, i64 7) to ptr), ptr %p\n";
    const char *want = "store ptr addrspacecast (ptr addrspace(1) getelementptr inbounds nuw "
                       "([15000 x i32], ptr addrspace(1) @big, i64 0, i64 7) to ptr), ptr %p\n";
    const char *got = moved(ah_text_print("%s%s%s%s", BIG, SMALL, LOCAL, use), ptx, &names);
    CHECK(strstr(got, want) != NULL);
    CHECK(strstr(got, SMALL LOCAL) != NULL);
}

static void what_is_read_as_constant_memory_stays(void)
{
    static const char *const direct[] = {
        "load i32, ptr addrspace(4) @big\n",
        "load i32, ptr addrspace(4) getelementptr inbounds (i8, ptr addrspace(4) @big, i64 8)\n",
        "%1 = getelementptr inbounds i8, ptr addrspace(4) @big, i64 %0\n",
        "!0 = !{ptr addrspace(4) @big, !\"managed\", i32 1}\n",
        "call void @f(ptr addrspace(4) @big, ptr addrspacecast (ptr addrspace(4) @x to ptr))\n",
    };
    const char *names;
    for (size_t i = 0; i < sizeof direct / sizeof *direct; i++) {
        const char *module = ah_text_print("%s%s%s%s%s", BIG, SMALL, LOCAL, CAST, direct[i]);
        moved(module, ptx, &names);
        CHECK_TEXT(names, "small");
    }
    CHECK_TEXT(moved(SMALL LOCAL "@\"big\" = addrspace(4) constant i32 0\n", ptx, &names),
               ah_text_replace(SMALL LOCAL "@\"big\" = addrspace(4) constant i32 0\n",
                               "@small = addrspace(4)", "@small = addrspace(1)"));
}

static void too_much_that_stays_is_refused(void)
{
    const char *names;
    CHECK_TEXT(
        moved(BIG "load i32, ptr addrspace(4) @big\n", ".const .align 4 .b8 big[70000];\n", &names),
        "none");
    CHECK_TEXT(moved("", ".const .align 4 .b8 big[70000];\n", &names), "none");
}

int main(void)
{
    RUN(sizes_are_added_with_their_alignment);
    RUN(the_largest_go_until_the_rest_fits);
    RUN(addresses_within_a_variable_follow_it);
    RUN(what_is_read_as_constant_memory_stays);
    RUN(too_much_that_stays_is_refused);
    ah_text_release();
    return check_failures != 0;
}
