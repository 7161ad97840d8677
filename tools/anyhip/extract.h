/* `anyhip inspect --extract`: writes images into files of their own. */
#ifndef AH_ANYHIP_EXTRACT_H
#define AH_ANYHIP_EXTRACT_H

#include "image.h"

struct ah_extract {
    const char *folder; /* NULL: nothing is written; it is made if need be */
    bool force;         /* files that exist are replaced */
    unsigned count;     /* images so far */
};

/* Writes the image that was found in a file: "program" and gfx90a make folder/program.0.gfx90a.co.
 * A container and an image of an unknown kind are passed over: true, and *out_path is NULL.
 * Otherwise *out_path is the caller's to free; false, with errno: it could not be written. */
bool ah_extract_image(struct ah_extract *extract, const char *file, const struct ah_image *image,
                      char **out_path);

#endif
