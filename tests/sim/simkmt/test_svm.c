/* Shared virtual memory: attributes of ranges, common attributes of several ranges, and access by
 * devices. */
#include "simkmt_test.h"

#include <sys/mman.h>

enum { PAGES = 8, NODE_NONE = HSA_INVALID_NODE, RING = 16 * PAGE };
enum { USUAL_FLAGS = HSA_SVM_FLAG_HOST_ACCESS | HSA_SVM_FLAG_COHERENT };

/* The pages are not freed, since their attributes would remain. */
static char *new_pages(void)
{
    void *pages =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    return pages;
}

static HSAKMT_STATUS set(void *address, uint64_t size, uint32_t type, uint32_t value)
{
    HSA_SVM_ATTRIBUTE attribute = {type, value};
    return kmt.hsaKmtSVMSetAttr(address, size, 1, &attribute);
}

static HSA_SVM_ATTRIBUTE get(void *address, uint64_t size, uint32_t type, uint32_t value)
{
    HSA_SVM_ATTRIBUTE attribute = {type, value};
    ok(kmt.hsaKmtSVMGetAttr(address, size, 1, &attribute));
    return attribute;
}

static uint32_t value_of(void *address, uint64_t size, uint32_t type)
{
    return get(address, size, type, 0).value;
}

static uint32_t access_of(void *address, uint64_t size, uint32_t node)
{
    return get(address, size, HSA_SVM_ATTR_ACCESS, node).type;
}

static void pages_without_settings_have_default_attributes(void **state)
{
    (void)state;
    char *pages = new_pages();
    assert_int_equal(value_of(pages, PAGE, HSA_SVM_ATTR_PREFERRED_LOC), NODE_NONE);
    assert_int_equal(value_of(pages, PAGE, HSA_SVM_ATTR_PREFETCH_LOC), NODE_NONE);
    assert_int_equal(value_of(pages, PAGE, HSA_SVM_ATTR_SET_FLAGS), USUAL_FLAGS);
    assert_int_equal(value_of(pages, PAGE, HSA_SVM_ATTR_CLR_FLAGS), ~(uint32_t)USUAL_FLAGS);
    assert_int_equal(value_of(pages, PAGE, HSA_SVM_ATTR_GRANULARITY), 9);
    assert_int_equal(access_of(pages, PAGE, GPU), HSA_SVM_ATTR_NO_ACCESS);
}

static void attributes_that_were_set_are_returned_for_those_pages(void **state)
{
    (void)state;
    char *pages = new_pages();
    const HSA_SVM_ATTRIBUTE all[] = {{HSA_SVM_ATTR_PREFERRED_LOC, GPU},
                                     {HSA_SVM_ATTR_PREFETCH_LOC, SECOND_GPU},
                                     {HSA_SVM_ATTR_ACCESS, GPU},
                                     {HSA_SVM_ATTR_ACCESS_IN_PLACE, SECOND_GPU},
                                     {HSA_SVM_ATTR_CLR_FLAGS, HSA_SVM_FLAG_COHERENT},
                                     {HSA_SVM_ATTR_SET_FLAGS, 32},
                                     {HSA_SVM_ATTR_GRANULARITY, 4}};
    ok(kmt.hsaKmtSVMSetAttr(pages + PAGE, 2 * PAGE, 7, (HSA_SVM_ATTRIBUTE *)(uintptr_t)all));
    char *in = pages + 2 * PAGE;
    assert_int_equal(value_of(in, PAGE, HSA_SVM_ATTR_PREFERRED_LOC), GPU);
    assert_int_equal(value_of(in, PAGE, HSA_SVM_ATTR_PREFETCH_LOC), SECOND_GPU);
    assert_int_equal(value_of(in, PAGE, HSA_SVM_ATTR_SET_FLAGS), HSA_SVM_FLAG_HOST_ACCESS | 32);
    assert_int_equal(value_of(in, PAGE, HSA_SVM_ATTR_GRANULARITY), 4);
    assert_int_equal(access_of(in, PAGE, GPU), HSA_SVM_ATTR_ACCESS);
    assert_int_equal(access_of(in, PAGE, SECOND_GPU), HSA_SVM_ATTR_ACCESS_IN_PLACE);
    assert_int_equal(access_of(pages, PAGE, GPU), HSA_SVM_ATTR_NO_ACCESS);
    ok(set(in, PAGE, HSA_SVM_ATTR_NO_ACCESS, GPU));
    assert_int_equal(access_of(in, PAGE, GPU), HSA_SVM_ATTR_NO_ACCESS);
    assert_int_equal(access_of(pages + PAGE, PAGE, GPU), HSA_SVM_ATTR_ACCESS);
}

static void for_pages_that_differ_the_common_attributes_are_returned(void **state)
{
    (void)state;
    char *pages = new_pages();
    ok(set(pages, 2 * PAGE, HSA_SVM_ATTR_PREFERRED_LOC, GPU));
    ok(set(pages + 4 * PAGE, 2 * PAGE, HSA_SVM_ATTR_PREFERRED_LOC, GPU));
    assert_int_equal(value_of(pages, PAGES * PAGE, HSA_SVM_ATTR_PREFERRED_LOC), GPU);
    ok(set(pages + PAGE, PAGE, HSA_SVM_ATTR_PREFERRED_LOC, 0));
    assert_int_equal(value_of(pages, PAGES * PAGE, HSA_SVM_ATTR_PREFERRED_LOC), NODE_NONE);
    assert_int_equal(value_of(pages, PAGE, HSA_SVM_ATTR_PREFERRED_LOC), GPU);
    ok(set(pages, PAGE, HSA_SVM_ATTR_SET_FLAGS, 8));
    assert_int_equal(value_of(pages, 2 * PAGE, HSA_SVM_ATTR_SET_FLAGS), USUAL_FLAGS);
    assert_int_equal(value_of(pages, 2 * PAGE, HSA_SVM_ATTR_CLR_FLAGS), ~(USUAL_FLAGS | 8u));
    ok(set(pages, PAGE, HSA_SVM_ATTR_GRANULARITY, 2));
    assert_int_equal(value_of(pages, 2 * PAGE, HSA_SVM_ATTR_GRANULARITY), 2);
    ok(set(pages, 2 * PAGE, HSA_SVM_ATTR_ACCESS, GPU));
    ok(set(pages, PAGE, HSA_SVM_ATTR_ACCESS_IN_PLACE, GPU));
    assert_int_equal(access_of(pages, 2 * PAGE, GPU), HSA_SVM_ATTR_NO_ACCESS);
}

/* Returns whether an SDMA engine of the first GPU can copy from this address. */
static bool is_accessible(const char *from)
{
    uint32_t *ring = allocate(0, RING), *to = allocate(0, PAGE);
    HsaEvent *fault = new_event(HSA_EVENTTYPE_MEMORY, false);
    HsaQueueResource resource = {0};
    ok(kmt.hsaKmtCreateQueue(GPU, HSA_QUEUE_SDMA, 100, 0, ring, RING, NULL, &resource));
    const uint32_t words[] = {1,
                              PAGE - 1,
                              0,
                              (uint32_t)(uintptr_t)from,
                              (uint32_t)((uintptr_t)from >> 32),
                              (uint32_t)(uintptr_t)to,
                              (uint32_t)((uintptr_t)to >> 32)};
    memcpy(ring, words, sizeof words);
    atomic_store((_Atomic(uint64_t) *)(uintptr_t)resource.QueueDoorBell, sizeof words);
    _Atomic(uint64_t) *read = (_Atomic(uint64_t) *)(uintptr_t)resource.QueueRptrValue;
    bool faulted = false;
    while (atomic_load(read) == 0 && !faulted)
        faulted = kmt.hsaKmtWaitOnEvent(fault, 1) == HSAKMT_STATUS_SUCCESS;
    if (!faulted)
        assert_memory_equal(to, from, PAGE);
    ok(kmt.hsaKmtDestroyQueue(resource.QueueId));
    ok(kmt.hsaKmtDestroyEvent(fault));
    ok(kmt.hsaKmtFreeMemory(ring, 0));
    ok(kmt.hsaKmtFreeMemory(to, 0));
    return !faulted;
}

static void devices_access_only_what_they_may_access(void **state)
{
    (void)state;
    char *pages = new_pages();
    memset(pages, 5, PAGES * PAGE);
    assert_false(is_accessible(pages));
    ok(set(pages, PAGES * PAGE, HSA_SVM_ATTR_PREFERRED_LOC, GPU));
    assert_false(is_accessible(pages));
    ok(set(pages, 4 * PAGE, HSA_SVM_ATTR_ACCESS, GPU));
    assert_true(is_accessible(pages + 3 * PAGE));
    assert_false(is_accessible(pages + 4 * PAGE));
    ok(set(pages + PAGE, PAGE, HSA_SVM_ATTR_ACCESS_IN_PLACE, GPU)); /* which splits the range */
    for (int i = 0; i < 4; i++)
        assert_true(is_accessible(pages + i * PAGE));
    ok(set(pages, 4 * PAGE, HSA_SVM_ATTR_NO_ACCESS, GPU));
    for (int i = 0; i < 4; i++)
        assert_false(is_accessible(pages + i * PAGE));
}

static void invalid_attributes_are_errors(void **state)
{
    (void)state;
    char *pages = new_pages(), *device = allocate(GPU, PAGE), *host = allocate(0, PAGE);
    HSA_SVM_ATTRIBUTE attribute = {HSA_SVM_ATTR_GRANULARITY, 3};
    expect(set(NULL, PAGE, HSA_SVM_ATTR_ACCESS, GPU), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(set(pages, 0, HSA_SVM_ATTR_ACCESS, GPU), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(set(pages + 8, PAGE, HSA_SVM_ATTR_ACCESS, GPU), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(set(pages, 100, HSA_SVM_ATTR_ACCESS, GPU), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(set(pages, -(uint64_t)PAGE, HSA_SVM_ATTR_ACCESS, GPU), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(kmt.hsaKmtSVMSetAttr(pages, PAGE, 1, NULL), HSAKMT_STATUS_INVALID_PARAMETER);
    expect(set(pages, PAGE, HSA_SVM_ATTR_ACCESS, 0), HSAKMT_STATUS_INVALID_NODE_UNIT);
    expect(set(pages, PAGE, HSA_SVM_ATTR_NO_ACCESS, NODES), HSAKMT_STATUS_INVALID_NODE_UNIT);
    expect(set(pages, PAGE, HSA_SVM_ATTR_PREFERRED_LOC, NODES), HSAKMT_STATUS_INVALID_NODE_UNIT);
    expect(set(pages, PAGE, HSA_SVM_ATTR_PREFETCH_LOC, NODE_NONE), HSAKMT_STATUS_INVALID_NODE_UNIT);
    expect(set(pages, PAGE, 99, 0), HSAKMT_STATUS_ERROR);
    expect(set(device, PAGE, HSA_SVM_ATTR_ACCESS, GPU), HSAKMT_STATUS_ERROR);
    expect(set(host, PAGE, HSA_SVM_ATTR_ACCESS, GPU), HSAKMT_STATUS_ERROR);
    munmap(pages + PAGE, PAGE);
    expect(set(pages, 3 * PAGE, HSA_SVM_ATTR_ACCESS, GPU), HSAKMT_STATUS_ERROR);
    expect(kmt.hsaKmtSVMGetAttr(pages, 3 * PAGE, 1, &attribute), HSAKMT_STATUS_ERROR);
    attribute.type = HSA_SVM_ATTR_NO_ACCESS;
    expect(kmt.hsaKmtSVMGetAttr(pages, PAGE, 1, &attribute), HSAKMT_STATUS_ERROR);
    ok(kmt.hsaKmtSVMSetAttr(pages, PAGE, 0, NULL));
    ok(kmt.hsaKmtFreeMemory(device, PAGE));
    ok(kmt.hsaKmtFreeMemory(host, PAGE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_without_settings_have_default_attributes),
        cmocka_unit_test(attributes_that_were_set_are_returned_for_those_pages),
        cmocka_unit_test(for_pages_that_differ_the_common_attributes_are_returned),
        cmocka_unit_test(devices_access_only_what_they_may_access),
        cmocka_unit_test(invalid_attributes_are_errors),
    };
    return cmocka_run_group_tests_name("simulated kernel driver: shared virtual memory", tests,
                                       open_driver, close_driver);
}
