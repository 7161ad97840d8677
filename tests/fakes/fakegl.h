/* An OpenGL for tests: buffers and two-dimensional textures of RGBA8 in host memory, in a context
 * of EGL that a thread has or has not. It also has Mesa's functions that export buffers. Functions
 * of libfakegl.so, which a test links and src/gl then finds. */
#ifndef FAKEGL_H
#define FAKEGL_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the calling thread has a context. */
void fakegl_make_current(bool current);
/* What glGetString(GL_VERSION) returns; NULL: "4.5". */
void fakegl_set_version(const char *version);
/* From now on each function of OpenGL of that name fails with GL_OUT_OF_MEMORY; NULL: none. */
void fakegl_fail(const char *name);
/* Every call reports that the context is lost. */
void fakegl_lose(bool lost);

/* Objects; a size of 0 has no storage. The name of the new object, 0: no room. */
unsigned fakegl_buffer(size_t size);
unsigned fakegl_texture(unsigned width, unsigned height);
void fakegl_delete(unsigned name);
void fakegl_resize(unsigned name, size_t size);
/* The contents of the object, all of it. */
void *fakegl_contents(unsigned name);
/* How often contents were read and written by way of OpenGL. */
unsigned fakegl_reads(void), fakegl_writes(void);

/* Mesa's interface: absent unless it is set. The device at this place of the PCI bus draws, and
 * buffers are exported unless error is not 0; those made after that lie in a dma-buf of theirs, at
 * offset. */
struct fakegl_mesa {
    bool present;
    unsigned domain, bus, device;
    int error;
    size_t offset;
    size_t shrink; /* bytes by which the dma-buf is too short, whole pages */
};
void fakegl_set_mesa(const struct fakegl_mesa *mesa);

#endif
