/* What HIP and AMD's tracer library tell each other: types and constants, as libroctracer64.so.4
 * of ROCm 6 and 7 has them (prof_protocol.h and hip_prof_str.h of its public sources).
 *
 * The tracer gives hipRegisterTracerCallback one function, which it is asked through whether it
 * wants a call or a kind of work, and which takes the records of work. */
#ifndef ROCTRACER_ABI_H
#define ROCTRACER_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Domains. The tracer knows more, which are not HIP's. */
enum { ROCTRACER_HIP_OPS = 2, ROCTRACER_HIP_API = 3, ROCTRACER_ROCTX = 6 };

/* Operations of ROCTRACER_HIP_OPS. Those of ROCTRACER_HIP_API are the numbers of tracer_ids.def. */
enum { ROCTRACER_OP_DISPATCH, ROCTRACER_OP_COPY, ROCTRACER_OP_BARRIER, ROCTRACER_OP_COUNT };

/* Kinds of work in records: OpenCL's numbers of commands, whose names hipGetCmdName gives. */
enum {
    ROCTRACER_KIND_KERNEL = 0x11f0,
    ROCTRACER_KIND_TASK, /* a kernel of a graph */
    ROCTRACER_KIND_DEVICE_TO_HOST = 0x11f3,
    ROCTRACER_KIND_HOST_TO_DEVICE,
    ROCTRACER_KIND_DEVICE_TO_DEVICE,
    ROCTRACER_KIND_MARKER = 0x11fe,
    ROCTRACER_KIND_DEVICE_TO_HOST_2D = 0x1201,
    ROCTRACER_KIND_HOST_TO_DEVICE_2D,
    ROCTRACER_KIND_DEVICE_TO_DEVICE_2D,
    ROCTRACER_KIND_FILL = 0x1207,
};

/* Bytes of the arguments of any function: since HIP 6 those of hipChooseDevice are the most. */
enum { ROCTRACER_ARGUMENTS_SIZE = 1496 };

/* A call. The tracer fills in its part when it is asked about the call, and wants it no more when
 * its answer is not 0. HIP then fills in the arguments if there is a phase_enter, and calls either
 * function if it is there. Null functions have nothing to do. */
struct roctracer_call {
    uint64_t correlation;
    uint32_t phase;
    _Alignas(8) unsigned char arguments[ROCTRACER_ARGUMENTS_SIZE];
    uint64_t *phase_data;
    uint64_t enter_time, data; /* the tracer's */
    void (*phase_enter)(uint32_t operation, struct roctracer_call *call);
    void (*phase_exit)(uint32_t operation, struct roctracer_call *call);
};
_Static_assert(offsetof(struct roctracer_call, phase_data) == 1512 &&
                   offsetof(struct roctracer_call, phase_enter) == 1536,
               "struct roctracer_call");

/* Work of a device. Times are those of HSA's system clock, CLOCK_BOOTTIME, in nanoseconds. */
struct roctracer_record {
    uint32_t domain, kind, operation;
    uint64_t correlation; /* of the call that submitted it, or 0 */
    uint64_t begin, end;
    int device;
    uint64_t queue;
    union {
        size_t bytes;
        const char *kernel;
    };
};
_Static_assert(sizeof(struct roctracer_record) == 64, "struct roctracer_record");

/* 0: wanted. data is a struct roctracer_call, or a struct roctracer_record; NULL only asks. */
typedef int roctracer_callback(unsigned domain, uint32_t operation, void *data);

/* Operations of ROCTRACER_ROCTX, and their data: the message of MARK, PUSH and START, and the
 * identifier of START and STOP. roctxRegisterTracerCallback takes the function that gets them. */
enum {
    ROCTRACER_ROCTX_MARK,
    ROCTRACER_ROCTX_PUSH,
    ROCTRACER_ROCTX_POP,
    ROCTRACER_ROCTX_START,
    ROCTRACER_ROCTX_STOP,
};

struct roctracer_roctx {
    const char *message;
    uint64_t id;
};

#endif
