/* The interface between tests and a fake driver of either vendor.
 *
 * A fake driver is the simulated one with a script: it fails, waits and counts as a test tells
 * it to. It is reached like any driver, by its path. fakecuda.h and fakehsa.h have what is
 * particular to a vendor; a test that is written once for both uses the struct below.
 *
 * Read when the driver starts, with the fake's prefix (FAKECUDA_, FAKEHSA_) before each name:
 *   DEVICES    the devices that there are; fakecuda.h and fakehsa.h say how they are written
 *   PEERS      0: no device can reach another
 *   FAULTS     "cuMemAlloc_v2:3:2,...": function, nth and result, as fail_call has them
 *   REPORT     a file that gets the report and the violations at exit */
#ifndef FAKE_H
#define FAKE_H

#include <stdbool.h>
#include <stddef.h>

struct fake_launch {
    char kernel[128];
    unsigned grid[3]; /* in blocks */
    unsigned block[3], shared;
    bool cooperative;
    unsigned attributes;  /* CUDA: bits of CUlaunchAttributeID that it was given */
    const void *window;   /* CUDA: base of the access policy window, or NULL */
    int priority, domain; /* CUDA: of such attributes */
    const void *stream; /* CUDA: as it was given; HSA: the queue */
    int device;
    size_t argument_size;
    unsigned char arguments[512]; /* CUDA: as they were given; HSA: the kernarg segment */
};

struct fake_count {
    const char *what; /* "streams" */
    unsigned count;
};
enum { FAKE_COUNTS_MAX = 20 };

struct fake {
    const char *vendor; /* "cuda", "hsa": as ANYHIP_BACKEND has it */

    /* The nth call from now (1: the next one) of the exported function returns result and does
     * nothing; nth 0: every call until clear_faults. */
    void (*fail_call)(const char *function, unsigned nth, int result);
    void (*clear_faults)(void);
    /* Whether a fault of fail_call is still to come. */
    bool (*has_faults)(void);
    /* Calls hook(data), once, at the beginning of the next call of the exported function, on the
     * thread that calls it. The hook may call HIP. NULL: no hook. */
    void (*hook)(const char *function, void (*hook)(void *data), void *data);
    /* As after a kernel that failed. */
    void (*break_device)(int device, int result);
    /* From now on every call fails as it does at the end of the process. */
    void (*deinitialise)(void);
    /* Holds all queues: what is enqueued starts when they are let go. */
    void (*hold)(bool hold);

    /* The rows that fail_call takes, one after the other; NULL after the last. */
    const char *(*function_at)(size_t index);
    /* Calls of an exported function so far, failed ones included. */
    unsigned (*calls)(const char *function);
    /* Launches since the last forget: CUDA as they were called, HSA as queues took them. */
    size_t (*launches)(void);
    bool (*launch_at)(size_t index, struct fake_launch *out);
    /* What a correct program never does: a handle that is not live, a call from a callback, a
     * free in the wrong place. Each is a line of text. */
    size_t (*violations)(void);
    const char *(*violation_at)(size_t index);
    /* Forgets launches and violations. */
    void (*forget)(void);

    /* What is there and would have to be freed: how many kinds, always in the same order. */
    size_t (*count)(struct fake_count out[FAKE_COUNTS_MAX]);
    /* The same as text, one line for each kind of which something is left, "" without any. Valid
     * until the next call. */
    const char *(*report)(void);
};

#endif
