/* Facts about Mesa's interface for sharing objects of OpenGL, version 1: functions of libEGL and
 * libGLX that export an object as a dma-buf. Names are Mesa's. No code. */
#ifndef AH_MESA_ABI_H
#define AH_MESA_ABI_H

#include <stddef.h>
#include <stdint.h>

enum {
    MESA_GLINTEROP_SUCCESS = 0,
    MESA_GLINTEROP_VERSION = 1,
    MESA_GLINTEROP_ACCESS_READ_WRITE = 0,
    MESA_GLINTEROP_ARRAY_BUFFER = 0x8892, /* GL_ARRAY_BUFFER */
};

struct mesa_glinterop_device_info {
    uint32_t version; /* of the structure: the caller's, then the lower of both */
    uint32_t pci_segment_group, pci_bus, pci_device, pci_function;
    uint32_t vendor_id, device_id;
};

struct mesa_glinterop_export_in {
    uint32_t version;
    unsigned target, obj, miplevel;
    uint32_t access;
    uint32_t out_driver_data_size;
    void *out_driver_data;
};

struct mesa_glinterop_export_out {
    uint32_t version;
    int dmabuf_fd; /* the caller closes it */
    unsigned internal_format;
    ptrdiff_t buf_offset, buf_size; /* of a buffer, which may be a part of the memory */
    unsigned view_minlevel, view_numlevels, view_minlayer, view_numlayers;
    uint32_t out_driver_data_written;
};

typedef int (*mesa_glinterop_query_device)(void *display, void *context,
                                           struct mesa_glinterop_device_info *out);
typedef int (*mesa_glinterop_export_object)(void *display, void *context,
                                            struct mesa_glinterop_export_in *in,
                                            struct mesa_glinterop_export_out *out);

#endif
