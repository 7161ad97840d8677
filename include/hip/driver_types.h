// Types of memory: addresses, arrays, descriptors of copies, locations, pointer attributes.
#ifndef HIP_INCLUDE_HIP_DRIVER_TYPES_H
#define HIP_INCLUDE_HIP_DRIVER_TYPES_H

#include <hip/hip_common.h>
#if !defined(__HIPCC_RTC__)
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#endif

/// An address in device memory.
typedef void *hipDeviceptr_t;

#if !defined(__HIPCC_RTC__)
/// Where memory lives. HIP 6 renumbered these: HIP 5 had Host 0, Device 1, Array 2, Unified 3.
typedef enum hipMemoryType {
    hipMemoryTypeUnregistered = 0, ///< ordinary host memory, unknown to HIP
    hipMemoryTypeHost = 1,         ///< page-locked host memory
    hipMemoryTypeDevice = 2,
    hipMemoryTypeManaged = 3,
    hipMemoryTypeArray = 10,  ///< descriptors of copies only: the operand is an array
    hipMemoryTypeUnified = 11 ///< descriptors of copies only: determined by the address
} hipMemoryType;
#endif

/// What the bits of a channel mean.
typedef enum hipChannelFormatKind {
    hipChannelFormatKindSigned = 0,
    hipChannelFormatKindUnsigned = 1,
    hipChannelFormatKindFloat = 2,
    hipChannelFormatKindNone = 3
} hipChannelFormatKind;

/// One element of an array: bits of each channel and their kind.
typedef struct hipChannelFormatDesc {
    int x;
    int y;
    int z;
    int w;
    enum hipChannelFormatKind f;
} hipChannelFormatDesc;

/// Flag of hipTexRefSetArray(): take the format from the array.
#define HIP_TRSA_OVERRIDE_FORMAT 0x01
/// Flags of hipTexRefSetFlags(): return integers as they are; coordinates from 0 to 1; sRGB.
#define HIP_TRSF_READ_AS_INTEGER        0x01
#define HIP_TRSF_NORMALIZED_COORDINATES 0x02
#define HIP_TRSF_SRGB                   0x10

/// An opaque array: memory in the layout textures prefer.
typedef struct hipArray *hipArray_t;
typedef const struct hipArray *hipArray_const_t;

/// Type of a channel, for the descriptors below.
typedef enum hipArray_Format {
    HIP_AD_FORMAT_UNSIGNED_INT8 = 0x01,
    HIP_AD_FORMAT_UNSIGNED_INT16 = 0x02,
    HIP_AD_FORMAT_UNSIGNED_INT32 = 0x03,
    HIP_AD_FORMAT_SIGNED_INT8 = 0x08,
    HIP_AD_FORMAT_SIGNED_INT16 = 0x09,
    HIP_AD_FORMAT_SIGNED_INT32 = 0x0a,
    HIP_AD_FORMAT_HALF = 0x10,
    HIP_AD_FORMAT_FLOAT = 0x20
} hipArray_Format;

/// A one- or two-dimensional array to create: see hipArrayCreate().
typedef struct HIP_ARRAY_DESCRIPTOR {
    size_t Width;  ///< elements
    size_t Height; ///< rows, 0 for a one-dimensional array
    enum hipArray_Format Format;
    unsigned int NumChannels; ///< 1, 2 or 4
} HIP_ARRAY_DESCRIPTOR;

/// An array of up to three dimensions to create: see hipArray3DCreate().
typedef struct HIP_ARRAY3D_DESCRIPTOR {
    size_t Width;  ///< elements
    size_t Height; ///< rows, 0 for a one-dimensional array
    size_t Depth;  ///< slices or layers, 0 for up to two dimensions
    enum hipArray_Format Format;
    unsigned int NumChannels; ///< 1, 2 or 4
    unsigned int Flags;       ///< hipArray* flags
} HIP_ARRAY3D_DESCRIPTOR;

#if !defined(__HIPCC_RTC__)
/// A two-dimensional copy: see hipMemcpyParam2D(). Of each side's Host, Device and Array, the
/// one named by its MemoryType is used (Unified: Device).
typedef struct hip_Memcpy2D {
    size_t srcXInBytes; ///< start within a row, bytes
    size_t srcY;        ///< start, rows
    hipMemoryType srcMemoryType;
    const void *srcHost;
    hipDeviceptr_t srcDevice;
    hipArray_t srcArray;
    size_t srcPitch; ///< bytes from row to row, 0 when packed; ignored for arrays
    size_t dstXInBytes;
    size_t dstY;
    hipMemoryType dstMemoryType;
    void *dstHost;
    hipDeviceptr_t dstDevice;
    hipArray_t dstArray;
    size_t dstPitch;
    size_t WidthInBytes; ///< bytes to copy of each row
    size_t Height;       ///< rows to copy
} hip_Memcpy2D;
#endif

/// A mipmapped array. Its layout is public for hipArrayMapInfo's sake; treat it as opaque.
typedef struct hipMipmappedArray {
    void *data;
    struct hipChannelFormatDesc desc;
    unsigned int type;
    unsigned int width;
    unsigned int height;
    unsigned int depth;
    unsigned int min_mipmap_level;
    unsigned int max_mipmap_level;
    unsigned int flags;
    enum hipArray_Format format;
    unsigned int num_channels;
} hipMipmappedArray;
typedef struct hipMipmappedArray *hipMipmappedArray_t;
typedef hipMipmappedArray_t hipmipmappedArray;
typedef const struct hipMipmappedArray *hipMipmappedArray_const_t;

/// What a texture or surface reads: runtime API, then driver API.
typedef enum hipResourceType {
    hipResourceTypeArray = 0x00,
    hipResourceTypeMipmappedArray = 0x01,
    hipResourceTypeLinear = 0x02, ///< one-dimensional device memory
    hipResourceTypePitch2D = 0x03 ///< rows in device memory
} hipResourceType;
typedef enum HIPresourcetype_enum {
    HIP_RESOURCE_TYPE_ARRAY = 0x00,
    HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY = 0x01,
    HIP_RESOURCE_TYPE_LINEAR = 0x02,
    HIP_RESOURCE_TYPE_PITCH2D = 0x03
} HIPresourcetype,
    hipResourcetype;

/// As hipTextureAddressMode, driver API.
typedef enum HIPaddress_mode_enum {
    HIP_TR_ADDRESS_MODE_WRAP = 0,
    HIP_TR_ADDRESS_MODE_CLAMP = 1,
    HIP_TR_ADDRESS_MODE_MIRROR = 2,
    HIP_TR_ADDRESS_MODE_BORDER = 3
} HIPaddress_mode;

/// As hipTextureFilterMode, driver API.
typedef enum HIPfilter_mode_enum {
    HIP_TR_FILTER_MODE_POINT = 0,
    HIP_TR_FILTER_MODE_LINEAR = 1
} HIPfilter_mode;

/// How a texture object reads, driver API: see hipTexObjectCreate().
typedef struct HIP_TEXTURE_DESC_st {
    HIPaddress_mode addressMode[3]; ///< x, y, z
    HIPfilter_mode filterMode;
    unsigned int flags; ///< HIP_TRSF_* flags
    unsigned int maxAnisotropy;
    HIPfilter_mode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
    float borderColor[4];
    int reserved[12];
} HIP_TEXTURE_DESC;

/// How a texture reinterprets its resource: type and number of channels, or a block
/// compression. Runtime API, then driver API.
typedef enum hipResourceViewFormat {
    hipResViewFormatNone = 0x00, ///< as the resource is
    hipResViewFormatUnsignedChar1 = 0x01,
    hipResViewFormatUnsignedChar2 = 0x02,
    hipResViewFormatUnsignedChar4 = 0x03,
    hipResViewFormatSignedChar1 = 0x04,
    hipResViewFormatSignedChar2 = 0x05,
    hipResViewFormatSignedChar4 = 0x06,
    hipResViewFormatUnsignedShort1 = 0x07,
    hipResViewFormatUnsignedShort2 = 0x08,
    hipResViewFormatUnsignedShort4 = 0x09,
    hipResViewFormatSignedShort1 = 0x0a,
    hipResViewFormatSignedShort2 = 0x0b,
    hipResViewFormatSignedShort4 = 0x0c,
    hipResViewFormatUnsignedInt1 = 0x0d,
    hipResViewFormatUnsignedInt2 = 0x0e,
    hipResViewFormatUnsignedInt4 = 0x0f,
    hipResViewFormatSignedInt1 = 0x10,
    hipResViewFormatSignedInt2 = 0x11,
    hipResViewFormatSignedInt4 = 0x12,
    hipResViewFormatHalf1 = 0x13,
    hipResViewFormatHalf2 = 0x14,
    hipResViewFormatHalf4 = 0x15,
    hipResViewFormatFloat1 = 0x16,
    hipResViewFormatFloat2 = 0x17,
    hipResViewFormatFloat4 = 0x18,
    hipResViewFormatUnsignedBlockCompressed1 = 0x19,
    hipResViewFormatUnsignedBlockCompressed2 = 0x1a,
    hipResViewFormatUnsignedBlockCompressed3 = 0x1b,
    hipResViewFormatUnsignedBlockCompressed4 = 0x1c,
    hipResViewFormatSignedBlockCompressed4 = 0x1d,
    hipResViewFormatUnsignedBlockCompressed5 = 0x1e,
    hipResViewFormatSignedBlockCompressed5 = 0x1f,
    hipResViewFormatUnsignedBlockCompressed6H = 0x20,
    hipResViewFormatSignedBlockCompressed6H = 0x21,
    hipResViewFormatUnsignedBlockCompressed7 = 0x22
} hipResourceViewFormat;
typedef enum HIPresourceViewFormat_enum {
    HIP_RES_VIEW_FORMAT_NONE = 0x00, ///< as the resource is
    HIP_RES_VIEW_FORMAT_UINT_1X8 = 0x01,
    HIP_RES_VIEW_FORMAT_UINT_2X8 = 0x02,
    HIP_RES_VIEW_FORMAT_UINT_4X8 = 0x03,
    HIP_RES_VIEW_FORMAT_SINT_1X8 = 0x04,
    HIP_RES_VIEW_FORMAT_SINT_2X8 = 0x05,
    HIP_RES_VIEW_FORMAT_SINT_4X8 = 0x06,
    HIP_RES_VIEW_FORMAT_UINT_1X16 = 0x07,
    HIP_RES_VIEW_FORMAT_UINT_2X16 = 0x08,
    HIP_RES_VIEW_FORMAT_UINT_4X16 = 0x09,
    HIP_RES_VIEW_FORMAT_SINT_1X16 = 0x0a,
    HIP_RES_VIEW_FORMAT_SINT_2X16 = 0x0b,
    HIP_RES_VIEW_FORMAT_SINT_4X16 = 0x0c,
    HIP_RES_VIEW_FORMAT_UINT_1X32 = 0x0d,
    HIP_RES_VIEW_FORMAT_UINT_2X32 = 0x0e,
    HIP_RES_VIEW_FORMAT_UINT_4X32 = 0x0f,
    HIP_RES_VIEW_FORMAT_SINT_1X32 = 0x10,
    HIP_RES_VIEW_FORMAT_SINT_2X32 = 0x11,
    HIP_RES_VIEW_FORMAT_SINT_4X32 = 0x12,
    HIP_RES_VIEW_FORMAT_FLOAT_1X16 = 0x13,
    HIP_RES_VIEW_FORMAT_FLOAT_2X16 = 0x14,
    HIP_RES_VIEW_FORMAT_FLOAT_4X16 = 0x15,
    HIP_RES_VIEW_FORMAT_FLOAT_1X32 = 0x16,
    HIP_RES_VIEW_FORMAT_FLOAT_2X32 = 0x17,
    HIP_RES_VIEW_FORMAT_FLOAT_4X32 = 0x18,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC1 = 0x19,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC2 = 0x1a,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC3 = 0x1b,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC4 = 0x1c,
    HIP_RES_VIEW_FORMAT_SIGNED_BC4 = 0x1d,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC5 = 0x1e,
    HIP_RES_VIEW_FORMAT_SIGNED_BC5 = 0x1f,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC6H = 0x20,
    HIP_RES_VIEW_FORMAT_SIGNED_BC6H = 0x21,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC7 = 0x22
} HIPresourceViewFormat;

/// What a texture or surface object reads; resType selects the member of res.
typedef struct hipResourceDesc {
    enum hipResourceType resType;
    union {
        struct {
            hipArray_t array;
        } array;
        struct {
            hipMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct hipChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct hipChannelFormatDesc desc;
            size_t width;        ///< elements
            size_t height;       ///< rows
            size_t pitchInBytes; ///< from row to row
        } pitch2D;
    } res;
} hipResourceDesc;

/// The same for the driver API.
typedef struct HIP_RESOURCE_DESC_st {
    HIPresourcetype resType;
    union {
        struct {
            hipArray_t hArray;
        } array;
        struct {
            hipMipmappedArray_t hMipmappedArray;
        } mipmap;
        struct {
            hipDeviceptr_t devPtr;
            hipArray_Format format;
            unsigned int numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            hipDeviceptr_t devPtr;
            hipArray_Format format;
            unsigned int numChannels;
            size_t width;        ///< elements
            size_t height;       ///< rows
            size_t pitchInBytes; ///< from row to row
        } pitch2D;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned int flags; ///< 0
} HIP_RESOURCE_DESC;

/// The part of a resource a texture sees, and as what. Runtime API, then driver API.
struct hipResourceViewDesc {
    enum hipResourceViewFormat format;
    size_t width;  ///< elements
    size_t height; ///< elements
    size_t depth;  ///< elements
    unsigned int firstMipmapLevel;
    unsigned int lastMipmapLevel;
    unsigned int firstLayer;
    unsigned int lastLayer;
};
typedef struct HIP_RESOURCE_VIEW_DESC_st {
    HIPresourceViewFormat format;
    size_t width;
    size_t height;
    size_t depth;
    unsigned int firstMipmapLevel;
    unsigned int lastMipmapLevel;
    unsigned int firstLayer;
    unsigned int lastLayer;
    unsigned int reserved[16];
} HIP_RESOURCE_VIEW_DESC;

#if !defined(__HIPCC_RTC__)
/// Direction of a copy.
typedef enum hipMemcpyKind {
    hipMemcpyHostToHost = 0,
    hipMemcpyHostToDevice = 1,
    hipMemcpyDeviceToHost = 2,
    hipMemcpyDeviceToDevice = 3,
    hipMemcpyDefault = 4,              ///< determined by the addresses
    hipMemcpyDeviceToDeviceNoCU = 1024 ///< as 3, with copy engines and no kernel
} hipMemcpyKind;

/// Rows of memory and their spacing.
typedef struct hipPitchedPtr {
    void *ptr;
    size_t pitch; ///< bytes from row to row
    size_t xsize; ///< width of a row, elements (bytes where the element is a byte)
    size_t ysize; ///< rows of a slice
} hipPitchedPtr;

/// A size in three dimensions.
typedef struct hipExtent {
    size_t width; ///< elements of an array, bytes of linear memory
    size_t height;
    size_t depth;
} hipExtent;

/// A position in three dimensions: x in elements of an array, in bytes of linear memory.
typedef struct hipPos {
    size_t x;
    size_t y;
    size_t z;
} hipPos;

/// A three-dimensional copy: see hipMemcpy3D(). Of each side's Array and Ptr exactly one is set.
typedef struct hipMemcpy3DParms {
    hipArray_t srcArray;
    struct hipPos srcPos;
    struct hipPitchedPtr srcPtr;
    hipArray_t dstArray;
    struct hipPos dstPos;
    struct hipPitchedPtr dstPtr;
    struct hipExtent extent;
    enum hipMemcpyKind kind;
} hipMemcpy3DParms;

/// A three-dimensional copy of the driver API: see hipDrvMemcpy3D(). As hip_Memcpy2D with a
/// third dimension; srcHeight and dstHeight are the rows from slice to slice.
typedef struct HIP_MEMCPY3D {
    size_t srcXInBytes;
    size_t srcY;
    size_t srcZ;
    size_t srcLOD; ///< 0
    hipMemoryType srcMemoryType;
    const void *srcHost;
    hipDeviceptr_t srcDevice;
    hipArray_t srcArray;
    size_t srcPitch;
    size_t srcHeight;
    size_t dstXInBytes;
    size_t dstY;
    size_t dstZ;
    size_t dstLOD; ///< 0
    hipMemoryType dstMemoryType;
    void *dstHost;
    hipDeviceptr_t dstDevice;
    hipArray_t dstArray;
    size_t dstPitch;
    size_t dstHeight;
    size_t WidthInBytes;
    size_t Height;
    size_t Depth;
} HIP_MEMCPY3D;

/// Kinds of places memory can be in.
typedef enum hipMemLocationType {
    hipMemLocationTypeInvalid = 0,
    hipMemLocationTypeNone = 0,
    hipMemLocationTypeDevice = 1,         ///< id is the device ordinal
    hipMemLocationTypeHost = 2,           ///< id is ignored
    hipMemLocationTypeHostNuma = 3,       ///< id is the NUMA node
    hipMemLocationTypeHostNumaCurrent = 4 ///< the node of the calling thread; id is ignored
} hipMemLocationType;

/// A place memory can be in.
typedef struct hipMemLocation {
    hipMemLocationType type;
    int id;
} hipMemLocation;

/// Flags of the copies of hipMemcpyBatchAsync() and hipMemcpy3DBatchAsync(): hints.
typedef enum hipMemcpyFlags {
    hipMemcpyFlagDefault = 0x0,
    hipMemcpyFlagPreferOverlapWithCompute = 0x1,
    hipMemcpyFlagExtPreferCE = 0x100, ///< prefer a copy engine
    hipMemcpyFlagExtOpSwap = 0x200,   ///< exchange the two ranges
} hipMemcpyFlags;

/// When a batched copy may read its source.
typedef enum hipMemcpySrcAccessOrder {
    hipMemcpySrcAccessOrderInvalid = 0x0,
    hipMemcpySrcAccessOrderStream = 0x1,        ///< in stream order
    hipMemcpySrcAccessOrderDuringApiCall = 0x2, ///< before the call returns
    hipMemcpySrcAccessOrderAny = 0x3,           ///< at any time
    hipMemcpySrcAccessOrderMax = 0x7FFFFFFF
} hipMemcpySrcAccessOrder;

/// Attributes of a run of copies in a batch.
typedef struct hipMemcpyAttributes {
    hipMemcpySrcAccessOrder srcAccessOrder;
    hipMemLocation srcLocHint; ///< where managed memory of the source is, or Invalid
    hipMemLocation dstLocHint;
    unsigned int flags; ///< hipMemcpyFlags
} hipMemcpyAttributes;

/// Which member of hipMemcpy3DOperand is meant.
typedef enum hipMemcpy3DOperandType {
    hipMemcpyOperandTypePointer = 0x1,
    hipMemcpyOperandTypeArray = 0x2,
    hipMemcpyOperandTypeMax = 0x7FFFFFFF
} hipMemcpy3DOperandType;

/// An offset into an array, elements.
typedef struct hipOffset3D {
    size_t x;
    size_t y;
    size_t z;
} hipOffset3D;

/// One side of a copy of hipMemcpy3DBatchAsync().
typedef struct hipMemcpy3DOperand {
    hipMemcpy3DOperandType type;
    union {
        struct {
            void *ptr;
            size_t rowLength;   ///< elements from row to row
            size_t layerHeight; ///< rows from slice to slice
            hipMemLocation locHint;
        } ptr;
        struct {
            hipArray_t array;
            hipOffset3D offset;
        } array;
    } op;
} hipMemcpy3DOperand;

/// One copy of hipMemcpy3DBatchAsync().
typedef struct hipMemcpy3DBatchOp {
    hipMemcpy3DOperand src;
    hipMemcpy3DOperand dst;
    hipExtent extent; ///< elements
    hipMemcpySrcAccessOrder srcAccessOrder;
    unsigned int flags; ///< hipMemcpyFlags
} hipMemcpy3DBatchOp;

/// A three-dimensional copy from one device to another: see hipMemcpy3DPeer().
typedef struct hipMemcpy3DPeerParms {
    hipArray_t srcArray;
    hipPos srcPos;
    hipPitchedPtr srcPtr;
    int srcDevice;
    hipArray_t dstArray;
    hipPos dstPos;
    hipPitchedPtr dstPtr;
    int dstDevice;
    hipExtent extent;
} hipMemcpy3DPeerParms;

/// Makes a hipPitchedPtr: address, bytes from row to row, width of a row, rows.
static inline struct hipPitchedPtr make_hipPitchedPtr(void *d, size_t p, size_t xsz, size_t ysz)
{
    struct hipPitchedPtr pitched;
    pitched.ptr = d;
    pitched.pitch = p;
    pitched.xsize = xsz;
    pitched.ysize = ysz;
    return pitched;
}

/// Makes a hipPos.
static inline struct hipPos make_hipPos(size_t x, size_t y, size_t z)
{
    struct hipPos pos;
    pos.x = x;
    pos.y = y;
    pos.z = z;
    return pos;
}

/// Makes a hipExtent: width, height, depth.
static inline struct hipExtent make_hipExtent(size_t w, size_t h, size_t d)
{
    struct hipExtent extent;
    extent.width = w;
    extent.height = h;
    extent.depth = d;
    return extent;
}

/// Attributes of hipFuncGetAttribute(): an int each.
typedef enum hipFunction_attribute {
    HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,             ///< static shared memory of a block, bytes
    HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,              ///< constant memory, bytes
    HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,              ///< private memory of a thread, bytes
    HIP_FUNC_ATTRIBUTE_NUM_REGS,                      ///< registers of a thread
    HIP_FUNC_ATTRIBUTE_PTX_VERSION,                   ///< 10 x major + minor
    HIP_FUNC_ATTRIBUTE_BINARY_VERSION,                ///< 10 x major + minor
    HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA,                 ///< 1 if compiled to cache global loads in L1
    HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, ///< bytes a launch may ask for
    HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, ///< percent, or -1 for no preference
    HIP_FUNC_ATTRIBUTE_MAX
} hipFunction_attribute;

/// Attributes of hipPointerGetAttribute(), with the type of each value.
typedef enum hipPointer_attribute {
    HIP_POINTER_ATTRIBUTE_CONTEXT = 1,                ///< hipCtx_t
    HIP_POINTER_ATTRIBUTE_MEMORY_TYPE,                ///< hipMemoryType
    HIP_POINTER_ATTRIBUTE_DEVICE_POINTER,             ///< hipDeviceptr_t
    HIP_POINTER_ATTRIBUTE_HOST_POINTER,               ///< void *
    HIP_POINTER_ATTRIBUTE_P2P_TOKENS,                 ///< two tokens for a kernel driver
    HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS,                ///< bool, may be set
    HIP_POINTER_ATTRIBUTE_BUFFER_ID,                  ///< unsigned, unique
    HIP_POINTER_ATTRIBUTE_IS_MANAGED,                 ///< bool
    HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL,             ///< int
    HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE,  ///< int
    HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR,           ///< hipDeviceptr_t
    HIP_POINTER_ATTRIBUTE_RANGE_SIZE,                 ///< unsigned, the lower 32 bits
    HIP_POINTER_ATTRIBUTE_MAPPED,                     ///< bool
    HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,       ///< bits of hipMemAllocationHandleType
    HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, ///< int
    HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS,               ///< unsigned, as it was allocated
    HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE              ///< hipMemPool_t
} hipPointer_attribute;

#endif // !__HIPCC_RTC__
#endif
