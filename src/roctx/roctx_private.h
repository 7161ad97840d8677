/* Private to roctx: who is told of marks and ranges besides the log. Any thread. */
#ifndef AH_ROCTX_PRIVATE_H
#define AH_ROCTX_PRIVATE_H

#include <stdint.h>

/* The numbers are those of enum anyhipTraceMarkKind and of roctracer. */
enum ah_roctx_kind {
    AH_ROCTX_MARK,
    AH_ROCTX_PUSH,
    AH_ROCTX_POP,
    AH_ROCTX_START,
    AH_ROCTX_STOP,
    AH_ROCTX_PAUSE, /* these two are for the trace alone */
    AH_ROCTX_RESUME,
};

struct ah_roctx_event {
    enum ah_roctx_kind kind;
    uint64_t id;         /* of START and STOP; PAUSE and RESUME: 0 of the process, 1 of the thread */
    const char *message; /* of the others and START; may be NULL */
};

/* The trace file of the HIP library, if that is loaded and writes one. */
void ah_roctx_trace(const struct ah_roctx_event *event);

/* The tool that NVTX_INJECTION64_PATH names. */
void ah_roctx_nvtx(const struct ah_roctx_event *event);
void ah_roctx_nvtx_name_thread(uint32_t thread, const char *name);

/* The tracer of AMD's roctracer library. */
void ah_roctx_tracer(const struct ah_roctx_event *event);

#endif
