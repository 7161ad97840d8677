/* Tests which local arrays are aligned, and that nothing else changes. */
#include "arrays.h"
#include "check.h"
#include "text.h"

static const char *aligned(const char *module)
{
    const char *changed = ah_arrays_align(module);
    return changed ? changed : "none";
}

static void arrays_of_16_bytes_or_more_are_aligned(void)
{
    CHECK_TEXT(aligned("  %1 = alloca [4 x i32], align 4\n"),
               "  %1 = alloca [4 x i32], align 16\n");
    CHECK_TEXT(aligned("  %a = alloca [2 x [2 x float]], align 4, addrspace(5)\n  ret void\n"),
               "  %a = alloca [2 x [2 x float]], align 16, addrspace(5)\n  ret void\n");
    CHECK_TEXT(aligned("  %a = alloca [16 x i8], align 1\n  %b = alloca i32, align 4\n"
                       "  %c = alloca [2 x ptr], align 8, !dbg !3\n"),
               "  %a = alloca [16 x i8], align 16\n  %b = alloca i32, align 4\n"
               "  %c = alloca [2 x ptr], align 16, !dbg !3\n");
}

static void other_variables_stay(void)
{
    static const char *const modules[] = {
        "",
        "  %1 = alloca [3 x i32], align 4\n",
        "  %1 = alloca [15 x i8], align 1\n",
        "  %1 = alloca [4 x i32], align 16\n",
        "  %1 = alloca [4 x double], align 32\n",
        "  %1 = alloca %struct.s, align 4\n  %2 = load [4 x i32], ptr %1, align 4\n",
        "  %1 = alloca [3 x %struct.s], align 4\n",
        "  %1 = alloca [4 x i32]\n  store i32 0, ptr %1, align 4\n",
        "@a = internal addrspace(3) global [4 x i32] undef, align 4\n",
        "  %1 = alloca [4",
    };
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        CHECK_TEXT(aligned(modules[i]), "none");
}

int main(void)
{
    RUN(arrays_of_16_bytes_or_more_are_aligned);
    RUN(other_variables_stay);
    ah_text_release();
    return check_failures != 0;
}
