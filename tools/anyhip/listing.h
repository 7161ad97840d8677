/* What `anyhip inspect` has found, on standard output: as text while it goes on, or as JSON at the
 * end, whose form anyhip(1) describes. Names may hold any bytes; none that a terminal or a reader
 * of JSON could stumble over gets out. */
#ifndef AH_ANYHIP_LISTING_H
#define AH_ANYHIP_LISTING_H

#include "image.h"

#include <cjson/cJSON.h>

struct ah_listing {
    bool json;
    cJSON *files; /* NULL: text, or out of memory */
    cJSON *file, *image;
    const char *container; /* of the images that follow; "": they are in none */
    char section[96];      /* where it is */
    size_t offset;
};

void ah_listing_begin(struct ah_listing *listing, bool json);

/* A file or a member of an archive begins. kind: "program", "archive"; "" for device code. */
void ah_listing_file(struct ah_listing *listing, const char *name, const char *kind);
void ah_listing_no_code(struct ah_listing *listing);

/* A container begins, at offset in a section, or in the file where section is "". size 0: its
 * header does not tell. */
void ah_listing_container(struct ah_listing *listing, const char *section, size_t offset,
                          const char *what, size_t size);

/* An image of the file or the last container, and then what is known of it. */
void ah_listing_image(struct ah_listing *listing, const struct ah_image *image);
void ah_listing_kernel(void *listing, const char *name, size_t length);
void ah_listing_devices(struct ah_listing *listing, const int *devices, int count);
void ah_listing_extracted(struct ah_listing *listing, const char *path);

/* A copy of text without what a terminal or a reader of JSON could stumble over. */
void ah_listing_printable(char *out, size_t size, const char *text);

/* A message on standard error, and in the JSON text of the file. */
void ah_listing_problem(struct ah_listing *listing, const char *name, const char *section,
                        size_t offset, const char *message);

/* False, after a message: out of memory. */
bool ah_listing_end(struct ah_listing *listing);

#endif
