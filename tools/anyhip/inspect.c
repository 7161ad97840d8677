/* Owns how a file is taken apart: archives into members, host files into sections, these into
 * containers, and containers into images. */
#include "inspect.h"
#include "archive.h"
#include "elffile.h"
#include "image.h"
#include "kernels.h"
#include "pieces.h"

#include <hip/anyhip.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARCHIVE_DEPTH_MAX = 3, CUDA = 190, AMDGPU = 224 };

/* Where the walk is. */
struct walk {
    const char *name;    /* the file, "lib.a(member.o)" for a member */
    const char *section; /* of a host file, else "" */
    size_t offset;       /* of the container in the section or file */
    int depth;           /* of archives in archives */
    bool good;
    struct ah_inspection *inspection;
};

static void inspect_bytes(struct walk *walk, const void *data, size_t size);

__attribute__((format(printf, 2, 3))) static void complain(struct walk *walk, const char *format,
                                                           ...)
{
    char message[256];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    walk->good = false;
    ah_listing_problem(&walk->inspection->listing, walk->name, walk->section, walk->offset,
                       message);
}

/* Says so when an ELF file, which what names, has not all the bytes that it needs. */
static void check_extent(struct walk *walk, const char *what, const struct ah_elf *elf)
{
    uint64_t need = ah_elf_extent(elf);
    if (need == UINT64_MAX)
        complain(walk, "the %s is damaged: its headers contradict one another", what);
    else if (need > elf->size)
        complain(walk,
                 "the %s is truncated or damaged: it has %zu bytes, and its headers need %llu",
                 what, elf->size, (unsigned long long)need);
}

/* Names in files may hold anything, which is kept from the terminal. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == '\177')
            *text = '?';
}

/* ---- images ------------------------------------------------------------- */

/* Nothing on a machine without devices, where the answer would always be the same. */
static void list_devices(struct walk *walk, const struct ah_image *image)
{
    enum { DEVICES_MAX = 256 };
    int devices[DEVICES_MAX], count = 0, fitting = 0;
    if (hipGetDeviceCount(&count) != hipSuccess)
        return;
    for (int device = 0; device < count && fitting < DEVICES_MAX; device++)
        if (anyhipDeviceCanRunImage(device, image->data, image->size))
            devices[fitting++] = device;
    ah_listing_devices(&walk->inspection->listing, devices, fitting);
}

static void extract(struct walk *walk, const struct ah_image *image)
{
    struct ah_extract *to = &walk->inspection->extract;
    char *path;
    if (!ah_extract_image(to, walk->name, image, &path))
        complain(walk, "cannot write %s: %s%s", path ? path : "an image", strerror(errno),
                 errno == EEXIST ? "; --force replaces it" : "");
    else if (path)
        ah_listing_extracted(&walk->inspection->listing, path);
    free(path);
}

static void list_image(struct walk *walk, const struct ah_image *image);

/* NVIDIA's container may itself be an image of a bundle. */
static void list_cuda_entries(struct walk *walk, const void *data, size_t size)
{
    struct ah_cuda_entry entry;
    size_t at = 0;
    bool damaged;
    while (ah_cuda_entry_next(data, size, &at, &entry, &damaged)) {
        struct ah_image image;
        bool packed = *entry.packing != '\0';
        void *unpacked = strcmp(entry.packing, "zstd") == 0 ? ah_cuda_entry_unpack(&entry) : NULL;
        if (unpacked)
            ah_image_identify(&image, unpacked, entry.unpacked_size);
        else if (!packed)
            ah_image_identify(&image, entry.data, entry.size);
        else
            image = (struct ah_image){.kind = entry.ptx ? AH_IMAGE_PTX : AH_IMAGE_CUBIN,
                                      .size = entry.size,
                                      .sm = entry.sm};
        snprintf(image.label, sizeof image.label, "%s sm_%u%s%s", entry.ptx ? "PTX" : "cubin",
                 entry.sm, packed ? ", compressed with " : "", entry.packing);
        list_image(walk, &image);
        if (packed && !unpacked && walk->inspection->extract.folder)
            complain(walk, "%s: it cannot be unpacked", image.label);
        free(unpacked);
    }
    if (damaged)
        complain(walk, "the CUDA fatbin is truncated or damaged");
}

static void list_image(struct walk *walk, const struct ah_image *image)
{
    struct ah_elf elf;
    ah_listing_image(&walk->inspection->listing, image);
    if (image->kind == AH_IMAGE_HOST || !image->data)
        return;
    if (image->kind != AH_IMAGE_UNKNOWN && ah_elf_open(&elf, image->data, image->size))
        check_extent(walk, "image", &elf);
    if (image->kind != AH_IMAGE_UNKNOWN)
        ah_kernels_each(image, ah_listing_kernel, &walk->inspection->listing);
    if (image->kind == AH_IMAGE_CUDA_FATBIN)
        list_cuda_entries(walk, image->data, image->size);
    else if (image->kind != AH_IMAGE_UNKNOWN)
        list_devices(walk, image);
    extract(walk, image);
}

/* ---- containers --------------------------------------------------------- */

static void list_container(struct walk *walk, const char *what, size_t size)
{
    ah_listing_container(&walk->inspection->listing, walk->section, walk->offset, what, size);
}

static void list_bundle(struct walk *walk, enum ah_piece piece, const unsigned char *data,
                        size_t size)
{
    struct ah_images images;
    char reason[AH_IMAGE_ERROR_SIZE];
    if (!ah_images_open(&images, data, size, reason)) {
        complain(walk, "%s", reason);
        return;
    }
    list_container(walk,
                   piece == AH_PIECE_COMPRESSED ? "compressed offload bundle" : "offload bundle",
                   ah_piece_extent(piece, data, size));
    for (size_t i = 0; i < images.count; i++)
        list_image(walk, &images.items[i]);
    ah_images_close(&images);
}

static void list_offload(struct walk *walk, const unsigned char *data, size_t size)
{
    struct ah_offload_entry entry;
    struct ah_image image;
    if (!ah_offload_entry_read(data, size, &entry)) {
        complain(walk, "the container of relocatable device code is truncated or damaged");
        return;
    }
    list_container(walk, "relocatable device code", ah_piece_extent(AH_PIECE_OFFLOAD, data, size));
    ah_image_identify(&image, entry.data, entry.size);
    snprintf(image.label, sizeof image.label, "%.127s", entry.label);
    list_image(walk, &image);
}

static void list_piece(struct walk *walk, enum ah_piece piece, const unsigned char *data,
                       size_t size)
{
    struct ah_image image;
    switch (piece) {
    case AH_PIECE_BUNDLE:
    case AH_PIECE_COMPRESSED:
        list_bundle(walk, piece, data, size);
        break;
    case AH_PIECE_OFFLOAD:
        list_offload(walk, data, size);
        break;
    case AH_PIECE_CUDA_FATBIN:
        size = ah_piece_extent(piece, data, size);
        if (size == 0) {
            complain(walk, "the CUDA fatbin is truncated or damaged");
            break;
        }
        /* fall through */
    case AH_PIECE_IMAGE:
        ah_image_identify(&image, data, size);
        if (*walk->section || walk->offset)
            list_container(walk, "one image", 0);
        list_image(walk, &image);
        break;
    case AH_PIECE_UNKNOWN:
        break;
    }
}

/* Containers lie at multiples of 8, with zeroes between them where the linker aligned them more. */
static size_t next_piece(const unsigned char *data, size_t size, size_t at)
{
    for (at = (at + 7) / 8 * 8; at < size; at += 8)
        if (ah_piece_container_at(data + at, size - at) != AH_PIECE_UNKNOWN)
            return at;
    return size;
}

static bool is_zero(const unsigned char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i])
            return false;
    return true;
}

/* All containers of a section or a file, the first of which starts it. */
static void inspect_pieces(struct walk *walk, const unsigned char *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        enum ah_piece piece = ah_piece_at(data + at, size - at);
        size_t extent = ah_piece_extent(piece, data + at, size - at);
        walk->offset = at;
        list_piece(walk, piece, data + at, size - at);
        if (piece == AH_PIECE_UNKNOWN)
            complain(walk, "this is not device code");
        size_t next = next_piece(data, size, at + (extent ? extent : 1));
        if (extent && !is_zero(data + at + extent, next - at - extent)) {
            walk->offset = at + extent;
            complain(walk, "%zu bytes are not recognised", next - at - extent);
        }
        at = next;
    }
    walk->offset = 0;
}

/* ---- files -------------------------------------------------------------- */

static bool may_hold_device_code(const char *section)
{
    static const char *const names[] = {".hip_fatbin", ".nv_fatbin", "__nv_relfatbin",
                                        ".llvm.offloading", "__CLANG_OFFLOAD_BUNDLE__"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(section, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void inspect_host(struct walk *walk, const struct ah_elf *elf)
{
    struct ah_elf_section section;
    size_t found = 0;
    ah_listing_file(&walk->inspection->listing, walk->name, ah_elf_kind(elf));
    check_extent(walk, "file", elf);
    for (uint64_t i = 0; i < elf->section_count; i++) {
        if (!ah_elf_section(elf, i, &section) || section.size == 0 ||
            !may_hold_device_code(section.name) || is_zero(section.data, section.size))
            continue;
        walk->section = section.name;
        inspect_pieces(walk, section.data, section.size);
        walk->section = "";
        found++;
    }
    if (found == 0)
        ah_listing_no_code(&walk->inspection->listing);
}

/* Maps a file; false after a message. An empty file has no data. */
static bool map_file(struct walk *walk, const char *path, void **out_data, size_t *out_size)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *out_data = NULL;
    if (file < 0 || fstat(file, &status) != 0) {
        complain(walk, "%s", strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        complain(walk, "%s", S_ISDIR(status.st_mode) ? strerror(EISDIR) : "not a regular file");
    } else if (status.st_size == 0) {
        complain(walk, "the file is empty");
    } else {
        *out_size = (size_t)status.st_size;
        *out_data = mmap(NULL, *out_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (*out_data == MAP_FAILED) {
            complain(walk, "%s", strerror(errno));
            *out_data = NULL;
        }
    }
    if (file >= 0)
        close(file);
    return *out_data != NULL;
}

/* Members of a thin archive are files beside it. */
static void inspect_outside(struct walk *walk, const char *archive, const char *name)
{
    char *path = NULL;
    void *data;
    size_t size;
    const char *slash = strrchr(archive, '/');
    int folder = *name != '/' && slash ? (int)(slash - archive + 1) : 0;
    if (asprintf(&path, "%.*s%s", folder, archive, name) < 0)
        return;
    if (map_file(walk, path, &data, &size)) {
        inspect_bytes(walk, data, size);
        munmap(data, size);
    }
    free(path);
}

static void inspect_member(struct walk *outer, const struct ah_member *member)
{
    char *name = NULL;
    if (asprintf(&name, "%s(%s)", outer->name, member->name) < 0)
        return;
    struct walk walk = {.name = name,
                        .section = "",
                        .depth = outer->depth + 1,
                        .good = true,
                        .inspection = outer->inspection};
    make_printable(name);
    if (member->data)
        inspect_bytes(&walk, member->data, member->size);
    else
        inspect_outside(&walk, outer->name, member->name);
    outer->good = outer->good && walk.good;
    free(name);
}

static void inspect_archive(struct walk *walk, struct ah_archive *archive)
{
    struct ah_member member;
    enum ah_archive_step step;
    ah_listing_file(&walk->inspection->listing, walk->name,
                    archive->thin ? "thin archive" : "archive");
    while ((step = ah_archive_next(archive, &member)) == AH_ARCHIVE_MEMBER)
        inspect_member(walk, &member);
    if (step == AH_ARCHIVE_DAMAGED)
        complain(walk, "the archive is truncated or damaged");
}

static void inspect_bytes(struct walk *walk, const void *data, size_t size)
{
    struct ah_archive archive;
    struct ah_elf elf;
    if (ah_archive_open(&archive, data, size) && walk->depth < ARCHIVE_DEPTH_MAX) {
        inspect_archive(walk, &archive);
    } else if (ah_elf_open(&elf, data, size) && elf.header.e_machine != CUDA &&
               elf.header.e_machine != AMDGPU) {
        inspect_host(walk, &elf);
    } else if (ah_piece_at(data, size) != AH_PIECE_UNKNOWN) {
        ah_listing_file(&walk->inspection->listing, walk->name, "");
        inspect_pieces(walk, data, size);
    } else if (walk->depth > 0) {
        ah_listing_file(&walk->inspection->listing, walk->name, "");
        ah_listing_no_code(&walk->inspection->listing);
    } else {
        complain(walk, "neither a program, object or library of this kind of machine nor device "
                       "code");
    }
}

bool ah_inspect(struct ah_inspection *inspection, const char *path)
{
    struct walk walk = {.name = path, .section = "", .good = true, .inspection = inspection};
    void *data;
    size_t size;
    if (!map_file(&walk, path, &data, &size))
        return false;
    inspect_bytes(&walk, data, size);
    munmap(data, size);
    return walk.good;
}
