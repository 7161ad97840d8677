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

/// The devices that draw for the calling thread's OpenGL context. An OpenGL that draws on the CPU,
/// or on a GPU that is no HIP device, is shared by AMD's devices and by simulated ones through
/// copies: then this is the current device.
/// @param [out] pHipDeviceCount  how many there are
/// @param [out] pHipDevices  up to hipDeviceCount ordinals
/// @param [in] hipDeviceCount  room at pHipDevices
/// @param [in] deviceList  which
/// Returns: hipErrorInvalidValue: a pointer is NULL, hipDeviceCount is 0, or deviceList is unknown;
/// hipErrorNoDevice: none of them is a HIP device; hipErrorNotSupported: deviceList is
/// hipGLDeviceListNextFrame, or the driver does not share with OpenGL;
/// hipErrorInvalidGraphicsContext: there is no OpenGL context.
/// Thread safety: affects nothing; the OpenGL context is the calling thread's.
/// Stream order: none.
/// Source: HIP "Graphics Interoperability"; cuGLGetDevices.
hipError_t hipGLGetDevices(unsigned int *pHipDeviceCount, int *pHipDevices,
                           unsigned int hipDeviceCount, hipGLDeviceList deviceList);

/// Registers an OpenGL object, for the functions of hip/api/interop.h. NVIDIA's driver shares the
/// memory of objects of its own OpenGL. On AMD's devices buffers share memory where Mesa exports
/// them; other objects there, and all on simulated devices, have a copy on the device that is read
/// when they are mapped and written back when they are unmapped. hipGraphicsRegisterFlagsReadOnly
/// saves the second, hipGraphicsRegisterFlagsWriteDiscard the first. Copies need OpenGL 3.0 or
/// newer, not OpenGL ES. The object may not change its size or format while it is registered.
/// @param [out] resource  the registration, ended by hipGraphicsUnregisterResource()
/// @param [in] buffer, image  the object's name
/// @param [in] target  GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_3D,
/// GL_TEXTURE_2D_ARRAY or GL_RENDERBUFFER
/// @param [in] flags  hipGraphicsRegisterFlags*; of a buffer None, ReadOnly or WriteDiscard
/// Returns: hipErrorInvalidValue: resource is NULL, a flag is unknown, or the object is unknown,
/// has no storage or a format that arrays do not have; hipErrorNoDevice;
/// hipErrorInvalidGraphicsContext: there is no OpenGL context; hipErrorNotSupported: the driver
/// does not share with OpenGL; hipErrorUnknown: OpenGL failed.
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
