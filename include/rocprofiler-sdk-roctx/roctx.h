/* ROCTX as rocprofiler-sdk has it, version 1.1: the marks and ranges of roctracer/roctx.h, names
 * for what a log or a trace shows, and pauses. The library is linked with -lrocprofiler-sdk-roctx,
 * which our hipcc knows; it is installed as librocprofiler-sdk-roctx.so.1 too. */
#ifndef ROCPROFILER_SDK_ROCTX_ROCTX_H
#define ROCPROFILER_SDK_ROCTX_ROCTX_H

#include <stddef.h>
#include <stdint.h>

#ifndef ROCTX_VERSION_MAJOR
#define ROCTX_IS_ROCPROFILER_SDK 1
#define ROCTX_VERSION_MAJOR      1
#define ROCTX_VERSION_MINOR      1
#define ROCTX_VERSION_PATCH      0
#define ROCTX_SOVERSION          10000
#define ROCTX_VERSION_STRING     "1.1.0"
#define ROCTX_VERSION                                                                              \
    (10000 * ROCTX_VERSION_MAJOR + 100 * ROCTX_VERSION_MINOR + ROCTX_VERSION_PATCH)
#endif

#include "../roctracer/roctx.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Identifies a thread of the process, as gettid does. */
typedef uint64_t roctx_thread_id_t;

struct hsa_agent_s;
struct ihipStream_t;

/* No marks and ranges of the process (tid 0) or of the calling thread are logged or traced until
 * roctxProfilerResume; their levels and identifiers count on. Nor do calls of HIP and the work that
 * they submit go into the trace file or to AMD's tracers. Returns 0, or -1 for another thread,
 * which is not supported. Pauses do not nest, and those of the process and of a thread are
 * independent of each other. */
int roctxProfilerPause(roctx_thread_id_t tid);
int roctxProfilerResume(roctx_thread_id_t tid);

/* Say in the log what the program calls the calling thread, an HSA agent, a device of HIP and a
 * stream. They return 0, or -1 where name, agent or tid is null. */
int roctxNameOsThread(const char *name);
int roctxNameHsaAgent(const char *name, const struct hsa_agent_s *agent);
int roctxNameHipDevice(const char *name, int device_id);
int roctxNameHipStream(const char *name, const struct ihipStream_t *stream);

/* Stores the calling thread's identifier. Returns 0, or -1 where tid is null. */
int roctxGetThreadId(roctx_thread_id_t *tid);

#if defined(__cplusplus)
}
#endif

#endif
