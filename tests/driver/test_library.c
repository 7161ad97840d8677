/* Libraries (hipLibrary_t) and their kernels (hipKernel_t): loaded late, on several devices, with
 * bad input, in any order. */
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const dim3 one = {1, 1, 1};

static hipLibrary_t load_image(void)
{
    hipLibrary_t library;
    ok(hipLibraryLoadData(&library, kernels_image(), NULL, NULL, 0, NULL, NULL, 0));
    return library;
}

static unsigned loaded_modules(void)
{
    struct fake_count counts[FAKE_COUNTS_MAX];
    size_t count = the_fake()->count(counts);
    for (size_t i = 0; i < count; i++)
        if (strstr(counts[i].what, "module") || strstr(counts[i].what, "executable"))
            return counts[i].count;
    return 0;
}

/* The kernel writes value into memory of the device. */
static void check_fill(const void *kernel, uint32_t value)
{
    uint32_t *memory, word = 0, count = 1;
    ok(hipMalloc((void **)&memory, 4));
    void *arguments[] = {&memory, &value, &count};
    ok(hipLaunchKernel(kernel, one, one, arguments, 0, NULL));
    ok(hipMemcpy(&word, memory, 4, hipMemcpyDeviceToHost));
    check(word == value);
    ok(hipFree(memory));
}

static void code_is_loaded_when_it_is_first_used(void **state)
{
    hipKernel_t kernel, again;
    hipFunction_t function;
    hipLibrary_t owner;
    const char *name;
    (void)state;
    unsigned before = loaded_modules();
    hipLibrary_t library = load_image();
    check(loaded_modules() == before);
    ok(hipLibraryGetKernel(&kernel, library, "fake_fill"));
    check(loaded_modules() == before + 1);
    ok(hipLibraryGetKernel(&again, library, "fake_fill"));
    check(kernel == again);
    ok(hipKernelGetLibrary(&owner, kernel));
    check(owner == library);
    ok(hipKernelGetName(&name, kernel));
    check(strcmp(name, "fake_fill") == 0 &&
          strcmp(hipKernelNameRef((hipFunction_t)kernel), name) == 0);
    ok(hipKernelGetFunction(&function, kernel));
    check_fill(kernel, 5);
    check_fill(function, 6);
    check(loaded_modules() == before + 1);
    ok(hipLibraryUnload(library));
    check(loaded_modules() == before);
}

static void a_kernel_runs_on_every_device(void **state)
{
    hipKernel_t kernel;
    hipFunction_t functions[2];
    hipModule_t modules[2];
    hipLibrary_t library = load_image();
    int threads;
    (void)state;
    unsigned before = loaded_modules();
    ok(hipLibraryGetKernel(&kernel, library, "fake_fill"));
    for (int device = 0; device < 2; device++) {
        ok(hipSetDevice(device));
        check_fill(kernel, 7 + (uint32_t)device);
        ok(hipKernelGetFunction(&functions[device], kernel));
        ok(hipLibraryGetModule(&modules[device], library));
    }
    check(functions[0] != functions[1] && modules[0] != modules[1]);
    check(loaded_modules() == before + 2);
    expect(hipLaunchKernel(functions[0], one, one, NULL, 0, NULL), hipErrorInvalidDevice);
    ok(hipKernelGetAttribute(&threads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    check(threads > 0);
    ok(hipLibraryUnload(library));
    expect(hipLaunchKernel(kernel, one, one, NULL, 0, NULL), hipErrorInvalidDeviceFunction);
    expect(hipModuleLaunchKernel((hipFunction_t)kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
           hipErrorInvalidResourceHandle);
    expect(hipModuleLaunchKernel(functions[1], 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
           hipErrorInvalidResourceHandle);
}

/* Every function that takes a hipFunction_t takes a hipKernel_t, as in HIP, where they are one. */
static void a_kernel_is_taken_for_a_function(void **state)
{
    hipKernel_t kernel;
    hipLibrary_t library = load_image();
    struct hipFuncAttributes attributes;
    int value, blocks, block;
    (void)state;
    ok(hipLibraryGetKernel(&kernel, library, "empty"));
    hipFunction_t function = (hipFunction_t)kernel;
    ok(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    ok(hipExtModuleLaunchKernel(function, 2, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL, NULL, NULL, 0));
    ok(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, function));
    ok(hipFuncGetAttributes(&attributes, kernel));
    ok(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 64, 0));
    ok(hipModuleOccupancyMaxPotentialBlockSize(&blocks, &block, function, 0, 0));
    hipGraph_t graph;
    hipGraphNode_t node;
    hipGraphExec_t exec;
    hipKernelNodeParams params = {.func = kernel, .gridDim = one, .blockDim = one}, got;
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    ok(hipGraphKernelNodeGetParams(node, &got));
    check(got.func == (void *)kernel);
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    ok(hipGraphLaunch(exec, NULL));
    ok(hipStreamSynchronize(NULL));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipLibraryUnload(library));
}

static void kernels_and_variables_are_listed(void **state)
{
    unsigned count = 0;
    hipKernel_t kernels[32] = {NULL}, add;
    hipLibrary_t library = load_image();
    hipModule_t module;
    void *address, *of_module;
    size_t size;
    (void)state;
    ok(hipLibraryGetKernelCount(&count, library));
    check(count == (over_hsa() ? 12 : 10)); /* two are AMD's alone */
    ok(hipLibraryEnumerateKernels(kernels, 0, library));
    check(kernels[0] == NULL);
    ok(hipLibraryEnumerateKernels(kernels, 32, library));
    ok(hipLibraryGetKernel(&add, library, "fake_add"));
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++)
        found += kernels[i] == add;
    check(found == 1 && kernels[count] == NULL);
    expect(hipLibraryGetKernel(&add, library, "nothing"), hipErrorNotFound);
    ok(hipLibraryGetGlobal(&address, &size, library, "table"));
    check(size == 64);
    ok(hipLibraryGetGlobal(NULL, &size, library, "table"));
    ok(hipLibraryGetGlobal(&address, NULL, library, "table"));
    ok(hipLibraryGetModule(&module, library));
    ok(hipModuleGetGlobal((hipDeviceptr_t *)&of_module, NULL, module, "table"));
    check(address == of_module);
    expect_says(hipLibraryGetGlobal(&address, &size, library, "nothing"), hipErrorNotFound,
                "the library has no variable nothing");
    expect_says(hipLibraryGetManaged(&address, &size, library, "table"), hipErrorNotFound,
                "the library has no managed variable table");
    ok(hipLibraryUnload(library));
}

static void parameters_have_offsets_and_sizes(void **state)
{
    hipKernel_t kernel;
    size_t offset, size;
    hipLibrary_t library = load_image();
    (void)state;
    ok(hipLibraryGetKernel(&kernel, library, "fake_add"));
    for (size_t i = 0; i < 4; i++) {
        ok(hipKernelGetParamInfo(kernel, i, &offset, &size));
        check(offset == 8 * i && size == (i < 3 ? 8 : 4));
    }
    ok(hipKernelGetParamInfo(kernel, 1, &offset, NULL));
    expect(hipKernelGetParamInfo(kernel, 4, &offset, &size), hipErrorInvalidValue);
    expect(hipKernelGetParamInfo(kernel, 0, NULL, &size), hipErrorInvalidValue);
    expect(hipKernelGetParamInfo(NULL, 0, &offset, &size), hipErrorInvalidValue);
    expect(hipKernelGetParamInfo((hipKernel_t)library, 0, &offset, &size),
           hipErrorInvalidDeviceFunction);
    ok(hipLibraryUnload(library));
}

static void attributes_are_those_of_a_device(void **state)
{
    int value, other;
    hipKernel_t kernel;
    hipLibrary_t library = load_image();
    const hipFunction_attribute dynamic = HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    (void)state;
    ok(hipLibraryGetKernel(&kernel, library, "bounded"));
    ok(hipKernelGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 1));
    check(value == 128);
    ok(hipKernelGetAttribute(&other, dynamic, kernel, 1));
    ok(hipKernelSetAttribute(dynamic, 4096, kernel, 0));
    ok(hipKernelGetAttribute(&value, dynamic, kernel, 0));
    check(value == 4096 || over_hsa()); /* AMD's devices have all of it without opting in */
    ok(hipKernelGetAttribute(&value, dynamic, kernel, 1));
    check(value == other);
    ok(hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, kernel, 0));
    expect(hipKernelSetAttribute(dynamic, -1, kernel, 0), hipErrorInvalidValue);
    expect(hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_NUM_REGS, 1, kernel, 0), hipErrorInvalidValue);
    expect(hipKernelSetAttribute((hipFunction_attribute)-1, 1, kernel, 0), hipErrorInvalidValue);
    expect(hipKernelSetAttribute(dynamic, 0, NULL, 0), hipErrorInvalidValue);
    expect(hipKernelSetAttribute(dynamic, 0, (hipKernel_t)library, 0),
           hipErrorInvalidDeviceFunction);
    expect(hipKernelSetAttribute(dynamic, 0, kernel, 2), hipErrorInvalidDevice);
    expect(hipKernelGetAttribute(NULL, dynamic, kernel, 0), hipErrorInvalidValue);
    expect(hipKernelGetAttribute(&value, (hipFunction_attribute)-1, kernel, 0),
           hipErrorInvalidValue);
    expect(hipKernelGetAttribute(&value, dynamic, NULL, 0), hipErrorInvalidHandle);
    expect(hipKernelGetAttribute(&value, dynamic, kernel, -1), hipErrorInvalidDevice);
    ok(hipLibraryUnload(library));
}

static void the_module_of_a_library_ends_with_it(void **state)
{
    hipModule_t module;
    hipFunction_t function, of_kernel;
    hipKernel_t kernel;
    hipLibrary_t library = load_image();
    (void)state;
    ok(hipLibraryGetModule(&module, library));
    expect_says(hipModuleUnload(module), hipErrorIllegalState, "belongs to a library");
    ok(hipModuleGetFunction(&function, module, "empty"));
    ok(hipLibraryGetKernel(&kernel, library, "empty"));
    ok(hipKernelGetFunction(&of_kernel, kernel));
    check(function == of_kernel);
    ok(hipLibraryUnload(library));
    expect(hipModuleGetFunction(&function, module, "empty"), hipErrorInvalidResourceHandle);
}

/* ---- bad input ---------------------------------------------------------------------------- */

static void what_is_no_code_is_an_error_of_the_first_use(void **state)
{
    static const char nonsense[64] = "neither code nor PTX";
    hipLibrary_t library;
    hipKernel_t kernel;
    unsigned count;
    (void)state;
    ok(hipLibraryLoadData(&library, nonsense, NULL, NULL, 0, NULL, NULL, 0));
    expect(hipLibraryGetKernel(&kernel, library, "any"), hipErrorInvalidImage);
    expect_says(hipLibraryGetKernelCount(&count, library), hipErrorInvalidImage,
                "the library cannot be used");
    ok(hipLibraryUnload(library));
    size_t size;
    void *elf = make_elf(over_hsa() ? MACHINE_CUDA : MACHINE_AMDGPU, 0x3f, "", &size);
    ok(hipLibraryLoadData(&library, elf, NULL, NULL, 0, NULL, NULL, 0)); /* another vendor's */
    free(elf);
    expect(hipLibraryGetKernel(&kernel, library, "any"), hipErrorNoBinaryForGpu);
    ok(hipLibraryUnload(library));
}

static void values_that_are_no_handles_are_refused(void **state)
{
    hipStream_t stream;
    hipKernel_t kernel = NULL;
    hipModule_t module;
    hipFunction_t function;
    hipLibrary_t library;
    const char *name;
    void *address;
    size_t size;
    unsigned count;
    (void)state;
    ok(hipStreamCreate(&stream));
    const void *wrong[] = {NULL, stream, &stream, (void *)16, (void *)UINTPTR_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hipLibrary_t bad = (hipLibrary_t)(uintptr_t)wrong[i];
        hipKernel_t bad_kernel = (hipKernel_t)(uintptr_t)wrong[i];
        hipError_t of_library = wrong[i] ? hipErrorInvalidResourceHandle : hipErrorInvalidValue;
        hipError_t of_kernel = wrong[i] ? hipErrorInvalidHandle : hipErrorInvalidValue;
        expect(hipLibraryUnload(bad), hipErrorInvalidResourceHandle);
        expect(hipLibraryGetKernel(&kernel, bad, "empty"), of_library);
        expect(hipLibraryGetKernelCount(&count, bad), of_library);
        expect(hipLibraryEnumerateKernels(&kernel, 1, bad), of_library);
        expect(hipLibraryGetGlobal(&address, &size, bad, "table"), hipErrorInvalidResourceHandle);
        expect(hipLibraryGetManaged(&address, &size, bad, "table"), hipErrorInvalidResourceHandle);
        expect(hipLibraryGetModule(&module, bad), hipErrorInvalidResourceHandle);
        expect(hipKernelGetLibrary(&library, bad_kernel), of_kernel);
        expect(hipKernelGetName(&name, bad_kernel), of_kernel);
        expect(hipKernelGetFunction(&function, bad_kernel), of_kernel);
    }
    ok(hipStreamDestroy(stream));
    library = load_image();
    ok(hipLibraryUnload(library));
    expect(hipLibraryUnload(library), hipErrorInvalidResourceHandle);
}

static void wrong_arguments_are_refused(void **state)
{
    hipLibrary_t library = NULL, other = load_image();
    hipLibraryOption option = hipLibraryBinaryIsPreserved;
    hipJitOption jit = hipJitOptionOptimizationLevel;
    void *value = (void *)1, *address;
    hipKernel_t kernel;
    size_t size;
    (void)state;
    const void *image = kernels_image();
    expect(hipLibraryLoadData(NULL, image, NULL, NULL, 0, NULL, NULL, 0), hipErrorInvalidValue);
    expect(hipLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0), hipErrorInvalidValue);
    expect(hipLibraryLoadData(&library, image, NULL, &value, 1, NULL, NULL, 0),
           hipErrorInvalidValue);
    expect(hipLibraryLoadData(&library, image, &jit, NULL, 1, NULL, NULL, 0), hipErrorInvalidValue);
    expect(hipLibraryLoadData(&library, image, NULL, NULL, 0, NULL, &value, 1),
           hipErrorInvalidValue);
    expect(hipLibraryLoadData(&library, image, NULL, NULL, 0, &option, NULL, 1),
           hipErrorInvalidValue);
    option = (hipLibraryOption)7;
    expect_says(hipLibraryLoadData(&library, image, NULL, NULL, 0, &option, &value, 1),
                hipErrorInvalidValue, "7 is not an option of libraries");
    option = hipLibraryHostUniversalFunctionAndDataTable;
    expect_says(hipLibraryLoadData(&library, image, NULL, NULL, 0, &option, &value, 1),
                hipErrorNotSupported, "table of host functions");
    expect(hipLibraryLoadFromFile(NULL, "x", NULL, NULL, 0, NULL, NULL, 0), hipErrorInvalidValue);
    expect(hipLibraryLoadFromFile(&library, NULL, NULL, NULL, 0, NULL, NULL, 0),
           hipErrorInvalidValue);
    expect_says(hipLibraryLoadFromFile(&library, "/tmp/no such file", NULL, NULL, 0, NULL, NULL, 0),
                hipErrorInvalidValue, "/tmp/no such file");
    check(library == NULL);
    expect(hipLibraryGetKernel(NULL, other, "empty"), hipErrorInvalidValue);
    expect(hipLibraryGetKernel(&kernel, other, NULL), hipErrorInvalidValue);
    expect(hipLibraryGetKernelCount(NULL, other), hipErrorInvalidValue);
    expect(hipLibraryEnumerateKernels(NULL, 1, other), hipErrorInvalidValue);
    expect(hipLibraryGetGlobal(NULL, NULL, other, "table"), hipErrorInvalidValue);
    expect(hipLibraryGetGlobal(&address, &size, other, NULL), hipErrorInvalidValue);
    expect(hipLibraryGetGlobal(&address, &size, other, ""), hipErrorInvalidValue);
    expect(hipLibraryGetManaged(NULL, NULL, other, "table"), hipErrorInvalidValue);
    expect(hipLibraryGetModule(NULL, other), hipErrorInvalidValue);
    ok(hipLibraryGetKernel(&kernel, other, "empty"));
    expect(hipKernelGetLibrary(NULL, kernel), hipErrorInvalidValue);
    expect(hipKernelGetName(NULL, kernel), hipErrorInvalidValue);
    expect(hipKernelGetFunction(NULL, kernel), hipErrorInvalidValue);
    ok(hipLibraryUnload(other));
}

/* ---- the image and its options -------------------------------------------------------------- */

static void the_image_is_copied_unless_it_stays(void **state)
{
    hipLibrary_t library;
    hipKernel_t kernel;
    hipLibraryOption option = hipLibraryBinaryIsPreserved;
    void *stays = (void *)1;
    size_t size = kernels_image_size();
    char *image = malloc(size);
    (void)state;
    memcpy(image, kernels_image(), size);
    ok(hipLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
    memset(image, 'x', size);
    ok(hipLibraryGetKernel(&kernel, library, "fake_fill"));
    check_fill(kernel, 1);
    ok(hipLibraryUnload(library));
    memcpy(image, kernels_image(), size);
    ok(hipLibraryLoadData(&library, image, NULL, NULL, 0, &option, &stays, 1));
    ok(hipLibraryGetKernel(&kernel, library, "fake_fill"));
    check_fill(kernel, 2);
    ok(hipLibraryUnload(library));
    free(image);
}

static void a_library_is_read_from_a_file(void **state)
{
    hipLibrary_t library;
    hipKernel_t kernel;
    char path[] = "/tmp/anyhip-test-XXXXXX";
    int file = mkstemp(path);
    ssize_t size = (ssize_t)kernels_image_size();
    (void)state;
    check(file >= 0 && write(file, kernels_image(), (size_t)size) == size);
    close(file);
    ok(hipLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    check(truncate(path, 0) == 0); /* it was read at once */
    expect_says(hipLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0),
                hipErrorInvalidImage, "no device code is read from");
    unlink(path);
    ok(hipLibraryGetKernel(&kernel, library, "fake_fill"));
    check_fill(kernel, 3);
    ok(hipLibraryUnload(library));
}

/* The log is the caller's memory, which need not be there when another device loads the code. */
static void options_of_the_compiler_are_used_at_once(void **state)
{
    static const char broken[] = ".version 7.0\n.target sm_70\nthis is no PTX\n";
    char *log = calloc(1, 256);
    hipLibrary_t library;
    hipKernel_t kernel;
    hipJitOption options[] = {hipJitOptionErrorLogBuffer, hipJitOptionErrorLogBufferSizeBytes,
                              hipJitOptionOptimizationLevel};
    void *values[] = {log, (void *)(uintptr_t)256, (void *)(uintptr_t)2};
    (void)state;
    expect(hipLibraryLoadData(&library, broken, options, values, 3, NULL, NULL, 0),
           hipErrorInvalidKernelFile);
    check(strstr(log, "line 3") != NULL);
    unsigned before = loaded_modules();
    values[1] = (void *)(uintptr_t)256;
    ok(hipLibraryLoadData(&library, kernels_image(), options, values, 3, NULL, NULL, 0));
    check(loaded_modules() == before + 1);
    free(log);
    ok(hipSetDevice(1));
    ok(hipLibraryGetKernel(&kernel, library, "fake_fill"));
    check_fill(kernel, 4);
    ok(hipLibraryUnload(library));
}

/* ---- order ---------------------------------------------------------------------------------- */

static void unloading_waits_for_a_kernel_that_runs(void **state)
{
    hipKernel_t kernel;
    hipStream_t stream;
    uint32_t milliseconds = 20;
    void *arguments[] = {&milliseconds};
    hipLibrary_t library = load_image();
    (void)state;
    ok(hipStreamCreate(&stream));
    ok(hipLibraryGetKernel(&kernel, library, "fake_spin"));
    ok(hipLaunchKernel(kernel, one, one, arguments, 0, stream));
    ok(hipLibraryUnload(library));
    ok(hipStreamQuery(stream));
    ok(hipStreamDestroy(stream));
}

static void a_reset_of_a_device_leaves_the_library(void **state)
{
    hipKernel_t kernel;
    hipFunction_t function;
    hipLibrary_t library = load_image();
    (void)state;
    ok(hipLibraryGetKernel(&kernel, library, "fake_fill"));
    check_fill(kernel, 1);
    ok(hipKernelGetFunction(&function, kernel));
    ok(hipSetDevice(1));
    check_fill(kernel, 2);
    ok(hipDeviceReset());
    check_fill(kernel, 3);
    ok(hipSetDevice(0));
    ok(hipDeviceReset());
    expect(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
           hipErrorInvalidResourceHandle);
    check_fill(kernel, 4);
    ok(hipLibraryUnload(library));
    (void)load_kernels();
}

static void *use_library(void *library)
{
    hipKernel_t kernel = NULL;
    ok(hipSetDevice(1));
    ok(hipLibraryGetKernel(&kernel, library, "empty"));
    ok(hipLaunchKernel(kernel, one, one, NULL, 0, NULL));
    ok(hipDeviceSynchronize());
    return kernel;
}

static void threads_load_it_once(void **state)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    void *kernels[THREADS];
    unsigned before = loaded_modules();
    hipLibrary_t library = load_image();
    (void)state;
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, use_library, library) == 0);
    for (int i = 0; i < THREADS; i++)
        check(pthread_join(threads[i], &kernels[i]) == 0 && kernels[i] == kernels[0]);
    check(loaded_modules() == before + 1);
    ok(hipLibraryUnload(library));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(code_is_loaded_when_it_is_first_used),
        TEST(a_kernel_runs_on_every_device),
        TEST(a_kernel_is_taken_for_a_function),
        TEST(kernels_and_variables_are_listed),
        TEST(parameters_have_offsets_and_sizes),
        TEST(attributes_are_those_of_a_device),
        TEST(the_module_of_a_library_ends_with_it),
        TEST(what_is_no_code_is_an_error_of_the_first_use),
        TEST(values_that_are_no_handles_are_refused),
        TEST(wrong_arguments_are_refused),
        TEST(the_image_is_copied_unless_it_stays),
        TEST(a_library_is_read_from_a_file),
        TEST_OVER("cuda", "AMD's driver has no compiler", options_of_the_compiler_are_used_at_once),
        TEST(unloading_waits_for_a_kernel_that_runs),
        TEST(a_reset_of_a_device_leaves_the_library),
        TEST(threads_load_it_once),
    };
    use_fake("80,90");
    return run_group("driver.library", tests);
}
