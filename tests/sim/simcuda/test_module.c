/* Modules: images of every kind, why images are refused, kernels and variables. */
#include "simcuda_test.h"

#include <elf.h>

static void kernels_and_variables_are_found_by_name(void **state)
{
    CUmodule module = load_kernels();
    CUfunction function = NULL;
    CUdeviceptr pointer = 0;
    size_t size = 0;
    unsigned count = 0;
    uint32_t words[4] = {0};
    (void)state;
    assert_non_null(kernel(module, "fill"));
    expect(cu.cuModuleGetFunction(&function, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    expect(cu.cuModuleGetFunction(&function, module, NULL), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuModuleGetFunction(NULL, module, "fill"), CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuModuleGetGlobal(&pointer, &size, module, "table"));
    assert_int_equal(size, 16);
    ok(cu.cuMemcpyDtoH(words, pointer, 16));
    assert_int_equal(words[0], 1);
    assert_int_equal(words[3], 4);
    ok(cu.cuModuleGetGlobal(&pointer, NULL, module, "constant"));
    ok(cu.cuMemcpyDtoH(words, pointer, 4));
    assert_int_equal(words[0], 42);
    expect(cu.cuModuleGetGlobal(&pointer, &size, module, "fill"), CUDA_ERROR_NOT_FOUND);
    ok(cu.cuModuleGetFunctionCount(&count, module));
    assert_int_equal(count, 7);
    ok(cu.cuModuleUnload(module));
    expect(cu.cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

static void a_module_allocates_and_frees_memory(void **state)
{
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .global .b8 large[8388608];\n";
    size_t before, during, after, total;
    CUmodule module;
    (void)state;
    ok(cu.cuMemGetInfo(&before, &total));
    ok(cu.cuModuleLoadData(&module, text));
    ok(cu.cuMemGetInfo(&during, &total));
    assert_true(before - during >= 8388608);
    ok(cu.cuModuleUnload(module));
    ok(cu.cuMemGetInfo(&after, &total));
    assert_int_equal(after, before);
}

static CUresult load(const char *text)
{
    CUmodule module = NULL;
    return cu.cuModuleLoadData(&module, text);
}

static void invalid_ptx_is_refused(void **state)
{
    (void)state;
    expect(load(""), CUDA_ERROR_INVALID_PTX);
    expect(load("x"), CUDA_ERROR_INVALID_PTX);
    expect(load("no PTX at all"), CUDA_ERROR_INVALID_PTX);
    expect(load(".version 7.0\n"), CUDA_ERROR_INVALID_PTX);
    expect(load("/* never ends"), CUDA_ERROR_INVALID_PTX);
    expect(load(NULL), CUDA_ERROR_INVALID_VALUE);
}

static void too_new_versions_are_refused(void **state)
{
    (void)state;
    expect(load("// a comment\n.version 99.0\n.target sm_70\n.address_size 64\n"),
           CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    expect(load("/* another */ .version 8.0\n.target sm_90\n.address_size 64\n"),
           CUDA_ERROR_NO_BINARY_FOR_GPU);
    ok(load(".version 9.0\n.target sm_80\n.address_size 64\n"));
}

static void the_compilers_log_has_line_numbers(void **state)
{
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry k()\n{\n    ret;\n    nonsense %r1;\n}\n";
    char log[256] = "untouched";
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUmodule module;
    (void)state;
    expect(cu.cuModuleLoadDataEx(&module, text, 2, options, values), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "line 7"));
    assert_int_equal((uintptr_t)values[1], strlen(log));
    values[1] = (void *)sizeof log;
    ok(cu.cuModuleLoadDataEx(&module, kernels, 2, options, values));
    assert_string_equal(log, "");
    ok(cu.cuModuleUnload(module));
    options[0] = 1000;
    expect(cu.cuModuleLoadDataEx(&module, text, 2, options, values), CUDA_ERROR_INVALID_VALUE);
    expect(cu.cuModuleLoadDataEx(&module, text, 2, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void an_elf_file_is_refused(void **state)
{
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64}, .e_machine = 190};
    (void)state;
    expect(load((const char *)&header), CUDA_ERROR_NO_BINARY_FOR_GPU);
    header.e_machine = 62;
    expect(load((const char *)&header), CUDA_ERROR_INVALID_IMAGE);
}

static void a_file_is_loaded(void **state)
{
    char path[] = "/tmp/simcuda_test_XXXXXX";
    CUmodule module;
    int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0);
    assert_int_equal(write(file, kernels, sizeof kernels - 1), sizeof kernels - 1);
    close(file);
    ok(cu.cuModuleLoad(&module, path));
    ok(cu.cuModuleUnload(module));
    unlink(path);
    expect(cu.cuModuleLoad(&module, path), CUDA_ERROR_FILE_NOT_FOUND);
    expect(cu.cuModuleLoad(&module, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* ---- fatbins ------------------------------------------------------------------------- */

enum { PTX = 1, CUBIN = 2, LZ4 = 0x2000 };

static void put(unsigned char *at, uint64_t value, size_t size)
{
    memcpy(at, &value, size);
}

/* Appends an entry to a fatbin, whose buffer is large enough. */
static void add_entry(unsigned char *fatbin, unsigned kind, unsigned sm, const void *payload,
                      size_t size, size_t unpacked)
{
    size_t used = 0;
    memcpy(&used, fatbin + 8, 8);
    unsigned char *at = fatbin + 16 + used;
    size_t padded = (size + 7) & ~(size_t)7;
    memset(at, 0, 64 + padded);
    put(at, kind, 2);
    put(at + 4, 64, 4);
    put(at + 8, padded, 8);
    put(at + 0x1a, 7, 2);
    put(at + 0x1c, sm, 4);
    if (unpacked) {
        put(at + 0x10, size, 4);
        put(at + 0x28, LZ4, 8);
        put(at + 0x38, unpacked, 8);
    }
    memcpy(at + 64, payload, size);
    put(fatbin + 8, used + 64 + padded, 8);
}

static void start_fatbin(unsigned char *fatbin)
{
    memset(fatbin, 0, 16);
    put(fatbin, 0xba55ed50, 4);
    put(fatbin + 4, 1, 2);
    put(fatbin + 6, 16, 2);
}

static const char old_text[] = ".version 7.0\n.target sm_60\n.address_size 64\n"
                               ".visible .global .u32 old;\n";
static const char new_text[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                               ".visible .global .u32 recent;\n";
static const char newer_text[] = ".version 7.8\n.target sm_90\n.address_size 64\n";

static void the_newest_ptx_that_fits_is_chosen(void **state)
{
    _Alignas(8) unsigned char fatbin[2048];
    CUmodule module;
    CUdeviceptr pointer;
    (void)state;
    start_fatbin(fatbin);
    add_entry(fatbin, CUBIN, 80, "not looked at", 13, 0);
    add_entry(fatbin, PTX, 60, old_text, sizeof old_text, 0);
    add_entry(fatbin, PTX, 75, new_text, sizeof new_text, 0);
    add_entry(fatbin, PTX, 90, newer_text, sizeof newer_text, 0);
    ok(cu.cuModuleLoadFatBinary(&module, fatbin));
    ok(cu.cuModuleGetGlobal(&pointer, NULL, module, "recent"));
    ok(cu.cuModuleUnload(module));
    struct {
        uint32_t magic, version;
        const void *data;
        void *unused;
    } wrapper = {0x466243b1, 1, fatbin, NULL};
    ok(cu.cuModuleLoadData(&module, &wrapper));
    ok(cu.cuModuleUnload(module));
}

static void a_fatbin_without_ptx_for_the_device_is_refused(void **state)
{
    _Alignas(8) unsigned char fatbin[2048];
    CUmodule module;
    (void)state;
    start_fatbin(fatbin);
    expect(cu.cuModuleLoadData(&module, fatbin), CUDA_ERROR_NO_BINARY_FOR_GPU);
    add_entry(fatbin, CUBIN, 80, "not looked at", 13, 0);
    add_entry(fatbin, PTX, 90, newer_text, sizeof newer_text, 0);
    expect(cu.cuModuleLoadData(&module, fatbin), CUDA_ERROR_NO_BINARY_FOR_GPU);
    put(fatbin + 16 + 8, UINT64_MAX, 8); /* an entry that is larger than the whole fatbin */
    expect(cu.cuModuleLoadData(&module, fatbin), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

/* An LZ4 block of literals only. */
static size_t pack_literals(const char *text, size_t size, unsigned char *out)
{
    size_t used = 0, rest = size - 15;
    out[used++] = 0xf0;
    for (; rest >= 255; rest -= 255)
        out[used++] = 255;
    out[used++] = (unsigned char)rest;
    memcpy(out + used, text, size);
    return used + size;
}

static void compressed_ptx_is_decompressed(void **state)
{
    _Alignas(8) unsigned char fatbin[2048];
    unsigned char packed[1024];
    size_t size = pack_literals(new_text, sizeof new_text, packed);
    CUmodule module;
    CUdeviceptr pointer;
    (void)state;
    start_fatbin(fatbin);
    add_entry(fatbin, PTX, 75, packed, size, sizeof new_text);
    ok(cu.cuModuleLoadData(&module, fatbin));
    ok(cu.cuModuleGetGlobal(&pointer, NULL, module, "recent"));
    ok(cu.cuModuleUnload(module));
    put(fatbin + 16 + 0x38, sizeof new_text + 1, 8);
    expect(cu.cuModuleLoadData(&module, fatbin), CUDA_ERROR_INVALID_IMAGE);
    put(fatbin + 16 + 0x38, UINT64_MAX, 8);
    expect(cu.cuModuleLoadData(&module, fatbin), CUDA_ERROR_INVALID_IMAGE);
}

/* extern "C" __global__ void k() {} for compute_75, as CUDA 13.0 compresses it: with zstd (nvcc
 * -fatbin --compress-mode=default) and with LZ4 (speed). */
static void ptx_compressed_by_nvcc_is_decompressed(void **state)
{
    _Alignas(8) static const unsigned char with_zstd[] = {
#include "nvcc_zstd.inc"
    };
    _Alignas(8) static const unsigned char with_lz4[] = {
#include "nvcc_lz4.inc"
    };
    CUmodule module;
    (void)state;
    ok(cu.cuModuleLoadData(&module, with_zstd));
    assert_non_null(kernel(module, "k"));
    ok(cu.cuModuleUnload(module));
    ok(cu.cuModuleLoadData(&module, with_lz4));
    assert_non_null(kernel(module, "k"));
    ok(cu.cuModuleUnload(module));
}

/* ---- attributes of kernels ------------------------------------------------------------- */

static int attribute(CUfunction function, int number)
{
    int value = -1;
    ok(cu.cuFuncGetAttribute(&value, number, function));
    return value;
}

static void kernels_have_attributes(void **state)
{
    CUmodule module = load_kernels(), of = NULL;
    CUfunction bounded = kernel(module, "bounded"), shared = kernel(module, "shared");
    size_t offset = 9, size = 9;
    const char *name = NULL;
    (void)state;
    assert_int_equal(attribute(bounded, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 128);
    assert_int_equal(attribute(shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 4096);
    assert_int_equal(attribute(shared, CU_FUNC_ATTRIBUTE_BINARY_VERSION), 80);
    assert_int_equal(attribute(shared, CU_FUNC_ATTRIBUTE_PTX_VERSION), 70);
    assert_int_equal(attribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
                     49152 - 4096);
    assert_true(attribute(shared, CU_FUNC_ATTRIBUTE_NUM_REGS) > 0);
    ok(cu.cuFuncGetName(&name, shared));
    assert_string_equal(name, "shared");
    ok(cu.cuFuncGetModule(&of, shared));
    assert_ptr_equal(of, module);
    ok(cu.cuFuncGetParamInfo(kernel(module, "fill"), 2, &offset, &size));
    assert_int_equal(offset, 12);
    assert_int_equal(size, 4);
    expect(cu.cuFuncGetParamInfo(kernel(module, "fill"), 3, &offset, &size),
           CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuModuleUnload(module));
    expect(cu.cuFuncGetName(&name, shared), CUDA_ERROR_INVALID_HANDLE);
}

static void occupancy_is_limited_by_threads_blocks_and_shared_memory(void **state)
{
    CUmodule module = load_kernels();
    CUfunction function = kernel(module, "fault");
    int blocks = -1, grid = -1, block = -1;
    size_t shared = 0;
    (void)state;
    ok(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 1024, 0));
    assert_int_equal(blocks, 2);
    ok(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 0));
    assert_int_equal(blocks, 32);
    ok(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 40000));
    assert_int_equal(blocks, 4);
    ok(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 200000));
    assert_int_equal(blocks, 0);
    expect(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 0, 0),
           CUDA_ERROR_INVALID_VALUE);
    ok(cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 0));
    assert_int_equal(block, 1024);
    assert_int_equal(grid, 216);
    ok(cu.cuOccupancyAvailableDynamicSMemPerBlock(&shared, function, 2, 128));
    assert_int_equal(shared, 167936 / 2 - 1024);
    ok(cu.cuModuleUnload(module));
}

static int setup(void **state)
{
    (void)state;
    return start_with("sm_80");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_and_variables_are_found_by_name),
        cmocka_unit_test(a_module_allocates_and_frees_memory),
        cmocka_unit_test(invalid_ptx_is_refused),
        cmocka_unit_test(too_new_versions_are_refused),
        cmocka_unit_test(the_compilers_log_has_line_numbers),
        cmocka_unit_test(an_elf_file_is_refused),
        cmocka_unit_test(a_file_is_loaded),
        cmocka_unit_test(the_newest_ptx_that_fits_is_chosen),
        cmocka_unit_test(a_fatbin_without_ptx_for_the_device_is_refused),
        cmocka_unit_test(compressed_ptx_is_decompressed),
        cmocka_unit_test(ptx_compressed_by_nvcc_is_decompressed),
        cmocka_unit_test(kernels_have_attributes),
        cmocka_unit_test(occupancy_is_limited_by_threads_blocks_and_shared_memory),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
