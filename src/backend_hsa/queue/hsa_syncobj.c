/* Owns the use of the kernel's synchronisation objects. */
#include "hsa_syncobj.h"

#include "dynlib.h"
#include "log.h"

#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

/* From the kernel's drm.h. */
enum {
    FIRST_RENDER_NODE = 128,
    RENDER_NODES = 64,
    CAPABILITY_SYNCOBJ = 0x13,
    CAPABILITY_TIMELINE = 0x14,
    WAIT_FOR_SUBMIT = 2, /* nobody may have promised to signal it yet */
};

struct functions {
#define DRM_SYMBOL(name, parameters) int(*name) parameters;
#include "hsa_drm.def"
#undef DRM_SYMBOL
};

/* Set once. */
static struct {
    pthread_once_t once;
    struct functions api;
    int file; /* a render node, -1: there is none */
    bool timelines;
} drm = {.once = PTHREAD_ONCE_INIT, .file = -1};

static const struct ah_dynlib_symbol symbols[] = {
#define DRM_SYMBOL(name, parameters) {#name, offsetof(struct functions, name), AH_REQUIRED},
#include "hsa_drm.def"
#undef DRM_SYMBOL
};

static bool has(int file, uint64_t capability)
{
    uint64_t value = 0;
    return drm.api.drmGetCap(file, capability, &value) == 0 && value != 0;
}

static void find_node(void)
{
    for (int i = 0; i < RENDER_NODES && drm.file < 0; i++) {
        int file = drm.api.drmOpenRender(FIRST_RENDER_NODE + i);
        if (file >= 0 && has(file, CAPABILITY_SYNCOBJ)) {
            drm.file = file;
            drm.timelines = has(file, CAPABILITY_TIMELINE);
        } else if (file >= 0) {
            close(file);
        }
    }
}

/* The library stays open if there is a node. */
static void start(void)
{
    static struct ah_dynlib library;
    static const char *const candidates[] = {"libdrm.so.2", NULL};
    if (ah_dynlib_open(&library, candidates) &&
        ah_dynlib_bind(&library, symbols, sizeof symbols / sizeof *symbols, &drm.api))
        find_node();
    if (drm.file < 0)
        ah_dynlib_close(&library);
}

hipError_t ahhsa_syncobj_open(int file, bool timeline, uint32_t *out_object)
{
    pthread_once(&drm.once, start);
    if (drm.file < 0 || (timeline && !drm.timelines)) {
        AH_LOG_ERR("file descriptor %d is not a semaphore in shared memory, and %s", file,
                   drm.file < 0
                       ? "there is no libdrm.so.2 with a render node for those of graphics "
                         "drivers"
                       : "the kernel's graphics driver has no timelines");
        return hipErrorNotSupported;
    }
    if (drm.api.drmSyncobjFDToHandle(drm.file, file, out_object) == 0)
        return hipSuccess;
    AH_LOG_ERR("file descriptor %d is not a semaphore", file);
    return hipErrorInvalidValue;
}

void ahhsa_syncobj_close(uint32_t object)
{
    (void)drm.api.drmSyncobjDestroy(drm.file, object);
}

bool ahhsa_syncobj_signal(uint32_t object, bool timeline, uint64_t value)
{
    return timeline ? drm.api.drmSyncobjTimelineSignal(drm.file, &object, &value, 1) == 0
                    : drm.api.drmSyncobjSignal(drm.file, &object, 1) == 0;
}

static int64_t after(unsigned milliseconds)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec + milliseconds * INT64_C(1000000);
}

bool ahhsa_syncobj_wait(uint32_t object, bool timeline, uint64_t value, unsigned milliseconds)
{
    int64_t until = after(milliseconds);
    if (timeline)
        return drm.api.drmSyncobjTimelineWait(drm.file, &object, &value, 1, until, WAIT_FOR_SUBMIT,
                                              NULL) == 0;
    return drm.api.drmSyncobjWait(drm.file, &object, 1, until, WAIT_FOR_SUBMIT, NULL) == 0 &&
           drm.api.drmSyncobjReset(drm.file, &object, 1) == 0;
}
