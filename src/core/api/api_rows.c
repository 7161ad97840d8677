/* Compares the rows of api.def with the headers: a row with another type or other parameters than
 * the prototype does not compile. Has no code. */
#include <hip/api/per_thread_default_stream.h>
#include <hip/api/registration.h>
#include <hip/anyhip.h>
#include <hip/hip_deprecated.h>
#include <hip/hip_ext.h>
#include <hip/hip_gl_interop.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#undef hipGetDeviceProperties
#undef hipChooseDevice

#define AH_API(node, name, type, parameters) type name parameters;
#include "api.def"
