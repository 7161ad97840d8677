/* Owns textures and renderbuffers. */
#include "gl_private.h"

#include "cuda_abi.h"

#include <string.h>

bool ah_gl_is_target(unsigned target)
{
    return target == AH_GL_TEXTURE_2D || target == AH_GL_TEXTURE_3D ||
           target == AH_GL_TEXTURE_RECTANGLE || target == AH_GL_TEXTURE_CUBE_MAP ||
           target == AH_GL_TEXTURE_2D_ARRAY || target == AH_GL_RENDERBUFFER;
}

static unsigned binding_of(unsigned target)
{
    switch (target) {
    case AH_GL_TEXTURE_3D:
        return 0x806A;
    case AH_GL_TEXTURE_RECTANGLE:
        return 0x84F6;
    case AH_GL_TEXTURE_CUBE_MAP:
        return 0x8514;
    case AH_GL_TEXTURE_2D_ARRAY:
        return 0x8C1D;
    default:
        return 0x8069;
    }
}

/* ---- formats ----------------------------------------------------------------------------- */

/* bits and types of red, green, blue and alpha. False: they are not of one size and type, or not
 * one that arrays have. */
static bool set_format(struct ah_gl_object *image, const int bits[4], int type)
{
    static const struct {
        int type, bits, format;
        unsigned pixels;
    } formats[] = {
        {GL_UNSIGNED_NORMALIZED, 8, CU_AD_FORMAT_UNSIGNED_INT8, GL_UNSIGNED_BYTE},
        {GL_UNSIGNED_NORMALIZED, 16, CU_AD_FORMAT_UNSIGNED_INT16, GL_UNSIGNED_SHORT},
        {GL_SIGNED_NORMALIZED, 8, CU_AD_FORMAT_SIGNED_INT8, GL_BYTE},
        {GL_SIGNED_NORMALIZED, 16, CU_AD_FORMAT_SIGNED_INT16, GL_SHORT},
        {GL_UNSIGNED_INT, 8, CU_AD_FORMAT_UNSIGNED_INT8, GL_UNSIGNED_BYTE},
        {GL_UNSIGNED_INT, 16, CU_AD_FORMAT_UNSIGNED_INT16, GL_UNSIGNED_SHORT},
        {GL_UNSIGNED_INT, 32, CU_AD_FORMAT_UNSIGNED_INT32, GL_UNSIGNED_INT},
        {GL_INT, 8, CU_AD_FORMAT_SIGNED_INT8, GL_BYTE},
        {GL_INT, 16, CU_AD_FORMAT_SIGNED_INT16, GL_SHORT},
        {GL_INT, 32, CU_AD_FORMAT_SIGNED_INT32, GL_INT},
        {GL_FLOAT, 16, CU_AD_FORMAT_HALF, GL_HALF_FLOAT},
        {GL_FLOAT, 32, CU_AD_FORMAT_FLOAT, GL_FLOAT},
    };
    static const unsigned short orders[2][5] = {
        {0, GL_RED, GL_RG, 0, GL_RGBA}, {0, GL_RED_INTEGER, GL_RG_INTEGER, 0, GL_RGBA_INTEGER}};
    unsigned channels = 0;
    while (channels < 4 && bits[channels] == bits[0] && bits[0])
        channels++;
    for (unsigned i = channels; i < 4; i++)
        if (bits[i])
            return false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].type != type || formats[i].bits != bits[0])
            continue;
        image->format = formats[i].format;
        image->channels = channels;
        image->element = (unsigned)bits[0] / 8 * channels;
        image->pixel_format = orders[type == GL_INT || type == GL_UNSIGNED_INT][channels];
        image->pixel_type = formats[i].pixels;
        return image->pixel_format;
    }
    return false;
}

/* ---- textures ---------------------------------------------------------------------------- */

/* Parameters of levels of a cube are those of a face. */
static unsigned face_of(unsigned target, unsigned layer)
{
    return target == AH_GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + layer : target;
}

static int level_value(const struct gl_api *gl, unsigned target, unsigned level, unsigned name)
{
    int value = 0;
    gl->glGetTexLevelParameteriv(face_of(target, 0), (int)level, name, &value);
    return value;
}

void ah_gl_level_size(const struct ah_gl_object *image, unsigned level, unsigned out_size[3])
{
    const unsigned whole[3] = {image->width, image->height, image->depth};
    for (unsigned i = 0; i < 3; i++)
        out_size[i] = whole[i] >> level ? whole[i] >> level : 1;
}

/* The levels that follow level 0 and have the size that they must have. */
static unsigned count_levels(const struct gl_api *gl, const struct ah_gl_object *image)
{
    unsigned levels = 1, size[3], most = image->width;
    most = image->height > most ? image->height : most;
    most = image->depth > most ? image->depth : most;
    if (image->target == AH_GL_TEXTURE_RECTANGLE)
        return 1;
    for (; most >> levels; levels++) {
        ah_gl_level_size(image, levels, size);
        if (level_value(gl, image->target, levels, GL_TEXTURE_WIDTH) != (int)size[0] ||
            level_value(gl, image->target, levels, GL_TEXTURE_HEIGHT) != (int)size[1])
            break;
    }
    return levels;
}

static enum ah_gl_result measure_texture(const struct gl_api *gl, struct ah_gl_object *image)
{
    int bits[4], type = level_value(gl, image->target, 0, GL_TEXTURE_RED_TYPE);
    image->width = (unsigned)level_value(gl, image->target, 0, GL_TEXTURE_WIDTH);
    image->height = (unsigned)level_value(gl, image->target, 0, GL_TEXTURE_HEIGHT);
    unsigned depth = (unsigned)level_value(gl, image->target, 0, GL_TEXTURE_DEPTH);
    bool volume = image->target == AH_GL_TEXTURE_3D;
    image->depth = volume ? depth : 1;
    image->layers = image->target == AH_GL_TEXTURE_CUBE_MAP   ? 6
                    : image->target == AH_GL_TEXTURE_2D_ARRAY ? depth
                                                              : 1;
    if (!image->width || !image->height || !image->depth || !image->layers)
        return AH_GL_NO_STORAGE;
    for (unsigned i = 0; i < 4; i++)
        bits[i] = level_value(gl, image->target, 0, GL_TEXTURE_RED_SIZE + i);
    if (!set_format(image, bits, type))
        return AH_GL_UNSUPPORTED;
    image->levels = count_levels(gl, image);
    return AH_GL_DONE;
}

static enum ah_gl_result describe_texture(const struct gl_api *gl, struct ah_gl_object *image)
{
    int before = 0;
    if (!gl->glIsTexture(image->name))
        return AH_GL_NO_OBJECT;
    gl->glGetIntegerv(binding_of(image->target), &before);
    gl->glBindTexture(image->target, image->name);
    enum ah_gl_result result =
        gl_failed(gl) ? AH_GL_NO_OBJECT : measure_texture(gl, image); /* of another target */
    gl->glBindTexture(image->target, (unsigned)before);
    return gl_failed(gl) && result == AH_GL_DONE ? AH_GL_FAILED : result;
}

static void move_face(const struct gl_api *gl, const struct ah_gl_object *image, unsigned level,
                      unsigned face, void *data, bool write)
{
    unsigned size[3], target = face_of(image->target, face);
    ah_gl_level_size(image, level, size);
    int width = (int)size[0], height = (int)size[1];
    bool flat = image->target != AH_GL_TEXTURE_3D && image->target != AH_GL_TEXTURE_2D_ARRAY;
    if (!write)
        gl->glGetTexImage(target, (int)level, image->pixel_format, image->pixel_type, data);
    else if (flat)
        gl->glTexSubImage2D(target, (int)level, 0, 0, width, height, image->pixel_format,
                            image->pixel_type, data);
    else
        gl->glTexSubImage3D(target, (int)level, 0, 0, 0, width, height,
                            (int)(size[2] * image->layers), image->pixel_format, image->pixel_type,
                            data);
}

static void move_texture(const struct gl_api *gl, const struct ah_gl_object *image, unsigned level,
                         char *data, bool write)
{
    int before = 0;
    unsigned faces = image->target == AH_GL_TEXTURE_CUBE_MAP ? image->layers : 1;
    gl->glGetIntegerv(binding_of(image->target), &before);
    gl->glBindTexture(image->target, image->name);
    for (unsigned i = 0; i < faces; i++)
        move_face(gl, image, level, i, data + i * (ah_gl_bytes(image, level) / faces), write);
    gl->glBindTexture(image->target, (unsigned)before);
}

/* ---- renderbuffers ----------------------------------------------------------------------- */

/* A framebuffer for one call, and what was bound before. */
struct frame {
    unsigned names[2]; /* to read from, to draw to */
    int before[2];
};

static void open_frame(const struct gl_api *gl, struct frame *frame)
{
    gl->glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &frame->before[0]);
    gl->glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &frame->before[1]);
    gl->glGenFramebuffers(2, frame->names);
    gl->glBindFramebuffer(GL_READ_FRAMEBUFFER, frame->names[0]);
    gl->glBindFramebuffer(GL_DRAW_FRAMEBUFFER, frame->names[1]);
}

static void close_frame(const struct gl_api *gl, const struct frame *frame)
{
    gl->glBindFramebuffer(GL_READ_FRAMEBUFFER, (unsigned)frame->before[0]);
    gl->glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (unsigned)frame->before[1]);
    gl->glDeleteFramebuffers(2, frame->names);
}

static int render_value(const struct gl_api *gl, unsigned name)
{
    int value = 0;
    gl->glGetRenderbufferParameteriv(AH_GL_RENDERBUFFER, name, &value);
    return value;
}

static void attach_render(const struct gl_api *gl, unsigned framebuffer, unsigned name)
{
    gl->glFramebufferRenderbuffer(framebuffer, GL_COLOR_ATTACHMENT0, AH_GL_RENDERBUFFER, name);
}

/* The type of components is a property of an attachment only. */
static int render_type(const struct gl_api *gl, unsigned name)
{
    struct frame frame;
    int type = 0;
    open_frame(gl, &frame);
    attach_render(gl, GL_READ_FRAMEBUFFER, name);
    gl->glGetFramebufferAttachmentParameteriv(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                              GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE, &type);
    close_frame(gl, &frame);
    return type;
}

static enum ah_gl_result describe_render(const struct gl_api *gl, struct ah_gl_object *image)
{
    int before = 0, bits[4];
    if (!gl->glIsRenderbuffer(image->name))
        return AH_GL_NO_OBJECT;
    gl->glGetIntegerv(GL_RENDERBUFFER_BINDING, &before);
    gl->glBindRenderbuffer(AH_GL_RENDERBUFFER, image->name);
    image->width = (unsigned)render_value(gl, GL_RENDERBUFFER_WIDTH);
    image->height = (unsigned)render_value(gl, GL_RENDERBUFFER_HEIGHT);
    image->depth = image->layers = image->levels = 1;
    bool samples = render_value(gl, GL_RENDERBUFFER_SAMPLES) > 0;
    for (unsigned i = 0; i < 4; i++)
        bits[i] = render_value(gl, GL_RENDERBUFFER_RED_SIZE + i);
    gl->glBindRenderbuffer(AH_GL_RENDERBUFFER, (unsigned)before);
    if (gl_failed(gl))
        return AH_GL_FAILED;
    if (!image->width || !image->height)
        return AH_GL_NO_STORAGE;
    bool fits = !samples && set_format(image, bits, render_type(gl, image->name));
    (void)gl_failed(gl);
    return fits ? AH_GL_DONE : AH_GL_UNSUPPORTED;
}

static void read_render(const struct gl_api *gl, const struct ah_gl_object *image, void *data)
{
    struct frame frame;
    open_frame(gl, &frame);
    attach_render(gl, GL_READ_FRAMEBUFFER, image->name);
    gl->glReadPixels(0, 0, (int)image->width, (int)image->height, image->pixel_format,
                     image->pixel_type, data);
    close_frame(gl, &frame);
}

static int internal_format(const struct gl_api *gl, unsigned name)
{
    int before = 0;
    gl->glGetIntegerv(GL_RENDERBUFFER_BINDING, &before);
    gl->glBindRenderbuffer(AH_GL_RENDERBUFFER, name);
    int format = render_value(gl, GL_RENDERBUFFER_INTERNAL_FORMAT);
    gl->glBindRenderbuffer(AH_GL_RENDERBUFFER, (unsigned)before);
    return format;
}

/* A texture of the same format takes the pixels, and is copied to the renderbuffer. */
static void write_render(const struct gl_api *gl, const struct ah_gl_object *image,
                         const void *data)
{
    struct frame frame;
    int before = 0, width = (int)image->width, height = (int)image->height;
    unsigned texture;
    gl->glGetIntegerv(binding_of(AH_GL_TEXTURE_2D), &before);
    gl->glGenTextures(1, &texture);
    gl->glBindTexture(AH_GL_TEXTURE_2D, texture);
    gl->glTexImage2D(AH_GL_TEXTURE_2D, 0, internal_format(gl, image->name), width, height, 0,
                     image->pixel_format, image->pixel_type, data);
    open_frame(gl, &frame);
    gl->glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, AH_GL_TEXTURE_2D, texture,
                               0);
    attach_render(gl, GL_DRAW_FRAMEBUFFER, image->name);
    gl->glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
    close_frame(gl, &frame);
    gl->glBindTexture(AH_GL_TEXTURE_2D, (unsigned)before);
    gl->glDeleteTextures(1, &texture);
}

/* ---- both -------------------------------------------------------------------------------- */

enum ah_gl_result ah_gl_describe_image(unsigned name, unsigned target, struct ah_gl_object *out)
{
    struct gl_api gl;
    struct ah_gl_object image;
    memset(&image, 0, sizeof image); /* it is compared as bytes */
    image.name = name;
    image.target = target;
    if (!gl_open(&gl))
        return AH_GL_NO_CONTEXT;
    if (!ah_gl_is_target(target))
        return AH_GL_UNSUPPORTED;
    (void)gl_failed(&gl);
    enum ah_gl_result result =
        target == AH_GL_RENDERBUFFER ? describe_render(&gl, &image) : describe_texture(&gl, &image);
    if (result == AH_GL_DONE)
        *out = image;
    return result;
}

enum ah_gl_result gl_image_move(const struct gl_api *gl, const struct ah_gl_object *image,
                                unsigned level, void *data, bool write)
{
    struct gl_pixels before;
    gl_pixels_plain(gl, &before);
    (void)gl_failed(gl);
    if (image->target != AH_GL_RENDERBUFFER)
        move_texture(gl, image, level, data, write);
    else if (write)
        write_render(gl, image, data);
    else
        read_render(gl, image, data);
    enum ah_gl_result result = gl_failed(gl) ? AH_GL_FAILED : AH_GL_DONE;
    gl_pixels_restore(gl, &before);
    return result;
}
