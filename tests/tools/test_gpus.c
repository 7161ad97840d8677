/* Tests which GPUs images are said to be for. */
#include "gpus.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

static const struct ah_gpu *gpu_named(const char *architecture)
{
    const struct ah_gpu *gpu;
    for (size_t i = 0; (gpu = ah_gpu_at(i)); i++)
        if (strcmp(gpu->architecture, architecture) == 0)
            return gpu;
    return NULL;
}

static bool runs(const char *architecture, struct ah_image image)
{
    const struct ah_gpu *gpu = gpu_named(architecture);
    assert_non_null(gpu);
    return ah_gpu_runs(gpu, &image);
}

#define PTX(number, letter)                                                                        \
    ((struct ah_image){.kind = AH_IMAGE_PTX, .sm = (number), .sm_suffix = (letter)})
#define CUBIN(number) ((struct ah_image){.kind = AH_IMAGE_CUBIN, .sm = (number)})
#define AMDGPU(name, version)                                                                      \
    ((struct ah_image){.kind = AH_IMAGE_AMDGPU, .processor = name, .generic_version = (version)})

static void ptx_runs_on_later_gpus(void **state)
{
    (void)state;
    assert_true(runs("sm_70", PTX(70, 0)) && runs("sm_121", PTX(70, 0)));
    assert_false(runs("sm_61", PTX(70, 0)) || runs("gfx90a", PTX(70, 0)));
    assert_true(runs("sm_90", PTX(90, 'a')));
    assert_false(runs("sm_100", PTX(90, 'a')));
    assert_true(runs("sm_103", PTX(100, 'f')));
    assert_false(runs("sm_120", PTX(100, 'f')) || runs("sm_101", PTX(103, 'f')));
}

static void cubins_run_on_their_generation(void **state)
{
    (void)state;
    assert_true(runs("sm_80", CUBIN(80)) && runs("sm_89", CUBIN(80)));
    assert_false(runs("sm_90", CUBIN(80)) || runs("sm_80", CUBIN(86)) || runs("sm_75", CUBIN(80)));
    assert_false(runs("sm_80", CUBIN(0)));
}

static void code_objects_run_on_their_processor_or_family(void **state)
{
    (void)state;
    assert_true(runs("gfx90a", AMDGPU("gfx90a", 0)));
    assert_false(runs("gfx908", AMDGPU("gfx90a", 0)) || runs("sm_90", AMDGPU("gfx90a", 0)));
    assert_true(runs("gfx942", AMDGPU("gfx9-4-generic", 1)));
    assert_false(runs("gfx942", AMDGPU("gfx9-4-generic", 0)));
    assert_false(runs("gfx90a", AMDGPU("gfx9-4-generic", 1)));
    assert_false(runs("gfx90a", AMDGPU("", 0)));
}

static void every_processor_is_in_the_table(void **state)
{
    static const char *const processors[] = {
#define AMDGPU_PROCESSOR(mach, name, features) name,
#include "amdgpu_processors.def"
#undef AMDGPU_PROCESSOR
    };
    (void)state;
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
        bool old = strncmp(processors[i], "gfx60", 5) == 0; /* before HSA */
        if (!strstr(processors[i], "generic") && !gpu_named(processors[i]) && !old)
            fail_msg("%s is not in gpus.def", processors[i]);
    }
}

static void simulated_devices_are_those_that_there_are(void **state)
{
    static const char *const models[] = {
#define MODEL(name, ...) #name,
#include "amdgpu_models.def"
#undef MODEL
    };
    const struct ah_gpu *gpu;
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        assert_true(gpu_named(models[i]) && gpu_named(models[i])->simulated);
    for (size_t i = 0; (gpu = ah_gpu_at(i)); i++)
        count += gpu->simulated && gpu->sm == 0;
    assert_int_equal(count, sizeof models / sizeof *models);
    assert_true(ah_gpu_is_simulated_for(&PTX(90, 0)) && !ah_gpu_is_simulated_for(&PTX(100, 0)));
    assert_false(ah_gpu_is_simulated_for(&CUBIN(80)));
    assert_false(ah_gpu_is_simulated_for(&AMDGPU("gfx12-generic", 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ptx_runs_on_later_gpus),
        cmocka_unit_test(cubins_run_on_their_generation),
        cmocka_unit_test(code_objects_run_on_their_processor_or_family),
        cmocka_unit_test(every_processor_is_in_the_table),
        cmocka_unit_test(simulated_devices_are_those_that_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
