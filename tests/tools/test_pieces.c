/* Tests the containers that inspecting takes apart by itself, damaged ones included. */
#include "forge.h"
#include "image.h"
#include "pieces.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

static struct ah_forged ptx(void)
{
    return ah_forge_text(".version 8.0\n.target sm_90a\n");
}

static struct ah_forged make_fatbin(void)
{
    struct ah_forged one = ah_forge_cuda_entry(false, 90, ah_forge_elf(190, 65, 8, 0x5a04), false);
    struct ah_forged two = ah_forge_cuda_entry(true, 90, ptx(), true);
    return ah_forge_cuda_container(ah_forge_join(one, two, 1));
}

static struct ah_forged make_bundle(void)
{
    struct ah_forge_entry entries[] = {{"host-x", {NULL, 0}}, {"hip-y", ah_forge_amdgpu(5, 0x3f)}};
    return ah_forge_bundle(entries, 2, 4096);
}

static void assert_piece(struct ah_forged forged, enum ah_piece piece, size_t extent)
{
    struct ah_forged more = ah_forge_join(forged, ah_forge_text("what follows"), 16);
    void *guarded = ah_test_guard(more.data, more.size);
    assert_int_equal(ah_piece_at(guarded, more.size), piece);
    assert_int_equal(ah_piece_extent(piece, guarded, more.size), extent);
    ah_test_unguard(guarded, more.size);
}

static void each_container_tells_how_far_it_reaches(void **state)
{
    (void)state;
    struct ah_forged bundle = make_bundle(), fatbin = make_fatbin();
    struct ah_forged offload = ah_forge_offload("amdgcn-amd-amdhsa", "gfx90a", ptx());
    assert_piece(bundle, AH_PIECE_BUNDLE, bundle.size);
    assert_piece(fatbin, AH_PIECE_CUDA_FATBIN, fatbin.size);
    assert_piece(offload, AH_PIECE_OFFLOAD, offload.size);
    for (unsigned version = 1; version <= 3; version++) {
        struct ah_forged compressed = ah_forge_compressed(bundle, version, AH_FORGE_ZSTD);
        assert_piece(compressed, AH_PIECE_COMPRESSED, version == 1 ? 0 : compressed.size);
    }
}

static void an_image_reaches_to_the_end(void **state)
{
    (void)state;
    static const char *const images[] = {".version 7.0\n", "BC\xc0\xde...", "\x03\x02\x23\x07..."};
    for (int i = 0; i < 3; i++) {
        size_t size = strlen(images[i]);
        assert_int_equal(ah_piece_at(images[i], size), AH_PIECE_IMAGE);
        assert_int_equal(ah_piece_extent(AH_PIECE_IMAGE, images[i], size), size);
    }
    assert_true(ah_is_bitcode("BC\xc0\xde", 4));
    assert_false(ah_is_bitcode("BC\xc0", 3));
}

static void anything_else_is_unknown(void **state)
{
    (void)state;
    assert_int_equal(ah_piece_at("", 0), AH_PIECE_UNKNOWN);
    assert_int_equal(ah_piece_at("hello", 5), AH_PIECE_UNKNOWN);
    assert_int_equal(ah_piece_at("CCO", 3), AH_PIECE_UNKNOWN);
    assert_int_equal(ah_piece_extent(AH_PIECE_UNKNOWN, "hello", 5), 0);
}

static void entries_of_a_cuda_fatbin_come_in_order(void **state)
{
    (void)state;
    struct ah_forged fatbin = make_fatbin();
    struct ah_cuda_entry entry;
    size_t at = 0;
    bool damaged;
    assert_true(ah_cuda_entry_next(fatbin.data, fatbin.size, &at, &entry, &damaged));
    assert_false(entry.ptx);
    assert_int_equal(entry.sm, 90);
    assert_string_equal(entry.packing, "");
    assert_int_equal(entry.size, 64);
    assert_true(ah_cuda_entry_next(fatbin.data, fatbin.size, &at, &entry, &damaged));
    assert_true(entry.ptx);
    assert_string_equal(entry.packing, "zstd");
    char *unpacked = ah_cuda_entry_unpack(&entry);
    assert_int_equal(entry.unpacked_size, ptx().size);
    assert_memory_equal(unpacked, ptx().data, ptx().size);
    free(unpacked);
    assert_false(ah_cuda_entry_next(fatbin.data, fatbin.size, &at, &entry, &damaged));
    assert_false(damaged);
}

static void an_image_of_llvms_container_has_triple_and_architecture(void **state)
{
    (void)state;
    struct ah_forged forged = ah_forge_offload("nvptx64-nvidia-cuda", "sm_70", ptx());
    struct ah_offload_entry entry;
    assert_true(ah_offload_entry_read(forged.data, forged.size, &entry));
    assert_string_equal(entry.label, "nvptx64-nvidia-cuda sm_70");
    assert_int_equal(entry.size, ptx().size);
    assert_memory_equal(entry.data, ptx().data, entry.size);
}

/* ---- damage ------------------------------------------------------------- */

static void read_all(const void *data, size_t size)
{
    struct ah_cuda_entry entry;
    struct ah_offload_entry offload;
    size_t at = 0, sum = 0;
    bool damaged;
    enum ah_piece piece = ah_piece_at(data, size);
    assert_true(ah_piece_extent(piece, data, size) <= size);
    while (piece == AH_PIECE_CUDA_FATBIN && ah_cuda_entry_next(data, size, &at, &entry, &damaged)) {
        for (size_t i = 0; i < entry.size; i++)
            sum += entry.data[i];
        free(*entry.packing == 'z' ? ah_cuda_entry_unpack(&entry) : NULL);
    }
    if (piece == AH_PIECE_OFFLOAD && ah_offload_entry_read(data, size, &offload))
        for (size_t i = 0; i < offload.size; i++)
            sum += offload.data[i];
    (void)sum;
}

static void survive(struct ah_forged forged)
{
    for (size_t size = 1; size < forged.size; size += size < 300 ? 1 : 97) {
        void *cut = ah_test_guard(forged.data, size);
        read_all(cut, size);
        ah_test_unguard(cut, size);
    }
    unsigned char *data = ah_test_guard(forged.data, forged.size);
    for (size_t at = 0; at < forged.size && at < 400; at++) {
        for (int value = 0; value < 256; value += 3) {
            data[at] = (unsigned char)value;
            read_all(data, forged.size);
        }
        data[at] = forged.data[at];
    }
    ah_test_unguard(data, forged.size);
}

static void every_truncation_and_changed_byte_is_survived(void **state)
{
    (void)state;
    survive(make_fatbin());
    survive(make_bundle());
    survive(ah_forge_offload("amdgcn-amd-amdhsa", "gfx90a", ptx()));
    survive(ah_forge_compressed(make_bundle(), 2, AH_FORGE_ZLIB));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        AH_TEST(each_container_tells_how_far_it_reaches),
        AH_TEST(an_image_reaches_to_the_end),
        AH_TEST(anything_else_is_unknown),
        AH_TEST(entries_of_a_cuda_fatbin_come_in_order),
        AH_TEST(an_image_of_llvms_container_has_triple_and_architecture),
        AH_TEST(every_truncation_and_changed_byte_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
