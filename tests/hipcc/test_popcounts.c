/* Tests which loops count bits at once, and that nothing else changes. */
#include "check.h"
#include "popcounts.h"
#include "text.h"

#include <string.h>

static const char *counted(const char *module)
{
    const char *changed = ah_popcounts_use(module);
    return changed ? changed : "none";
}

#define DECLARED                                                                                   \
    "declare i32 @llvm.ctpop.i32(i32)\ndeclare i32 @llvm.umax.i32(i32, i32)\n"                     \
    "declare i64 @llvm.ctpop.i64(i64)\ndeclare i64 @llvm.umax.i64(i64, i64)\n"
#define HEAD                                                                                       \
    "define i32 @f(i32 %0) {\n  %2 = icmp eq i32 %0, 0\n  br i1 %2, label %10, label %3\n\n"       \
    "3:                                                ; preds = %1, %3\n"
#define TAIL                                                                                       \
    "10:                                               ; preds = %3, %1\n"                         \
    "  %11 = phi i32 [ 0, %1 ], [ %8, %3 ]\n  ret i32 %11\n}\n"
#define LOOP                                                                                       \
    "  %4 = phi i32 [ %8, %3 ], [ 0, %1 ]\n  %5 = phi i32 [ %7, %3 ], [ %0, %1 ]\n"                \
    "  %6 = add i32 %5, -1\n  %7 = and i32 %6, %5\n  %8 = add nuw nsw i32 %4, 1\n"                 \
    "  %9 = icmp eq i32 %7, 0\n  br i1 %9, label %10, label %3, !llvm.loop !5\n"
#define STEP                                                                                       \
    "  %4 = phi i32 [ 0, %1 ]\n  %5 = phi i32 [ %0, %1 ]\n"                                        \
    "  %.popcount0.all = call i32 @llvm.ctpop.i32(i32 %5)\n"                                       \
    "  %.popcount0 = call i32 @llvm.umax.i32(i32 %.popcount0.all, i32 1)\n"                        \
    "  %7 = and i32 %5, 0\n  %8 = add i32 %4, %.popcount0\n  %9 = icmp eq i32 %7, 0\n"             \
    "  br label %10\n"

static void a_loop_that_clears_the_last_bit_counts_them_all(void)
{
    CHECK_TEXT(counted(HEAD LOOP "\n" TAIL "\n" DECLARED), HEAD STEP "\n" TAIL "\n" DECLARED);
}

static void what_is_missing_is_declared(void)
{
    CHECK_TEXT(counted(HEAD LOOP TAIL), HEAD STEP TAIL DECLARED);
    const char *one = "declare i32 @llvm.ctpop.i32(i32) #1\n";
    const char *text = counted(ah_text_print("%s%s", HEAD LOOP TAIL, one));
    const char *found = strstr(text, "declare i32 @llvm.ctpop.i32(");
    CHECK(found && !strstr(found + 1, "declare i32 @llvm.ctpop.i32("));
}

static void lines_may_be_in_another_order(void)
{
    CHECK_TEXT(
        counted(HEAD "  %4 = phi i32 [ %0, %1 ], [ %8, %3 ]\n  %5 = phi i32 [ 0, %1 ], [ %6, %3 ]\n"
                     "  %6 = add i32 %5, 1\n  %7 = add nsw i32 %4, -1\n  %8 = and i32 %4, %7\n"
                     "  %9 = icmp eq i32 %8, 0\n  br i1 %9, label %10, label %3\n}\n" DECLARED),
        HEAD "  %4 = phi i32 [ %0, %1 ]\n  %5 = phi i32 [ 0, %1 ]\n"
             "  %.popcount0.all = call i32 @llvm.ctpop.i32(i32 %4)\n"
             "  %.popcount0 = call i32 @llvm.umax.i32(i32 %.popcount0.all, i32 1)\n"
             "  %6 = add i32 %5, %.popcount0\n  %8 = and i32 %4, 0\n"
             "  %9 = icmp eq i32 %8, 0\n  br label %10\n}\n" DECLARED);
}

static void word_and_count_may_differ_in_size(void)
{
    static const char loop[] =
        "define void @f() {\nb.1:  ; preds = %b.1, %a\n"
        "  %w = phi i64 [ %l, %b.1 ], [ %v, %a ]\n  %n = phi i32 [ %m, %b.1 ], [ %k, %a ]\n"
        "  %m = add i32 %n, 1\n  %d = add i64 %w, -1\n  %l = and i64 %d, %w\n"
        "  %z = icmp eq i64 %l, 0\n  br i1 %z, label %c, label %b.1\nc:\n  ret void\n}\n" DECLARED;
    CHECK(strstr(counted(loop), "  %.popcount0.step = trunc i64 %.popcount0 to i32\n"));
    const char *text = ah_text_replace(ah_text_replace(loop, "i64", "i99"), "i32", "i64");
    text = counted(ah_text_replace(text, "i99", "i32"));
    CHECK(strstr(text, "  %.popcount0.step = zext i32 %.popcount0 to i64\n"));
    CHECK(strstr(text, "  %m = add i64 %n, %.popcount0.step\n"));
}

static void every_loop_has_its_own_names(void)
{
    const char *text = counted(HEAD LOOP TAIL HEAD LOOP TAIL);
    CHECK(strstr(text, "%.popcount0 = ") && strstr(text, "%.popcount1 = "));
    CHECK(!strstr(text, "!llvm.loop"));
}

/* Each differs from the loop above in one place. */
static void other_loops_stay(void)
{
    static const struct {
        const char *from, *to;
    } changes[] = {
        {"add i32 %5, -1", "add i32 %5, -2"},
        {"add i32 %5, -1", "sub i32 %5, -1"},
        {"add i32 %5, -1", "add i32 %4, -1"},
        {"and i32 %6, %5", "or i32 %6, %5"},
        {"and i32 %6, %5", "and i32 %6, %4"},
        {"i32 %4, 1", "i32 %4, 3"},
        {"i32 %4, 1", "i32 %5, 1"},
        {"icmp eq i32 %7, 0", "icmp ne i32 %7, 0"},
        {"icmp eq i32 %7, 0", "icmp eq i32 %6, 0"},
        {"icmp eq i32 %7, 0", "icmp eq i32 %7, 01"},
        {"label %10, label %3, ", "label %3, label %10, "},
        {"%9 = icmp", "store i32 %8, ptr @g\n  %9 = icmp"},
        {"[ %7, %3 ]", "[ %8, %3 ]"},
        {"[ %8, %3 ], [ 0, %1 ]", "[ %8, %2 ], [ 0, %1 ]"},
        {"[ %8, %3 ], [ 0, %1 ]", "[ %8, %3 ], [ 0, %1 ], [ 1, %2 ]"},
        {"i32", "i16"},
        {"ret i32 %11", "ret i32 %4"}, /* these are used behind the loop */
        {"ret i32 %11", "ret i32 %5"},
        {"ret i32 %11", "ret i32 %6"},
    };
    CHECK_TEXT(counted(""), "none");
    CHECK_TEXT(counted(HEAD), "none");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *text = ah_text_replace(HEAD LOOP TAIL, changes[i].from, changes[i].to);
        CHECK(strcmp(text, HEAD LOOP TAIL) != 0);
        CHECK_TEXT(counted(text), "none");
    }
}

int main(void)
{
    RUN(a_loop_that_clears_the_last_bit_counts_them_all);
    RUN(what_is_missing_is_declared);
    RUN(lines_may_be_in_another_order);
    RUN(word_and_count_may_differ_in_size);
    RUN(every_loop_has_its_own_names);
    RUN(other_loops_stay);
    ah_text_release();
    return check_failures != 0;
}
