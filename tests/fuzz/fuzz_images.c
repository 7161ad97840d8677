/* Containers and images of any content: what is found lies inside of them. */
#include "bitcode.h"
#include "fuzz.h"
#include "image.h"
#include "object.h"

#include <stdlib.h>
#include <string.h>

static void check_image(const struct ah_image *image, const uint8_t *data, size_t size)
{
    uint8_t sum = 0;
    fuzz_check(image->kind >= AH_IMAGE_UNKNOWN && image->kind <= AH_IMAGE_SPIRV);
    fuzz_check(memchr(image->label, '\0', sizeof image->label));
    fuzz_check(memchr(image->target, '\0', sizeof image->target));
    fuzz_check(memchr(image->processor, '\0', sizeof image->processor));
    if (data)
        fuzz_check(image->data >= data && image->size <= size &&
                   (size_t)(image->data - data) <= size - image->size);
    for (size_t i = 0; i < image->size; i++)
        sum ^= image->data[i];
    *(volatile uint8_t *)&sum = sum;
}

static void check_object(const uint8_t *data, size_t size)
{
    struct ah_object object;
    struct ah_object_part part;
    const void *section;
    size_t section_size, parts = 0;
    (void)ah_bitcode_names_target(data, size, "nvptx64-");
    if (ah_bitcode_container(data, size) != AH_CONTAINER_NONE ||
        !ah_object_open(&object, data, size))
        return;
    while (ah_object_next(&object, &part) && parts++ < 64) {
        const uint8_t *at = part.data;
        fuzz_check(memchr(part.label, '\0', sizeof part.label));
        fuzz_check(at >= data && part.size <= size && (size_t)(at - data) <= size - part.size);
    }
    if (ah_object_section(&object, ".nv_fatbin", &section, &section_size))
        fuzz_check((const uint8_t *)section >= data && section_size <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ah_images images;
    struct ah_image image;
    char error[AH_IMAGE_ERROR_SIZE];
    ah_image_identify(&image, data, size);
    check_image(&image, data, size);
    if (ah_images_open(&images, data, size, error)) {
        fuzz_check(images.count > 0);
        for (size_t i = 0; i < images.count && i < 64; i++)
            check_image(&images.items[i], images.decompressed ? NULL : data, size);
        free(ah_images_describe(&images));
    } else {
        fuzz_check(images.count == 0 && !images.items && !images.decompressed);
        fuzz_check(*error && memchr(error, '\0', sizeof error));
    }
    ah_images_close(&images);
    check_object(data, size);
    return 0;
}
