/* The library's exports and their versions. */
#include "simhsa_test.h"

static bool is_exported(const char *name)
{
    return dlsym(library, name) && dlvsym(library, name, "ROCR_1");
}

static void everything_that_clients_are_linked_with_is_exported(void **state)
{
    (void)state;
#define HSA_CLIENT(name)                                                                           \
    if (!is_exported(#name))                                                                       \
        fail_msg("%s is not exported with version ROCR_1", #name);
#include "clients.def"
#undef HSA_CLIENT
}

static void everything_that_the_backend_binds_is_exported(void **state)
{
    (void)state;
#define HSA_SYMBOL(need, name)                                                                     \
    if (!is_exported(#name))                                                                       \
        fail_msg("%s is not exported", #name);
#include "hsa_symbols.def"
#undef HSA_SYMBOL
}

static void every_row_is_exported(void **state)
{
    (void)state;
#define SIMHSA_SYMBOL(name) assert_true(is_exported(#name));
#include "simhsa_symbols.def"
#undef SIMHSA_SYMBOL
#define SIMHSA_REFUSED(name, status, why) assert_true(is_exported(#name));
#include "simhsa_refused.def"
#undef SIMHSA_REFUSED
}

static void nothing_else_is_exported(void **state)
{
    static const char *const names[] = {"amdgpu_queue_create",
                                        "sim_memory_create",
                                        "simhsa_signal_new",
                                        "ah_log_write",
                                        "amdgpu_dispatch_start",
                                        "refused_hsa_amd_spm_acquire",
                                        "hsa_ven_amd_loader_query_executable"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null(dlsym(library, names[i]));
}

static void the_drop_in_folder_has_it_under_amds_names(void **state)
{
    static const char *const names[] = {"libhsa-runtime64.so.1", "libhsa-runtime64.so"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", SIMHSA_DROP_IN, names[i]);
        void *other = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        assert_non_null(other);
        assert_ptr_equal(dlsym(other, "hsa_init"), dlsym(library, "hsa_init"));
        dlclose(other);
    }
}

static void missing_functions_are_refused(void **state)
{
    (void)state;
    expect(rt.hsa_amd_spm_acquire((hsa_agent_t){0}), HSA_STATUS_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_that_clients_are_linked_with_is_exported),
        cmocka_unit_test(everything_that_the_backend_binds_is_exported),
        cmocka_unit_test(every_row_is_exported),
        cmocka_unit_test(nothing_else_is_exported),
        cmocka_unit_test(the_drop_in_folder_has_it_under_amds_names),
        cmocka_unit_test(missing_functions_are_refused),
    };
    return start_with("gfx90a") ? EXIT_FAILURE : cmocka_run_group_tests(tests, NULL, NULL);
}
