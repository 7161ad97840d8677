/* Links by NVIDIA's driver (hipLink*), and what is refused on devices of either vendor. What the
 * compiler links is in tests/hiprtc/link.hip. */
#include "support.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

/* A kernel and a function that it calls, with a private variable of the same name in each. */
static char kernel_ptx[] =
    HEADER ".extern .func (.param .b32 out) twice(.param .b32 x);\n"
           ".extern .global .align 4 .u32 base;\n"
           ".global .align 4 .u32 local = 5;\n"
           ".visible .entry linked(.param .u64 out)\n"
           "{\n"
           "    .reg .b32 %r<3>; .reg .b64 %rd; .param .b32 x; .param .b32 y;\n"
           "    ld.param.u64 %rd, [out]; cvta.to.global.u64 %rd, %rd;\n"
           "    ld.global.u32 %r0, [base]; ld.global.u32 %r1, [local]; add.u32 %r0, %r0, %r1;\n"
           "    st.param.b32 [x], %r0; call (y), twice, (x); ld.param.b32 %r2, [y];\n"
           "    st.global.u32 [%rd], %r2;\n"
           "    ret;\n"
           "}\n";
static char function_ptx[] =
    HEADER ".visible .global .align 4 .u32 base = 100;\n"
           ".global .align 4 .u32 local = 1;\n"
           ".visible .func (.param .b32 out) twice(.param .b32 x)\n"
           "{\n"
           "    .reg .b32 %r<2>;\n"
           "    ld.param.b32 %r0, [x]; ld.global.u32 %r1, [local]; add.u32 %r0, %r0, %r0;\n"
           "    add.u32 %r0, %r0, %r1; st.param.b32 [out], %r0;\n"
           "    ret;\n"
           "}\n";

static hipError_t add_text(hipLinkState_t link, char *text)
{
    return hipLinkAddData(link, hipJitInputPtx, text, strlen(text) + 1, "text", 0, NULL, NULL);
}

static hipLinkState_t begin(void)
{
    hipLinkState_t link;
    ok(hipLinkCreate(0, NULL, NULL, &link));
    return link;
}

static uint32_t run(const void *image)
{
    hipModule_t module;
    hipFunction_t function;
    uint32_t *memory, word = 0;
    ok(hipMalloc((void **)&memory, 4));
    void *arguments[] = {&memory};
    ok(hipModuleLoadData(&module, image));
    ok(hipModuleGetFunction(&function, module, "linked"));
    ok(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    ok(hipMemcpy(&word, memory, 4, hipMemcpyDeviceToHost));
    ok(hipModuleUnload(module));
    ok(hipFree(memory));
    return word;
}

static void inputs_from_memory_and_files_become_one_image(void **state)
{
    void *image, *again;
    size_t size;
    char path[] = "/tmp/anyhip-test-XXXXXX";
    int file = mkstemp(path);
    (void)state;
    check(file >= 0 && write(file, function_ptx, strlen(function_ptx)) > 0);
    close(file);
    hipLinkState_t link = begin();
    ok(add_text(link, kernel_ptx));
    ok(hipLinkAddFile(link, hipJitInputPtx, path, 0, NULL, NULL));
    unlink(path);
    ok(hipLinkComplete(link, &image, &size));
    check(size > 0 && run(image) == 2 * (100 + 5) + 1);
    ok(hipLinkComplete(link, &again, &size));
    check(again == image);
    expect_says(add_text(link, function_ptx), hipErrorInvalidValue,
                "a link that is complete takes no inputs");
    ok(hipLinkDestroy(link));
}

static void a_bundle_gives_its_best_image(void **state)
{
    size_t size, image_size;
    void *image;
    char newer[sizeof function_ptx];
    memcpy(newer, function_ptx, sizeof newer);
    memcpy(strstr(newer, "sm_70"), "sm_90", 5); /* the device is sm_80 */
    struct entry entries[] = {{"one", newer, strlen(newer)},
                              {"two", function_ptx, strlen(function_ptx)}};
    (void)state;
    void *bundle = make_bundle(entries, 2, &size);
    hipLinkState_t link = begin();
    ok(add_text(link, kernel_ptx));
    ok(hipLinkAddData(link, hipJitInputFatBinary, bundle, size, NULL, 0, NULL, NULL));
    ok(hipLinkComplete(link, &image, &image_size));
    check(run(image) == 211);
    ok(hipLinkDestroy(link));
    link = begin();
    struct entry other[] = {{"one", newer, strlen(newer)}};
    void *unfit = make_bundle(other, 1, &size);
    expect_says(hipLinkAddData(link, hipJitInputFatBinary, unfit, size, "newer", 0, NULL, NULL),
                hipErrorNoBinaryForGpu, "newer has no code for device 0");
    ok(hipLinkDestroy(link));
    free(unfit);
    free(bundle);
}

/* A host object as nvcc makes it, with the text in a fatbin; to be freed. */
static unsigned char *make_object(const char *text, size_t *out_size)
{
    enum { FATBIN = 512, HEAD_SIZE = 16, ENTRY = 64 };
    static const char names[] = "\0.shstrtab\0__nv_relfatbin";
    uint64_t text_size = strlen(text) + 1, payload = ENTRY + text_size;
    Elf64_Ehdr header = {.e_type = ET_REL,
                         .e_machine = EM_X86_64,
                         .e_shoff = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = 3,
                         .e_shstrndx = 1};
    Elf64_Shdr sections[3] = {
        [1] = {.sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = 400, .sh_size = sizeof names},
        [2] = {.sh_name = 11,
               .sh_type = SHT_PROGBITS,
               .sh_offset = FATBIN,
               .sh_size = HEAD_SIZE + payload},
    };
    uint32_t magic = 0xba55ed50, entry_size = ENTRY, sm = 70;
    uint16_t version = 1, header_size = HEAD_SIZE, ptx = 1;
    *out_size = FATBIN + HEAD_SIZE + payload;
    unsigned char *data = calloc(1, *out_size), *at = data + FATBIN;
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    memcpy(data, &header, sizeof header), memcpy(data + sizeof header, sections, sizeof sections);
    memcpy(data + 400, names, sizeof names);
    memcpy(at, &magic, 4), memcpy(at + 4, &version, 2), memcpy(at + 6, &header_size, 2);
    memcpy(at + 8, &payload, 8);
    at += HEAD_SIZE;
    memcpy(at, &ptx, 2), memcpy(at + 4, &entry_size, 4), memcpy(at + 8, &text_size, 8);
    memcpy(at + 28, &sm, 4), memcpy(at + ENTRY, text, text_size);
    return data;
}

static void objects_of_nvcc_and_archives_of_them_are_linked(void **state)
{
    size_t size, image_size;
    void *image;
    unsigned char *object = make_object(function_ptx, &size);
    char *archive = malloc(8 + 61 + size);
    (void)state;
    int header =
        sprintf(archive, "!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10zu`\n", "one.o/", 0, 0, 0, 0644, size);
    memcpy(archive + header, object, size);
    for (int i = 0; i < 2; i++) {
        hipLinkState_t link = begin();
        ok(add_text(link, kernel_ptx));
        if (i == 0)
            ok(hipLinkAddData(link, hipJitInputObject, object, size, NULL, 0, NULL, NULL));
        else
            ok(hipLinkAddData(link, hipJitInputLibrary, archive, (size_t)header + size, NULL, 0,
                              NULL, NULL));
        ok(hipLinkComplete(link, &image, &image_size));
        check(run(image) == 211);
        ok(hipLinkDestroy(link));
    }
    hipLinkState_t link = begin();
    expect_says(hipLinkAddData(link, hipJitInputObject, object, size - 10, NULL, 0, NULL, NULL),
                hipErrorInvalidImage, "the ELF file is truncated");
    expect_says(hipLinkAddData(link, hipJitInputCubin, object, 40, NULL, 0, NULL, NULL),
                hipErrorInvalidImage, "the ELF file is truncated");
    expect_says(hipLinkAddData(link, hipJitInputLibrary, archive, (size_t)header + size - 10, NULL,
                               0, NULL, NULL),
                hipErrorInvalidImage, "the archive is truncated");
    memcpy(archive, "!<thin>\n", 8);
    expect_says(
        hipLinkAddData(link, hipJitInputLibrary, archive, (size_t)header, NULL, 0, NULL, NULL),
        hipErrorInvalidImage, "the archive is damaged, or thin");
    ok(hipLinkDestroy(link));
    free(archive);
    free(object);
}

static void what_cannot_be_linked_is_explained(void **state)
{
    static char broken[] = HEADER "this is no PTX\n";
    void *image = NULL;
    size_t size;
    (void)state;
    hipLinkState_t link = begin();
    expect_says(add_text(link, broken), hipErrorInvalidKernelFile, "does not link: line 4");
    expect(hipLinkAddData(link, hipJitInputPtx, kernel_ptx, strlen(kernel_ptx) / 2, NULL, 0, NULL,
                          NULL),
           hipErrorInvalidKernelFile); /* truncated */
    void *elf = make_elf(MACHINE_CUDA, 80, "", &size);
    expect(hipLinkAddData(link, hipJitInputCubin, elf, size, NULL, 0, NULL, NULL),
           hipErrorNoBinaryForGpu); /* simulators take PTX */
    free(elf);
    expect_says(
        hipLinkAddData(link, hipJitInputFatBinary, broken, sizeof broken, NULL, 0, NULL, NULL),
        hipErrorInvalidImage, "no fatbin, or a truncated one");
    unsigned char truncated[64] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 49};
    expect_says(hipLinkAddData(link, hipJitInputFatBinary, truncated, sizeof truncated, NULL, 0,
                               NULL, NULL),
                hipErrorInvalidImage, "the CUDA fatbin is truncated");
    expect_says(
        hipLinkAddData(link, hipJitInputLibrary, broken, sizeof broken, NULL, 0, NULL, NULL),
        hipErrorInvalidImage, "neither an ELF file nor an archive");
    expect_says(hipLinkComplete(link, &image, &size), hipErrorInvalidConfiguration,
                "the link has no inputs");
    ok(add_text(link, kernel_ptx));
    expect_says(hipLinkComplete(link, &image, &size), hipErrorInvalidImage, "'twice'");
    ok(add_text(link, function_ptx));
    ok(add_text(link, function_ptx));
    expect_says(hipLinkComplete(link, &image, &size), hipErrorInvalidImage,
                "Multiple definition of 'twice'");
    check(image == NULL);
    ok(hipLinkDestroy(link));
}

static void options_reach_the_driver_and_its_log_comes_back(void **state)
{
    char log[256] = "before";
    hipLinkState_t link;
    void *image;
    size_t size;
    hipJitOption options[] = {hipJitOptionErrorLogBuffer, hipJitOptionErrorLogBufferSizeBytes,
                              hipJitOptionOptimizationLevel};
    void *values[] = {log, (void *)(uintptr_t)sizeof log, (void *)(uintptr_t)3};
    (void)state;
    ok(hipLinkCreate(3, options, values, &link));
    ok(add_text(link, kernel_ptx));
    expect(hipLinkComplete(link, &image, &size), hipErrorInvalidImage);
    check(strstr(log, "'twice'") != NULL && (uintptr_t)values[1] == strlen(log));
    ok(hipLinkDestroy(link));
    options[0] = (hipJitOption)4711;
    expect(hipLinkCreate(1, options, values, &link), hipErrorInvalidValue);
}

static void a_reset_of_the_device_ends_its_links(void **state)
{
    (void)state;
    ok(hipSetDevice(1));
    hipLinkState_t link = begin();
    ok(add_text(link, kernel_ptx));
    ok(hipDeviceReset());
    expect(hipLinkDestroy(link), hipErrorInvalidValue);
    (void)load_kernels();
}

static void a_link_is_of_the_device_that_was_current(void **state)
{
    void *image;
    size_t size;
    (void)state;
    hipLinkState_t link = begin();
    ok(hipSetDevice(1));
    ok(add_text(link, kernel_ptx));
    ok(add_text(link, function_ptx));
    ok(hipLinkComplete(link, &image, &size));
    check(run(image) == 211);
    ok(hipLinkDestroy(link));
}

/* ---- on devices of either vendor ---------------------------------------------------------- */

static void wrong_arguments_are_refused(void **state)
{
    hipStream_t stream;
    hipLinkState_t link = begin(), none;
    hipJitOption option = hipJitOptionOptimizationLevel;
    void *value = NULL, *image;
    size_t size;
    (void)state;
    ok(hipStreamCreate(&stream));
    hipLinkState_t wrong = (hipLinkState_t)(void *)stream;
    expect(hipLinkCreate(0, NULL, NULL, NULL), hipErrorInvalidValue);
    expect(hipLinkCreate(1, NULL, &value, &none), hipErrorInvalidValue);
    expect(hipLinkCreate(1, &option, NULL, &none), hipErrorInvalidValue);
    expect(hipLinkAddData(link, hipJitInputObject, NULL, 4, NULL, 0, NULL, NULL),
           hipErrorInvalidImage);
    expect(hipLinkAddData(link, hipJitInputObject, &size, 0, NULL, 0, NULL, NULL),
           hipErrorInvalidImage);
    expect(hipLinkAddData(NULL, hipJitInputObject, &size, 4, NULL, 0, NULL, NULL),
           hipErrorInvalidHandle);
    expect(hipLinkAddData(wrong, hipJitInputObject, &size, 4, NULL, 0, NULL, NULL),
           hipErrorInvalidHandle);
    expect(hipLinkAddData(link, hipJitInputObject, &size, 4, NULL, 1, NULL, NULL),
           hipErrorInvalidValue);
    expect_says(hipLinkAddData(link, (hipJitInputType)77, &size, 4, NULL, 0, NULL, NULL),
                hipErrorInvalidValue, "77 is no type of input");
    expect_says(hipLinkAddData(link, hipJitInputSpirv, &size, 4, NULL, 0, NULL, NULL),
                hipErrorNotSupported, "no translator of SPIR-V");
    expect(hipLinkAddFile(NULL, hipJitInputObject, "x", 0, NULL, NULL), hipErrorInvalidHandle);
    expect(hipLinkAddFile(link, hipJitInputObject, NULL, 0, NULL, NULL), hipErrorInvalidValue);
    expect_says(hipLinkAddFile(link, hipJitInputObject, "/tmp/no such file", 0, NULL, NULL),
                hipErrorInvalidConfiguration, "/tmp/no such file");
    expect(hipLinkAddFile(link, hipJitInputObject, "/tmp", 0, NULL, NULL),
           hipErrorInvalidConfiguration);
    expect(hipLinkComplete(NULL, &image, &size), hipErrorInvalidValue);
    expect(hipLinkComplete(wrong, &image, &size), hipErrorInvalidValue);
    expect(hipLinkComplete(link, NULL, &size), hipErrorInvalidValue);
    expect(hipLinkComplete(link, &image, NULL), hipErrorInvalidValue);
    expect(hipLinkDestroy(NULL), hipErrorInvalidValue);
    expect(hipLinkDestroy(wrong), hipErrorInvalidValue);
    ok(hipLinkDestroy(link));
    expect(hipLinkDestroy(link), hipErrorInvalidValue);
    ok(hipStreamDestroy(stream));
}

static void what_is_for_nvidia_is_refused_for_amd(void **state)
{
    hipLinkState_t link = begin(), none;
    hipJitOption option = hipJitOptionOptimizationLevel;
    void *value = NULL, *image;
    size_t size;
    (void)state;
    expect_says(hipLinkCreate(1, &option, &value, &none), hipErrorInvalidValue,
                "is unknown, or is not one for device 0");
    expect_says(add_text(link, kernel_ptx), hipErrorInvalidValue, "for NVIDIA's devices");
    expect_says(hipLinkAddData(link, hipJitInputObject, kernel_ptx, strlen(kernel_ptx), "some.o", 0,
                               NULL, NULL),
                hipErrorInvalidConfiguration, "some.o is no LLVM bitcode");
    void *elf = make_elf(MACHINE_AMDGPU, 0x3f, "", &size);
    expect(hipLinkAddData(link, hipJitInputObject, elf, size, NULL, 0, NULL, NULL),
           hipErrorInvalidConfiguration);
    free(elf);
    expect(hipLinkComplete(link, &image, &size), hipErrorInvalidConfiguration);
    ok(hipLinkDestroy(link));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_OVER("cuda", "AMD's runtime has no linker",
                  inputs_from_memory_and_files_become_one_image),
        TEST_OVER("cuda", "AMD's runtime has no linker", a_bundle_gives_its_best_image),
        TEST_OVER("cuda", "AMD's runtime has no linker",
                  objects_of_nvcc_and_archives_of_them_are_linked),
        TEST_OVER("cuda", "AMD's runtime has no linker", what_cannot_be_linked_is_explained),
        TEST_OVER("cuda", "AMD's runtime has no linker",
                  options_reach_the_driver_and_its_log_comes_back),
        TEST_OVER("cuda", "AMD's runtime has no linker", a_reset_of_the_device_ends_its_links),
        TEST_OVER("cuda", "AMD's runtime has no linker", a_link_is_of_the_device_that_was_current),
        TEST(wrong_arguments_are_refused),
        TEST_OVER("hsa", "NVIDIA's driver links PTX", what_is_for_nvidia_is_refused_for_amd),
    };
    use_fake("80,90");
    return run_group("driver.link", tests);
}
