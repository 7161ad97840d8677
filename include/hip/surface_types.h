// Types of surface objects.
#ifndef HIP_INCLUDE_HIP_SURFACE_TYPES_H
#define HIP_INCLUDE_HIP_SURFACE_TYPES_H

#include <hip/driver_types.h>

struct __hip_surface;
/// An opaque surface object, passed to kernels by value.
typedef struct __hip_surface *hipSurfaceObject_t;

struct surfaceReference {
    hipSurfaceObject_t surfaceObject;
};

/// What an access outside the surface does.
enum hipSurfaceBoundaryMode {
    hipBoundaryModeZero = 0, ///< reads give 0, writes are dropped
    hipBoundaryModeTrap = 1, ///< the kernel is stopped
    hipBoundaryModeClamp = 2 ///< the nearest element at the edge
};

#endif
