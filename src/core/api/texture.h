/* Texture and surface objects: the list of them, and their descriptions. */
#ifndef AH_TEXTURE_H
#define AH_TEXTURE_H

#include "api_shared.h"

struct ah_texture {
    struct ah_texture *next;
    struct ah_device *device;
    uint64_t object; /* the value that kernels use */
    bool surface;
    hipResourceDesc resource;
    hipTextureDesc settings;
    struct hipResourceViewDesc view;
    bool has_view;
};

/* The current device's object, else another device's of that number. Copies it. */
bool ah_texture_find(const void *object, bool surface, struct ah_texture *out);

/* hipErrorInvalidValue: a description is invalid (the log says why). */
hipError_t ah_texture_create(const hipResourceDesc *resource, const hipTextureDesc *settings,
                             const struct hipResourceViewDesc *view, hipTextureObject_t *out);
/* NULL does nothing. hipErrorInvalidValue: there is no such object. */
hipError_t ah_texture_destroy(hipTextureObject_t object);

/* A mipmapped array's handle. hipErrorInvalidHandle: NULL; hipErrorContextIsDestroyed. */
hipError_t ah_mipmap_check(hipMipmappedArray_const_t handle, struct ah_mipmap **out_mipmap);

/* ---- texture references (api_texture_reference.c) ---- */

/* Data of a texture reference that struct textureReference does not contain. */
struct ah_texture_reference {
    struct ah_texture_reference *next;
    textureReference *host;
    struct ah_module *module; /* of hipModuleGetTexRef, which made host too; else NULL */
    char *name;               /* in the module */
    void *address;            /* on the device */
    size_t offset;            /* of the bound memory, from the alignment that textures need */
    float border[4];
};

/* The first step of hipTexRef* functions: hipErrorInvalidValue unless valid, and for an invalid
 * reference. */
hipError_t ah_reference_find(bool valid, const textureReference *host,
                             struct ah_texture_reference **out);
/* Applies a changed setting to the bound memory. */
hipError_t ah_reference_rebind(struct ah_texture_reference *reference);

/* ---- descriptions (texture.c) ---- */

/* Descriptions of the driver API as those of the runtime API, and back. */
hipError_t ah_resource_from_driver(const HIP_RESOURCE_DESC *from, hipResourceDesc *out);
void ah_resource_to_driver(const hipResourceDesc *from, HIP_RESOURCE_DESC *out);
void ah_settings_from_driver(const HIP_TEXTURE_DESC *from, hipTextureDesc *out);
void ah_settings_to_driver(const hipTextureDesc *from, HIP_TEXTURE_DESC *out);
void ah_view_from_driver(const HIP_RESOURCE_VIEW_DESC *from, struct hipResourceViewDesc *out);
void ah_view_to_driver(const struct hipResourceViewDesc *from, HIP_RESOURCE_VIEW_DESC *out);

#endif
