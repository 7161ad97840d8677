// Every header of the host API.
#ifndef ALL_HEADERS_H
#define ALL_HEADERS_H

#define HIP_ABI_IMPL // nothing is deprecated here
#include <hip/hip_runtime_api.h>
#include <hip/api/registration.h>
#include <hip/hip_deprecated.h>
#include <hip/hip_ext.h>
#include <hip/hip_gl_interop.h>
#include <hip/hiprtc.h>
#include <hip/library_types.h>
#include <hip/anyhip.h>
#endif
