/* Owns the command lines of the steps. */
#include "passes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptx.h"
#include "report.h"
#include "statics.h"
#include "temp.h"

/* Host passes name an AMD architecture whatever the images are for: clang then treats
 * the other side's builtins the same way for every choice of targets. */
static const char host_pass_arch[] = "--offload-arch=gfx90a";

const char *ah_plan_scratch(struct ah_plan *plan, const char *name)
{
    const struct ah_request *r = plan->request;
    if (r->save_temps) {
        bool beside_output = !strcmp(r->save_temps, "obj") && r->output;
        return beside_output ? ah_text_print("%s/%s", ah_path_folder(r->output), name) : name;
    }
    const char *path = ah_temp_path(name, r->dry_run);
    if (!path)
        plan->failed = true;
    return path ? path : "";
}

static void push(struct ah_strings *argv, const char *text)
{
    ah_strings_push(argv, text);
}

static void push_two(struct ah_strings *argv, const char *a, const char *b)
{
    push(argv, a);
    push(argv, b);
}

static void push_xclang(struct ah_strings *argv, const char *text)
{
    push_two(argv, "-Xclang", text);
}

/* The folder that argument i adds to the include path, or NULL. */
static const char *include_folder(const struct ah_request *r, size_t i)
{
    static const char *const options[] = {"-isystem", "-I"};
    for (size_t k = 0; k < sizeof(options) / sizeof(*options); k++) {
        const char *folder = ah_text_after(r->args[i].text, options[k]);
        if (folder && !*folder && i + 1 < r->arg_count)
            return r->args[i + 1].text;
        if (folder)
            return folder;
    }
    return NULL;
}

/* Whether the user's folders lead to another HIP's headers, as in makefiles written for ROCm. Ours
 * must then come before all folders; otherwise they come after the user's. */
static bool other_hip_headers(const struct ah_plan *plan)
{
    const struct ah_request *r = plan->request;
    for (size_t i = 0; i < r->arg_count; i++) {
        const char *folder = include_folder(r, i);
        if (folder && strcmp(folder, plan->toolchain->include) &&
            ah_path_exists(ah_text_print("%s/hip/hip_runtime_api.h", folder)))
            return true;
    }
    return false;
}

/* What every compilation gets before the user's arguments. */
static void push_defaults(const struct ah_plan *plan, struct ah_strings *argv)
{
    const struct ah_request *r = plan->request;
    push(argv, "-D__HIP_PLATFORM_AMD__=1");
    if (other_hip_headers(plan)) {
        push_two(argv, "-I", plan->toolchain->include);
        push(argv, "--system-header-prefix=hip/");
    }
    if (!r->optimize) /* as ROCm's hipcc does */
        push(argv, "-O3");
    if (!r->colour_chosen && isatty(STDERR_FILENO))
        push(argv, "-fcolor-diagnostics");
}

/* What every compilation gets after them. */
static void push_includes(const struct ah_plan *plan, struct ah_strings *argv)
{
    if (!plan->toolchain->include_is_system && !other_hip_headers(plan))
        push_two(argv, "-isystem", plan->toolchain->include);
    /* The driver hands every option to every step; that some ignore some is no news. */
    push(argv, "-Wno-unused-command-line-argument");
}

/* What the passes of a HIP source get first: __global__ and its like, without any #include. */
static void push_prelude(const struct ah_plan *plan, struct ah_strings *argv)
{
    if (plan->toolchain->has_prelude && !plan->request->no_gpuinc)
        push_two(argv, "-include", "hip/device/prelude.h");
}

/* Nothing of clang's own for HIP is used: neither its device headers and functions, nor its
 * wrappers of the C++ library's headers, which define what the prelude defines. clang takes those
 * where it finds an installation of HIP; in this folder there is none. */
static void push_no_other_hip(const struct ah_plan *plan, struct ah_strings *argv)
{
    push_two(argv, "-nogpuinc", "-nogpulib");
    push(argv, ah_text_print("--hip-path=%s/hip/device", plan->toolchain->include));
}

/* What they get last: our std::complex comes before the C++ library's, so that device code may use
 * it. */
static void push_std(const struct ah_plan *plan, struct ah_strings *argv)
{
    if (plan->toolchain->has_prelude && !plan->request->no_gpuinc)
        push_two(argv, "-isystem", ah_text_print("%s/hip/device/std", plan->toolchain->include));
}

static void push_product(enum ah_product product, struct ah_strings *argv)
{
    switch (product) {
    case AH_PRODUCT_IMAGE:
        push(argv, "-c");
        break;
    case AH_PRODUCT_BITCODE:
    case AH_PRODUCT_LLVM:
        push_two(argv, "-emit-llvm", "-c");
        break;
    case AH_PRODUCT_ASSEMBLY:
        push(argv, "-S");
        break;
    case AH_PRODUCT_LLVM_TEXT:
        push_two(argv, "-emit-llvm", "-S");
        break;
    case AH_PRODUCT_NOTHING:
        push(argv, "-fsyntax-only");
        break;
    case AH_PRODUCT_TEXT:
        push(argv, "-E");
        break;
    case AH_PRODUCT_DEPENDENCIES:
        break; /* the dependency options say it */
    }
}

static void push_depend(const struct ah_plan *plan, const struct ah_unit *unit,
                        enum ah_product product, const char *depend_file, struct ah_strings *argv)
{
    if (!depend_file)
        return;
    bool user_only = plan->request->depend_user_only;
    if (product == AH_PRODUCT_DEPENDENCIES)
        push(argv, user_only ? "-MM" : "-M");
    else
        push(argv, user_only ? "-MMD" : "-MD");
    push_two(argv, "-MF", depend_file);
    push_two(argv, "-MT", unit->depend_target);
}

/* The same for a device pass, where clang's driver ignores these options. */
static void push_device_depend(const struct ah_plan *plan, const struct ah_unit *unit,
                               enum ah_product product, const char *depend_file,
                               struct ah_strings *argv)
{
    if (!depend_file)
        return;
    if (product == AH_PRODUCT_DEPENDENCIES) {
        push(argv, "-E");
        push_two(argv, "-o", "/dev/null");
    }
    push_xclang(argv, "-dependency-file");
    push_xclang(argv, depend_file);
    push_xclang(argv, "-MT");
    push_xclang(argv, unit->depend_target);
    if (!plan->request->depend_user_only)
        push_xclang(argv, "-sys-header-deps");
}

/* The end of every compilation: output and source. */
static struct ah_job *add_compilation(struct ah_plan *plan, const struct ah_unit *unit,
                                      const char *language, const char *output,
                                      struct ah_strings *argv)
{
    if (output)
        push_two(argv, "-o", output);
    if (language)
        push_two(argv, "-x", language);
    push(argv, unit->input->path);
    struct ah_job *job = ah_jobs_add(&plan->jobs);
    job->argv = *argv;
    job->standard_input = unit->standard_input;
    return job;
}

static bool generates_code(enum ah_product product)
{
    return product <= AH_PRODUCT_LLVM_TEXT;
}

static bool has_ptx_feature(const struct ah_request *r)
{
    for (size_t i = 0; i < r->ptx_features.count; i++)
        if (ah_text_starts(r->ptx_features.at[i], "+ptx"))
            return true;
    return false;
}

/* Version 5 is what every loader since ROCm 5 takes; only the generic targets need 6. */
static void push_code_object_version(const struct ah_request *r, const struct ah_target *target,
                                     struct ah_strings *argv)
{
    if (!r->code_object_version_chosen)
        push(argv, strstr(target->arch, "-generic") ? "-mcode-object-version=6"
                                                    : "-mcode-object-version=5");
}

static void push_amd(const struct ah_plan *plan, const struct ah_target *target,
                     struct ah_strings *argv)
{
    const struct ah_request *r = plan->request;
    push(argv, ah_text_print("--offload-arch=%s", target->arch));
    push(argv, "--no-gpu-bundle-output");
    push(argv, "-mprintf-kind=buffered");
    push_code_object_version(r, target, argv);
    if (!r->optimize || strcmp(r->optimize, "-O0"))
        push_two(argv, "-mllvm", "-amdgpu-early-inline-all=true");
}

/* Whether the last of these flags asks for it: clang obeys them for AMD alone. */
static bool flushes_subnormals(const struct ah_request *r)
{
    bool flushes = false;
    for (size_t i = 0; i < r->arg_count; i++) {
        const char *text = r->args[i].text;
        if (!strcmp(text, "-fgpu-flush-denormals-to-zero") ||
            !strcmp(text, "-fcuda-flush-denormals-to-zero"))
            flushes = true;
        else if (!strcmp(text, "-fno-gpu-flush-denormals-to-zero") ||
                 !strcmp(text, "-fno-cuda-flush-denormals-to-zero"))
            flushes = false;
    }
    return flushes;
}

static bool has_argument(const struct ah_request *r, const char *start)
{
    for (size_t i = 0; i < r->arg_count; i++)
        if (ah_text_starts(r->args[i].text, start))
            return true;
    return false;
}

static bool optimizes_for_speed(const struct ah_request *r)
{
    static const char *const levels[] = {"-O", "-O2", "-O3", "-O4", "-Ofast"};
    for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
        if (!r->optimize || !strcmp(r->optimize, levels[i]))
            return true;
    return false;
}

/* clang unrolls loops for NVIDIA less than NVIDIA's compiler does: arrays that such loops index
 * stay in memory, and loops of unknown length wait for each load. The length of a loop whose step
 * is known at run time alone, as of those over a grid, takes a division before it, which the third
 * of these limits allows. The last keeps what is in a branch there if a division is part of it:
 * LLVM takes that for four instructions. LLVM takes such an option once. */
static void push_limits(const struct ah_request *r, struct ah_strings *argv)
{
    static const struct {
        const char *name;
        int instructions;
    } limits[] = {{"-unroll-threshold=", 1000},
                  {"-unroll-partial-threshold=", 150},
                  {"-scev-cheap-expansion-budget=", 40},
                  {"-spec-exec-max-speculation-cost=", 5}};
    if (!optimizes_for_speed(r))
        return;
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
        if (!has_argument(r, limits[i].name))
            push_two(argv, "-mllvm", ah_text_print("%s%d", limits[i].name, limits[i].instructions));
}

static void push_nvidia(const struct ah_plan *plan, const struct ah_target *target,
                        struct ah_strings *argv)
{
    const struct ah_request *r = plan->request;
    push(argv, "--offload-targets=nvptx64-nvidia-cuda");
    push(argv, ah_text_print("--offload-arch=%s", target->arch));
    push(argv, "--cuda-path=/none"); /* a toolkit that is there changes nothing */
    if (!has_ptx_feature(r))
        push(argv, ah_text_print("--cuda-feature=%s", target->ptx));
    for (size_t i = 0; i < r->ptx_features.count; i++)
        push(argv, ah_text_print("--cuda-feature=%s", r->ptx_features.at[i]));
    if (flushes_subnormals(r))
        push_xclang(argv, "-fdenormal-fp-math-f32=preserve-sign");
    push_limits(r, argv);
}

static void push_libclc(struct ah_plan *plan, bool nvidia, struct ah_strings *argv)
{
    const char **path = nvidia ? &plan->libclc_nvidia : &plan->libclc_amd;
    if (plan->request->no_gpulib)
        return;
    if (!*path)
        *path = ah_toolchain_libclc(plan->toolchain, nvidia);
    if (!*path) {
        plan->failed = true;
        *path = ""; /* said once */
    }
    push_xclang(argv, "-mlink-builtin-bitcode");
    push_xclang(argv, *path);
}

/* The path of a tool, searched once; a tool that is missing is said once and fails the plan. */
static const char *need_tool(struct ah_plan *plan, const char **path, const char *name,
                             const char *package)
{
    if (!*path)
        *path = ah_toolchain_tool(plan->toolchain, name, package);
    if (!*path) {
        plan->failed = true;
        *path = name;
    }
    return *path;
}

/* Runs a tool of LLVM on one file; its output, or NULL after a message. */
static char *run_tool(const struct ah_plan *plan, const char *tool, const char *option,
                      const char *value, const char *file)
{
    struct ah_strings argv = {0};
    const char *program = ah_toolchain_tool(plan->toolchain, tool, "llvm-22");
    if (!program)
        return NULL;
    push(&argv, program);
    push_two(&argv, option, value);
    push(&argv, file);
    char *answer = ah_jobs_output_of(&argv);
    if (!answer)
        ah_report_error("%s failed on %s", tool, file);
    return answer;
}

struct bitcode_step {
    const struct ah_plan *plan;
    const char *path;
};

/* Repairs static device variables that clang named in two ways (see statics.h). */
static bool finish_bitcode(struct ah_job *job)
{
    const struct bitcode_step *step = job->context;
    struct ah_strings pairs = {0};
    size_t size;
    const char *data = ah_file_read(step->path, &size);
    if (!data || !memmem(data, size, ".static.", 8))
        return data != NULL;
    const char *symbols = run_tool(step->plan, "llvm-nm", "-f", "posix", step->path);
    if (!symbols)
        return false;
    ah_statics_find(symbols, &pairs);
    if (!pairs.count)
        return true;
    const char *module = run_tool(step->plan, "llvm-dis", "-o", "-", step->path);
    if (!module)
        return false;
    const char *repaired = ah_statics_repair(module, &pairs);
    return ah_file_write(step->path, repaired, strlen(repaired)) &&
           run_tool(step->plan, "llvm-as", "-o", step->path, step->path);
}

static void want_sound_bitcode(struct ah_plan *plan, struct ah_job *job, const char *path)
{
    struct bitcode_step *step = ah_text_alloc(sizeof(*step));
    *step = (struct bitcode_step){plan, path};
    job->finish = finish_bitcode;
    job->context = step;
}

/* The module in LLVM's textual form that becomes the PTX at a path. */
static const char *module_beside(struct ah_plan *plan, const char *ptx)
{
    return ah_plan_scratch(plan, ah_path_with(ah_path_base(ptx), ".ll"));
}

struct ah_job *ah_pass_device(struct ah_plan *plan, const struct ah_unit *unit,
                              const struct ah_target *target, enum ah_product product, bool rdc,
                              const char *depend_file, const char *output)
{
    const struct ah_request *r = plan->request;
    struct ah_strings argv = {0};
    ah_toolchain_push_clang(plan->toolchain, false, &argv);
    push_defaults(plan, &argv);
    push(&argv, "--offload-device-only");
    if (target->nvidia)
        push_nvidia(plan, target, &argv);
    else
        push_amd(plan, target, &argv);
    if (!target->nvidia && product == AH_PRODUCT_IMAGE)
        need_tool(plan, &plan->lld, "lld", "lld-22"); /* clang runs it */
    push_no_other_hip(plan, &argv);
    if (rdc)
        push(&argv, "-fgpu-rdc");
    push(&argv, *unit->id ? ah_text_print("-cuid=%s", unit->id) : "-fuse-cuid=none");
    push_prelude(plan, &argv);
    ah_request_args(r, target->nvidia ? AH_ROUTE_NVIDIA : AH_ROUTE_AMD, target->arch, &argv);
    push_includes(plan, &argv);
    push_std(plan, &argv);
    if (generates_code(product))
        push_libclc(plan, target->nvidia, &argv);
    bool ptx = target->nvidia && (product == AH_PRODUCT_IMAGE || product == AH_PRODUCT_ASSEMBLY);
    const char *written = ptx ? module_beside(plan, output) : output;
    push_product(ptx ? AH_PRODUCT_LLVM_TEXT : product, &argv);
    push_device_depend(plan, unit, product, depend_file, &argv);
    struct ah_job *job = add_compilation(plan, unit, "hip", written, &argv);
    job->target = target->arch;
    if (ptx)
        return ah_ptx_add(plan, job, target, written, output, product == AH_PRODUCT_IMAGE);
    if (product == AH_PRODUCT_BITCODE)
        want_sound_bitcode(plan, job, output);
    return job;
}

struct ah_job *ah_pass_host(struct ah_plan *plan, const struct ah_unit *unit,
                            enum ah_product product, bool rdc, const char *carried,
                            const char *depend_file, const char *output)
{
    struct ah_strings argv = {0};
    ah_toolchain_push_clang(plan->toolchain, false, &argv);
    push_defaults(plan, &argv);
    push_two(&argv, "--offload-host-only", host_pass_arch);
    push_no_other_hip(plan, &argv);
    if (rdc)
        push(&argv, "-fgpu-rdc");
    push(&argv, *unit->id ? ah_text_print("-cuid=%s", unit->id) : "-fuse-cuid=none");
    push_prelude(plan, &argv);
    ah_request_args(plan->request, AH_ROUTE_HIP_HOST, NULL, &argv);
    push_includes(plan, &argv);
    push_std(plan, &argv);
    if (carried && rdc) {
        push_xclang(&argv, ah_text_print("-fembed-offload-object=%s", carried));
    } else if (carried) {
        push_xclang(&argv, "-fcuda-include-gpubinary");
        push_xclang(&argv, carried);
    }
    push_product(product, &argv);
    push_depend(plan, unit, product, depend_file, &argv);
    return add_compilation(plan, unit, "hip", output, &argv);
}

struct ah_job *ah_pass_plain(struct ah_plan *plan, const struct ah_unit *unit,
                             enum ah_product product, const char *depend_file, const char *output)
{
    const struct ah_input *input = unit->input;
    bool c = input->language == AH_LANGUAGE_C;
    struct ah_strings argv = {0};
    ah_toolchain_push_clang(plan->toolchain, c, &argv);
    push_defaults(plan, &argv);
    ah_request_args(plan->request, c ? AH_ROUTE_C : AH_ROUTE_CXX, NULL, &argv);
    push_includes(plan, &argv);
    push_product(product, &argv);
    push_depend(plan, unit, product, depend_file, &argv);
    const char *language = c ? "c" : input->language == AH_LANGUAGE_CXX ? "c++" : input->spelled;
    return add_compilation(plan, unit, language, output, &argv);
}

struct ah_job *ah_pass_bundle(struct ah_plan *plan, const char *type, const char *host,
                              const char *const *files, const char *output)
{
    const struct ah_request *r = plan->request;
    struct ah_strings argv = {0};
    const char *targets = "host-" ANYHIP_HOST_TRIPLE;
    for (size_t i = 0; i < plan->targets.count; i++)
        targets = ah_text_print("%s,%s", targets, plan->targets.at[i].bundle);
    push(&argv, need_tool(plan, &plan->bundler, "clang-offload-bundler", "clang-tools-22"));
    push(&argv, ah_text_print("-type=%s", type));
    push(&argv, "-bundle-align=4096");
    push(&argv, ah_text_print("-targets=%s", targets));
    push(&argv, ah_text_print("-input=%s", host ? host : "/dev/null"));
    for (size_t i = 0; i < plan->targets.count; i++)
        push(&argv, ah_text_print("-input=%s", files[i]));
    push(&argv, ah_text_print("-output=%s", output));
    if (r->compress)
        push(&argv, "-compress");
    if (r->compress && r->compression_level)
        push(&argv, ah_text_print("-compression-level=%s", r->compression_level));
    struct ah_job *job = ah_jobs_add(&plan->jobs);
    job->argv = argv;
    return job;
}

static const char *merge_bitcode(struct ah_plan *plan, const struct ah_target *target,
                                 const struct ah_strings *bitcode, struct ah_job **out_job)
{
    *out_job = NULL;
    if (bitcode->count == 1)
        return bitcode->at[0];
    const char *linker = ah_toolchain_tool(plan->toolchain, "llvm-link", "llvm-22");
    if (!linker) {
        plan->failed = true;
        return "";
    }
    const char *merged = ah_plan_scratch(plan, ah_text_print("device-%s.bc", target->file));
    struct ah_job *job = ah_jobs_add(&plan->jobs);
    push_two(&job->argv, linker, "-o");
    push(&job->argv, merged);
    ah_strings_append(&job->argv, bitcode);
    job->target = target->arch;
    *out_job = job;
    return merged;
}

static void push_amd_codegen(const struct ah_plan *plan, const struct ah_target *target,
                             struct ah_strings *argv)
{
    const struct ah_request *r = plan->request;
    push(argv, "--target=amdgcn-amd-amdhsa");
    push(argv, ah_text_print("-mcpu=%s", target->arch));
    if (!r->optimize || strcmp(r->optimize, "-O0"))
        push_two(argv, "-mllvm", "-amdgpu-early-inline-all=true");
    push_two(argv, "-mllvm", "-amdgpu-internalize-symbols");
    push_code_object_version(r, target, argv);
    for (size_t i = 0; i < r->amd_linker.count; i++)
        push_two(argv, "-Xlinker", r->amd_linker.at[i]);
}

static void push_nvidia_codegen(const struct ah_plan *plan, const struct ah_target *target,
                                struct ah_strings *argv)
{
    const struct ah_request *r = plan->request;
    push(argv, "--target=nvptx64-nvidia-cuda");
    push(argv, ah_text_print("-march=%s", target->arch));
    push(argv, "--cuda-path=/none");
    if (!has_ptx_feature(r)) {
        push_xclang(argv, "-target-feature");
        push_xclang(argv, target->ptx);
    }
    for (size_t i = 0; i < r->ptx_features.count; i++) {
        push_xclang(argv, "-target-feature");
        push_xclang(argv, r->ptx_features.at[i]);
    }
    push(argv, "-S");
}

/* The command that makes code of a module of LLVM IR, up to what the module's kind adds. */
static void push_codegen(const struct ah_plan *plan, const struct ah_target *target,
                         const char *module, const char *output, struct ah_strings *argv)
{
    ah_toolchain_push_clang(plan->toolchain, false, argv);
    if (target->nvidia)
        push_nvidia_codegen(plan, target, argv);
    else
        push_amd_codegen(plan, target, argv);
    push(argv, "-nogpulib");
    if (!plan->request->optimize)
        push(argv, "-O3");
    ah_request_args(plan->request,
                    target->nvidia ? AH_ROUTE_DEVICE_LINK | AH_ROUTE_PTX : AH_ROUTE_DEVICE_LINK,
                    target->arch, argv);
    push(argv, "-Wno-unused-command-line-argument");
    push(argv, "-Wno-override-module");
    push_two(argv, "-o", output);
    push_two(argv, "-x", "ir");
    push(argv, module);
}

void ah_pass_push_ptx(const struct ah_plan *plan, const struct ah_target *target,
                      const char *module, const char *output, struct ah_strings *argv)
{
    push_codegen(plan, target, module, output, argv);
    push_xclang(argv, "-disable-llvm-passes"); /* they ran */
}

struct ah_job *ah_pass_device_link(struct ah_plan *plan, const struct ah_target *target,
                                   const struct ah_strings *bitcode, const char *output)
{
    struct ah_job *merge;
    if (!target->nvidia)
        need_tool(plan, &plan->lld, "lld", "lld-22");
    const char *merged = merge_bitcode(plan, target, bitcode, &merge);
    const char *module = target->nvidia ? module_beside(plan, output) : output;
    struct ah_job *job = ah_jobs_add(&plan->jobs);
    push_codegen(plan, target, merged, module, &job->argv);
    if (target->nvidia) {
        push_limits(plan->request, &job->argv);
        push(&job->argv, "-emit-llvm");
    }
    job->target = target->arch;
    if (merge)
        ah_job_needs(&plan->jobs, job, merge);
    return target->nvidia ? ah_ptx_add(plan, job, target, module, output, true) : job;
}
