/* Private to src/gl: the functions of OpenGL, and its constants under their own names. */
#ifndef AH_GL_PRIVATE_H
#define AH_GL_PRIVATE_H

#include "gl.h"

#include <stdint.h>

struct gl_api {
#define GL_FUNCTION(result, name, parameters) result(*name) parameters;
#include "gl_functions.def"
#undef GL_FUNCTION
};

/* The functions for the calling thread's context. False: it has none that can be used. */
bool gl_open(struct gl_api *out);
/* Clears the error flag and says whether it was set. */
bool gl_failed(const struct gl_api *gl);

/* How pixels lie in host memory, and what buffers they come from and go to: set so that they are
 * plain, and set back. */
enum { GL_PIXEL_SETTINGS = 16 };
struct gl_pixels {
    int settings[GL_PIXEL_SETTINGS], pack_buffer, unpack_buffer;
};
void gl_pixels_plain(const struct gl_api *gl, struct gl_pixels *out_before);
void gl_pixels_restore(const struct gl_api *gl, const struct gl_pixels *before);

enum ah_gl_result gl_image_move(const struct gl_api *gl, const struct ah_gl_object *image,
                                unsigned level, void *data, bool write);

enum {
    GL_BYTE = 0x1400,
    GL_UNSIGNED_BYTE = 0x1401,
    GL_SHORT = 0x1402,
    GL_UNSIGNED_SHORT = 0x1403,
    GL_INT = 0x1404,
    GL_UNSIGNED_INT = 0x1405,
    GL_FLOAT = 0x1406,
    GL_HALF_FLOAT = 0x140B,
    GL_UNSIGNED_NORMALIZED = 0x8C17,
    GL_SIGNED_NORMALIZED = 0x8F9C,
    GL_RED = 0x1903,
    GL_RGBA = 0x1908,
    GL_RG = 0x8227,
    GL_RG_INTEGER = 0x8228,
    GL_RED_INTEGER = 0x8D94,
    GL_RGBA_INTEGER = 0x8D99,
    GL_VERSION = 0x1F02,
    GL_NEAREST = 0x2600,
    GL_COLOR_BUFFER_BIT = 0x4000,
    GL_BUFFER_SIZE = 0x8764,
    GL_COPY_READ_BUFFER = 0x8F36, /* also the name of its binding */
    GL_PIXEL_PACK_BUFFER = 0x88EB,
    GL_PIXEL_UNPACK_BUFFER = 0x88EC,
    GL_PIXEL_PACK_BUFFER_BINDING = 0x88ED,
    GL_PIXEL_UNPACK_BUFFER_BINDING = 0x88EF,
    GL_TEXTURE_WIDTH = 0x1000,
    GL_TEXTURE_HEIGHT = 0x1001,
    GL_TEXTURE_INTERNAL_FORMAT = 0x1003,
    GL_TEXTURE_RED_SIZE = 0x805C,
    GL_TEXTURE_DEPTH = 0x8071,
    GL_TEXTURE_RED_TYPE = 0x8C10,
    GL_TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515,
    GL_RENDERBUFFER_BINDING = 0x8CA7,
    GL_RENDERBUFFER_SAMPLES = 0x8CAB,
    GL_RENDERBUFFER_WIDTH = 0x8D42,
    GL_RENDERBUFFER_HEIGHT = 0x8D43,
    GL_RENDERBUFFER_INTERNAL_FORMAT = 0x8D44,
    GL_RENDERBUFFER_RED_SIZE = 0x8D50,
    GL_READ_FRAMEBUFFER = 0x8CA8,
    GL_DRAW_FRAMEBUFFER = 0x8CA9,
    GL_DRAW_FRAMEBUFFER_BINDING = 0x8CA6,
    GL_READ_FRAMEBUFFER_BINDING = 0x8CAA,
    GL_COLOR_ATTACHMENT0 = 0x8CE0,
    GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE = 0x8211,
    GL_CONTEXT_LOST = 0x0507,
};

#endif
