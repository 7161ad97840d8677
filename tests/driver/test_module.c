/* Modules of every kind of image, their functions and variables, attributes, occupancy. */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const dim3 one = {1, 1, 1};

static const char small_ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                ".visible .entry from_small()\n{\n ret;\n}\n";

/* ---- loading ------------------------------------------------------------------------------ */

static void check_module(hipModule_t module, const char *function_name)
{
    hipFunction_t function;
    ok(hipModuleGetFunction(&function, module, function_name));
    ok(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    ok(hipDeviceSynchronize());
    ok(hipModuleUnload(module));
}

/* The header of a CUDA fatbin with one PTX entry and one cubin. */
static void *make_fatbin(const char *ptx, unsigned ptx_sm, const void *cubin, size_t cubin_size,
                         unsigned cubin_sm)
{
    size_t ptx_size = strlen(ptx) + 1, entry = 64, size = 16 + entry + ptx_size;
    size += cubin ? entry + cubin_size : 0;
    unsigned char *fatbin = calloc(1, size), *at = fatbin;
    uint32_t magic = 0xba55ed50;
    uint16_t version = 1, header = 16, kind = 1;
    uint64_t payload = size - 16, ptx_payload = ptx_size, cubin_payload = cubin_size;
    uint32_t entry_size = (uint32_t)entry;
    memcpy(at, &magic, 4), memcpy(at + 4, &version, 2), memcpy(at + 6, &header, 2);
    memcpy(at + 8, &payload, 8);
    at += 16;
    if (cubin) {
        uint16_t elf = 2;
        memcpy(at, &elf, 2), memcpy(at + 4, &entry_size, 4), memcpy(at + 8, &cubin_payload, 8);
        memcpy(at + 28, &cubin_sm, 4), memcpy(at + entry, cubin, cubin_size);
        at += entry + cubin_size;
    }
    memcpy(at, &kind, 2), memcpy(at + 4, &entry_size, 4), memcpy(at + 8, &ptx_payload, 8);
    memcpy(at + 28, &ptx_sm, 4), memcpy(at + entry, ptx, ptx_size);
    return fatbin;
}

static void every_kind_of_image_is_loaded_from_memory(void **state)
{
    size_t size, elf_size, packed_size;
    hipModule_t module;
    (void)state;
    ok(hipModuleLoadData(&module, small_ptx));
    check_module(module, "from_small");
    ok(hipModuleLoadDataEx(&module, small_ptx, 0, NULL, NULL));
    check_module(module, "from_small");
    void *cubin = make_elf(MACHINE_CUDA, 80, small_ptx, &elf_size);
    expect(hipModuleLoadData(&module, cubin), hipErrorNoBinaryForGpu); /* simulators take PTX */
    void *fatbin = make_fatbin(small_ptx, 70, cubin, elf_size, 80);
    ok(hipModuleLoadFatBinary(&module, fatbin));
    check_module(module, "from_small");
    struct entry entries[] = {{"hip-nvptx64-nvidia-cuda--sm_70", small_ptx, sizeof small_ptx - 1}};
    void *bundle = make_bundle(entries, 1, &size);
    ok(hipModuleLoadData(&module, bundle));
    check_module(module, "from_small");
    for (int method = ZLIB; method <= ZSTD; method++) {
        void *packed = compress_bundle(bundle, size, (enum compression)method, &packed_size);
        ok(hipModuleLoadFatBinary(&module, packed));
        check_module(module, "from_small");
        free(packed);
    }
    free(bundle);
    free(fatbin);
    free(cubin);
}

static char *write_file(const void *data, size_t size)
{
    char *path = strdup("/tmp/anyhip-test-XXXXXX");
    int file = mkstemp(path);
    check(file >= 0 && write(file, data, size) == (ssize_t)size);
    close(file);
    return path;
}

static void modules_are_loaded_from_files(void **state)
{
    hipModule_t module;
    (void)state;
    /* PTX in a file does not end with a NUL; here the file fills whole pages, too. */
    size_t page = 4096, size = sizeof small_ptx - 1;
    char *padded = malloc(page);
    memset(padded, '\n', page);
    memcpy(padded, small_ptx, size);
    char *path = write_file(padded, page);
    ok(hipModuleLoad(&module, path));
    check_module(module, "from_small");
    unlink(path);
    free(path);
    path = write_file(small_ptx, size);
    ok(hipModuleLoad(&module, path));
    check_module(module, "from_small");
    expect(hipModuleLoad(NULL, path), hipErrorInvalidValue);
    expect(hipModuleLoad(&module, NULL), hipErrorInvalidValue);
    unlink(path);
    expect(hipModuleLoad(&module, path), hipErrorFileNotFound);
    expect(hipModuleLoad(&module, "/tmp"), hipErrorFileNotFound);
    expect(hipModuleLoad(&module, ""), hipErrorInvalidValue);
    free(path);
    path = write_file("", 0);
    expect(hipModuleLoad(&module, path), hipErrorInvalidImage);
    unlink(path);
    free(path);
    path = write_file("x", 1);
    expect(hipModuleLoad(&module, path), hipErrorInvalidImage);
    unlink(path);
    free(path);
    path = write_file("not an image", 12);
    expect(hipModuleLoad(&module, path), hipErrorInvalidImage);
    unlink(path);
    free(path);
    free(padded);
}

static void the_image_that_fits_best_is_taken(void **state)
{
    static const char ptx70[] =
        ".version 7.0\n.target sm_70\n.visible .entry of_70()\n{\nret;\n}\n";
    static const char ptx80[] =
        ".version 7.0\n.target sm_80\n.visible .entry of_80()\n{\nret;\n}\n";
    static const char ptx90[] =
        ".version 7.8\n.target sm_90\n.visible .entry of_90()\n{\nret;\n}\n";
    static const char ptx90a[] =
        ".version 8.0\n.target sm_90a\n.visible .entry of_90a()\n{\nret;\n}\n";
    static const char cubin86[] =
        ".version 7.0\n.target sm_80\n.visible .entry of_86()\n{\nret;\n}\n";
    size_t size, elf_size, amd_size;
    hipModule_t module;
    (void)state;
    void *cubin = make_elf(MACHINE_CUDA, 86, cubin86, &elf_size);
    void *amd = make_elf(MACHINE_AMDGPU, 0x3f, "", &amd_size);
    struct entry entries[] = {
        {"hip-amdgcn-amd-amdhsa--gfx90a", amd, amd_size},
        {"hip-amdgcn-amd-amdhsa--sm_86", cubin, elf_size}, /* labels are not believed */
        {"one", ptx90a, sizeof ptx90a - 1},
        {"two", ptx70, sizeof ptx70 - 1},
        {"three", ptx90, sizeof ptx90 - 1},
        {"four", ptx80, sizeof ptx80 - 1},
    };
    void *bundle = make_bundle(entries, 6, &size);
    ok(hipModuleLoadData(&module, bundle)); /* device 0 is sm_80 */
    check_module(module, "of_80");
    ok(hipSetDevice(1)); /* sm_90 */
    ok(hipModuleLoadData(&module, bundle));
    check_module(module, "of_90a");
    free(bundle);
    free(amd);
    free(cubin);
}

static void if_the_driver_refuses_an_image_the_next_best_is_taken(void **state)
{
    static const char broken[] = ".version 7.0\n.target sm_80\nthis is no PTX\n";
    size_t size;
    hipModule_t module;
    struct entry entries[] = {{"one", broken, sizeof broken - 1},
                              {"two", small_ptx, sizeof small_ptx - 1}};
    (void)state;
    void *bundle = make_bundle(entries, 2, &size);
    ok(hipModuleLoadData(&module, bundle));
    check_module(module, "from_small");
    free(bundle);
    bundle = make_bundle(entries, 1, &size);
    expect(hipModuleLoadData(&module, bundle), hipErrorInvalidKernelFile);
    free(bundle);
}

static void images_that_do_not_fit_or_cannot_be_read_are_refused(void **state)
{
    static const char ptx90[] =
        ".version 7.8\n.target sm_90\n.visible .entry of_90()\n{\nret;\n}\n";
    static const char too_new[] = ".version 99.0\n.target sm_70\n.visible .entry e()\n{\nret;\n}\n";
    static const char bad_name[] =
        ".version 7.0\n.target sm_70\n.visible .entry e()\n{\n}\n.bogus x;\n";
    size_t size, packed_size;
    hipModule_t module = NULL;
    (void)state;
    expect(hipModuleLoadData(&module, ptx90), hipErrorNoBinaryForGpu);
    void *elf = make_elf(MACHINE_CUDA, 70, small_ptx, &size);
    expect(hipModuleLoadData(&module, elf), hipErrorNoBinaryForGpu);
    free(elf);
    elf = make_elf(MACHINE_AMDGPU, 0x3f, "", &size);
    expect(hipModuleLoadData(&module, elf), hipErrorNoBinaryForGpu);
    free(elf);
    elf = make_elf(62, 0, "", &size); /* x86-64 */
    expect(hipModuleLoadData(&module, elf), hipErrorInvalidImage);
    free(elf);
    expect(hipModuleLoadData(&module, too_new), hipErrorInvalidKernelFile);
    expect(hipModuleLoadData(&module, bad_name), hipErrorInvalidKernelFile);
    /* Of unknown size, so that a reader looks at the first bytes of any header. */
    static const char nonsense[64] = "no image at all", empty[64] = "";
    expect(hipModuleLoadData(&module, nonsense), hipErrorInvalidImage);
    expect(hipModuleLoadData(&module, empty), hipErrorInvalidImage);
    expect(hipModuleLoadData(&module, NULL), hipErrorInvalidValue);
    expect(hipModuleLoadData(NULL, small_ptx), hipErrorInvalidValue);
    expect(hipModuleLoadFatBinary(NULL, small_ptx), hipErrorInvalidValue);
    expect(hipModuleLoadFatBinary(&module, NULL), hipErrorInvalidValue);
    expect(hipModuleLoadDataEx(NULL, small_ptx, 0, NULL, NULL), hipErrorInvalidValue);
    expect(hipModuleLoadDataEx(&module, NULL, 0, NULL, NULL), hipErrorInvalidValue);
    expect(hipModuleLoadDataEx(&module, small_ptx, 1, NULL, NULL), hipErrorInvalidValue);
    struct entry entries[] = {{"one", small_ptx, sizeof small_ptx - 1}};
    unsigned char *bundle = make_bundle(entries, 1, &size);
    unsigned char *packed = compress_bundle(bundle, size, ZSTD, &packed_size);
    packed[packed_size - 5] ^= 0xff;
    expect(hipModuleLoadData(&module, packed), hipErrorInvalidImage);
    uint64_t beyond = (uint64_t)1 << 40;
    memcpy(bundle + 24 + 8 + 24 + 27, &beyond, 8); /* the first image's offset */
    expect(hipModuleLoadData(&module, bundle), hipErrorInvalidImage);
    check(module == NULL);
    free(packed);
    free(bundle);
}

static void jit_options_reach_the_driver_and_its_log_comes_back(void **state)
{
    static const char broken[] = ".version 7.0\n.target sm_70\nthis is no PTX\n";
    char log[256] = "";
    hipModule_t module;
    hipJitOption options[] = {hipJitOptionErrorLogBuffer, hipJitOptionErrorLogBufferSizeBytes};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    (void)state;
    expect(hipModuleLoadDataEx(&module, broken, 2, options, values), hipErrorInvalidKernelFile);
    check(strstr(log, "line 3") != NULL);
    options[0] = (hipJitOption)39;
    options[1] = (hipJitOption)77;
    expect(hipModuleLoadDataEx(&module, small_ptx, 2, options, values), hipErrorInvalidValue);
    ok(hipModuleLoadDataEx(&module, small_ptx, 1, options, values));
    ok(hipModuleUnload(module));
}

static void a_ptx_that_does_not_compile_is_explained_in_the_log(void **state)
{
    static const char broken[] = ".version 7.0\n.target sm_70\nthis is no PTX\n";
    hipModule_t module;
    (void)state;
    ok(hipExtSetLoggingParams(1, 0, ~0u));
    begin_log();
    hipError_t error = hipModuleLoadData(&module, broken);
    char *text = end_log();
    ok(hipExtSetLoggingParams(0, 0, ~0u));
    check(error == hipErrorInvalidKernelFile);
    check(strstr(text, "line 3") != NULL);
    free(text);
}

/* ---- names that only LLVM has ------------------------------------------------------------------
 */

static void names_with_dots_are_found_under_their_own_name(void **state)
{
    static const char dotted[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                 ".visible .global .align 4 .u32 value.managed = 5;\n"
                                 ".visible .entry kernel.intern.abc()\n{\n ret;\n}\n";
    hipModule_t module;
    hipFunction_t function;
    hipDeviceptr_t address;
    size_t size;
    uint32_t value;
    (void)state;
    ok(hipModuleLoadData(&module, dotted));
    ok(hipModuleGetFunction(&function, module, "kernel.intern.abc"));
    check(strcmp(hipKernelNameRef(function), "kernel.intern.abc") == 0);
    ok(hipModuleGetGlobal(&address, &size, module, "value.managed"));
    ok(hipMemcpy(&value, address, 4, hipMemcpyDeviceToHost));
    check(size == 4 && value == 5);
    ok(hipModuleUnload(module));
}

/* ---- functions and variables
 * ---------------------------------------------------------------------- */

static void functions_are_found_by_name_and_are_the_same_each_time(void **state)
{
    hipModule_t module;
    hipFunction_t first, again, other;
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&first, module, "fake_fill"));
    ok(hipModuleGetFunction(&again, module, "fake_fill"));
    ok(hipModuleGetFunction(&other, module, "empty"));
    check(first == again && first != other);
    check(strcmp(hipKernelNameRef(first), "fake_fill") == 0);
    expect(hipModuleGetFunction(&first, module, "nothing"), hipErrorNotFound);
    expect(hipModuleGetFunction(&first, module, ""), hipErrorInvalidValue);
    expect(hipModuleGetFunction(&first, module, NULL), hipErrorInvalidValue);
    expect(hipModuleGetFunction(NULL, module, "empty"), hipErrorInvalidValue);
    ok(hipModuleUnload(module));
    expect(hipModuleGetFunction(&first, module, "empty"), hipErrorInvalidResourceHandle);
}

static void all_functions_of_a_module_are_listed(void **state)
{
    hipModule_t module;
    hipFunction_t functions[32], function;
    unsigned count = 0, all = over_hsa() ? 12 : 10; /* two are AMD's alone */
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunctionCount(&count, module));
    check(count == all);
    memset(functions, 0, sizeof functions);
    ok(hipModuleEnumerateFunctions(functions, 32, module));
    ok(hipModuleGetFunction(&function, module, "fake_add"));
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++)
        found += functions[i] == function;
    check(found == 1 && functions[all] == NULL);
    memset(functions, 0, sizeof functions);
    ok(hipModuleEnumerateFunctions(functions, 3, module));
    check(functions[2] != NULL && functions[3] == NULL);
    expect(hipModuleGetFunctionCount(NULL, module), hipErrorInvalidValue);
    expect(hipModuleEnumerateFunctions(NULL, 3, module), hipErrorInvalidValue);
    expect(hipModuleEnumerateFunctions(functions, 0, module), hipErrorInvalidValue);
    ok(hipModuleUnload(module));
    expect(hipModuleGetFunctionCount(&count, module), hipErrorInvalidResourceHandle);
    expect(hipModuleEnumerateFunctions(functions, 3, module), hipErrorInvalidResourceHandle);
}

static void a_list_of_functions_that_the_driver_refuses_is_not_given(void **state)
{
    hipModule_t module;
    hipFunction_t functions[3];
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    fakecuda_fail("cuFuncGetName", 3, 2); /* when two names are there */
    expect(hipModuleEnumerateFunctions(functions, 3, module), hipErrorOutOfMemory);
    ok(hipModuleEnumerateFunctions(functions, 3, module));
    ok(hipModuleUnload(module));
}

static void variables_of_a_module_have_address_size_and_first_value(void **state)
{
    hipModule_t module, second;
    hipDeviceptr_t table, other;
    size_t size;
    uint32_t words[16];
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleLoadData(&second, kernels_image()));
    ok(hipModuleGetGlobal(&table, &size, module, "table"));
    ok(hipModuleGetGlobal(&other, NULL, second, "table"));
    check(size == 64 && table != other);
    ok(hipMemset(table, 0, 64));
    ok(hipMemcpy(words, other, 64, hipMemcpyDeviceToHost));
    check(words[0] == 1 && words[15] == 16);
    ok(hipModuleGetGlobal(NULL, &size, module, "limit"));
    check(size == 4);
    expect(hipModuleGetGlobal(NULL, NULL, module, "table"), hipErrorInvalidValue);
    expect(hipModuleGetGlobal(&table, &size, module, NULL), hipErrorInvalidValue);
    expect(hipModuleGetGlobal(&table, &size, module, ""), hipErrorInvalidValue);
    expect(hipModuleGetGlobal(&table, &size, module, "nothing"), hipErrorNotFound);
    expect(hipModuleGetGlobal(&table, &size, module, "empty"), hipErrorNotFound);
    ok(hipModuleUnload(module));
    expect(hipModuleGetGlobal(&table, &size, module, "table"), hipErrorInvalidResourceHandle);
    ok(hipModuleUnload(second));
}

static void functions_are_loaded_with_their_module(void **state)
{
    hipModule_t module;
    unsigned count, before = fakecuda_calls("cuFuncLoad");
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    if (hipModuleGetFunctionCount(&count, module) == hipErrorNotSupported) /* an old driver */
        count = 0;
    check(fakecuda_calls("cuFuncLoad") == before + count);
    ok(hipModuleUnload(module));
}

static void modules_are_unloaded_once_and_when_their_work_is_done(void **state)
{
    hipModule_t module;
    hipFunction_t function;
    hipStream_t stream;
    uint32_t *pinned, value = 8, count = 1024;
    int local;
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "fake_fill"));
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipHostMalloc((void **)&pinned, 4096, 0));
    uint32_t milliseconds = 20;
    void *spin[] = {&milliseconds}, *args[] = {&pinned, &value, &count};
    ok(hipLaunchKernel(&spin_kernel, one, one, spin, 0, stream));
    ok(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL));
    ok(hipModuleUnload(module));
    check_words(pinned, 1024, 8);
    expect(hipModuleUnload(module), hipErrorNotFound);
    expect(hipModuleUnload(NULL), hipErrorInvalidResourceHandle);
    expect(hipModuleUnload((hipModule_t)(void *)&local), hipErrorNotFound);
    expect(hipModuleUnload((hipModule_t)(void *)stream), hipErrorNotFound);
    ok(hipHostFree(pinned));
    ok(hipStreamDestroy(stream));
}

static void a_module_of_another_device_than_the_current_one_is_used(void **state)
{
    hipModule_t module;
    hipFunction_t function;
    hipDeviceptr_t table;
    struct hipFuncAttributes attributes;
    (void)state;
    ok(hipSetDevice(1));
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipSetDevice(0));
    ok(hipModuleGetFunction(&function, module, "empty"));
    ok(hipModuleGetGlobal(&table, NULL, module, "table"));
    ok(hipFuncGetAttributes(&attributes, function));
    check(over_hsa() || attributes.binaryVersion == 90);
    ok(hipModuleUnload(module));
}

static void managed_variables_of_a_module_are_memory_of_both_sides(void **state)
{
    static const char *const spellings[] = {
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .global .align 4 .u32 value.managed = 5;\n"
        ".visible .global .align 8 .u64 value;\n",
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .global .align 4 .u32 value_$_managed = 5;\n"
        ".visible .global .align 8 .u64 value;\n"
        "// value_$_managed once more, and other.managed that is not there\n",
    };
    hipPointerAttribute_t attributes;
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; ++i) {
        hipModule_t module;
        uint32_t *value;
        size_t size;
        ok(hipModuleLoadData(&module, spellings[i]));
        ok(hipModuleGetGlobal((hipDeviceptr_t *)&value, &size, module, "value"));
        check(size == 4 && *value == 5);
        ok(hipPointerGetAttributes(&attributes, value));
        check(attributes.type == hipMemoryTypeManaged);
        expect(hipFree(value), hipErrorInvalidValue);
        ok(hipModuleUnload(module));
        ok(hipPointerGetAttributes(&attributes, value));
        check(attributes.type == hipMemoryTypeUnregistered);
    }
}

static void a_module_whose_managed_memory_is_refused_is_not_loaded(void **state)
{
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .global .align 4 .u32 value.managed = 5;\n"
                               ".visible .global .align 8 .u64 value;\n";
    hipModule_t module;
    (void)state;
    fakecuda_fail("cuMemAllocManaged", 1, 2);
    expect(hipModuleLoadData(&module, text), hipErrorOutOfMemory);
    ok(hipModuleLoadData(&module, text));
    ok(hipModuleUnload(module));
}

/* ---- files -------------------------------------------------------------------------------- */

/* How many files are open; those that a driver keeps open count. */
static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    check(folder != NULL);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* Whether a file of this name is open. */
static bool is_open(const char *part)
{
    bool found = false;
    DIR *folder = opendir("/proc/self/fd");
    check(folder != NULL);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char path[300], target[512] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
        if (readlink(path, target, sizeof target - 1) > 0)
            found |= strstr(target, part) != NULL;
    }
    closedir(folder);
    return found;
}

static void load_modules(const char *path)
{
    static const char no_image[4096] = "no image"; /* of which as much is read as an image has */
    hipModule_t module;
    hipFunction_t function;
    ok(hipModuleLoad(&module, path));
    ok(hipModuleGetFunction(&function, module, "empty"));
    ok(hipModuleUnload(module));
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleUnload(module));
    expect(hipModuleLoad(&module, "/no/such/file"), hipErrorFileNotFound);
    check(hipModuleLoadData(&module, NULL) != hipSuccess);
    check(hipModuleLoadData(&module, no_image) != hipSuccess);
}

static void nothing_that_was_opened_stays_open(void)
{
    char *path = write_file(kernels_image(), kernels_image_size());
    use_fake("80,90");
    setenv("HIP_VISIBLE_DEVICES", "0,1", 1);
    int before = open_files();
    ok(hipInit(0));
    check(!is_open("/maps") && !is_open(".so"));
    load_modules(path); /* with which the driver starts */
    int files = open_files();
    for (int i = 0; i < 20; i++)
        load_modules(path);
    check(open_files() == files);
    check(!is_open("/maps") && !is_open(path) && files >= before);
    unlink(path);
    free(path);
}

static void a_program_that_loads_modules_opens_no_more_files(void **state)
{
    (void)state;
    in_child(nothing_that_was_opened_stays_open);
}

/* ---- attributes
 * ------------------------------------------------------------------------------------- */

static void attributes_of_kernels_are_told(void **state)
{
    struct hipFuncAttributes all;
    hipFunction_t function;
    int value;
    (void)state;
    ok(hipFuncGetAttributes(&all, &fill_kernel));
    check(all.numRegs > 0);
    ok(hipFuncGetAttributes(&all, &bounded_kernel));
    check(all.maxThreadsPerBlock == 128 && all.sharedSizeBytes == 0);
    check(all.binaryVersion == 80 && all.ptxVersion == 70 && all.preferredShmemCarveout == -1);
    ok(hipFuncGetAttributes(&all, &shared_kernel));
    check(all.maxThreadsPerBlock == 1024 && all.sharedSizeBytes == 4096);
    ok(hipGetFuncBySymbol(&function, &shared_kernel));
    const struct {
        hipFunction_attribute attribute;
        int value;
    } values[] = {
        {HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 4096},
        {HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 4},
        {HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0},
        {HIP_FUNC_ATTRIBUTE_NUM_REGS, all.numRegs},
        {HIP_FUNC_ATTRIBUTE_PTX_VERSION, 70},
        {HIP_FUNC_ATTRIBUTE_BINARY_VERSION, 80},
        {HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA, 0},
        {HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 49152 - 4096},
        {HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        ok(hipFuncGetAttribute(&value, values[i].attribute, function));
        check(value == values[i].value);
    }
    expect(hipFuncGetAttributes(NULL, &shared_kernel), hipErrorInvalidValue);
    expect(hipFuncGetAttributes(&all, NULL), hipErrorInvalidDeviceFunction);
    expect(hipFuncGetAttributes(&all, &value), hipErrorInvalidDeviceFunction);
    expect(hipFuncGetAttribute(NULL, HIP_FUNC_ATTRIBUTE_NUM_REGS, function), hipErrorInvalidValue);
    expect(hipFuncGetAttribute(&value, (hipFunction_attribute)77, function), hipErrorInvalidValue);
    expect(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, NULL), hipErrorInvalidHandle);
    expect(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS,
                               (hipFunction_t)(uintptr_t)&shared_kernel),
           hipErrorInvalidHandle);
}

/* AMD's code objects do not say which variables are constants; the program's registration does. */
static void the_size_of_constants_is_told_for_kernels_of_the_program(void **state)
{
    struct hipFuncAttributes all;
    hipFunction_t function;
    hipModule_t module;
    int value = -1;
    (void)state;
    ok(hipFuncGetAttributes(&all, &fill_kernel));
    check(all.constSizeBytes == 4);
    ok(hipGetFuncBySymbol(&function, &fill_kernel));
    ok(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, function));
    check(value == 4);
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetFunction(&function, module, "fake_fill"));
    ok(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, function));
    check(value == (over_hsa() ? 0 : 4));
    ok(hipModuleUnload(module));
}

static void attributes_of_kernels_are_set(void **state)
{
    struct hipFuncAttributes all;
    int local;
    (void)state;
    ok(hipFuncSetAttribute(&empty_kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 65536));
    ok(hipFuncSetAttribute(&empty_kernel, hipFuncAttributePreferredSharedMemoryCarveout, 50));
    ok(hipFuncGetAttributes(&all, &empty_kernel));
    check(all.maxDynamicSharedSizeBytes == 65536 && all.preferredShmemCarveout == 50);
    ok(hipFuncSetAttribute(&empty_kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 1024));
    ok(hipFuncGetAttributes(&all, &empty_kernel));
    check(all.maxDynamicSharedSizeBytes == 1024);
    expect(hipFuncSetAttribute(&empty_kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
           hipErrorInvalidValue);
    expect(hipFuncSetAttribute(&empty_kernel, hipFuncAttributeMaxDynamicSharedMemorySize, -1),
           hipErrorInvalidValue);
    expect(hipFuncSetAttribute(&empty_kernel, (hipFuncAttribute)0, 1), hipErrorInvalidValue);
    expect(hipFuncSetAttribute(&empty_kernel, (hipFuncAttribute)77, 1), hipErrorInvalidValue);
    expect(hipFuncSetAttribute(NULL, hipFuncAttributeMaxDynamicSharedMemorySize, 1),
           hipErrorInvalidDeviceFunction);
    expect(hipFuncSetAttribute(&local, hipFuncAttributeMaxDynamicSharedMemorySize, 1),
           hipErrorInvalidDeviceFunction);
    ok(hipFuncSetCacheConfig(&empty_kernel, hipFuncCachePreferL1));
    expect(hipFuncSetCacheConfig(&empty_kernel, (hipFuncCache_t)7), hipErrorInvalidValue);
    expect(hipFuncSetCacheConfig(NULL, hipFuncCachePreferL1), hipErrorInvalidDeviceFunction);
    expect(hipFuncSetCacheConfig(&local, hipFuncCachePreferL1), hipErrorInvalidDeviceFunction);
    ok(hipFuncSetSharedMemConfig(&empty_kernel, hipSharedMemBankSizeEightByte));
    expect(hipFuncSetSharedMemConfig(&empty_kernel, (hipSharedMemConfig)7), hipErrorInvalidValue);
    expect(hipFuncSetSharedMemConfig(NULL, hipSharedMemBankSizeDefault),
           hipErrorInvalidDeviceFunction);
    ok(hipFuncSetAttribute(&empty_kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 49152));
}

/* ---- occupancy
 * --------------------------------------------------------------------------------------- */

static void occupancy_is_that_of_the_driver(void **state)
{
    hipFunction_t function;
    int grid, block, blocks;
    size_t shared;
    (void)state;
    ok(hipGetFuncBySymbol(&function, &empty_kernel));
    ok(hipOccupancyMaxPotentialBlockSize(&grid, &block, &empty_kernel, 0, 0));
    check(block == 1024 && grid == 2 * 108);
    ok(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, function, 0, 256));
    check(block == 256 && grid == 8 * 108);
    ok(hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, 0, 0,
                                                        hipOccupancyDisableCachingOverride));
    check(block == 1024);
    ok(hipOccupancyMaxPotentialBlockSize(&grid, &block, &bounded_kernel, 0, 0));
    check(block == 128);
    ok(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &empty_kernel, 256, 0));
    check(blocks == 8);
    ok(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, &empty_kernel, 256, 0,
                                                             hipOccupancyDefault));
    check(blocks == 8);
    ok(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 40000));
    check(blocks == 4);
    ok(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, 1024, 0, 0));
    check(blocks == 2);
    ok(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &bounded_kernel, 129, 0));
    check(blocks == 0); /* no such block fits */
    ok(hipOccupancyAvailableDynamicSMemPerBlock(&shared, &empty_kernel, 4, 256));
    check(shared == 167936 / 4 - 1024);
}

static void a_block_may_be_limited_to_one_thread(void **state)
{
    int grid = 0, block = 0;
    (void)state;
    ok(hipOccupancyMaxPotentialBlockSize(&grid, &block, &empty_kernel, 0, 1));
    check(block == 1 && grid > 0);
}

static void occupancy_checks_its_arguments(void **state)
{
    hipFunction_t function;
    int grid, block, blocks, local;
    size_t shared;
    (void)state;
    ok(hipGetFuncBySymbol(&function, &empty_kernel));
    expect(hipOccupancyMaxPotentialBlockSize(NULL, &block, &empty_kernel, 0, 0),
           hipErrorInvalidValue);
    expect(hipOccupancyMaxPotentialBlockSize(&grid, NULL, &empty_kernel, 0, 0),
           hipErrorInvalidValue);
    expect(hipOccupancyMaxPotentialBlockSize(&grid, &block, &empty_kernel, 0, -1),
           hipErrorInvalidValue);
    expect(hipOccupancyMaxPotentialBlockSize(&grid, &block, NULL, 0, 0),
           hipErrorInvalidDeviceFunction);
    expect(hipOccupancyMaxPotentialBlockSize(&grid, &block, &local, 0, 0),
           hipErrorInvalidDeviceFunction);
    expect(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, NULL, 0, 0),
           hipErrorInvalidDeviceFunction);
    expect(hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, 0, 0, 2),
           hipErrorInvalidValue);
    expect(hipOccupancyMaxActiveBlocksPerMultiprocessor(NULL, &empty_kernel, 256, 0),
           hipErrorInvalidValue);
    expect(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &empty_kernel, 0, 0),
           hipErrorInvalidValue);
    expect(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &empty_kernel, -1, 0),
           hipErrorInvalidValue);
    expect(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &local, 256, 0),
           hipErrorInvalidDeviceFunction);
    expect(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, &empty_kernel, 256, 0, 2),
           hipErrorInvalidValue);
    expect(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, NULL, 256, 0),
           hipErrorInvalidDeviceFunction);
    expect(
        hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, 256, 0, 9),
        hipErrorInvalidValue);
    expect(hipOccupancyAvailableDynamicSMemPerBlock(NULL, &empty_kernel, 4, 256),
           hipErrorInvalidValue);
    expect(hipOccupancyAvailableDynamicSMemPerBlock(&shared, &empty_kernel, 0, 256),
           hipErrorInvalidValue);
    expect(hipOccupancyAvailableDynamicSMemPerBlock(&shared, &empty_kernel, 4, 0),
           hipErrorInvalidValue);
    expect(hipOccupancyAvailableDynamicSMemPerBlock(&shared, &empty_kernel, 100, 256),
           hipErrorInvalidValue);
    expect(hipOccupancyAvailableDynamicSMemPerBlock(&shared, &local, 4, 256),
           hipErrorInvalidDeviceFunction);
}

struct known {
    hipDeviceptr_t address;
    hipError_t result_in_free; /* of the memory, when the runtime was about to free it */
};

/* Memory that the library does not know has no settings. */
static void ask_of_memory(void *data)
{
    struct known *known = data;
    unsigned on = 1;
    known->result_in_free =
        hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, known->address);
}

/* The runtime may give the memory to another thread before its function returns. */
static void the_memory_of_a_variable_is_unknown_before_the_runtime_has_it_back(void **state)
{
    enum { STATUS_ERROR = 0x1000 };
    struct known known;
    hipModule_t module;
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleGetGlobal(&known.address, NULL, module, "table"));
    fakehsa_fail("hsa_executable_destroy", 1, STATUS_ERROR);
    expect(hipModuleUnload(module), hipErrorUnknown);
    ask_of_memory(&known);
    ok(known.result_in_free);
    the_fake()->hook("hsa_executable_destroy", ask_of_memory, &known);
    ok(hipModuleUnload(module));
    expect(known.result_in_free, hipErrorInvalidDevicePointer);
}

int main(void)
{
    const struct CMUnitTest of_processes[] = {
        TEST_UNCHECKED(a_program_that_loads_modules_opens_no_more_files),
    };
    const struct CMUnitTest tests[] = {
        TEST_OVER("cuda",
                  "the images are PTX and machine code of NVIDIA, and tests/core and tests/image "
                  "have those of AMD",
                  every_kind_of_image_is_loaded_from_memory),
        TEST_OVER("cuda",
                  "the images are PTX and machine code of NVIDIA, and tests/core and tests/image "
                  "have those of AMD",
                  modules_are_loaded_from_files),
        TEST_OVER("cuda",
                  "the images are PTX and machine code of NVIDIA, and tests/core and tests/image "
                  "have those of AMD",
                  the_image_that_fits_best_is_taken),
        TEST_OVER("cuda",
                  "the images are PTX and machine code of NVIDIA, and tests/core and tests/image "
                  "have those of AMD",
                  if_the_driver_refuses_an_image_the_next_best_is_taken),
        TEST_OVER("cuda",
                  "the images are PTX and machine code of NVIDIA, and tests/core and tests/image "
                  "have those of AMD",
                  images_that_do_not_fit_or_cannot_be_read_are_refused),
        TEST_OVER("cuda", "HSA compiles nothing",
                  jit_options_reach_the_driver_and_its_log_comes_back),
        TEST_OVER("cuda", "HSA compiles nothing",
                  a_ptx_that_does_not_compile_is_explained_in_the_log),
        TEST_OVER("cuda",
                  "the images are PTX and machine code of NVIDIA, and tests/core and tests/image "
                  "have those of AMD",
                  names_with_dots_are_found_under_their_own_name),
        TEST(functions_are_found_by_name_and_are_the_same_each_time),
        TEST(all_functions_of_a_module_are_listed),
        TEST_OVER("cuda", "the library reads the names of a code object itself",
                  a_list_of_functions_that_the_driver_refuses_is_not_given),
        TEST_OVER("hsa", "CUDA's driver keeps the map of its memory",
                  the_memory_of_a_variable_is_unknown_before_the_runtime_has_it_back),
        TEST(variables_of_a_module_have_address_size_and_first_value),
        TEST_OVER("cuda", "HSA loads whole executables", functions_are_loaded_with_their_module),
        TEST(modules_are_unloaded_once_and_when_their_work_is_done),
        TEST(a_module_of_another_device_than_the_current_one_is_used),
        TEST_OVER("cuda",
                  "the images are PTX and machine code of NVIDIA, and tests/core and tests/image "
                  "have those of AMD",
                  managed_variables_of_a_module_are_memory_of_both_sides),
        TEST_OVER("cuda",
                  "the images are PTX and machine code of NVIDIA, and tests/core and tests/image "
                  "have those of AMD",
                  a_module_whose_managed_memory_is_refused_is_not_loaded),
        TEST_OVER("cuda", "the expected values are those of sm_80", attributes_of_kernels_are_told),
        TEST(the_size_of_constants_is_told_for_kernels_of_the_program),
        TEST(attributes_of_kernels_are_set),
        TEST_OVER("cuda", "the expected values are those of sm_80",
                  occupancy_is_that_of_the_driver),
        TEST(a_block_may_be_limited_to_one_thread),
        TEST(occupancy_checks_its_arguments),
    };
    int failed = cmocka_run_group_tests_name("driver.module, files", of_processes, NULL, NULL);
    use_fake("80,90");
    return failed + run_group("driver.module", tests);
}
