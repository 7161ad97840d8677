/* Tests the choice of architectures. */
#include "check.h"
#include "known.h"
#include "targets.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool choose(const char *archs, struct ah_targets *targets)
{
    struct ah_request request = {0};
    ah_strings_split(&request.archs, archs, ",");
    return ah_targets_choose(&request, NULL, targets);
}

static bool has(const struct ah_targets *targets, const char *arch)
{
    for (size_t i = 0; i < targets->count; i++)
        if (!strcmp(targets->at[i].arch, arch))
            return true;
    return false;
}

/* A processor runs code for itself or for its generic target. */
static void defaults_cover_every_recent_gpu(void)
{
    static const struct {
        const char *generic, *processor;
    } rows[] = {
#define AMDGPU_GENERIC(generic, processor, version) {generic, processor},
#include "amdgpu_generic.def"
#undef AMDGPU_GENERIC
        {"gfx908", "gfx908"},
        {"gfx90a", "gfx90a"},
        {"sm_70", "sm_70"},
    };
    struct ah_targets t;
    unsetenv("ANYHIP_OFFLOAD_ARCH");
    CHECK(choose("", &t) && t.count == 9);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(has(&t, rows[i].generic));
}

static void all_means_every_architecture_but_those_taken_back(void)
{
    struct ah_targets t;
    CHECK(choose("all", &t));
    CHECK(has(&t, "gfx803") && has(&t, "gfx90a") && has(&t, "gfx1201") && has(&t, "gfx12-generic"));
    CHECK(has(&t, "sm_70") && has(&t, "sm_90a") && has(&t, "sm_121a"));
    CHECK(!has(&t, "gfx701") && !has(&t, "sm_62"));
    size_t count = t.count;
    CHECK(choose("gfx90a,all,sm_80", &t) && t.count == count);
    struct ah_request request = {0};
    ah_strings_push(&request.archs, "all");
    ah_strings_push(&request.no_archs, "gfx803");
    CHECK(ah_targets_choose(&request, NULL, &t) && t.count == count - 1 && !has(&t, "gfx803"));
    setenv("ANYHIP_OFFLOAD_ARCH", "all", 1);
    CHECK(choose("", &t) && t.count == count);
    unsetenv("ANYHIP_OFFLOAD_ARCH");
}

static void a_processor_that_does_not_exist_is_refused(void)
{
    struct ah_targets t;
    CHECK(!ah_known_processor("gfx90b", NULL) && !ah_known_processor("gfx90b:xnack+", NULL));
    CHECK(ah_known_processor("gfx90a:xnack+", NULL) && ah_known_processor("gfx9-generic", NULL));
    CHECK(!choose("gfx1109", &t));
}

static void the_environment_replaces_the_defaults_only(void)
{
    struct ah_targets t;
    setenv("ANYHIP_OFFLOAD_ARCH", "gfx942 sm_90", 1);
    CHECK(choose("", &t) && t.count == 2);
    CHECK_TEXT(t.at[0].arch, "gfx942");
    CHECK(choose("gfx906", &t) && t.count == 1);
    unsetenv("ANYHIP_OFFLOAD_ARCH");
}

static void each_architecture_knows_its_names(void)
{
    struct ah_target t;
    CHECK(ah_target_named("gfx90a:sramecc+:xnack-", &t) && !t.nvidia);
    CHECK_TEXT(t.bundle, "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-");
    CHECK_TEXT(t.file, "hip-amdgcn-amd-amdhsa-gfx90a-sramecc-on-xnack-off");
    CHECK(ah_target_named("sm_90", &t) && t.nvidia);
    CHECK_TEXT(t.bundle, "hip-nvptx64-nvidia-cuda--sm_90");
    CHECK_TEXT(t.ptx, "+ptx78");
    CHECK(ah_target_named("sm_70", &t));
    CHECK_TEXT(t.ptx, "+ptx70");
    CHECK(ah_target_named("gfx9-4-generic", &t));
}

static void what_is_no_architecture_is_refused(void)
{
    static const char *const names[] = {"sm_71",       "sm_", "gfx", "gfx90a:", "gfx90a:xnack",
                                        "gfx90a:foo+", "x86", "",    "gfx90a+", "../gfx90a"};
    struct ah_target t;
    struct ah_targets all;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        CHECK(!ah_target_named(names[i], &t));
    CHECK(!choose("sm_71", &all));
}

static void equal_names_count_once(void)
{
    struct ah_targets t;
    CHECK(choose("gfx90a,sm_70,gfx90a", &t) && t.count == 2);
}

static void a_feature_is_given_for_all_images_of_a_processor_or_none(void)
{
    struct ah_targets t;
    CHECK(!choose("gfx90a,gfx90a:xnack+", &t));
    CHECK(choose("gfx90a:xnack-,gfx90a:xnack+", &t) && t.count == 2);
    CHECK(choose("gfx90a:xnack+,gfx1100", &t));
}

static void devices_of_the_machine_are_read_from_the_driver(void)
{
    char folder[] = "/tmp/ah-test-XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    static const char *const versions[] = {"0", "90010", "110000", "90010", "90402"};
    for (int i = 0; i < 5; i++) {
        const char *node = ah_text_print("%s/%d", folder, i);
        const char *text = ah_text_print("simd_count 4\ngfx_target_version %s\nx 1\n", versions[i]);
        mkdir(node, 0700);
        CHECK(ah_file_write(ah_text_print("%s/properties", node), text, strlen(text)));
    }
    struct ah_strings archs = {0};
    ah_targets_of_machine(folder, &archs);
    CHECK(archs.count == 3);
    CHECK(ah_strings_contain(&archs, "gfx90a") && ah_strings_contain(&archs, "gfx1100") &&
          ah_strings_contain(&archs, "gfx942"));
    for (int i = 0; i < 5; i++) {
        unlink(ah_text_print("%s/%d/properties", folder, i));
        rmdir(ah_text_print("%s/%d", folder, i));
    }
    rmdir(folder);
    struct ah_strings none = {0};
    ah_targets_of_machine("/nonexistent", &none);
    CHECK(none.count == 0);
}

int main(void)
{
    RUN(defaults_cover_every_recent_gpu);
    RUN(all_means_every_architecture_but_those_taken_back);
    RUN(a_processor_that_does_not_exist_is_refused);
    RUN(the_environment_replaces_the_defaults_only);
    RUN(each_architecture_knows_its_names);
    RUN(what_is_no_architecture_is_refused);
    RUN(equal_names_count_once);
    RUN(a_feature_is_given_for_all_images_of_a_processor_or_none);
    RUN(devices_of_the_machine_are_read_from_the_driver);
    ah_text_release();
    return check_failures != 0;
}
