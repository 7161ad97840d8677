/* Tests which code objects a processor runs, and in which order they are preferred. */
#include "hsa_device_info.h"
#include "support.h"

#include <string.h>

static struct ahhsa_target target_of(const char *isa)
{
    struct ahhsa_target target;
    assert_true(ahhsa_target_parse(isa, &target));
    return target;
}

static struct ah_image image_of(const char *processor, enum ah_image_feature xnack,
                                enum ah_image_feature sramecc, int version)
{
    struct ah_image image = {.kind = AH_IMAGE_AMDGPU,
                             .xnack = xnack,
                             .sramecc = sramecc,
                             .code_object_version = version,
                             .generic_version = strstr(processor, "-generic") ? 1 : 0};
    strncpy(image.processor, processor, sizeof image.processor - 1);
    return image;
}

static int rank(const char *isa, const char *processor, enum ah_image_feature xnack,
                enum ah_image_feature sramecc)
{
    struct ahhsa_target target = target_of(isa);
    struct ah_image image = image_of(processor, xnack, sramecc, 6);
    return ahhsa_target_rank(&target, &image);
}

static const char mi200[] = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";
static const char navi[] = "amdgcn-amd-amdhsa--gfx1100";

static void an_isa_is_a_processor_with_its_version_and_features(void **state)
{
    (void)state;
    struct ahhsa_target target = target_of(mi200);
    assert_string_equal(target.processor, "gfx90a");
    assert_int_equal(target.major, 9);
    assert_int_equal(target.minor, 0);
    assert_int_equal(target.sramecc, AH_FEATURE_ON);
    assert_int_equal(target.xnack, AH_FEATURE_OFF);
    target = target_of(navi);
    assert_int_equal(target.major, 11);
    assert_int_equal(target.minor, 0);
    assert_int_equal(target.xnack, AH_FEATURE_UNSUPPORTED);
    target = target_of("gfx942:xnack+");
    assert_int_equal(target.major, 9);
    assert_int_equal(target.minor, 4);
    assert_int_equal(target.xnack, AH_FEATURE_ON);
}

static void invalid_names_of_isas_are_refused(void **state)
{
    (void)state;
    struct ahhsa_target target;
    static const char *const junk[] = {"", "--", "amdgcn-amd-amdhsa--", "sm_90",
                                       "amdgcn-amd-amdhsa--gfx0123456789012345678901234567890"};
    for (size_t i = 0; i < sizeof junk / sizeof *junk; i++)
        assert_false(ahhsa_target_parse(junk[i], &target));
}

static void an_exact_feature_is_preferred_to_a_newer_version(void **state)
{
    (void)state;
    struct ahhsa_target target = target_of(mi200);
    struct ah_image any = image_of("gfx90a", AH_FEATURE_ANY, AH_FEATURE_ANY, 6);
    struct ah_image one = image_of("gfx90a", AH_FEATURE_ANY, AH_FEATURE_ON, 4);
    struct ah_image both = image_of("gfx90a", AH_FEATURE_OFF, AH_FEATURE_ON, 3);
    assert_true(ahhsa_target_rank(&target, &one) > ahhsa_target_rank(&target, &any));
    assert_true(ahhsa_target_rank(&target, &both) > ahhsa_target_rank(&target, &one));
}

static void code_for_another_processor_does_not_run(void **state)
{
    (void)state;
    assert_int_equal(rank(mi200, "gfx1100", AH_FEATURE_UNSUPPORTED, AH_FEATURE_UNSUPPORTED), 0);
    assert_int_equal(rank(navi, "gfx90a", AH_FEATURE_ANY, AH_FEATURE_ANY), 0);
    assert_int_equal(rank(mi200, "", AH_FEATURE_ANY, AH_FEATURE_ANY), 0);
    struct ahhsa_target target = target_of(mi200);
    struct ah_image ptx = {.kind = AH_IMAGE_PTX, .sm = 70};
    assert_int_equal(ahhsa_target_rank(&target, &ptx), 0);
}

static void images_with_contradicting_features_are_rejected(void **state)
{
    (void)state;
    assert_true(rank(mi200, "gfx90a", AH_FEATURE_ANY, AH_FEATURE_ANY) > 0);
    assert_true(rank(mi200, "gfx90a", AH_FEATURE_OFF, AH_FEATURE_ON) > 0);
    assert_int_equal(rank(mi200, "gfx90a", AH_FEATURE_ON, AH_FEATURE_ANY), 0);
    assert_int_equal(rank(mi200, "gfx90a", AH_FEATURE_ANY, AH_FEATURE_OFF), 0);
    /* A device that does not have the feature. */
    assert_true(rank("gfx90a", "gfx90a", AH_FEATURE_OFF, AH_FEATURE_ANY) > 0);
    assert_int_equal(rank("gfx90a", "gfx90a", AH_FEATURE_ON, AH_FEATURE_ANY), 0);
}

static void more_exact_features_are_preferred(void **state)
{
    (void)state;
    int any = rank(mi200, "gfx90a", AH_FEATURE_ANY, AH_FEATURE_ANY);
    int one = rank(mi200, "gfx90a", AH_FEATURE_OFF, AH_FEATURE_ANY);
    int both = rank(mi200, "gfx90a", AH_FEATURE_OFF, AH_FEATURE_ON);
    assert_true(any < one && one < both);
}

static void generic_code_runs_on_its_family_and_comes_after_exact_code(void **state)
{
    (void)state;
    int generic = rank(navi, "gfx11-generic", AH_FEATURE_UNSUPPORTED, AH_FEATURE_UNSUPPORTED);
    int exact = rank(navi, "gfx1100", AH_FEATURE_UNSUPPORTED, AH_FEATURE_UNSUPPORTED);
    assert_true(generic > 0 && generic < exact);
    assert_int_equal(rank(navi, "gfx10-3-generic", AH_FEATURE_UNSUPPORTED, AH_FEATURE_UNSUPPORTED),
                     0);
    /* gfx90a is no member of gfx9-generic. */
    assert_int_equal(rank(mi200, "gfx9-generic", AH_FEATURE_ANY, AH_FEATURE_UNSUPPORTED), 0);
    assert_true(
        rank("gfx906:sramecc+:xnack-", "gfx9-generic", AH_FEATURE_ANY, AH_FEATURE_UNSUPPORTED) > 0);
    assert_true(rank("gfx942:sramecc+:xnack-", "gfx9-4-generic", AH_FEATURE_ANY, AH_FEATURE_ANY) >
                0);
}

/* What runs where, as AMD's loader has it. */
static void each_processor_has_one_generic_target_or_none(void **state)
{
    static const char *const processors[][2] = {
        {"gfx803", ""},
        {"gfx900", "gfx9-generic"},
        {"gfx906:sramecc+:xnack-", "gfx9-generic"},
        {"gfx908:sramecc+:xnack-", ""},
        {"gfx90a:sramecc+:xnack-", ""},
        {"gfx90c:xnack-", "gfx9-generic"},
        {"gfx942:sramecc+:xnack-", "gfx9-4-generic"},
        {"gfx950:sramecc+:xnack+", "gfx9-4-generic"},
        {"gfx1010:xnack-", "gfx10-1-generic"},
        {"gfx1013:xnack-", "gfx10-1-generic"},
        {"gfx1030", "gfx10-3-generic"},
        {"gfx1036", "gfx10-3-generic"},
        {"gfx1100", "gfx11-generic"},
        {"gfx1153", "gfx11-generic"},
        {"gfx1201", "gfx12-generic"},
        {"gfx1250:sramecc+:xnack-", ""},
        {"gfx103", ""},
        {"gfx10300", ""},
    };
    static const char *const generics[] = {"gfx9-generic",    "gfx9-4-generic", "gfx10-1-generic",
                                           "gfx10-3-generic", "gfx11-generic",  "gfx12-generic"};
    (void)state;
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++)
        for (size_t k = 0; k < sizeof generics / sizeof *generics; k++)
            assert_int_equal(rank(processors[i][0], generics[k], AH_FEATURE_ANY, AH_FEATURE_ANY) >
                                 0,
                             strcmp(processors[i][1], generics[k]) == 0);
}

static void generic_code_needs_a_version_that_includes_the_processor(void **state)
{
    (void)state;
    struct ahhsa_target target = target_of(navi);
    struct ah_image image =
        image_of("gfx11-generic", AH_FEATURE_UNSUPPORTED, AH_FEATURE_UNSUPPORTED, 6);
    image.generic_version = 2; /* a later one includes what earlier ones do */
    assert_true(ahhsa_target_rank(&target, &image) > 0);
    image.generic_version = 0;
    assert_int_equal(ahhsa_target_rank(&target, &image), 0);
}

static void features_of_generic_code_are_those_of_the_device(void **state)
{
    static const char mi300[] = "gfx942:sramecc+:xnack-";
    (void)state;
    int any = rank(mi300, "gfx9-4-generic", AH_FEATURE_ANY, AH_FEATURE_ANY);
    int same = rank(mi300, "gfx9-4-generic", AH_FEATURE_OFF, AH_FEATURE_ANY);
    assert_true(any < same);
    assert_int_equal(rank(mi300, "gfx9-4-generic", AH_FEATURE_ON, AH_FEATURE_ANY), 0);
    assert_int_equal(rank(mi300, "gfx9-4-generic", AH_FEATURE_ANY, AH_FEATURE_OFF), 0);
    /* Exact code comes first even where only the generic one was compiled for the setting. */
    assert_true(rank(mi300, "gfx942", AH_FEATURE_ANY, AH_FEATURE_ANY) >
                rank(mi300, "gfx9-4-generic", AH_FEATURE_OFF, AH_FEATURE_ON));
}

static void newer_code_object_versions_are_preferred_and_version_2_refused(void **state)
{
    (void)state;
    struct ahhsa_target target = target_of(navi);
    int last = 0;
    for (int version = 3; version <= 6; version++) {
        struct ah_image image =
            image_of("gfx1100", AH_FEATURE_UNSUPPORTED, AH_FEATURE_UNSUPPORTED, version);
        assert_true(ahhsa_target_rank(&target, &image) > last);
        last = ahhsa_target_rank(&target, &image);
    }
    struct ah_image old = image_of("gfx1100", AH_FEATURE_UNSUPPORTED, AH_FEATURE_UNSUPPORTED, 2);
    assert_int_equal(ahhsa_target_rank(&target, &old), 0);
}

static void register_files_are_those_of_the_processor_and_the_wave(void **state)
{
    (void)state;
    assert_int_equal(ahhsa_registers_of("gfx90a", 64).vgprs, 512);
    assert_int_equal(ahhsa_registers_of("gfx90a", 64).vgpr_unit, 8);
    assert_int_equal(ahhsa_registers_of("gfx906", 64).vgprs, 256);
    assert_int_equal(ahhsa_registers_of("gfx906", 64).sgprs, 800);
    assert_int_equal(ahhsa_registers_of("gfx1030", 32).vgpr_unit, 16);
    assert_int_equal(ahhsa_registers_of("gfx1010", 32).vgpr_unit, 8);
    assert_int_equal(ahhsa_registers_of("gfx1100", 32).vgprs, 1536);
    assert_int_equal(ahhsa_registers_of("gfx1100", 64).vgprs, 768);
    assert_int_equal(ahhsa_registers_of("gfx1102", 32).vgprs, 1024);
    assert_int_equal(ahhsa_registers_of("gfx1", 32).vgprs, 0);
    assert_int_equal(ahhsa_registers_of("", 64).vgprs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_isa_is_a_processor_with_its_version_and_features),
        cmocka_unit_test(invalid_names_of_isas_are_refused),
        cmocka_unit_test(an_exact_feature_is_preferred_to_a_newer_version),
        cmocka_unit_test(code_for_another_processor_does_not_run),
        cmocka_unit_test(images_with_contradicting_features_are_rejected),
        cmocka_unit_test(more_exact_features_are_preferred),
        cmocka_unit_test(generic_code_runs_on_its_family_and_comes_after_exact_code),
        cmocka_unit_test(each_processor_has_one_generic_target_or_none),
        cmocka_unit_test(generic_code_needs_a_version_that_includes_the_processor),
        cmocka_unit_test(features_of_generic_code_are_those_of_the_device),
        cmocka_unit_test(newer_code_object_versions_are_preferred_and_version_2_refused),
        cmocka_unit_test(register_files_are_those_of_the_processor_and_the_wave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
