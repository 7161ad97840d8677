/* What the driver needs to know of objects and archives: which of them carry device
 * bitcode of relocatable device code, and which symbols they expect in return. */
#ifndef AH_HIPCC_OBJFILE_H
#define AH_HIPCC_OBJFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "offload.h"
#include "text.h"

struct ah_object {
    const char *path;   /* the object or the archive */
    const char *member; /* name within the archive, or NULL */
    const void *data;   /* the object's bytes, mapped until the program ends */
    size_t size;
    struct ah_offload_images images;
    struct ah_strings units; /* X of each __hip_fatbin_X that the object needs */
};

struct ah_objects {
    struct ah_object *at;
    size_t count, capacity;
};

/* Pushes the objects of the file that carry device bitcode: the file itself or members of the
 * archive that it is. A file that is neither is passed over. False, after a message, only for a
 * file whose device code is damaged. */
bool ah_objfile_scan(const char *path, struct ah_objects *objects);

/* The names of the sections of an ELF file that start with prefix. */
void ah_objfile_sections(const char *path, const char *prefix, struct ah_strings *out_names);

#endif
