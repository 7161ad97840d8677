/* Tests what accesses copies become, and that nothing else changes. */
#include "check.h"
#include "copies.h"
#include "text.h"

#include <string.h>

/* A line that copies: the operands of llvm.memcpy but for the size, the size, and what follows. */
static const char *call(const char *operands, const char *rest)
{
    return ah_text_print("  tail call void @llvm.memcpy.p1.p3.i64(%s, %s", operands, rest);
}

static const char *widened(const char *module)
{
    const char *changed = ah_copies_widen(module);
    return changed ? changed : "none";
}

#define TO   "ptr addrspace(1) noundef align 16 dereferenceable(16) %p"
#define FROM "ptr noundef nonnull align 32 dereferenceable(16) %\"a, b\""

static void a_copy_of_16_bytes_is_one_access(void)
{
    const char *line = call(TO ", " FROM, "i64 16, i1 false), !tbaa.struct !7\n");
    const char *want = "  %.copy0.0 = load <2 x i64>, ptr %\"a, b\", align 16\n"
                       "  store <2 x i64> %.copy0.0, ptr addrspace(1) %p, align 16\n";
    CHECK_TEXT(widened(line), want);
    CHECK_TEXT(widened(ah_text_print("define void @f() {\n%s  ret void\n}\n", line)),
               ah_text_print("define void @f() {\n%s  ret void\n}\n", want));
}

static void a_longer_copy_is_loaded_before_it_is_stored(void)
{
    CHECK_TEXT(widened(call(TO ", " FROM, "i32 32, i1 false)\n")),
               "  %.copy0.0 = load <2 x i64>, ptr %\"a, b\", align 16\n"
               "  %.copy0.from16 = getelementptr inbounds i8, ptr %\"a, b\", i64 16\n"
               "  %.copy0.16 = load <2 x i64>, ptr %.copy0.from16, align 16\n"
               "  store <2 x i64> %.copy0.0, ptr addrspace(1) %p, align 16\n"
               "  %.copy0.to16 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 16\n"
               "  store <2 x i64> %.copy0.16, ptr addrspace(1) %.copy0.to16, align 16\n");
}

static void operands_may_be_constant_expressions(void)
{
    const char *from = "ptr align 16 getelementptr inbounds nuw (i8, ptr addrspacecast "
                       "(ptr addrspace(3) @s to ptr), i64 16)";
    CHECK_TEXT(
        widened(call(ah_text_print("%s, %s", "ptr align 16 @g", from), "i64 16, i1 false)\n")),
        "  %.copy0.0 = load <2 x i64>, ptr getelementptr inbounds nuw (i8, ptr addrspacecast "
        "(ptr addrspace(3) @s to ptr), i64 16), align 16\n"
        "  store <2 x i64> %.copy0.0, ptr @g, align 16\n");
}

static void every_copy_has_its_own_names(void)
{
    const char *line = call(TO ", " FROM, "i64 16, i1 false)\n");
    const char *text = widened(ah_text_print("%s  ret void\n%s", line, line));
    CHECK(strstr(text, "%.copy0.0 = ") && strstr(text, "  ret void\n  %.copy1.0 = "));
    CHECK(!strstr(text, "memcpy"));
}

static void smaller_alignments_make_smaller_accesses(void)
{
    CHECK_TEXT(widened(call("ptr align 16 %p, ptr align 8 %q", "i64 12, i1 false)\n")),
               "  %.copy0.0 = load i64, ptr %q, align 8\n"
               "  %.copy0.from8 = getelementptr inbounds i8, ptr %q, i64 8\n"
               "  %.copy0.8 = load i32, ptr %.copy0.from8, align 4\n"
               "  store i64 %.copy0.0, ptr %p, align 8\n"
               "  %.copy0.to8 = getelementptr inbounds i8, ptr %p, i64 8\n"
               "  store i32 %.copy0.8, ptr %.copy0.to8, align 4\n");
    const char *text = widened(call("ptr align 4 %p, ptr align 4 %q", "i64 64, i1 false)\n"));
    CHECK(
        strstr(text, "%.copy0.60 = load i32, ptr %.copy0.from60, align 4\n  store i32 %.copy0.0"));
}

static void other_copies_stay(void)
{
    static const char *const rest[] = {"i64 18, i1 false)\n", "i64 15, i1 false)\n",
                                       "i64 0, i1 false)\n",  "i64 144, i1 false)\n",
                                       "i64 %n, i1 false)\n", "i64 16, i1 true)\n"};
    static const char *const operands[] = {"ptr align 2 %p, ptr align 16 %q",
                                           "ptr align 16 %p, ptr align 1 %q", "ptr %p, ptr %q",
                                           "ptr align 16 %p, ptr align 16 undef"};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        CHECK_TEXT(widened(call(TO ", " FROM, rest[i])), "none");
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        CHECK_TEXT(widened(call(operands[i], "i64 16, i1 false)\n")), "none");
    CHECK_TEXT(widened(call("ptr align 4 %p, ptr align 4 %q", "i64 68, i1 false)\n")), "none");
    CHECK_TEXT(widened(""), "none");
    CHECK_TEXT(widened("  call void @llvm.memcpy.p0.p0.i64(ptr align 16"), "none");
    CHECK_TEXT(widened("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)\n"), "none");
}

int main(void)
{
    RUN(a_copy_of_16_bytes_is_one_access);
    RUN(a_longer_copy_is_loaded_before_it_is_stored);
    RUN(operands_may_be_constant_expressions);
    RUN(every_copy_has_its_own_names);
    RUN(smaller_alignments_make_smaller_accesses);
    RUN(other_copies_stay);
    ah_text_release();
    return check_failures != 0;
}
