/* The program's own memory as shared virtual memory. */
#include "simhsa_test.h"

#include <sys/mman.h>

enum { PAGE = 4096, PAGES = 16 };

static char *new_pages(void)
{
    char *pages =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    return pages;
}

static hsa_status_t set(void *pointer, size_t size, uint64_t attribute, uint64_t value)
{
    hsa_amd_svm_attribute_pair_t pair = {attribute, value};
    return rt.hsa_amd_svm_attributes_set(pointer, size, &pair, 1);
}

static hsa_amd_svm_attribute_pair_t get(void *pointer, size_t size, uint64_t attribute,
                                        uint64_t value)
{
    hsa_amd_svm_attribute_pair_t pair = {attribute, value};
    ok(rt.hsa_amd_svm_attributes_get(pointer, size, &pair, 1));
    return pair;
}

static void devices_access_memory_that_they_may_access(void **state)
{
    (void)state;
    char *pages = new_pages();
    hsa_signal_t signal = new_signal(1);
    char *memory = allocate(here.memory, PAGE);
    expect(
        rt.hsa_amd_memory_async_copy(memory, here.gpus[0], pages, here.cpu, PAGE, 0, NULL, signal),
        HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(set(pages, PAGES * PAGE, HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE, here.gpus[0].handle));
    memset(pages, 8, PAGES * PAGE);
    ok(rt.hsa_amd_memory_async_copy(memory, here.gpus[0], pages + PAGE / 2, here.cpu, PAGE, 0, NULL,
                                    signal));
    assert_true(wait_for(signal));
    assert_true(all_bytes(memory, PAGE, 8));
    ok(set(pages, PAGE, HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS, here.gpus[0].handle));
    rt.hsa_signal_store_relaxed(signal, 1);
    ok(rt.hsa_amd_memory_async_copy(memory, here.gpus[0], pages + PAGE, here.cpu, PAGE, 0, NULL,
                                    signal));
    assert_true(wait_for(signal));
    ok(set(pages, PAGES * PAGE, HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS, here.gpus[0].handle));
    expect(rt.hsa_amd_memory_fill(pages + 8 * PAGE, 0, 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    munmap(pages, PAGES * PAGE);
    ok(rt.hsa_amd_memory_pool_free(memory));
    ok(rt.hsa_signal_destroy(signal));
}

static void attributes_are_remembered_by_page(void **state)
{
    (void)state;
    char *pages = new_pages();
    uint64_t gpu = here.gpus[0].handle;
    assert_int_equal(get(pages, PAGE, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 0).value, 0);
    ok(set(pages + 2 * PAGE + 5, PAGE, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1)); /* two pages */
    assert_int_equal(get(pages + 2 * PAGE, 2 * PAGE, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 0).value, 1);
    assert_int_equal(get(pages + 2 * PAGE, 3 * PAGE, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 0).value, 0);
    assert_int_equal(get(pages + PAGE, 2 * PAGE, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 0).value, 0);
    ok(set(pages + 3 * PAGE, 10 * PAGE, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, gpu));
    assert_true(get(pages + 3 * PAGE, 10 * PAGE, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, 0).value ==
                gpu);
    assert_int_equal(get(pages + 3 * PAGE, PAGE, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 0).value, 1);
    assert_int_equal(
        get(pages + 2 * PAGE, 2 * PAGE, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, 9).value, 0);
    assert_int_equal(get(pages, PAGE, HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, gpu).attribute,
                     HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS);
    ok(set(pages, PAGE, HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, gpu));
    assert_int_equal(get(pages, PAGE, HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, gpu).attribute,
                     HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE);
    ok(set(pages, PAGES * PAGE, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG,
           HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED));
    assert_int_equal(get(pages, PAGES * PAGE, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, 0).value,
                     HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED);
    ok(set(pages, PAGE, HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS, gpu));
    munmap(pages, PAGES * PAGE);
}

static void prefetching_is_remembered(void **state)
{
    (void)state;
    char *pages = new_pages();
    hsa_signal_t before = new_signal(1), done = new_signal(1);
    ok(rt.hsa_amd_svm_prefetch_async(pages, PAGE, here.gpus[0], 1, &before, done));
    usleep(10000);
    assert_int_equal(rt.hsa_signal_load_relaxed(done), 1);
    rt.hsa_signal_store_relaxed(before, 0);
    assert_true(wait_for(done));
    assert_true(get(pages, PAGE, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION, 0).value ==
                here.gpus[0].handle);
    assert_int_equal(get(pages, 2 * PAGE, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION, 0).value, 0);
    ok(rt.hsa_signal_destroy(before));
    ok(rt.hsa_signal_destroy(done));
    munmap(pages, PAGES * PAGE);
}

static void invalid_attributes_are_errors(void **state)
{
    (void)state;
    char *pages = new_pages();
    void *memory = allocate(here.memory, PAGE);
    expect(set(pages, PAGE, 999, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(set(pages, PAGE, HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, 5),
           HSA_STATUS_ERROR_INVALID_AGENT);
    expect(set(pages, PAGE, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, 7), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(set(NULL, PAGE, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(set(pages, 0, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(set(pages, SIZE_MAX, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(set(memory, PAGE, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_svm_prefetch_async(pages, PAGE, here.gpus[0], 0, NULL, (hsa_signal_t){3}),
           HSA_STATUS_ERROR_INVALID_SIGNAL);
    munmap(pages, PAGES * PAGE);
    ok(rt.hsa_amd_memory_pool_free(memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_access_memory_that_they_may_access),
        cmocka_unit_test(attributes_are_remembered_by_page),
        cmocka_unit_test(prefetching_is_remembered),
        cmocka_unit_test(invalid_attributes_are_errors),
    };
    return start_with("gfx90a") ? EXIT_FAILURE : cmocka_run_group_tests(tests, NULL, NULL);
}
