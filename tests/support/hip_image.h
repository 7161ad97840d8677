// Images for tests of textures and surfaces: values on the host, arrays and objects made of them,
// and what a read must give by the documented formulas.
#ifndef AH_TESTS_HIP_IMAGE_H
#define AH_TESTS_HIP_IMAGE_H

#include "hip_test.h"

namespace ah_test
{

// Whether the current device has images; what has none refuses to make objects, which is checked.
inline bool has_images()
{
    int support = 0, device = 0;
    check_hip(hipGetDevice(&device), "hipGetDevice", __FILE__, __LINE__);
    check_hip(hipDeviceGetAttribute(&support, hipDeviceAttributeImageSupport, device),
              "hipDeviceGetAttribute", __FILE__, __LINE__);
    if (support)
        return true;
    hipResourceDesc resource = {};
    hipTextureDesc settings = {};
    hipTextureObject_t object;
    void *memory;
    check_hip(hipMalloc(&memory, 1024), "hipMalloc", __FILE__, __LINE__);
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = hipCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 1024;
    if (hipCreateTextureObject(&object, &resource, &settings, nullptr) != hipErrorNotSupported)
        fail(__FILE__, __LINE__, "a device without images makes a texture object");
    check_hip(hipFree(memory), "hipFree", __FILE__, __LINE__);
    return false;
}

// Rows of texels; depth counts slices or layers.
template <typename T> struct image {
    int width, height, depth;
    std::vector<T> texels;

    image(int w, int h, int d) : width(w), height(h), depth(d), texels(w * h * d) {}
    T &at(int x, int y = 0, int z = 0) { return texels[(z * height + y) * width + x]; }
    const T &at(int x, int y = 0, int z = 0) const { return texels[(z * height + y) * width + x]; }
};

// An array of one channel description. 0 as height or depth: there is no such dimension.
class array
{
  public:
    array(const hipChannelFormatDesc &format, int width, int height, int depth, unsigned flags)
        : extent_(make_hipExtent(width, height, depth))
    {
        check_hip(hipMalloc3DArray(&array_, &format, extent_, flags), "hipMalloc3DArray", __FILE__,
                  __LINE__);
    }
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array() { (void)hipFreeArray(array_); }
    operator hipArray_t() const { return array_; }

    template <typename T> void write(const image<T> &from) { copy(array_, from, true); }
    template <typename T> void read(image<T> &to) { copy(array_, to, false); }

    // Between an array and all of an image.
    template <typename T> static void copy(hipArray_t array, const image<T> &host, bool write)
    {
        hipMemcpy3DParms parms = {};
        T *texels = const_cast<T *>(host.texels.data());
        hipPitchedPtr memory =
            make_hipPitchedPtr(texels, host.width * sizeof(T), host.width, host.height);
        (write ? parms.srcPtr : parms.dstPtr) = memory;
        (write ? parms.dstArray : parms.srcArray) = array;
        parms.extent = make_hipExtent(host.width, host.height, host.depth);
        parms.kind = write ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost;
        check_hip(hipDeviceSynchronize(), "hipDeviceSynchronize", __FILE__, __LINE__);
        check_hip(hipMemcpy3D(&parms), "hipMemcpy3D", __FILE__, __LINE__);
    }

  private:
    hipArray_t array_ = nullptr;
    hipExtent extent_;
};

// A texture object.
class texture
{
  public:
    texture(const hipResourceDesc &resource, const hipTextureDesc &settings,
            const hipResourceViewDesc *view = nullptr)
    {
        check_hip(hipCreateTextureObject(&object_, &resource, &settings, view),
                  "hipCreateTextureObject", __FILE__, __LINE__);
    }
    texture(hipArray_t array, const hipTextureDesc &settings) : texture(of_array(array), settings)
    {
    }
    texture(const texture &) = delete;
    texture &operator=(const texture &) = delete;
    ~texture() { (void)hipDestroyTextureObject(object_); }
    operator hipTextureObject_t() const { return object_; }

    static hipResourceDesc of_array(hipArray_t array)
    {
        hipResourceDesc resource = {};
        resource.resType = hipResourceTypeArray;
        resource.res.array.array = array;
        return resource;
    }

  private:
    hipTextureObject_t object_ = nullptr;
};

inline hipTextureDesc settings_with(hipTextureAddressMode mode, hipTextureFilterMode filter,
                                    bool normalized,
                                    hipTextureReadMode read = hipReadModeElementType)
{
    hipTextureDesc settings = {};
    for (auto &m : settings.addressMode)
        m = mode;
    settings.filterMode = filter;
    settings.readMode = read;
    settings.normalizedCoords = normalized;
    return settings;
}

// ---- what a read gives ----

// The index of a texel, -1: outside, where the border is.
inline int texel_index(hipTextureAddressMode mode, long i, int size)
{
    switch (mode) {
    case hipAddressModeWrap:
        return static_cast<int>(((i % size) + size) % size);
    case hipAddressModeMirror:
        i = ((i % (2 * size)) + 2 * size) % (2 * size);
        return static_cast<int>(i < size ? i : 2 * size - 1 - i);
    case hipAddressModeBorder:
        return i < 0 || i >= size ? -1 : static_cast<int>(i);
    default:
        return static_cast<int>(i < 0 ? 0 : i >= size ? size - 1 : i);
    }
}

// A texel by indices that may lie outside.
inline double texel(const image<double> &in, const hipTextureDesc &settings, int dimensions,
                    const long index[3], int layer)
{
    int size[3] = {in.width, in.height, in.depth}, at[3] = {0, 0, layer};
    for (int d = 0; d < dimensions; ++d) {
        at[d] = texel_index(settings.addressMode[d], index[d], size[d]);
        if (at[d] < 0)
            return settings.borderColor[0];
    }
    return in.at(at[0], at[1], at[2]);
}

// The filtered value at a place; layer: of layered images, whose depth counts them.
inline double expected(const image<double> &in, const hipTextureDesc &settings, int dimensions,
                       const float place[3], int layer = 0)
{
    int size[3] = {in.width, in.height, in.depth};
    long first[3] = {0, 0, 0};
    double share[3] = {0, 0, 0};
    bool linear = settings.filterMode == hipFilterModeLinear;
    for (int d = 0; d < dimensions; ++d) {
        double x = static_cast<double>(place[d]) * (settings.normalizedCoords ? size[d] : 1);
        x -= linear ? 0.5 : 0;
        first[d] = std::lround(std::floor(x));
        share[d] = linear ? x - std::floor(x) : 0;
    }
    double sum = 0;
    for (int corner = 0; corner < 1 << dimensions; ++corner) {
        long index[3] = {0, 0, 0};
        double weight = 1;
        for (int d = 0; d < dimensions; ++d) {
            int second = corner >> d & 1;
            index[d] = first[d] + second;
            weight *= second ? share[d] : 1 - share[d];
        }
        if (weight > 0)
            sum += weight * texel(in, settings, dimensions, index, layer);
    }
    return sum;
}

} // namespace ah_test

#endif
