/* Tests what the command finds in files, and that no damage to them makes it crash. */
#include "command.h"
#include "forge.h"
#include "inspect.h"

#include <elf.h>
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ah_forged ptx(void)
{
    return ah_forge_text(
        "// made by hand\n.version 7.0\n.target sm_70\n.visible .entry add() {}\n");
}

static struct ah_forged bundle_with(struct ah_forged text, size_t alignment)
{
    struct ah_forge_entry entries[] = {
        {"host-x86_64-unknown-linux-gnu-", {NULL, 0}},
        {"hipv4-amdgcn-amd-amdhsa--gfx90a", ah_forge_amdgpu(5, 0x53f)},
        {"hip-nvptx64-nvidia-cuda--sm_70", text},
    };
    return ah_forge_bundle(entries, 3, alignment);
}

static struct ah_forged make_bundle(size_t alignment)
{
    return bundle_with(ptx(), alignment);
}

#define VOLTA "      for NVIDIA Volta and later GPUs: V100, Titan V, Jetson Xavier\n"
#define AMPERE                                                                                     \
    "      for NVIDIA Ampere: A30, A100, A10, A40, RTX A6000, GeForce RTX 3060, RTX 3070, RTX "    \
    "3080, RTX 3090, Jetson Orin\n"                                                                \
    "      for NVIDIA Ada Lovelace: L4, L40, L40S, GeForce RTX 4060, RTX 4070, RTX 4080, RTX "     \
    "4090\n"

static const char bundle_lines[] =
    "    host-x86_64-unknown-linux-gnu-: nothing, for the host\n"
    "    hipv4-amdgcn-amd-amdhsa--gfx90a: AMDGPU code object gfx90a, code object version 5, 64 "
    "bytes\n"
    "      for AMD CDNA 2: Instinct MI210, MI250, MI250X\n"
    "    hip-nvptx64-nvidia-cuda--sm_70: PTX sm_70, PTX 7.0, 68 bytes\n"
    "      for NVIDIA Volta and later GPUs: V100, Titan V, Jetson Xavier\n"
    "      kernel add\n";

static const char *write_forged(const char *name, struct ah_forged forged)
{
    return ah_test_write_file(name, forged.data, forged.size);
}

/* What is printed of a good file, after its first line. */
static const char *inspected(const char *path, const char *kind)
{
    struct ah_test_run run = anyhip("inspect", path);
    const char *head = ah_test_print("%s:%s%s\n", path, *kind ? " " : "", kind);
    if (run.status != 0 || *run.err)
        print_error("status %d\n%s", run.status, run.err);
    assert_int_equal(run.status, 0);
    assert_int_equal(strncmp(run.out, head, strlen(head)), 0);
    return run.out + strlen(head);
}

static struct ah_forged host_file(const char *section, struct ah_forged content)
{
    const struct ah_forge_section sections[] = {
        {".text", "host code", 9}, {section, content.data, content.size}, {NULL, NULL, 0}};
    return ah_forge_sections(62, sections);
}

/* ---- good files --------------------------------------------------------- */

static void a_bundle_is_listed_with_its_kernels(void **state)
{
    (void)state;
    struct ah_forged bundle = make_bundle(8);
    assert_string_equal(
        inspected(write_forged("x.hipfb", bundle), ""),
        ah_test_print("  offload bundle, %zu bytes\n%s", bundle.size, bundle_lines));
    struct ah_forged packed = ah_forge_compressed(bundle, 3, AH_FORGE_ZSTD);
    assert_string_equal(
        inspected(write_forged("y.hipfb", packed), ""),
        ah_test_print("  compressed offload bundle, %zu bytes\n%s", packed.size, bundle_lines));
}

static void an_image_by_itself_is_listed(void **state)
{
    (void)state;
    assert_string_equal(inspected(write_forged("x.ptx", ptx()), ""),
                        "    PTX sm_70, PTX 7.0, 68 bytes\n" VOLTA "      kernel add\n");
    assert_string_equal(inspected(write_forged("x.co", ah_forge_amdgpu(6, 0x0100005f)), ""),
                        "    AMDGPU code object gfx9-4-generic, code object version 6, 64 bytes\n"
                        "      for AMD CDNA 3: Instinct MI300A, MI300X, MI325X\n"
                        "      for AMD CDNA 4: Instinct MI350X, MI355X\n");
    assert_contains(inspected(write_forged("y.co", ah_forge_amdgpu(6, 0x01000059)), ""),
                    "      for AMD RDNA 4: Radeon RX 9060 XT, Radeon RX 9070, RX 9070 XT, AI Pro "
                    "R9700\n      no simulated device is of these kinds yet\n");
    assert_string_equal(
        inspected(write_forged("x.cubin", ah_forge_elf(190, 65, 8, 0x06005a04)), ""),
        "    cubin sm_90, 64 bytes\n      for NVIDIA Hopper: H100, H200, GH200\n");
    assert_string_equal(inspected(ah_test_write_text("x.bc", "BC\xc0\xde...."), ""),
                        "    LLVM bitcode, 8 bytes\n");
}

static void a_cuda_fatbin_is_listed_entry_by_entry(void **state)
{
    (void)state;
    struct ah_forged cubin = ah_forge_cuda_entry(false, 80, ah_forge_elf(190, 51, 7, 0x50), false);
    struct ah_forged text = ah_forge_cuda_entry(true, 70, ptx(), true);
    struct ah_forged both = ah_forge_cuda_container(ah_forge_join(cubin, text, 1));
    assert_string_equal(inspected(write_forged("x.fatbin", both), ""),
                        ah_test_print("    CUDA fatbin, %zu bytes\n"
                                      "    cubin sm_80: cubin sm_80, 64 bytes\n" AMPERE
                                      "    PTX sm_70, compressed with zstd: PTX sm_70, PTX 7.0, 68 "
                                      "bytes\n" VOLTA "      kernel add\n",
                                      both.size));
}

static void a_host_files_sections_are_searched(void **state)
{
    (void)state;
    struct ah_forged bundle = make_bundle(8);
    assert_string_equal(
        inspected(write_forged("lib.so", host_file(".hip_fatbin", bundle)), "shared library"),
        ah_test_print("  .hip_fatbin+0x0: offload bundle, %zu bytes\n%s", bundle.size,
                      bundle_lines));
    assert_string_equal(
        inspected(write_forged("a.o", host_file("__CLANG_OFFLOAD_BUNDLE__hip-amdgcn--gfx90a",
                                                ah_forge_amdgpu(5, 0x3f))),
                  "shared library"),
        "  __CLANG_OFFLOAD_BUNDLE__hip-amdgcn--gfx90a+0x0: one image\n"
        "    AMDGPU code object gfx90a, code object version 5, 64 bytes\n"
        "      for AMD CDNA 2: Instinct MI210, MI250, MI250X\n");
    assert_string_equal(
        inspected(write_forged("b.o", host_file(".llvm.offloading",
                                                ah_forge_offload("amdgcn-amd-amdhsa", "gfx90a",
                                                                 ah_forge_text("BC\xc0\xde")))),
                  "shared library"),
        "  .llvm.offloading+0x0: relocatable device code, 152 bytes\n"
        "    amdgcn-amd-amdhsa gfx90a: LLVM bitcode, 4 bytes\n");
}

static void containers_that_follow_one_another_are_all_listed(void **state)
{
    (void)state;
    struct ah_forged bundle = make_bundle(4096);
    struct ah_forged packed = ah_forge_compressed(bundle, 2, AH_FORGE_ZLIB);
    struct ah_forged oldest = ah_forge_compressed(bundle, 1, AH_FORGE_ZSTD);
    struct ah_forged all = ah_forge_join(bundle, packed, 4096);
    all = ah_forge_join(all, oldest, 4096);
    all = ah_forge_join(all, bundle, 4096);
    all = ah_forge_join(all, ah_forge_text(""), 4096);
    const char *text =
        inspected(write_forged("lib.so", host_file(".hip_fatbin", all)), "shared library");
    assert_contains(text, "  .hip_fatbin+0x0: offload bundle, ");
    assert_contains(text, "  .hip_fatbin+0x3000: compressed offload bundle, ");
    assert_contains(text, "  .hip_fatbin+0x4000: compressed offload bundle\n");
    assert_contains(text, "  .hip_fatbin+0x5000: offload bundle, ");
    assert_int_equal(ah_test_count(text, bundle_lines), 4);
}

static void a_host_file_without_device_code_says_so(void **state)
{
    (void)state;
    assert_string_equal(inspected(write_forged("x.so", host_file(".data", ah_forge_text("data"))),
                                  "shared library"),
                        "  no device code\n");
    assert_string_equal(inspected("/proc/self/exe", "program"), "  no device code\n");
}

static const char *write_archive(const char *name, struct ah_forged content)
{
    const char *head = ah_test_print("!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10zu`\n", "member.o/", 0, 0,
                                     0, 0644, content.size);
    return write_forged(name, ah_forge_join(ah_forge_text(head), content, 1));
}

static void members_of_archives_are_inspected(void **state)
{
    (void)state;
    const char *path = write_archive("x.a", host_file(".hip_fatbin", make_bundle(8)));
    const char *text = inspected(path, "archive");
    assert_contains(text, ah_test_print("%s(member.o): shared library\n", path));
    assert_contains(text, bundle_lines);
    path = write_archive("y.a", ah_forge_text("a text"));
    assert_string_equal(inspected(path, "archive"),
                        ah_test_print("%s(member.o):\n  no device code\n", path));
}

static void members_of_thin_archives_are_looked_for_beside_it(void **state)
{
    (void)state;
    const char *head =
        ah_test_print("!<thin>\n%-16s%-12d%-6d%-6d%-8o%-10d`\n", "member.ptx/", 0, 0, 0, 0644, 69);
    const char *path = ah_test_write_text("folder/x.a", head);
    write_forged("folder/member.ptx", ptx());
    assert_contains(inspected(path, "thin archive"), "PTX sm_70");
    unlink(ah_test_path("folder/member.ptx"));
    struct ah_test_run run = anyhip("inspect", path);
    assert_int_equal(run.status, 1);
    assert_contains(run.err, "(member.ptx): No such file or directory");
}

static void archives_in_archives_end_somewhere(void **state)
{
    (void)state;
    struct ah_forged nested = ptx();
    for (int i = 0; i < 6; i++) {
        const char *path = write_archive("x.a", nested);
        nested.data = (unsigned char *)ah_test_read_file(path, &nested.size);
    }
    struct ah_test_run run = anyhip("inspect", write_forged("x.a", nested));
    assert_true(run.status <= 1);
    assert_contains(run.out, "x.a(member.o)(member.o)(member.o)");
}

static void names_in_files_do_not_reach_the_terminal_raw(void **state)
{
    (void)state;
    struct ah_forge_entry entry = {"hip\033[2J", ah_forge_amdgpu(5, 0x3f)};
    struct ah_forged bundle = ah_forge_bundle(&entry, 1, 8);
    const char *text =
        inspected(write_forged("x.so", host_file(".hip_fatbin\033]0;", bundle)), "shared library");
    assert_lacks(text, "\033");
    assert_contains(text, ".hip_fatbin?]0;+0x0: ");
    assert_contains(text, "    hip?[2J: AMDGPU");
}

static void several_files_are_inspected_in_order(void **state)
{
    (void)state;
    const char *good = write_forged("x.ptx", ptx());
    struct ah_test_run run = anyhip("inspect", good, "/nonexistent", good);
    assert_int_equal(run.status, 1);
    assert_int_equal(ah_test_count(run.out, "PTX sm_70"), 2);
    assert_string_equal(run.err, "anyhip: /nonexistent: No such file or directory\n");
}

static void devices_that_run_an_image_are_named(void **state)
{
    (void)state;
    ah_test_use_devices("70,80,90");
    struct ah_forged newer =
        ah_forge_text(".version 7.0\n.target sm_80\n.visible .entry add() {}\n");
    const char *text = inspected(write_forged("x.hipfb", bundle_with(newer, 8)), "");
    assert_contains(text, "gfx90a, code object version 5, 64 bytes\n"
                          "      for AMD CDNA 2: Instinct MI210, MI250, MI250X\n"
                          "      runs on no device of this machine\n");
    assert_contains(text, "      kernel add\n      runs on device 1, 2\n");
}

static void a_simulated_device_runs_ptx_and_no_cubin(void **state)
{
    (void)state;
    ah_test_setenv("ANYHIP_CONFIG", NULL);
    ah_test_setenv("ANYHIP_BACKEND", "simcuda:sm_80");
    struct ah_forged cubin = ah_forge_elf(190, 51, 7, 0x50);
    assert_string_equal(inspected(write_forged("x.cubin", cubin), ""),
                        "    cubin sm_80, 64 bytes\n" AMPERE
                        "      runs on no device of this machine\n");
    assert_contains(inspected(write_forged("x.ptx", ptx()), ""),
                    "      kernel add\n      runs on device 0\n");
}

/* ---- JSON --------------------------------------------------------------- */

static cJSON *json_of(int status, const char *path, const char *more)
{
    struct ah_test_run run = anyhip("inspect", "--json", path, more);
    cJSON *json = cJSON_Parse(run.out);
    assert_int_equal(run.status, status);
    assert_non_null(json);
    assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "schema")), 1);
    return json;
}

static const cJSON *file_of(const cJSON *json, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(json, "files"), index);
}

static const cJSON *image_of(const cJSON *file, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(file, "images"), index);
}

static const char *text_in(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
    return text ? text : "(none)";
}

static double number_in(const cJSON *object, const char *key)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(object, key));
}

static void json_has_what_the_text_has(void **state)
{
    (void)state;
    struct ah_forge_entry generic = {"hipv4-amdgcn-amd-amdhsa--gfx12-generic",
                                     ah_forge_amdgpu(6, 0x01000059)};
    struct ah_forged both = ah_forge_join(make_bundle(8), ah_forge_bundle(&generic, 1, 8), 8);
    const char *path = write_forged("lib.so", host_file(".hip_fatbin", both));
    cJSON *json = json_of(0, path, write_forged("x.ptx", ptx()));
    assert_string_equal(text_in(file_of(json, 0), "file"), path);
    assert_string_equal(text_in(file_of(json, 0), "kind"), "shared library");
    const cJSON *image = image_of(file_of(json, 0), 0);
    assert_string_equal(text_in(image, "kind"), "AMDGPU code object");
    assert_string_equal(text_in(image, "processor"), "gfx90a");
    assert_string_equal(text_in(image, "xnack"), "any");
    assert_string_equal(text_in(image, "label"), "hipv4-amdgcn-amd-amdhsa--gfx90a");
    assert_string_equal(text_in(image, "container"), "offload bundle");
    assert_string_equal(text_in(image, "section"), ".hip_fatbin");
    assert_int_equal(number_in(image, "size"), 64);
    assert_int_equal(number_in(image, "codeObjectVersion"), 5);
    const cJSON *gpu = cJSON_GetArrayItem(cJSON_GetObjectItem(image, "gpus"), 0);
    assert_string_equal(text_in(gpu, "architecture"), "gfx90a");
    assert_string_equal(text_in(gpu, "family"), "CDNA 2");
    assert_string_equal(text_in(gpu, "products"), "Instinct MI210, MI250, MI250X");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(image, "simulated")));
    image = image_of(file_of(json, 0), 1);
    assert_string_equal(text_in(image, "ptxVersion"), "7.0");
    const cJSON *kernels = cJSON_GetObjectItem(image, "kernels");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(kernels, 0)), "add");
    image = image_of(file_of(json, 0), 2);
    assert_int_equal(number_in(image, "genericVersion"), 1);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(image, "gpus")), 2);
    assert_true(number_in(image, "offset") > 0);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(image, "simulated")));
    assert_null(image_of(file_of(json, 0), 3));
    assert_string_equal(text_in(file_of(json, 1), "kind"), "device code");
    assert_string_equal(text_in(image_of(file_of(json, 1), 0), "container"), "");
    assert_null(file_of(json, 2));
    cJSON_Delete(json);
}

static void json_has_the_devices_that_run_an_image(void **state)
{
    (void)state;
    ah_test_use_devices("70,80,90");
    struct ah_forged newer = ah_forge_text(".version 7.0\n.target sm_80\n");
    cJSON *json = json_of(0, write_forged("x.ptx", newer), NULL);
    const cJSON *devices = cJSON_GetObjectItem(image_of(file_of(json, 0), 0), "devices");
    assert_int_equal(cJSON_GetArraySize(devices), 2);
    assert_int_equal(cJSON_GetNumberValue(cJSON_GetArrayItem(devices, 0)), 1);
    cJSON_Delete(json);
}

static void json_has_what_is_wrong_with_files(void **state)
{
    (void)state;
    struct ah_forged code = ah_forge_text("what is this?");
    const char *path = write_forged("z.so", host_file(".hip_\xff\033tin", code));
    cJSON *json = json_of(1, "/nonexistent", path);
    const cJSON *problem = cJSON_GetArrayItem(cJSON_GetObjectItem(file_of(json, 0), "problems"), 0);
    assert_string_equal(text_in(file_of(json, 0), "file"), "/nonexistent");
    assert_string_equal(text_in(problem, "message"), "No such file or directory");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(file_of(json, 1), "problems")), 0);
    cJSON_Delete(json);
    json = json_of(1, write_forged("y.so", host_file(".hip_fatbin\xff\033", code)), NULL);
    problem = cJSON_GetArrayItem(cJSON_GetObjectItem(file_of(json, 0), "problems"), 0);
    assert_string_equal(text_in(problem, "section"), ".hip_fatbin??");
    assert_contains(text_in(problem, "message"), "this is not device code");
    cJSON_Delete(json);
}

/* ---- extraction --------------------------------------------------------- */

static void assert_extracted(const char *folder, const char *name, struct ah_forged image)
{
    size_t size;
    char *content = ah_test_read_file(ah_test_print("%s/%s", folder, name), &size);
    assert_int_equal(size, image.size);
    assert_memory_equal(content, image.data, size);
}

static void images_are_extracted_into_files_of_their_own(void **state)
{
    (void)state;
    const char *folder = ah_test_path("images");
    struct ah_forged bundle = make_bundle(8);
    const char *path = write_archive("x y.a", host_file(".hip_fatbin", bundle));
    const char *plain = ah_test_write_text("x.bc", "BC\xc0\xde....");
    struct ah_test_run run = anyhip("inspect", path, "--extract", folder, plain);
    assert_int_equal(run.status, 0);
    assert_contains(run.out,
                    ah_test_print("      written to %s/x_y.a_member.o_.0.gfx90a.co\n", folder));
    assert_extracted(folder, "x_y.a_member.o_.0.gfx90a.co", ah_forge_amdgpu(5, 0x53f));
    assert_extracted(folder, "x_y.a_member.o_.1.sm_70.ptx", ptx());
    assert_extracted(folder, "x.bc.2.image.bc", ah_forge_text("BC\xc0\xde...."));
}

static void an_image_that_cannot_be_unpacked_is_named(void **state)
{
    (void)state;
    struct ah_forged entry = ah_forge_cuda_entry(true, 70, ptx(), true);
    memset(entry.data + 64, 0xff, 8); /* where the packed text begins */
    const char *path = write_forged("x.fatbin", ah_forge_cuda_container(entry));
    struct ah_test_run run = anyhip("inspect", path, "--extract", ah_test_path("images"));
    assert_int_equal(run.status, 1);
    assert_contains(run.err, "compressed with zstd: it cannot be unpacked");
}

static void extracted_files_replace_others_only_when_told(void **state)
{
    (void)state;
    const char *folder = ah_test_path("images"), *path = write_forged("x.ptx", ptx());
    const char *old = ah_test_write_text("images/x.ptx.0.sm_70.ptx", "mine");
    struct ah_test_run run = anyhip("inspect", "--extract", folder, path);
    assert_int_equal(run.status, 1);
    assert_contains(run.err,
                    ah_test_print("cannot write %s: File exists; --force replaces it", old));
    assert_extracted(folder, "x.ptx.0.sm_70.ptx", ah_forge_text("mine"));
    run = anyhip("inspect", "--json", "--extract", folder, "--force", path);
    assert_int_equal(run.status, 0);
    assert_contains(run.out, ah_test_print("\"extracted\":\t\"%s\"", old));
    assert_extracted(folder, "x.ptx.0.sm_70.ptx", ptx());
    run = anyhip("inspect", "--extract", "/proc/nowhere", path);
    assert_int_equal(run.status, 1);
    assert_contains(run.err, "cannot write /proc/nowhere/x.ptx.0.sm_70.ptx: ");
}

static void options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    assert_int_equal(anyhip("inspect", "x", "--extract").status, 2);
    assert_int_equal(anyhip("inspect", "--force", "x").status, 2);
    assert_int_equal(anyhip("inspect", "--json").status, 2);
    assert_int_equal(anyhip("inspect", "--xml", "x").status, 2);
}

/* ---- bad files ---------------------------------------------------------- */

static void assert_bad(const char *path, const char *reason)
{
    struct ah_test_run run = anyhip("inspect", path);
    assert_int_equal(run.status, 1);
    assert_int_equal(ah_test_count_lines(run.err), 1);
    assert_contains(run.err, ah_test_print("anyhip: %s: ", path));
    assert_contains(run.err, reason);
}

static void files_that_cannot_hold_device_code_are_refused_with_the_reason(void **state)
{
    (void)state;
    assert_bad("/nonexistent", "No such file or directory");
    assert_bad("/tmp", "Is a directory");
    assert_bad("/dev/null", "not a regular file");
    assert_bad(ah_test_write_text("empty", ""), "the file is empty");
    assert_bad(ah_test_write_text("text", "just a text\n"),
               "neither a program, object or library of this kind of machine nor device code");
    struct ah_forged small = ah_forge_elf(3, 0, 0, 0);
    small.data[4] = 1;
    assert_bad(write_forged("elf32", small), "neither");
}

static void damaged_parts_are_named_with_their_place(void **state)
{
    (void)state;
    struct ah_forged bundle = make_bundle(8);
    bundle.size -= 3;
    assert_bad(write_forged("x.hipfb", bundle), "entry 2 of the offload bundle");
    assert_bad(write_forged("lib.so", host_file(".hip_fatbin", bundle)),
               ".hip_fatbin+0x0: entry 2 of the offload bundle");
    bundle.size += 3;
    struct ah_forged junk = ah_forge_join(bundle, ah_forge_text("not recognised"), 64);
    assert_bad(write_forged("y.hipfb", junk), "bytes are not recognised");
    assert_bad(write_forged("z.so", host_file(".hip_fatbin", ah_forge_text("what is this?"))),
               "this is not device code");
    struct ah_forged fatbin = ah_forge_cuda_container(ah_forge_text("no entry at all"));
    assert_bad(write_forged("x.fatbin", fatbin), "CUDA fatbin is truncated or damaged");
    assert_bad(ah_test_write_text("x.a", "!<arch>\nno header"), "archive is truncated or damaged");
    struct ah_forged offload = ah_forge_offload("a", "b", ptx());
    offload.size -= 8;
    assert_bad(write_forged("x.off", offload), "relocatable device code is truncated");
}

static void files_that_end_too_early_are_told(void **state)
{
    (void)state;
    size_t size;
    char *self = ah_test_read_file("/proc/self/exe", &size);
    const size_t sizes[] = {size - 1, size / 2, size / 10, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *path = ah_test_write_file("half", self, sizes[i]);
        assert_bad(path, "the file is truncated or damaged");
        assert_bad(path,
                   ah_test_print("it has %zu bytes, and its headers need %zu", sizes[i], size));
    }
    const struct ah_forge_section sections[] = {{".text", "code of the device", 18}, {0}};
    struct ah_forged code = ah_forge_sections(224, sections);
    assert_int_equal(anyhip("inspect", write_forged("whole.co", code)).status, 0);
    code.size -= 10;
    assert_bad(write_forged("half.co", code), "the image is truncated or damaged");
    code.size += 10;
    memset(code.data + offsetof(Elf64_Ehdr, e_shoff), 0xff, 8);
    assert_bad(write_forged("wrong.co", code),
               "the image is damaged: its headers contradict one another");
}

/* Inspected in this process, which the sanitizers watch, with its output thrown away. */
static void inspect_quietly(const char *path, bool json)
{
    ah_test_setenv("ANYHIP_BACKEND", "none");
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC), out = dup(STDOUT_FILENO);
    int err = dup(STDERR_FILENO);
    fflush(stdout);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    struct ah_inspection inspection = {0};
    ah_listing_begin(&inspection.listing, json);
    ah_inspect(&inspection, path);
    ah_listing_end(&inspection.listing);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(null);
    close(out);
    close(err);
}

static void survive(const char *name, struct ah_forged forged, size_t interesting)
{
    uint64_t seed = 5;
    for (int round = 0; round < 80; round++) {
        struct ah_forged damaged = ah_forge_join(forged, ah_forge_text(""), 1);
        for (int i = 0; i < 1 + round % 4; i++)
            damaged.data[ah_test_random(&seed) % (round % 2 ? interesting : forged.size)] =
                (unsigned char)ah_test_random(&seed);
        if (round % 3 == 0)
            damaged.size -= ah_test_random(&seed) % damaged.size;
        write_forged(name, damaged);
        inspect_quietly(ah_test_path(name), round % 2 == 0);
        ah_test_tear_down(NULL);
    }
}

static void damaged_files_of_every_kind_are_survived(void **state)
{
    (void)state;
    static const size_t interesting[] = {200, 100, 200, 120, 150};
    for (size_t i = 0; i < sizeof interesting / sizeof *interesting; i++) {
        struct ah_forged files[] = {
            make_bundle(8),
            ah_forge_compressed(make_bundle(8), 3, AH_FORGE_ZLIB),
            ah_forge_cuda_container(ah_forge_cuda_entry(true, 70, ptx(), true)),
            ah_forge_offload("amdgcn-amd-amdhsa", "gfx90a", ptx()),
            host_file(".hip_fatbin", make_bundle(8)),
        };
        struct ah_forged kept = {malloc(files[i].size), files[i].size};
        memcpy(kept.data, files[i].data, kept.size);
        survive("x", kept, interesting[i] < kept.size ? interesting[i] : kept.size);
        free(kept.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_COMMAND_TEST(a_bundle_is_listed_with_its_kernels),
        AH_COMMAND_TEST(an_image_by_itself_is_listed),
        AH_COMMAND_TEST(a_cuda_fatbin_is_listed_entry_by_entry),
        AH_COMMAND_TEST(a_host_files_sections_are_searched),
        AH_COMMAND_TEST(containers_that_follow_one_another_are_all_listed),
        AH_COMMAND_TEST(a_host_file_without_device_code_says_so),
        AH_COMMAND_TEST(members_of_archives_are_inspected),
        AH_COMMAND_TEST(members_of_thin_archives_are_looked_for_beside_it),
        AH_COMMAND_TEST(archives_in_archives_end_somewhere),
        AH_COMMAND_TEST(names_in_files_do_not_reach_the_terminal_raw),
        AH_COMMAND_TEST(several_files_are_inspected_in_order),
        AH_COMMAND_TEST(devices_that_run_an_image_are_named),
        AH_COMMAND_TEST(a_simulated_device_runs_ptx_and_no_cubin),
        AH_COMMAND_TEST(json_has_what_the_text_has),
        AH_COMMAND_TEST(json_has_the_devices_that_run_an_image),
        AH_COMMAND_TEST(json_has_what_is_wrong_with_files),
        AH_COMMAND_TEST(images_are_extracted_into_files_of_their_own),
        AH_COMMAND_TEST(an_image_that_cannot_be_unpacked_is_named),
        AH_COMMAND_TEST(extracted_files_replace_others_only_when_told),
        AH_COMMAND_TEST(options_that_make_no_sense_are_refused),
        AH_COMMAND_TEST(files_that_cannot_hold_device_code_are_refused_with_the_reason),
        AH_COMMAND_TEST(damaged_parts_are_named_with_their_place),
        AH_COMMAND_TEST(files_that_end_too_early_are_told),
        AH_COMMAND_TEST(damaged_files_of_every_kind_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
