// OpenGL interoperability. The rest of it is in hip/api/interop.h.
#ifndef HIP_INCLUDE_HIP_HIP_GL_INTEROP_H
#define HIP_INCLUDE_HIP_HIP_GL_INTEROP_H

#include <hip/hip_runtime_api.h>

/// Which devices hipGLGetDevices() is asked for.
typedef enum hipGLDeviceList {
    hipGLDeviceListAll = 1,
    hipGLDeviceListCurrentFrame = 2,
    hipGLDeviceListNextFrame = 3
} hipGLDeviceList;

// OpenGL's own types, as its headers define them.
typedef unsigned int GLuint;
typedef unsigned int GLenum;

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

hipError_t hipGLGetDevices(unsigned int *pHipDeviceCount, int *pHipDevices,
                           unsigned int hipDeviceCount, hipGLDeviceList deviceList);

hipError_t hipGraphicsGLRegisterBuffer(hipGraphicsResource **resource, GLuint buffer,
                                       unsigned int flags);

hipError_t hipGraphicsGLRegisterImage(hipGraphicsResource **resource, GLuint image, GLenum target,
                                      unsigned int flags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
