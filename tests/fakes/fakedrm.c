/* libdrm.so.2 without a kernel driver: synchronisation objects that are files, so that a test can
 * make them and look into them. FAKEDRM_NODES: how many render nodes there are (1);
 * FAKEDRM_TIMELINES=0: the driver has no timelines. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { OBJECTS_MAX = 16, FIRST_NODE = 128, WAIT_FOR_SUBMIT = 2 };

/* What such a file contains. */
struct object {
    char mark[8]; /* "fakesync" */
    uint64_t point;
};
static struct object *objects[OBJECTS_MAX];

static int setting(const char *name)
{
    const char *value = getenv(name);
    return value ? atoi(value) : 1;
}

int drmOpenRender(int minor);
int drmOpenRender(int minor)
{
    return minor < FIRST_NODE + setting("FAKEDRM_NODES") ? open("/dev/null", O_RDWR | O_CLOEXEC)
                                                         : -ENOENT;
}

int drmGetCap(int file, uint64_t capability, uint64_t *out_value);
int drmGetCap(int file, uint64_t capability, uint64_t *out_value)
{
    const uint64_t timelines = 0x14;
    (void)file;
    *out_value = capability == timelines ? (uint64_t)setting("FAKEDRM_TIMELINES") : 1;
    return 0;
}

int drmSyncobjFDToHandle(int file, int object_file, uint32_t *out_object);
int drmSyncobjFDToHandle(int file, int object_file, uint32_t *out_object)
{
    (void)file;
    struct object *object =
        mmap(NULL, sizeof *object, PROT_READ | PROT_WRITE, MAP_SHARED, object_file, 0);
    uint32_t free = 1;
    while (free < OBJECTS_MAX && objects[free])
        free++;
    if (object == MAP_FAILED || free == OBJECTS_MAX || memcmp(object->mark, "fakesync", 8) != 0)
        return -EINVAL;
    objects[free] = object;
    *out_object = free;
    return 0;
}

int drmSyncobjDestroy(int file, uint32_t object);
int drmSyncobjDestroy(int file, uint32_t object)
{
    (void)file;
    munmap(objects[object], sizeof *objects[object]);
    objects[object] = NULL;
    return 0;
}

static int set(uint32_t object, uint64_t point)
{
    __atomic_store_n(&objects[object]->point, point, __ATOMIC_RELEASE);
    return 0;
}

int drmSyncobjReset(int file, const uint32_t *list, uint32_t count);
int drmSyncobjReset(int file, const uint32_t *list, uint32_t count)
{
    (void)file, (void)count;
    return set(list[0], 0);
}

int drmSyncobjSignal(int file, const uint32_t *list, uint32_t count);
int drmSyncobjSignal(int file, const uint32_t *list, uint32_t count)
{
    (void)file, (void)count;
    return set(list[0], 1);
}

int drmSyncobjTimelineSignal(int file, const uint32_t *list, uint64_t *points, uint32_t count);
int drmSyncobjTimelineSignal(int file, const uint32_t *list, uint64_t *points, uint32_t count)
{
    (void)file, (void)count;
    return points[0] > objects[list[0]]->point ? set(list[0], points[0]) : -EINVAL;
}

/* Until a time of CLOCK_MONOTONIC, as the kernel has it. */
static int wait_for(uint32_t object, uint64_t point, int64_t until_ns, unsigned flags)
{
    struct timespec now, pause = {.tv_nsec = 100000};
    if (!(flags & WAIT_FOR_SUBMIT))
        return -EINVAL;
    for (;;) {
        if (__atomic_load_n(&objects[object]->point, __ATOMIC_ACQUIRE) >= point)
            return 0;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec * INT64_C(1000000000) + now.tv_nsec >= until_ns)
            return -ETIME;
        nanosleep(&pause, NULL);
    }
}

int drmSyncobjWait(int file, uint32_t *list, unsigned count, int64_t until_ns, unsigned flags,
                   uint32_t *out_first);
int drmSyncobjWait(int file, uint32_t *list, unsigned count, int64_t until_ns, unsigned flags,
                   uint32_t *out_first)
{
    (void)file, (void)count, (void)out_first;
    return wait_for(list[0], 1, until_ns, flags);
}

int drmSyncobjTimelineWait(int file, uint32_t *list, uint64_t *points, unsigned count,
                           int64_t until_ns, unsigned flags, uint32_t *out_first);
int drmSyncobjTimelineWait(int file, uint32_t *list, uint64_t *points, unsigned count,
                           int64_t until_ns, unsigned flags, uint32_t *out_first)
{
    (void)file, (void)count, (void)out_first;
    return wait_for(list[0], points[0], until_ns, flags);
}
