/* Tests the reading of command lines. */
#include "check.h"
#include "request.h"

#include <stdarg.h>
#include <stdlib.h>

/* Reads the arguments, which end with NULL. */
static bool read_arguments(struct ah_request *request, ...)
{
    struct ah_strings arguments = {0};
    va_list list;
    va_start(list, request);
    for (const char *text; (text = va_arg(list, const char *));)
        ah_strings_push(&arguments, text);
    va_end(list);
    return ah_request_read(&arguments, request);
}

static const char *args_of(const struct ah_request *request, unsigned route, const char *arch)
{
    struct ah_strings argv = {0};
    const char *text = "";
    ah_request_args(request, route, arch, &argv);
    for (size_t i = 0; i < argv.count; i++)
        text = ah_text_print("%s%s%s", text, i ? " " : "", argv.at[i]);
    return text;
}

static void suffixes_and_x_tell_the_language(void)
{
    struct ah_request r;
    CHECK(read_arguments(&r, "-nostdlib", "/dev/null", NULL));
    CHECK(r.inputs[0].language == AH_LANGUAGE_LINK);
    CHECK(read_arguments(&r, "-x", "hip", "/dev/null", "-x", "none", "/dev/null", "-xc",
                         "/dev/null", "-x", "c++", "/dev/null", "-x", "cu", "/dev/null", "-x",
                         "assembler", "/dev/null", NULL));
    CHECK(r.inputs[0].language == AH_LANGUAGE_HIP);
    CHECK(r.inputs[1].language == AH_LANGUAGE_LINK);
    CHECK(r.inputs[2].language == AH_LANGUAGE_C);
    CHECK(r.inputs[3].language == AH_LANGUAGE_CXX);
    CHECK(r.inputs[4].language == AH_LANGUAGE_HIP);
    CHECK(r.inputs[5].language == AH_LANGUAGE_OTHER);
    CHECK_TEXT(r.inputs[5].spelled, "assembler");
}

static void separate_values_are_no_inputs(void)
{
    struct ah_request r;
    CHECK(read_arguments(&r, "-I", "some/folder", "-include", "x.h", "-Xclang", "-foo", "-MF",
                         "x.d", "-o", "out", "-isystem", "y", "-Xlinker", "--thing", "-D", "A=1",
                         "-mllvm", "-opt", "-target", "x86_64-linux-gnu", NULL));
    CHECK(ah_request_source_count(&r) == 0);
    CHECK_TEXT(r.output, "out");
    CHECK_TEXT(r.depend_file, "x.d");
    CHECK_TEXT(args_of(&r, AH_ROUTE_AMD, NULL),
               "-I some/folder -include x.h -Xclang -foo -isystem y -D A=1 -mllvm -opt -target "
               "x86_64-linux-gnu");
}

static void a_missing_value_is_an_error(void)
{
    struct ah_request r;
    CHECK(!read_arguments(&r, "-o", NULL));
    CHECK(!read_arguments(&r, "-Xarch_device", NULL));
}

static void host_options_stay_with_the_host(void)
{
    struct ah_request r;
    CHECK(read_arguments(&r, "-march=native", "-fsanitize=address", "-fopenmp",
                         "-fstack-protector-strong", "-flto", "-Wall", "-ffast-math", NULL));
    CHECK_TEXT(args_of(&r, AH_ROUTE_HIP_HOST, NULL),
               "-march=native -fsanitize=address -fopenmp -fstack-protector-strong -flto -Wall "
               "-ffast-math");
    CHECK_TEXT(args_of(&r, AH_ROUTE_NVIDIA, "sm_70"), "-Wno-source-uses-openmp -Wall -ffast-math");
    CHECK_TEXT(args_of(&r, AH_ROUTE_LINK, NULL),
               "-march=native -fsanitize=address -fopenmp -flto -ffast-math");
}

static void xarch_reaches_only_its_passes(void)
{
    struct ah_request r;
    CHECK(read_arguments(&r, "-Xarch_host", "-DH", "-Xarch_device", "-DD", "-Xarch_gfx90a", "-DG",
                         "-Xarch_sm_70", "-DS", "-Xarch_amdgcn", "-DA", "-Xarch_nvptx64", "-DN",
                         NULL));
    CHECK_TEXT(args_of(&r, AH_ROUTE_HIP_HOST, NULL), "-DH");
    CHECK_TEXT(args_of(&r, AH_ROUTE_AMD, "gfx90a"), "-DD -DG -DA");
    CHECK_TEXT(args_of(&r, AH_ROUTE_AMD, "gfx1100"), "-DD -DA");
    CHECK_TEXT(args_of(&r, AH_ROUTE_NVIDIA, "sm_70"), "-DD -DS -DN");
    CHECK_TEXT(args_of(&r, AH_ROUTE_DEVICE_LINK | AH_ROUTE_PTX, "sm_80"), "-DD -DN");
    CHECK_TEXT(args_of(&r, AH_ROUTE_DEVICE_LINK, "gfx90a"), "-DD -DG");
}

static void a_standard_goes_to_its_language(void)
{
    struct ah_request r;
    CHECK(read_arguments(&r, "-std=c++20", "-std=c11", NULL));
    CHECK_TEXT(args_of(&r, AH_ROUTE_C, NULL), "-std=c11");
    CHECK_TEXT(args_of(&r, AH_ROUTE_HIP_HOST, NULL), "-std=c++20");
}

static void architectures_gather_from_every_spelling(void)
{
    struct ah_request r;
    CHECK(read_arguments(&r, "--offload-arch=gfx90a,gfx1100", "--amdgpu-target=gfx906",
                         "--cuda-gpu-arch=sm_80", "--offload-arch", "sm_70",
                         "--no-offload-arch=gfx906", NULL));
    CHECK(r.archs.count == 4);
    CHECK(ah_strings_contain(&r.archs, "gfx1100") && ah_strings_contain(&r.archs, "sm_80"));
    CHECK(!ah_strings_contain(&r.archs, "gfx906"));
    CHECK(read_arguments(&r, "--offload-arch=gfx90a", "--no-offload-arch=all",
                         "--offload-arch=sm_70", NULL));
    CHECK(r.archs.count == 1);
}

static void options_of_rocm_without_meaning_here_vanish(void)
{
    struct ah_request r;
    CHECK(read_arguments(&r, "--rocm-path=/opt/rocm", "--hip-path=/x", "--hip-link",
                         "--hipcc-func-supp", "--hip-device-lib-path=/y", NULL));
    CHECK(r.arg_count == 0 && r.input_count == 0);
}

static void algorithms_for_the_device_are_not_left_to_the_CPU(void)
{
    struct ah_request r;
    CHECK(!read_arguments(&r, "--hipstdpar", NULL));
    CHECK(!read_arguments(&r, "-c", "--hipstdpar", "--hipstdpar-path=/x", NULL));
}

static void the_order_of_link_inputs_is_kept(void)
{
    struct ah_request r;
    CHECK(read_arguments(&r, "-Wl,-a", "/dev/null", "-lfoo", "-Xlinker", "-b", "-Ldir", NULL));
    CHECK(r.input_count == 5);
    CHECK_TEXT(r.inputs[0].path, "-Wl,-a");
    CHECK_TEXT(r.inputs[1].path, "/dev/null");
    CHECK_TEXT(r.inputs[2].path, "-lfoo");
    CHECK_TEXT(r.inputs[3].path, "-Xlinker");
    CHECK_TEXT(r.inputs[3].value, "-b");
    CHECK_TEXT(r.inputs[4].path, "-Ldir");
}

static void the_library_of_rocm_is_ours(void)
{
    struct ah_request r;
    CHECK(read_arguments(&r, "-lamdhip64", "-lhiprtc", "-lm", NULL));
    CHECK(r.input_count == 1);
    CHECK(read_arguments(&r, "-lamdhip64", "--no-hip-rt", NULL));
    CHECK(r.input_count == 1);
    CHECK(read_arguments(&r, "-lroctx64", "-lrocprofiler-sdk-roctx", NULL));
    CHECK(r.input_count == 2);
    CHECK_TEXT(r.inputs[0].path, "-lanyhip-roctx");
    CHECK_TEXT(r.inputs[1].path, "-lanyhip-roctx");
    CHECK(read_arguments(&r, "-lroctx64", "--no-hip-rt", NULL));
    CHECK_TEXT(r.inputs[0].path, "-lroctx64");
}

static void the_strongest_mode_wins(void)
{
    struct ah_request r;
    CHECK(read_arguments(&r, "-E", "-c", NULL) && r.mode == AH_MODE_PREPROCESS);
    CHECK(read_arguments(&r, "-c", "-S", NULL) && r.mode == AH_MODE_ASSEMBLY);
    CHECK(read_arguments(&r, "-c", NULL) && r.mode == AH_MODE_OBJECT);
    CHECK(read_arguments(&r, "-lm", NULL) && r.mode == AH_MODE_LINK);
    CHECK(read_arguments(&r, "-MM", "-c", NULL) && r.mode == AH_MODE_DEPEND);
}

static void response_files_are_split_like_a_shell_would(void)
{
    struct ah_strings words = {0};
    ah_strings_split_quoted(&words, " a 'b c' \"d\\\" e\" f\\ g\n\t''h ");
    CHECK(words.count == 5);
    CHECK_TEXT(words.at[1], "b c");
    CHECK_TEXT(words.at[2], "d\" e");
    CHECK_TEXT(words.at[3], "f g");
    CHECK_TEXT(words.at[4], "h");
}

static void a_missing_file_is_an_error(void)
{
    struct ah_request r;
    CHECK(!read_arguments(&r, "does-not-exist.hip", NULL));
}

static void standard_input_needs_a_language_unless_preprocessed(void)
{
    struct ah_request r;
    CHECK(!read_arguments(&r, "-c", "-", NULL));
    CHECK(read_arguments(&r, "-x", "hip", "-c", "-", NULL));
    CHECK(read_arguments(&r, "-E", "-", NULL) && r.inputs[0].language == AH_LANGUAGE_CXX);
}

int main(void)
{
    RUN(suffixes_and_x_tell_the_language);
    RUN(separate_values_are_no_inputs);
    RUN(a_missing_value_is_an_error);
    RUN(host_options_stay_with_the_host);
    RUN(xarch_reaches_only_its_passes);
    RUN(a_standard_goes_to_its_language);
    RUN(architectures_gather_from_every_spelling);
    RUN(options_of_rocm_without_meaning_here_vanish);
    RUN(algorithms_for_the_device_are_not_left_to_the_CPU);
    RUN(the_order_of_link_inputs_is_kept);
    RUN(the_library_of_rocm_is_ours);
    RUN(the_strongest_mode_wins);
    RUN(response_files_are_split_like_a_shell_would);
    RUN(a_missing_file_is_an_error);
    RUN(standard_input_needs_a_language_unless_preprocessed);
    ah_text_release();
    return check_failures != 0;
}
