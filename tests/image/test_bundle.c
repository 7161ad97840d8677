/* Tests the containers: what is in them, and that no damage to them leads outside of them. */
#include "forge.h"
#include "image.h"
#include "support.h"

#include <string.h>

enum { COUNT = 5 };

static const char host[] = "host-x86_64-unknown-linux-gnu-";

/* A small bundle with an image of each kind. */
static struct ah_forged make_bundle(size_t alignment)
{
    struct ah_forge_entry entries[COUNT] = {
        {host, {NULL, 0}},
        {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", ah_forge_amdgpu(5, 0x03f | 0x600)},
        {"hip-amdgcn-amd-amdhsa--sm_80", ah_forge_elf(190, 51, 7, 0x00500550)},
        {"hip-nvptx64-nvidia-cuda-unknown-sm_70", ah_forge_text(".version 7.0\n.target sm_70\n")},
        {"hip-nvptx64-nvidia-cuda--fatbin", ah_forge_cuda_fatbin(24)},
    };
    return ah_forge_bundle(entries, COUNT, alignment);
}

static void assert_contents(const struct ah_images *images)
{
    static const enum ah_image_kind kinds[] = {AH_IMAGE_HOST, AH_IMAGE_AMDGPU, AH_IMAGE_CUBIN,
                                               AH_IMAGE_PTX, AH_IMAGE_CUDA_FATBIN};
    assert_int_equal(images->count, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(images->items[i].kind, kinds[i]);
    assert_string_equal(images->items[0].label, host);
    assert_string_equal(images->items[1].target, "gfx90a:xnack-");
    assert_string_equal(images->items[2].label, "hip-amdgcn-amd-amdhsa--sm_80");
    assert_int_equal(images->items[2].sm, 80);
    assert_memory_equal(images->items[3].data, ".version 7.0\n.target sm_70\n", 27);
    assert_int_equal(images->items[3].size, 27);
    assert_int_equal(images->items[4].size, 40);
}

static void assert_opens(struct ah_forged forged, size_t size)
{
    struct ah_images images;
    char error[AH_IMAGE_ERROR_SIZE];
    void *guarded = ah_test_guard(forged.data, forged.size);
    assert_true(ah_images_open(&images, guarded, size, error));
    assert_string_equal(error, "");
    assert_contents(&images);
    ah_images_close(&images);
    ah_test_unguard(guarded, forged.size);
}

static void a_plain_bundle_is_taken_apart(void **state)
{
    (void)state;
    static const size_t alignments[] = {1, 8, 4096};
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        struct ah_forged bundle = make_bundle(alignments[i]);
        assert_opens(bundle, bundle.size);
        assert_opens(bundle, SIZE_MAX);
    }
}

static void compressed_bundles_of_every_version_and_method_are_taken_apart(void **state)
{
    (void)state;
    for (unsigned version = 1; version <= 3; version++) {
        for (int method = AH_FORGE_ZLIB; method <= AH_FORGE_ZSTD; method++) {
            struct ah_forged bundle =
                ah_forge_compressed(make_bundle(8), version, (enum ah_forge_method)method);
            assert_opens(bundle, bundle.size);
            assert_opens(bundle, SIZE_MAX);
        }
    }
}

static void what_follows_a_bundle_does_not_matter(void **state)
{
    (void)state;
    struct ah_forged more = ah_forge_text("more of the program's read-only data");
    struct ah_forged plain = ah_forge_join(make_bundle(8), more, 16);
    assert_opens(plain, plain.size);
    assert_opens(plain, SIZE_MAX);
    for (unsigned version = 1; version <= 3; version++) {
        for (int method = AH_FORGE_ZLIB; method <= AH_FORGE_ZSTD; method++) {
            struct ah_forged bundle =
                ah_forge_compressed(make_bundle(8), version, (enum ah_forge_method)method);
            struct ah_forged followed = ah_forge_join(bundle, more, 16);
            assert_opens(followed, followed.size);
            assert_opens(followed, SIZE_MAX);
        }
    }
}

static void assert_single(struct ah_forged forged, enum ah_image_kind kind)
{
    struct ah_images images;
    char error[AH_IMAGE_ERROR_SIZE];
    void *guarded = ah_test_guard(forged.data, forged.size);
    assert_true(ah_images_open(&images, guarded, forged.size, error));
    assert_int_equal(images.count, 1);
    assert_int_equal(images.items->kind, kind);
    assert_string_equal(images.items->label, "");
    assert_ptr_equal(images.items->data, guarded);
    assert_int_equal(images.items->size, forged.size);
    assert_null(images.decompressed);
    ah_images_close(&images);
    assert_int_equal(images.count, 0);
    ah_images_close(&images);
    ah_test_unguard(guarded, forged.size);
}

static void an_image_by_itself_is_a_list_of_one(void **state)
{
    (void)state;
    assert_single(ah_forge_amdgpu(6, 0x41), AH_IMAGE_AMDGPU);
    assert_single(ah_forge_elf(190, 65, 8, 0x06005a04), AH_IMAGE_CUBIN);
    assert_single(ah_forge_text("// x\n.version 7.0\n.target sm_70\n"), AH_IMAGE_PTX);
    assert_single(ah_forge_cuda_fatbin(9), AH_IMAGE_CUDA_FATBIN);
    assert_single(ah_forge_text("\x03\x02\x23\x07 words"), AH_IMAGE_SPIRV);
}

static void assert_refused(struct ah_forged forged, size_t size, const char *reason)
{
    static const struct ah_images nothing;
    struct ah_images images;
    char error[AH_IMAGE_ERROR_SIZE] = "untouched";
    void *guarded = ah_test_guard(forged.data, forged.size);
    assert_false(ah_images_open(&images, guarded, size, error));
    assert_memory_equal(&images, &nothing, sizeof images);
    assert_contains(error, reason);
    ah_images_close(&images);
    ah_test_unguard(guarded, forged.size);
}

static void invalid_images_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const char *const texts[] = {"x",
                                        "hello, world",
                                        "__CLANG_OFFLOAD_BUNDLE_",
                                        "CCO",
                                        "\x7f"
                                        "ELF",
                                        "!<arch>\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ah_forged text = ah_forge_text(texts[i]);
        assert_refused(text, text.size, "not an offload bundle");
        assert_refused(text, SIZE_MAX, "not an offload bundle");
    }
    struct ah_forged program = ah_forge_elf(62, 0, 0, 0);
    assert_refused(program, program.size, "not an offload bundle");
}

static void no_data_is_refused(void **state)
{
    (void)state;
    struct ah_images images;
    char error[AH_IMAGE_ERROR_SIZE];
    assert_false(ah_images_open(&images, NULL, 0, error));
    assert_contains(error, "no data");
    assert_false(ah_images_open(&images, NULL, 100, error));
    assert_false(ah_images_open(&images, NULL, SIZE_MAX, error));
    assert_false(ah_images_open(&images, "x", 0, error));
    assert_false(ah_images_open(&images, (void *)64, SIZE_MAX, error));
    assert_contains(error, "no data");
}

static void the_reason_says_what_is_damaged(void **state)
{
    (void)state;
    struct ah_forged bundle = make_bundle(8);
    assert_refused(bundle, 30, "table of contents");
    assert_refused(bundle, 60, "table of contents");
    assert_refused(bundle, 24 + 8 + 5 * 24, "entry 0");
    assert_refused(bundle, bundle.size - 1, "entry 4");
    memset(bundle.data + 24, 0, 8);
    assert_refused(bundle, bundle.size, "table of contents");
    struct ah_forged compressed = ah_forge_compressed(make_bundle(8), 2, AH_FORGE_ZSTD);
    assert_refused(compressed, compressed.size - 1, "truncated");
    compressed.data[24] ^= 0xff;
    assert_refused(compressed, compressed.size, "damaged (zstd)");
    for (unsigned version = 1; version <= 3; version++) {
        static const size_t header_sizes[] = {0, 20, 24, 32};
        compressed = ah_forge_compressed(make_bundle(8), version, AH_FORGE_ZLIB);
        for (size_t size = 8; size < header_sizes[version]; size++)
            assert_refused(compressed, size, "shorter than its header");
    }
    compressed = ah_forge_compressed(make_bundle(8), 3, AH_FORGE_ZLIB);
    compressed.data[4] = 9;
    assert_refused(compressed, compressed.size, "unknown version 9");
    compressed.data[4] = 3;
    compressed.data[6] = 7;
    assert_refused(compressed, compressed.size, "unknown method 7");
    compressed =
        ah_forge_compressed(ah_forge_text("not a bundle at all, but compressed"), 3, AH_FORGE_ZSTD);
    assert_refused(compressed, compressed.size, "does not hold a bundle");
    compressed = ah_forge_compressed(compressed, 3, AH_FORGE_ZSTD);
    assert_refused(compressed, compressed.size, "does not hold a bundle");
}

/* The linker gives the code under test these instead of malloc and calloc. */
static size_t largest_request;
static int requests_left = -1; /* then there is no memory; below 0: there always is */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

static bool has_memory(void)
{
    if (requests_left > 0)
        requests_left--;
    else if (requests_left == 0)
        return false;
    return true;
}

void *__wrap_malloc(size_t size)
{
    largest_request = size > largest_request ? size : largest_request;
    return has_memory() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return has_memory() ? __real_calloc(count, size) : NULL;
}

/* Gives one request more each time, until the images open. */
static void assert_needs_memory(struct ah_forged forged, const char *reason)
{
    struct ah_images images;
    char error[AH_IMAGE_ERROR_SIZE];
    bool opened = false;
    for (int left = 0; !opened && left < 20; left++) {
        requests_left = left;
        opened = ah_images_open(&images, forged.data, forged.size, error);
        requests_left = -1;
        assert_true(opened || (images.count == 0 && !images.items && !images.decompressed));
        assert_true(opened ? left > 0 : left > 0 || strstr(error, reason));
        ah_images_close(&images);
    }
    assert_true(opened);
}

static void without_memory_images_are_refused(void **state)
{
    (void)state;
    assert_needs_memory(ah_forge_text(".version 7.0\n.target sm_70\n"), "no memory for an image");
    assert_needs_memory(make_bundle(8), "no memory for 5 images");
    assert_needs_memory(ah_forge_compressed(make_bundle(8), 3, AH_FORGE_ZLIB),
                        "no memory to decompress");
}

static void a_small_file_cannot_ask_for_much_memory(void **state)
{
    (void)state;
    largest_request = 0;
    for (int method = AH_FORGE_ZLIB; method <= AH_FORGE_ZSTD; method++) {
        struct ah_forged bundle =
            ah_forge_compressed(make_bundle(8), 3, (enum ah_forge_method)method);
        bundle.data[16 + 3] = 0xe0; /* some 3.5 GiB of content */
        assert_refused(bundle, bundle.size, "damaged");
        bundle.data[16 + 4] = 1; /* beyond 4 GiB */
        assert_refused(bundle, bundle.size, "bytes of content");
        memset(bundle.data + 16, 0, 4); /* just so much */
        assert_refused(bundle, bundle.size, "damaged");
    }
    assert_true(largest_request < 1 << 20);
}

/* A frame of zstd need not say its size: magic, no size, one block of one byte repeated. */
static void a_frame_that_does_not_tell_its_size_cannot_ask_for_much_memory_either(void **state)
{
    (void)state;
    static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 0x0b, 0, 0, 'x'};
    struct ah_forged bundle = ah_forge_compressed(make_bundle(8), 3, AH_FORGE_ZSTD);
    bundle.size = 32 + sizeof frame;
    bundle.data[8] = (unsigned char)bundle.size;
    bundle.data[9] = 0;
    memcpy(bundle.data + 32, frame, sizeof frame);
    bundle.data[16 + 3] = 0xe0;
    largest_request = 0;
    assert_refused(bundle, bundle.size, "damaged");
    assert_true(largest_request < 1 << 20);
}

static void a_label_of_any_length_is_cut_to_fit(void **state)
{
    (void)state;
    struct ah_images images;
    char error[AH_IMAGE_ERROR_SIZE];
    struct ah_forge_entry entries[] = {{ah_test_print("%0500d", 1), ah_forge_amdgpu(5, 0x3f)},
                                       {"", ah_forge_amdgpu(5, 0x3f)}};
    struct ah_forged bundle = ah_forge_bundle(entries, 2, 1);
    assert_true(ah_images_open(&images, bundle.data, bundle.size, error));
    assert_string_equal(images.items[0].label, ah_test_print("%0127d", 0));
    assert_string_equal(images.items[1].label, "");
    ah_images_close(&images);
}

/* ---- damage ------------------------------------------------------------- */

static void assert_inside(const struct ah_image *image, const unsigned char *data, size_t size,
                          bool decompressed)
{
    assert_true(image->kind >= AH_IMAGE_UNKNOWN && image->kind <= AH_IMAGE_SPIRV);
    assert_true(strnlen(image->label, sizeof image->label) < sizeof image->label);
    assert_true(strnlen(image->target, sizeof image->target) < sizeof image->target);
    if (!decompressed)
        assert_true(image->data >= data && image->size <= size &&
                    (size_t)(image->data - data) <= size - image->size);
}

/* Opens what may be damaged, in memory that ends where it ends: either it is refused and nothing
 * is left of it, or every image lies inside. Reading outside ends the program. */
static bool survives(const unsigned char *data, size_t size, size_t declared)
{
    static const struct ah_images nothing;
    struct ah_images images;
    char error[AH_IMAGE_ERROR_SIZE];
    bool good = ah_images_open(&images, data, declared, error);
    if (!good) {
        assert_memory_equal(&images, &nothing, sizeof images);
        assert_true(*error && strnlen(error, sizeof error) < sizeof error);
    }
    for (size_t i = 0; i < images.count; i++)
        assert_inside(&images.items[i], data, size, images.decompressed != NULL);
    ah_images_close(&images);
    return good;
}

static void survive_truncation(struct ah_forged forged, bool may_open)
{
    for (size_t size = 1; size < forged.size; size++) {
        unsigned char *cut = ah_test_guard(forged.data, size);
        bool known = survives(cut, size, size);
        bool unknown = survives(cut, size, SIZE_MAX);
        ah_test_unguard(cut, size);
        assert_true(may_open || (!known && !unknown));
    }
}

static void every_truncation_of_a_bundle_is_refused(void **state)
{
    (void)state;
    survive_truncation(make_bundle(1), false);
    for (unsigned version = 1; version <= 3; version++)
        for (int method = AH_FORGE_ZLIB; method <= AH_FORGE_ZSTD; method++)
            survive_truncation(
                ah_forge_compressed(make_bundle(1), version, (enum ah_forge_method)method), false);
}

static void every_truncation_of_an_image_is_survived(void **state)
{
    (void)state;
    survive_truncation(ah_forge_cuda_fatbin(40), true);
    survive_truncation(ah_forge_text("// c\n/* d */ .version 7.0\n.target sm_90a, debug\n"), true);
    survive_truncation(ah_forge_amdgpu(5, 0x3f), true);
}

/* Every byte of the first ones takes every value, in steps. */
static void survive_changes(struct ah_forged forged, size_t bytes, unsigned step)
{
    enum { UNKNOWN_SIZE_STEP = 85 }; /* slower, as it asks for the process's mappings */
    unsigned char *data = ah_test_guard(forged.data, forged.size);
    for (size_t at = 0; at < bytes && at < forged.size; at++) {
        for (unsigned value = 0; value < 256; value += step) {
            data[at] = (unsigned char)value;
            survives(data, forged.size, forged.size);
            if (value % UNKNOWN_SIZE_STEP == 0)
                survives(data, forged.size, SIZE_MAX);
        }
        data[at] = forged.data[at];
    }
    ah_test_unguard(data, forged.size);
}

static void every_changed_byte_of_a_bundle_is_survived(void **state)
{
    (void)state;
    survive_changes(make_bundle(1), SIZE_MAX, 1);
}

static void every_changed_byte_of_a_compressed_bundle_is_survived(void **state)
{
    (void)state;
    for (unsigned version = 1; version <= 3; version++) {
        for (int method = AH_FORGE_ZLIB; method <= AH_FORGE_ZSTD; method++) {
            struct ah_forged bundle =
                ah_forge_compressed(make_bundle(1), version, (enum ah_forge_method)method);
            survive_changes(bundle, 40, 1);
            survive_changes(bundle, SIZE_MAX, 85);
        }
    }
}

static void every_changed_byte_of_an_elf_header_is_survived(void **state)
{
    (void)state;
    static const struct ah_forge_section sections[] = {{".text", "code", 4}, {NULL, NULL, 0}};
    survive_changes(ah_forge_sections(224, sections), 64, 1);
}

static void two_changed_numbers_of_a_bundle_are_survived(void **state)
{
    (void)state;
    static const uint64_t values[] = {
        0,         1, 24, 4096, UINT32_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 32,
        UINT64_MAX};
    enum { VALUES = sizeof values / sizeof *values, FIRST = 24, NUMBERS = 4 };
    struct ah_forged bundle = make_bundle(1);
    unsigned char *data = ah_test_guard(bundle.data, bundle.size);
    for (int pair = 0; pair < NUMBERS * NUMBERS * VALUES * VALUES; pair++) {
        int a = pair % NUMBERS, b = pair / NUMBERS % NUMBERS;
        int x = pair / (NUMBERS * NUMBERS) % VALUES, y = pair / (NUMBERS * NUMBERS * VALUES);
        memcpy(data + FIRST + 8 * a, &values[x], 8);
        memcpy(data + FIRST + 8 * b, &values[y], 8);
        survives(data, bundle.size, bundle.size);
        memcpy(data, bundle.data, bundle.size);
    }
    ah_test_unguard(data, bundle.size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(a_plain_bundle_is_taken_apart),
        AH_TEST(compressed_bundles_of_every_version_and_method_are_taken_apart),
        AH_TEST(what_follows_a_bundle_does_not_matter),
        AH_TEST(an_image_by_itself_is_a_list_of_one),
        AH_TEST(invalid_images_are_refused_with_a_reason),
        AH_TEST(no_data_is_refused),
        AH_TEST(the_reason_says_what_is_damaged),
        AH_TEST(a_small_file_cannot_ask_for_much_memory),
        AH_TEST(a_frame_that_does_not_tell_its_size_cannot_ask_for_much_memory_either),
        AH_TEST(without_memory_images_are_refused),
        AH_TEST(a_label_of_any_length_is_cut_to_fit),
        AH_TEST(every_truncation_of_a_bundle_is_refused),
        AH_TEST(every_truncation_of_an_image_is_survived),
        AH_TEST(every_changed_byte_of_a_bundle_is_survived),
        AH_TEST(every_changed_byte_of_a_compressed_bundle_is_survived),
        AH_TEST(every_changed_byte_of_an_elf_header_is_survived),
        AH_TEST(two_changed_numbers_of_a_bundle_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
