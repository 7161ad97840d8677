// The HIP version whose API and ABI these headers describe, as HIP's own build writes it.
// Not AnyHIP's version: that is anyhipVersion() in hip/anyhip.h.
#ifndef HIP_VERSION_H
#define HIP_VERSION_H

#define HIP_VERSION_MAJOR      7
#define HIP_VERSION_MINOR      2
#define HIP_VERSION_PATCH      0
#define HIP_VERSION_GITHASH    ""
#define HIP_VERSION_BUILD_ID   0
#define HIP_VERSION_BUILD_NAME ""

/// One number that grows with every release: 7.2.0 is 70200000.
#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

/// The library exports __hipGetPCH (see hip/api/registration.h).
#define __HIP_HAS_GET_PCH 1

#endif
