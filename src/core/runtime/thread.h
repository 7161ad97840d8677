/* HIP's state of a thread: the current device, the last error, the launch configuration that <<<>>>
 * pushed, the stack of contexts. */
#ifndef AH_THREAD_H
#define AH_THREAD_H

#include <hip/hip_runtime_api.h>

#include <stdbool.h>
#include <stddef.h>

struct ah_call;
struct ah_observed_graph;
struct ah_stream;

struct ah_call_config {
    dim3 grid, block;
    size_t shared;
    hipStream_t stream;
};

enum { AH_CALL_CONFIG_INLINE = 4 };

/* Rarely used state of a thread; allocated on first use, freed when the thread ends. */
struct ah_thread_extra {
    struct ah_call_config *configs; /* pushed beyond the inline ones */
    size_t config_capacity;
    hipCtx_t *contexts; /* hipCtxPushCurrent's stack, the top last */
    size_t context_count, context_capacity;
    unsigned char *arguments; /* hipSetupArgument's buffer */
    size_t argument_size, argument_capacity;
    struct ah_stream **streams; /* the thread's default streams by device; NULL: none yet */
    void (*end_streams)(struct ah_stream **streams); /* frees them */
    void (*end_captures)(void); /* that the thread has begun and not ended; NULL: none */
    struct ah_call *free_calls; /* records of observed calls that have ended (observe.c) */
};

struct ah_thread {
    int device;             /* the current device's ordinal */
    hipError_t last_error;  /* hipGetLastError: sticky until read (HIP 7) */
    hipError_t last_result; /* hipExtGetLastError: of the last call, hipSuccess included */
    hipStreamCaptureMode capture_mode;
    unsigned config_count; /* pushed configurations */
    struct ah_call_config configs[AH_CALL_CONFIG_INLINE];
    struct ah_thread_extra *extra;
    /* observe.c's */
    struct ah_call *call; /* the observed call that the thread is in */
    bool reporting;       /* it is in a function of an observer */
    bool unobserved;      /* nothing that it does is reported: ah_observe_pause_thread */
    struct ah_observed_graph *graph; /* that it launches; NULL: none is observed */
    unsigned number;      /* the system's number of the thread; 0: not asked for yet */
    int direct; /* the next call of the function with this number, less one, is not redirected */
};

/* The calling thread's; initial-exec keeps reading it at the cost of a register. */
extern _Thread_local struct ah_thread ah_thread __attribute__((tls_model("initial-exec")));

/* The rarely used part, allocated if need be. NULL: out of memory. */
struct ah_thread_extra *ah_thread_extra(void);

/* This process is a child of fork. The driver's part of the thread's state belongs to the parent,
 * whose other threads may have held locks: the end of the thread leaves it alone. */
void ah_thread_forked(void);

#endif
