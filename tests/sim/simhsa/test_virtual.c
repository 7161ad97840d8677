/* Reserved addresses, physical memory, and mappings. */
#include "simhsa_test.h"

enum { PAGE = 4096, SIZE = 16 * PAGE };

static hsa_amd_vmem_alloc_handle_t new_physical(size_t size)
{
    hsa_amd_vmem_alloc_handle_t handle = {0};
    ok(rt.hsa_amd_vmem_handle_create(here.memory, size, MEMORY_TYPE_NONE, 0, &handle));
    return handle;
}

static char *reserve(size_t size)
{
    void *address = NULL;
    ok(rt.hsa_amd_vmem_address_reserve(&address, size, 0, 0));
    return address;
}

static void allow(void *address, size_t size, hsa_access_permission_t permission)
{
    const hsa_amd_memory_access_desc_t desc = {permission, here.gpus[0]};
    ok(rt.hsa_amd_vmem_set_access(address, size, &desc, 1));
}

static void memory_is_mapped_and_used(void **state)
{
    char bytes[100];
    hsa_access_permission_t permission = HSA_ACCESS_PERMISSION_NONE;
    (void)state;
    char *address = reserve(SIZE);
    hsa_amd_vmem_alloc_handle_t handle = new_physical(SIZE / 2);
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    ok(rt.hsa_amd_pointer_info(address, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_RESERVED_ADDR);
    ok(rt.hsa_amd_vmem_map(address, SIZE / 2, 0, handle, 0));
    memset(bytes, 4, sizeof bytes);
    expect(rt.hsa_memory_copy(address, bytes, sizeof bytes), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    allow(address, SIZE / 2, HSA_ACCESS_PERMISSION_RW);
    ok(rt.hsa_memory_copy(address + PAGE - 50, bytes, sizeof bytes));
    assert_true(all_bytes(address + PAGE - 50, 100, 4));
    ok(rt.hsa_amd_vmem_get_access(address, &permission, here.gpus[0]));
    assert_int_equal(permission, HSA_ACCESS_PERMISSION_RW);
    ok(rt.hsa_amd_vmem_get_access(address, &permission, here.cpu));
    assert_int_equal(permission, HSA_ACCESS_PERMISSION_NONE);
    ok(rt.hsa_amd_pointer_info(address + 5, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_HSA);
    assert_int_equal(info.sizeInBytes, SIZE / 2);
    expect(rt.hsa_amd_memory_pool_free(address), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    expect(rt.hsa_amd_vmem_address_free(address, SIZE), HSA_STATUS_ERROR_RESOURCE_FREE);
    ok(rt.hsa_amd_vmem_unmap(address, SIZE / 2));
    expect(rt.hsa_memory_copy(address, bytes, sizeof bytes), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_amd_vmem_map(address + SIZE / 2, SIZE / 2, 0, handle,
                           0)); /* the same memory at another address */
    allow(address + SIZE / 2, SIZE / 2, HSA_ACCESS_PERMISSION_RO);
    assert_true(all_bytes(address + SIZE / 2 + PAGE - 50, 100, 4));
    expect(rt.hsa_memory_copy(address + SIZE / 2, bytes, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_amd_vmem_unmap(address + SIZE / 2, SIZE / 2));
    ok(rt.hsa_amd_vmem_handle_release(handle));
    expect(rt.hsa_amd_vmem_handle_release(handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    ok(rt.hsa_amd_vmem_address_free(address, SIZE));
    expect(rt.hsa_amd_vmem_address_free(address, SIZE), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

static void mappings_are_used_together(void **state)
{
    (void)state;
    char *address = reserve(SIZE);
    hsa_amd_vmem_alloc_handle_t first = new_physical(PAGE), second = new_physical(4 * PAGE);
    ok(rt.hsa_amd_vmem_map(address, PAGE, 0, first, 0));
    ok(rt.hsa_amd_vmem_map(address + PAGE, 2 * PAGE, PAGE, second, 0));
    allow(address, 3 * PAGE, HSA_ACCESS_PERMISSION_RW);
    const hsa_amd_memory_access_desc_t desc = {HSA_ACCESS_PERMISSION_RW, here.gpus[0]};
    expect(rt.hsa_amd_vmem_set_access(address, 4 * PAGE, &desc, 1),
           HSA_STATUS_ERROR_INVALID_ALLOCATION);
    expect(rt.hsa_amd_vmem_set_access(address, 2 * PAGE, &desc, 1),
           HSA_STATUS_ERROR_INVALID_ALLOCATION);
    ok(rt.hsa_amd_vmem_handle_release(first)); /* the mappings keep the memory */
    ok(rt.hsa_amd_vmem_handle_release(second));
    ok(rt.hsa_amd_memory_fill(address + PAGE, 0x07070707, PAGE / 2));
    assert_true(all_bytes(address + PAGE, 2 * PAGE, 7));
    ok(rt.hsa_amd_vmem_retain_alloc_handle(&second, address + 2 * PAGE));
    hsa_amd_memory_pool_t pool = {0};
    hsa_amd_memory_type_t type;
    ok(rt.hsa_amd_vmem_get_alloc_properties_from_handle(second, &pool, &type));
    assert_true(pool.handle == here.memory.handle);
    ok(rt.hsa_amd_vmem_unmap(address, 3 * PAGE));
    ok(rt.hsa_amd_vmem_map(address, 4 * PAGE, 0, second, 0));
    allow(address, 4 * PAGE, HSA_ACCESS_PERMISSION_RW);
    assert_true(all_bytes(address + PAGE, 2 * PAGE, 7));
    ok(rt.hsa_amd_vmem_handle_release(second));
    ok(rt.hsa_amd_vmem_unmap(address, 4 * PAGE));
    ok(rt.hsa_amd_vmem_address_free(address, SIZE));
}

static void invalid_mappings_are_errors(void **state)
{
    void *pointer = NULL;
    hsa_amd_vmem_alloc_handle_t handle = new_physical(2 * PAGE), none = {7};
    const hsa_amd_memory_access_desc_t host = {HSA_ACCESS_PERMISSION_RW, here.cpu};
    char *address = reserve(SIZE);
    (void)state;
    expect(rt.hsa_amd_vmem_address_reserve(&pointer, 0, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_vmem_address_reserve(&pointer, PAGE + 1, 0, 0),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_vmem_address_reserve_align(&pointer, PAGE, 0, 3 * PAGE, 0),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_vmem_handle_create(here.memory, 100, MEMORY_TYPE_NONE, 0, &none),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_vmem_handle_create(here.memory, 4ull << 30, MEMORY_TYPE_NONE, 0, &none),
           HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    expect(rt.hsa_amd_vmem_map(address, PAGE, 0, none, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    expect(rt.hsa_amd_vmem_map(address, 3 * PAGE, 0, handle, 0),
           HSA_STATUS_ERROR_INVALID_ALLOCATION);
    expect(rt.hsa_amd_vmem_map(address, 2 * PAGE, PAGE, handle, 0),
           HSA_STATUS_ERROR_INVALID_ALLOCATION);
    expect(rt.hsa_amd_vmem_map(address + SIZE - PAGE, 2 * PAGE, 0, handle, 0),
           HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_vmem_map(&pointer, PAGE, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ok(rt.hsa_amd_vmem_map(address, PAGE, 0, handle, 0));
    expect(rt.hsa_amd_vmem_map(address, PAGE, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    expect(rt.hsa_amd_vmem_set_access(address, PAGE, &host, 1), HSA_STATUS_ERROR_INVALID_AGENT);
    expect(rt.hsa_amd_vmem_unmap(address + PAGE, PAGE), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    ok(rt.hsa_amd_vmem_unmap(address, PAGE));
    ok(rt.hsa_amd_vmem_handle_release(handle));
    ok(rt.hsa_amd_vmem_address_free(address, SIZE));
}

static void addresses_have_the_requested_alignment(void **state)
{
    void *address = NULL;
    (void)state;
    ok(rt.hsa_amd_vmem_address_reserve_align(&address, SIZE, 0, 1 << 21, 0));
    assert_int_equal((uintptr_t)address % (1 << 21), 0);
    ok(rt.hsa_amd_vmem_address_free(address, SIZE));
}

static void memory_is_shared_as_a_file(void **state)
{
    int file = -1;
    hsa_amd_vmem_alloc_handle_t handle = new_physical(SIZE), same = {0};
    char *first = reserve(SIZE), *second = reserve(SIZE);
    (void)state;
    ok(rt.hsa_amd_vmem_export_shareable_handle(&file, handle, 0));
    ok(rt.hsa_amd_vmem_import_shareable_handle(file, &same));
    close(file);
    ok(rt.hsa_amd_vmem_map(first, SIZE, 0, handle, 0));
    ok(rt.hsa_amd_vmem_map(second, SIZE, 0, same, 0));
    allow(first, SIZE, HSA_ACCESS_PERMISSION_RW);
    allow(second, SIZE, HSA_ACCESS_PERMISSION_RW);
    ok(rt.hsa_amd_memory_fill(first, 0x09090909, SIZE / 4));
    assert_true(all_bytes(second, SIZE, 9));
    ok(rt.hsa_amd_vmem_unmap(first, SIZE));
    ok(rt.hsa_amd_vmem_unmap(second, SIZE));
    ok(rt.hsa_amd_vmem_handle_release(handle));
    ok(rt.hsa_amd_vmem_handle_release(same));
    ok(rt.hsa_amd_vmem_address_free(first, SIZE));
    ok(rt.hsa_amd_vmem_address_free(second, SIZE));
    expect(rt.hsa_amd_vmem_import_shareable_handle(-1, &same), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    expect(rt.hsa_amd_vmem_export_shareable_handle(&file, same, 0),
           HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_mapped_and_used),
        cmocka_unit_test(mappings_are_used_together),
        cmocka_unit_test(invalid_mappings_are_errors),
        cmocka_unit_test(addresses_have_the_requested_alignment),
        cmocka_unit_test(memory_is_shared_as_a_file),
    };
    return start_with("gfx90a") ? EXIT_FAILURE : cmocka_run_group_tests(tests, NULL, NULL);
}
