/* Owns the fake OpenGL that fakegl.h describes. */
#include "fakegl.h"
#include "mesa_abi.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, OBJECTS_MAX = 32, INTEGERS_MAX = 64, OUT_OF_MEMORY = 0x0505, LOST = 0x0507 };
enum { INVALID_OPERATION = 0x0502, COPY_READ_BUFFER = 0x8F36, TEXTURE_2D = 0x0DE1 };

struct object {
    bool live, texture;
    size_t size;
    unsigned width, height;
    char *contents;
    int file;             /* -1: in the memory of the process */
    size_t mapped, start; /* bytes of its mapping, and where contents begin there */
};

static struct object objects[OBJECTS_MAX]; /* by name */
static _Thread_local bool current;
static struct fakegl_mesa mesa;
static const char *version, *failing;
static bool lost;
static unsigned error, reads, writes, buffer_bound, texture_bound;
static struct {
    unsigned name;
    int value;
} integers[INTEGERS_MAX];

/* ---- for tests --------------------------------------------------------------------------- */

void fakegl_make_current(bool is_current)
{
    current = is_current;
}

void fakegl_set_version(const char *text)
{
    version = text;
}

void fakegl_fail(const char *name)
{
    failing = name;
}

void fakegl_lose(bool is_lost)
{
    lost = is_lost;
}

/* As files of memory that processes share are: no process can make it smaller. */
static int shared_file(size_t size)
{
    int file = memfd_create("fakegl", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (ftruncate(file, (off_t)size) != 0 || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
        abort();
    return file;
}

static void allocate(struct object *object, size_t size)
{
    object->size = size;
    object->file = -1;
    object->mapped = size;
    if (!mesa.present || object->texture) {
        object->contents = calloc(1, size ? size : 1);
        return;
    }
    object->mapped = (mesa.offset + size + PAGE - 1) / PAGE * PAGE;
    object->file = shared_file(object->mapped);
    object->start = mesa.offset;
    char *mapping = mmap(NULL, object->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, object->file, 0);
    object->contents = mapping + mesa.offset;
}

static void release(struct object *object)
{
    if (object->file >= 0) {
        munmap(object->contents - object->start, object->mapped);
        close(object->file);
    } else {
        free(object->contents);
    }
    object->contents = NULL;
}

static unsigned make(bool texture, size_t size, unsigned width, unsigned height)
{
    for (unsigned name = 1; name < OBJECTS_MAX; name++) {
        if (objects[name].live)
            continue;
        objects[name] =
            (struct object){.live = true, .texture = texture, .width = width, .height = height};
        allocate(&objects[name], size);
        return name;
    }
    return 0;
}

unsigned fakegl_buffer(size_t size)
{
    return make(false, size, 0, 0);
}

unsigned fakegl_texture(unsigned width, unsigned height)
{
    return make(true, (size_t)width * height * 4, width, height);
}

void fakegl_delete(unsigned name)
{
    release(&objects[name]);
    objects[name].live = false;
}

void fakegl_resize(unsigned name, size_t size)
{
    release(&objects[name]);
    allocate(&objects[name], size);
}

void *fakegl_contents(unsigned name)
{
    return objects[name].contents;
}

unsigned fakegl_reads(void)
{
    return reads;
}

unsigned fakegl_writes(void)
{
    return writes;
}

void fakegl_set_mesa(const struct fakegl_mesa *settings)
{
    mesa = *settings;
}

/* ---- EGL and Mesa ------------------------------------------------------------------------- */

void *eglGetCurrentContext(void);
void *eglGetCurrentDisplay(void);
void *eglGetProcAddress(const char *name);
int eglGLInteropQueryDeviceInfoMESA(void *display, void *context,
                                    struct mesa_glinterop_device_info *out);
int eglGLInteropExportObjectMESA(void *display, void *context, struct mesa_glinterop_export_in *in,
                                 struct mesa_glinterop_export_out *out);

void *eglGetCurrentContext(void)
{
    return current ? objects : NULL;
}

void *eglGetCurrentDisplay(void)
{
    return current ? &mesa : NULL;
}

static void *this_library;

/* Once: ThreadSanitizer looks at every library that is loaded whenever one is opened or closed. */
static void open_this_library(void)
{
    Dl_info here;
    if (dladdr((void *)(uintptr_t)fakegl_reads, &here))
        this_library = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

void *eglGetProcAddress(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (strncmp(name, "eglGLInterop", 12) == 0 && !mesa.present)
        return NULL;
    pthread_once(&once, open_this_library);
    return this_library ? dlsym(this_library, name) : NULL;
}

int eglGLInteropQueryDeviceInfoMESA(void *display, void *context,
                                    struct mesa_glinterop_device_info *out)
{
    if (display != &mesa || context != objects || out->version < MESA_GLINTEROP_VERSION)
        return 1;
    out->pci_segment_group = mesa.domain;
    out->pci_bus = mesa.bus;
    out->pci_device = mesa.device;
    return MESA_GLINTEROP_SUCCESS;
}

int eglGLInteropExportObjectMESA(void *display, void *context, struct mesa_glinterop_export_in *in,
                                 struct mesa_glinterop_export_out *out)
{
    if (display != &mesa || context != objects || in->version < MESA_GLINTEROP_VERSION ||
        in->target != MESA_GLINTEROP_ARRAY_BUFFER || in->obj >= OBJECTS_MAX)
        return 1;
    const struct object *object = &objects[in->obj];
    if (mesa.error || object->file < 0)
        return mesa.error ? mesa.error : 1;
    out->dmabuf_fd = mesa.shrink ? shared_file(object->mapped - mesa.shrink)
                                 : fcntl(object->file, F_DUPFD_CLOEXEC, 3);
    out->buf_offset = (ptrdiff_t)mesa.offset;
    out->buf_size = (ptrdiff_t)object->size;
    return MESA_GLINTEROP_SUCCESS;
}

/* ---- OpenGL ------------------------------------------------------------------------------- */

/* Whether a call may do something; else it sets the error flag. */
static bool may(const char *name)
{
    bool fails = failing && strcmp(failing, name) == 0;
    if (fails)
        error = OUT_OF_MEMORY;
    return current && !fails;
}

#define GL_FUNCTION(result, name, parameters) result name parameters;
#include "gl_functions.def"
#undef GL_FUNCTION

unsigned glGetError(void)
{
    unsigned was = lost ? LOST : error;
    error = 0;
    return was;
}

const unsigned char *glGetString(unsigned name)
{
    return (const unsigned char *)(name == 0x1F02 && version ? version : "4.5");
}

void glGetIntegerv(unsigned name, int *values)
{
    *values = 0;
    for (int i = 0; i < INTEGERS_MAX; i++)
        if (integers[i].name == name)
            *values = integers[i].value;
}

void glPixelStorei(unsigned name, int value)
{
    int i = 0;
    while (i < INTEGERS_MAX - 1 && integers[i].name && integers[i].name != name)
        i++;
    integers[i].name = name;
    integers[i].value = value;
}

void glFinish(void) {}

static bool is(unsigned name, bool texture)
{
    return current && name < OBJECTS_MAX && objects[name].live && objects[name].texture == texture;
}

unsigned char glIsBuffer(unsigned name)
{
    return is(name, false);
}

void glBindBuffer(unsigned target, unsigned name)
{
    if (target == COPY_READ_BUFFER)
        buffer_bound = name;
}

void glGetBufferParameteri64v(unsigned target, unsigned name, int64_t *value)
{
    (void)target, (void)name;
    if (may("glGetBufferParameteri64v"))
        *value = (int64_t)objects[buffer_bound].size;
}

void glGetBufferSubData(unsigned target, intptr_t at, intptr_t size, void *data)
{
    (void)target;
    if (may("glGetBufferSubData"))
        memcpy(data, objects[buffer_bound].contents + at, (size_t)size);
    reads++;
}

void glBufferSubData(unsigned target, intptr_t at, intptr_t size, const void *data)
{
    (void)target;
    if (may("glBufferSubData"))
        memcpy(objects[buffer_bound].contents + at, data, (size_t)size);
    writes++;
}

unsigned char glIsTexture(unsigned name)
{
    return is(name, true);
}

void glBindTexture(unsigned target, unsigned name)
{
    if (target == TEXTURE_2D)
        texture_bound = name;
    else
        error = INVALID_OPERATION;
}

void glGetTexLevelParameteriv(unsigned target, int level, unsigned name, int *value)
{
    const struct object *texture = &objects[texture_bound];
    (void)target;
    *value = name == 0x1000 && level == 0   ? (int)texture->width
             : name == 0x1001 && level == 0 ? (int)texture->height
             : name == 0x8C10               ? 0x8C17 /* normalized */
             : name >= 0x805C && name <= 0x805F && may("glGetTexLevelParameteriv") ? 8
                                                                                   : 0;
}

void glGetTexImage(unsigned target, int level, unsigned format, unsigned type, void *pixels)
{
    (void)target, (void)level, (void)format, (void)type;
    if (may("glGetTexImage"))
        memcpy(pixels, objects[texture_bound].contents, objects[texture_bound].size);
    reads++;
}

void glTexSubImage2D(unsigned target, int level, int x, int y, int width, int height,
                     unsigned format, unsigned type, const void *pixels)
{
    (void)target, (void)level, (void)x, (void)y, (void)format, (void)type;
    if (may("glTexSubImage2D"))
        memcpy(objects[texture_bound].contents, pixels, (size_t)width * (size_t)height * 4);
    writes++;
}

/* ---- what has no objects here -------------------------------------------------------------- */

void glTexSubImage3D(unsigned target, int level, int x, int y, int z, int width, int height,
                     int depth, unsigned format, unsigned type, const void *pixels)
{
    (void)target, (void)level, (void)x, (void)y, (void)z, (void)width, (void)height, (void)depth;
    (void)format, (void)type, (void)pixels;
    error = INVALID_OPERATION;
}

void glGenTextures(int count, unsigned *names)
{
    memset(names, 0, (size_t)count * sizeof *names);
}

void glDeleteTextures(int count, const unsigned *names)
{
    (void)count, (void)names;
}

void glTexImage2D(unsigned target, int level, int internal, int width, int height, int border,
                  unsigned format, unsigned type, const void *pixels)
{
    (void)target, (void)level, (void)internal, (void)width, (void)height, (void)border;
    (void)format, (void)type, (void)pixels;
    error = INVALID_OPERATION;
}

unsigned char glIsRenderbuffer(unsigned name)
{
    (void)name;
    return 0;
}

void glBindRenderbuffer(unsigned target, unsigned name)
{
    (void)target, (void)name;
}

void glGetRenderbufferParameteriv(unsigned target, unsigned name, int *value)
{
    (void)target, (void)name;
    *value = 0;
}

void glGenFramebuffers(int count, unsigned *names)
{
    memset(names, 0, (size_t)count * sizeof *names);
}

void glDeleteFramebuffers(int count, const unsigned *names)
{
    (void)count, (void)names;
}

void glBindFramebuffer(unsigned target, unsigned name)
{
    (void)target, (void)name;
}

void glFramebufferRenderbuffer(unsigned target, unsigned attachment, unsigned kind, unsigned name)
{
    (void)target, (void)attachment, (void)kind, (void)name;
}

void glFramebufferTexture2D(unsigned target, unsigned attachment, unsigned kind, unsigned name,
                            int level)
{
    (void)target, (void)attachment, (void)kind, (void)name, (void)level;
}

void glGetFramebufferAttachmentParameteriv(unsigned target, unsigned attachment, unsigned name,
                                           int *value)
{
    (void)target, (void)attachment, (void)name;
    *value = 0;
}

void glReadPixels(int x, int y, int width, int height, unsigned format, unsigned type, void *pixels)
{
    (void)x, (void)y, (void)width, (void)height, (void)format, (void)type, (void)pixels;
    error = INVALID_OPERATION;
}

void glBlitFramebuffer(int x0, int y0, int x1, int y1, int to_x0, int to_y0, int to_x1, int to_y1,
                       unsigned mask, unsigned filter)
{
    (void)x0, (void)y0, (void)x1, (void)y1, (void)to_x0, (void)to_y0, (void)to_x1, (void)to_y1;
    (void)mask, (void)filter;
    error = INVALID_OPERATION;
}
