// The host API of HIP, for any C or C++ compiler. Kernels need hip/hip_runtime.h.
//
// Each group of functions has a header of its own under hip/api/, which documents every
// function: its arguments, errors, thread safety and stream order. The following holds
// for all functions and is not repeated there:
//
// - A function returns hipSuccess or the first error met; nothing is done in part unless
//   documented. An error also becomes the calling thread's last error (hip/api/error.h).
// - The first call of a process opens the drivers. Any function that needs a device may return
//   hipErrorNoDevice, hipErrorInsufficientDriver or hipErrorNotInitialized, and any function
//   that calls a driver may return an error of earlier asynchronous work.
// - In the child of a process that had made a call before fork(), every function that needs a
//   driver returns hipErrorNotInitialized, and hiprtc's HIPRTC_ERROR_INTERNAL_ERROR. The names
//   and texts of errors, the last error, and hipCreateChannelDesc() are there as before.
// - hipErrorNotSupported: what docs/coverage.md marks so.
// - A pointer may be NULL only where it is documented; otherwise hipErrorInvalidValue.
// - A stream that is invalid or was destroyed results in hipErrorContextIsDestroyed ("not a
//   stream"), where HIP 7 itself may crash; any other such handle hipErrorInvalidHandle, unless
//   another code is named.
// - Every function may be called from any thread at any time, except from a stream callback or
//   host function. "Thread safety: safe" adds nothing to that; other texts do.
// - The current device is a property of the thread and 0 at its start.
// - "NULL for the legacy default stream": that stream waits for, and holds back, all blocking
//   streams of its device. hip/api/per_thread_default_stream.h has the other meaning of NULL.
// - Where major versions of HIP differ, HIP 7 is followed, and the comment says "(HIP 7)".
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_API_H

#include <hip/api/basics.h>
#include <hip/api/error_types.h>
#include <hip/api/device_types.h>
#include <hip/api/memory_types.h>
#include <hip/api/execution_types.h>
#include <hip/api/graph_types.h>
#include <hip/hip_vector_types.h>
#include <hip/channel_descriptor.h>

#include <hip/api/device.h>
#include <hip/api/error.h>
#include <hip/api/stream.h>
#include <hip/api/event.h>
#include <hip/api/memory.h>
#include <hip/api/memory_managed.h>
#include <hip/api/memory_pool.h>
#include <hip/api/memory_vmm.h>
#include <hip/api/peer.h>
#include <hip/api/context.h>
#include <hip/api/execution_context.h>
#include <hip/api/module.h>
#include <hip/api/library.h>
#include <hip/api/launch.h>
#include <hip/api/occupancy.h>
#include <hip/api/texture.h>
#include <hip/api/graph.h>
#include <hip/api/interop.h>
#include <hip/api/profiler.h>

// After everything it may rename, and before the C++ overloads, which it renames as well.
#include <hip/api/per_thread_default_stream.h>
#ifdef __cplusplus
#include <hip/api/cxx.h>
#endif

#endif
