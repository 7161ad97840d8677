/* Owns both forms of what inspecting has found. */
#include "listing.h"
#include "gpus.h"
#include "pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA = 1 };

/* ---- names ------------------------------------------------------------------------------ */

/* The bytes of the UTF-8 character that text begins with, 0: it begins with none. */
static size_t character_size(const unsigned char *text)
{
    size_t size = *text < 0x80   ? 1
                  : *text < 0xc2 ? 0
                  : *text < 0xe0 ? 2
                  : *text < 0xf0 ? 3
                  : *text < 0xf5 ? 4
                                 : 0;
    for (size_t i = 1; i < size; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (*text == 0xe0 && text[1] < 0xa0) || (*text == 0xf0 && text[1] < 0x90);
    bool surrogate = *text == 0xed && text[1] >= 0xa0;
    bool too_large = *text == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : size;
}

void ah_listing_printable(char *out, size_t size, const char *text)
{
    size_t n = 0;
    while (*text && n + 1 < size) {
        size_t length = character_size((const unsigned char *)text);
        bool control = (unsigned char)*text < ' ' || *text == '\177' ||
                       ((unsigned char)*text == 0xc2 && (unsigned char)text[1] < 0xa0);
        if (length == 0 || control) {
            out[n++] = '?';
            text += length ? length : 1;
        } else if (n + length < size) {
            memcpy(out + n, text, length);
            n += length;
            text += length;
        } else {
            break;
        }
    }
    out[n] = '\0';
}

static void add_text(cJSON *object, const char *key, const char *text)
{
    char printable[4096];
    ah_listing_printable(printable, sizeof printable, text);
    cJSON_AddStringToObject(object, key, printable);
}

/* ---- files ------------------------------------------------------------------------------ */

void ah_listing_begin(struct ah_listing *listing, bool json)
{
    *listing = (struct ah_listing){.json = json, .container = ""};
    if (json)
        listing->files = cJSON_CreateArray();
}

/* The record of the file, which may be an archive whose members came in between. */
static cJSON *file_named(struct ah_listing *listing, const char *name, const char *kind)
{
    char printable[4096];
    cJSON *file;
    ah_listing_printable(printable, sizeof printable, name);
    cJSON_ArrayForEach(file,
                       listing->files) if (strcmp(cJSON_GetObjectItem(file, "file")->valuestring,
                                                  printable) == 0 &&
                                           !kind) return file;
    file = cJSON_CreateObject();
    if (!cJSON_AddStringToObject(file, "file", printable)) {
        cJSON_Delete(file);
        return NULL;
    }
    cJSON_AddStringToObject(file, "kind", kind ? kind : "");
    cJSON_AddArrayToObject(file, "images");
    cJSON_AddArrayToObject(file, "problems");
    cJSON_AddItemToArray(listing->files, file);
    return file;
}

void ah_listing_file(struct ah_listing *listing, const char *name, const char *kind)
{
    listing->container = "";
    *listing->section = '\0';
    listing->offset = 0;
    if (listing->json)
        listing->file = file_named(listing, name, *kind ? kind : "device code");
    else
        printf("%s:%s%s\n", name, *kind ? " " : "", kind);
}

void ah_listing_no_code(struct ah_listing *listing)
{
    if (!listing->json)
        puts("  no device code");
}

void ah_listing_container(struct ah_listing *listing, const char *section, size_t offset,
                          const char *what, size_t size)
{
    listing->container = what;
    listing->offset = offset;
    ah_listing_printable(listing->section, sizeof listing->section, section);
    if (listing->json)
        return;
    printf("  ");
    if (*section || offset)
        printf("%s+0x%zx: ", listing->section, offset);
    printf("%s", what);
    if (size)
        printf(", %zu bytes", size);
    putchar('\n');
}

/* ---- images ----------------------------------------------------------------------------- */

static const char *kind_name(const struct ah_image *image)
{
    if (image->kind == AH_IMAGE_UNKNOWN && ah_is_bitcode(image->data, image->size))
        return "LLVM bitcode";
    return ah_image_kind_name(image->kind);
}

static void print_kind(const struct ah_image *image)
{
    printf("%s", image->kind == AH_IMAGE_HOST ? "nothing, for the host" : kind_name(image));
    if (*image->target)
        printf(" %s", image->target);
    if (image->kind == AH_IMAGE_AMDGPU)
        printf(", code object version %d", image->code_object_version);
    if (image->kind == AH_IMAGE_PTX)
        printf(", PTX %u.%u", image->ptx_version / 10, image->ptx_version % 10);
    if (image->size)
        printf(", %zu bytes", image->size);
    putchar('\n');
}

/* One line for each family. Of those that PTX runs on, only the first. */
static void print_gpus(const struct ah_image *image)
{
    const char *family = "", *separator = "";
    const struct ah_gpu *gpu;
    bool later = image->kind == AH_IMAGE_PTX && !image->sm_suffix;
    for (size_t i = 0; (gpu = ah_gpu_at(i)); i++) {
        bool begins = strcmp(family, gpu->family) != 0;
        if (!ah_gpu_runs(gpu, image) || (begins && *family && later))
            continue;
        if (begins) {
            printf("%s      for %s %s%s", *family ? "\n" : "", gpu->sm ? "NVIDIA" : "AMD",
                   gpu->family, later ? " and later GPUs" : "");
            family = gpu->family;
            separator = ": ";
        }
        if (*gpu->products) {
            printf("%s%s", separator, gpu->products);
            separator = ", ";
        }
    }
    if (*family)
        putchar('\n');
    if (*family && !ah_gpu_is_simulated_for(image) && image->kind != AH_IMAGE_CUBIN)
        puts("      no simulated device is of these kinds yet");
}

static const char *feature_name(enum ah_image_feature feature)
{
    static const char *const names[] = {"unsupported", "any", "off", "on"};
    return names[feature];
}

static void add_gpus(cJSON *object, const struct ah_image *image)
{
    const struct ah_gpu *gpu;
    cJSON *gpus = cJSON_AddArrayToObject(object, "gpus");
    for (size_t i = 0; (gpu = ah_gpu_at(i)); i++) {
        if (!ah_gpu_runs(gpu, image))
            continue;
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "architecture", gpu->architecture);
        cJSON_AddStringToObject(row, "family", gpu->family);
        cJSON_AddStringToObject(row, "products", gpu->products);
        cJSON_AddItemToArray(gpus, row);
    }
    cJSON_AddBoolToObject(object, "simulated", ah_gpu_is_simulated_for(image));
}

static void add_image(struct ah_listing *listing, const struct ah_image *image)
{
    char version[24];
    cJSON *object = listing->image = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_GetObjectItem(listing->file, "images"), object);
    cJSON_AddStringToObject(object, "kind", kind_name(image));
    cJSON_AddStringToObject(object, "target", image->target);
    add_text(object, "label", image->label);
    cJSON_AddNumberToObject(object, "size", (double)image->size);
    cJSON_AddStringToObject(object, "container", listing->container);
    cJSON_AddStringToObject(object, "section", listing->section);
    cJSON_AddNumberToObject(object, "offset", (double)listing->offset);
    if (image->kind == AH_IMAGE_AMDGPU) {
        cJSON_AddStringToObject(object, "processor", image->processor);
        cJSON_AddStringToObject(object, "xnack", feature_name(image->xnack));
        cJSON_AddStringToObject(object, "sramecc", feature_name(image->sramecc));
        cJSON_AddNumberToObject(object, "codeObjectVersion", image->code_object_version);
        cJSON_AddNumberToObject(object, "genericVersion", image->generic_version);
    }
    if (image->kind == AH_IMAGE_PTX && image->ptx_version) {
        snprintf(version, sizeof version, "%u.%u", image->ptx_version / 10,
                 image->ptx_version % 10);
        cJSON_AddStringToObject(object, "ptxVersion", version);
    }
    add_gpus(object, image);
    cJSON_AddArrayToObject(object, "kernels");
}

void ah_listing_image(struct ah_listing *listing, const struct ah_image *image)
{
    listing->image = NULL;
    if (listing->json && image->kind != AH_IMAGE_HOST)
        add_image(listing, image);
    if (listing->json)
        return;
    char label[sizeof image->label];
    ah_listing_printable(label, sizeof label, image->label);
    printf("    %s%s", label, *label ? ": " : "");
    if (image->data || image->kind == AH_IMAGE_HOST) {
        print_kind(image);
        print_gpus(image);
    } else { /* it cannot be unpacked */
        printf("%zu bytes\n", image->size);
    }
}

void ah_listing_kernel(void *data, const char *name, size_t length)
{
    struct ah_listing *listing = data;
    char raw[1024], text[sizeof raw];
    snprintf(raw, sizeof raw, "%.*s", (int)(length < sizeof raw ? length : sizeof raw), name);
    ah_listing_printable(text, sizeof text, raw);
    if (listing->json)
        cJSON_AddItemToArray(cJSON_GetObjectItem(listing->image, "kernels"),
                             cJSON_CreateString(text));
    else
        printf("      kernel %s%s\n", text, length < sizeof raw ? "" : "...");
}

void ah_listing_devices(struct ah_listing *listing, const int *devices, int count)
{
    if (listing->json) {
        cJSON_AddItemToObject(listing->image, "devices", cJSON_CreateIntArray(devices, count));
        return;
    }
    for (int i = 0; i < count; i++)
        printf("%s%d", i ? ", " : "      runs on device ", devices[i]);
    puts(count ? "" : "      runs on no device of this machine");
}

void ah_listing_extracted(struct ah_listing *listing, const char *path)
{
    if (listing->json)
        add_text(listing->image, "extracted", path);
    else
        printf("      written to %s\n", path);
}

/* ---- the end ---------------------------------------------------------------------------- */

void ah_listing_problem(struct ah_listing *listing, const char *name, const char *section,
                        size_t offset, const char *message)
{
    fflush(stdout);
    fprintf(stderr, "anyhip: %s: ", name);
    if (*section || offset)
        fprintf(stderr, "%s+0x%zx: ", section, offset);
    fprintf(stderr, "%s\n", message);
    if (!listing->json)
        return;
    cJSON *problem = cJSON_CreateObject();
    add_text(problem, "section", section);
    cJSON_AddNumberToObject(problem, "offset", (double)offset);
    add_text(problem, "message", message);
    cJSON *problems = cJSON_GetObjectItem(file_named(listing, name, NULL), "problems");
    if (!cJSON_AddItemToArray(problems, problem))
        cJSON_Delete(problem);
}

bool ah_listing_end(struct ah_listing *listing)
{
    if (!listing->json)
        return true;
    cJSON *report = cJSON_CreateObject();
    cJSON_AddNumberToObject(report, "schema", SCHEMA);
    if (!cJSON_AddItemToObject(report, "files", listing->files))
        cJSON_Delete(listing->files);
    listing->files = NULL;
    char *text = cJSON_Print(report);
    cJSON_Delete(report);
    if (text)
        puts(text);
    else
        fputs("anyhip: out of memory\n", stderr);
    bool good = text != NULL;
    free(text);
    return good;
}
