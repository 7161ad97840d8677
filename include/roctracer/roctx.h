/* ROCTX, version 4.1: marks and ranges that a program writes to the log, between the calls of HIP
 * (AMD_LOG_LEVEL=3), to the trace file (ANYHIP_TRACE), and to tools: roctracer, and the library that
 * NVTX_INJECTION64_PATH names. The library is linked with -lroctx64, which our hipcc knows; it
 * is installed as libroctx64.so.4 too, for programs that ROCm's tools have linked.
 *
 * All functions may be called from any thread, and before the first call of HIP. Messages are not
 * kept, and null is taken for "(null)". */
#ifndef ROCTX_H_
#define ROCTX_H_ 1

#include <stdint.h>

#ifndef ROCTX_VERSION_MAJOR
#define ROCTX_VERSION_MAJOR 4
#define ROCTX_VERSION_MINOR 1
#endif

#if defined(__cplusplus)
extern "C" {
#endif

#if defined(__cplusplus)
#define ROCTX_NO_PARAMETERS
#else
#define ROCTX_NO_PARAMETERS void
#endif

/* Identifies a range of a process. */
typedef uint64_t roctx_range_id_t;

/* The version of the library: 4 and 1. */
uint32_t roctx_version_major(ROCTX_NO_PARAMETERS);
uint32_t roctx_version_minor(ROCTX_NO_PARAMETERS);

/* Marks a moment. */
void roctxMarkA(const char *message);

/* Begins a range inside the calling thread's current range. Returns how many ranges of the thread
 * it lies in: 0 for the first. */
int roctxRangePushA(const char *message);

/* Ends the calling thread's innermost range. Returns what roctxRangePushA returned for it, or -1
 * where the thread is in no range. */
int roctxRangePop(ROCTX_NO_PARAMETERS);

/* Begins a range that any thread may end, and that may overlap others. Identifiers are not used
 * twice in a process; 0 is none. */
roctx_range_id_t roctxRangeStartA(const char *message);

/* Ends it. Nothing is said of an identifier that roctxRangeStartA has not returned. */
void roctxRangeStop(roctx_range_id_t id);

#undef ROCTX_NO_PARAMETERS

#if defined(__cplusplus)
}
#endif

#ifndef roctxMark
#define roctxMark(message) roctxMarkA(message)
#endif
#ifndef roctxRangePush
#define roctxRangePush(message) roctxRangePushA(message)
#endif
#ifndef roctxRangeStart
#define roctxRangeStart(message) roctxRangeStartA(message)
#endif

#endif
