// Types of texture references and texture objects.
#ifndef HIP_INCLUDE_HIP_TEXTURE_TYPES_H
#define HIP_INCLUDE_HIP_TEXTURE_TYPES_H

#include <hip/hip_common.h>
#if !defined(__HIPCC_RTC__)
#include <limits.h>
#endif
#include <hip/channel_descriptor.h>
#include <hip/driver_types.h>

/// Shapes of a texture: the second argument of the texture<> template.
#define hipTextureType1D             0x01
#define hipTextureType2D             0x02
#define hipTextureType3D             0x03
#define hipTextureTypeCubemap        0x0C
#define hipTextureType1DLayered      0xF1
#define hipTextureType2DLayered      0xF2
#define hipTextureTypeCubemapLayered 0xFC

/// Size of what a texture object points to in device memory, in 32-bit words: an image
/// descriptor, then a sampler descriptor. Device code reads them at these offsets.
#define HIP_IMAGE_OBJECT_SIZE_DWORD     12
#define HIP_SAMPLER_OBJECT_SIZE_DWORD   8
#define HIP_SAMPLER_OBJECT_OFFSET_DWORD HIP_IMAGE_OBJECT_SIZE_DWORD
#define HIP_TEXTURE_OBJECT_SIZE_DWORD   (HIP_IMAGE_OBJECT_SIZE_DWORD + HIP_SAMPLER_OBJECT_SIZE_DWORD)

struct __hip_texture;
/// An opaque texture object, passed to kernels by value.
typedef struct __hip_texture *hipTextureObject_t;

/// What a coordinate outside the texture means.
enum hipTextureAddressMode {
    hipAddressModeWrap = 0,   ///< the texture repeats (normalized coordinates only)
    hipAddressModeClamp = 1,  ///< the nearest texel at the edge
    hipAddressModeMirror = 2, ///< the texture repeats mirrored (normalized coordinates only)
    hipAddressModeBorder = 3  ///< the border colour
};

/// How a value between texels is made.
enum hipTextureFilterMode {
    hipFilterModePoint = 0, ///< the nearest texel
    hipFilterModeLinear = 1 ///< linear interpolation; the result must be floating point
};

/// What a fetch returns.
enum hipTextureReadMode {
    hipReadModeElementType = 0,    ///< the stored type
    hipReadModeNormalizedFloat = 1 ///< an integer scaled to [0,1] or [-1,1]
};

/// The runtime's view of a texture reference (deprecated in favour of texture objects).
typedef struct textureReference {
    int normalized; ///< non-zero: coordinates run from 0 to 1
    enum hipTextureReadMode readMode;
    enum hipTextureFilterMode filterMode;
    enum hipTextureAddressMode addressMode[3]; ///< x, y, z
    struct hipChannelFormatDesc channelDesc;
    int sRGB;                   ///< non-zero: convert sRGB to linear on read
    unsigned int maxAnisotropy; ///< limit of the anisotropy ratio
    enum hipTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;

    hipTextureObject_t textureObject; ///< what the reference is bound to, or NULL
    int numChannels;
    enum hipArray_Format format;
} textureReference;

/// How a texture object reads: see hipCreateTextureObject().
typedef struct hipTextureDesc {
    enum hipTextureAddressMode addressMode[3]; ///< x, y, z
    enum hipTextureFilterMode filterMode;
    enum hipTextureReadMode readMode;
    int sRGB;             ///< non-zero: convert sRGB to linear on read
    float borderColor[4]; ///< of hipAddressModeBorder: r, g, b, a
    int normalizedCoords; ///< non-zero: coordinates run from 0 to 1
    unsigned int maxAnisotropy;
    enum hipTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
} hipTextureDesc;

#if defined(__cplusplus)

typedef textureReference *hipTexRef;

#if defined(__clang__) && defined(__HIP__)
#define __HIP_TEXTURE_ATTRIB __attribute__((device_builtin_texture_type))
#else
#define __HIP_TEXTURE_ATTRIB
#endif

/// A texture reference as a file-scope variable of type T, shape texType.
template <class T, int texType = hipTextureType1D,
          enum hipTextureReadMode mode = hipReadModeElementType>
struct __HIP_TEXTURE_ATTRIB texture : public textureReference {
    texture(int norm = 0, enum hipTextureFilterMode fMode = hipFilterModePoint,
            enum hipTextureAddressMode aMode = hipAddressModeClamp)
    {
        set(norm, fMode, aMode, hipCreateChannelDesc<T>());
    }

    texture(int norm, enum hipTextureFilterMode fMode, enum hipTextureAddressMode aMode,
            struct hipChannelFormatDesc desc)
    {
        set(norm, fMode, aMode, desc);
    }

  private:
    void set(int norm, enum hipTextureFilterMode fMode, enum hipTextureAddressMode aMode,
             struct hipChannelFormatDesc desc)
    {
        normalized = norm;
        readMode = mode;
        filterMode = fMode;
        for (int i = 0; i < 3; i++) {
            addressMode[i] = aMode;
        }
        channelDesc = desc;
        sRGB = 0;
        maxAnisotropy = 0;
        mipmapFilterMode = hipFilterModePoint;
        mipmapLevelBias = 0;
        minMipmapLevelClamp = 0;
        maxMipmapLevelClamp = 0;
        textureObject = nullptr;
        numChannels = 0;
        format = HIP_AD_FORMAT_UNSIGNED_INT8;
    }
};

#endif // __cplusplus
#endif
