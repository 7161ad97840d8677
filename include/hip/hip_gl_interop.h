// OpenGL interoperability. The rest of it is in hip/api/interop.h.
#ifndef HIP_INCLUDE_HIP_HIP_GL_INTEROP_H
#define HIP_INCLUDE_HIP_HIP_GL_INTEROP_H

#include <hip/hip_runtime_api.h>

/// Which devices hipGLGetDevices() returns.
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

/// The devices that draw for the calling thread's OpenGL context.
/// @param [out] pHipDeviceCount  how many there are
/// @param [out] pHipDevices  up to hipDeviceCount ordinals
/// @param [in] hipDeviceCount  room at pHipDevices
/// @param [in] deviceList  which
/// Returns: hipErrorInvalidValue: a pointer is NULL, or hipDeviceCount is 0; hipErrorNoDevice: none
/// of them is a HIP device; hipErrorNotSupported: deviceList is unknown;
/// hipErrorInvalidGraphicsContext: there is no OpenGL context.
/// Thread safety: affects nothing; the OpenGL context is the calling thread's.
/// Stream order: none.
/// Source: HIP "Graphics Interoperability"; cuGLGetDevices.
hipError_t hipGLGetDevices(unsigned int *pHipDeviceCount, int *pHipDevices,
                           unsigned int hipDeviceCount, hipGLDeviceList deviceList);

/// Registers an OpenGL object, for the functions of hip/api/interop.h.
/// @param [out] resource  the registration, ended by hipGraphicsUnregisterResource()
/// @param [in] buffer, image  the object's name
/// @param [in] target  GL_TEXTURE_2D, GL_RENDERBUFFER ...
/// @param [in] flags  hipGraphicsRegisterFlags*
/// Returns: hipErrorInvalidValue: resource is NULL, or the object or a flag is unknown;
/// hipErrorInvalidResourceHandle: the object has no storage; hipErrorInvalidGraphicsContext: there
/// is no OpenGL context; hipErrorUnknown: the graphics driver failed.
/// Thread safety: the OpenGL context must be the calling thread's.
/// Stream order: none.
/// Source: HIP "Graphics Interoperability"; cuGraphicsGLRegisterBuffer, cuGraphicsGLRegisterImage.

/// A buffer object.
hipError_t hipGraphicsGLRegisterBuffer(hipGraphicsResource **resource, GLuint buffer,
                                       unsigned int flags);
/// A texture or renderbuffer.
hipError_t hipGraphicsGLRegisterImage(hipGraphicsResource **resource, GLuint image, GLenum target,
                                      unsigned int flags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
