/* `anyhip inspect`: the device images in a file, with their properties. */
#ifndef AH_ANYHIP_INSPECT_H
#define AH_ANYHIP_INSPECT_H

#include "extract.h"
#include "listing.h"

#include <stdbool.h>

/* What goes on from file to file. ah_listing_begin comes before the first one, ah_listing_end after
 * the last. */
struct ah_inspection {
    struct ah_listing listing;
    struct ah_extract extract;
};

/* Lists what the file holds, and extracts it if that is wanted. False, after a message on standard
 * error, when it cannot be read, is no file that may hold device code, part of it is damaged, or a
 * file could not be written. */
bool ah_inspect(struct ah_inspection *inspection, const char *path);

#endif
