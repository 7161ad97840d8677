// A picture enlarged through a texture: the device computes the colours between pixels and decides
// what lies beyond the border. A device without textures (some for data centres have none) says so.
#include "check.h"

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <vector>

static const int width = 61, height = 47, factor = 4;
static const int large_width = width * factor, large_height = height * factor;

__global__ void enlarge(hipTextureObject_t picture, float *large)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < large_width && y < large_height)
        large[y * large_width + x] =
            tex2D<float>(picture, (x + 0.5f) / factor, (y + 0.5f) / factor);
}

static float pixel(const std::vector<float> &picture, int x, int y)
{
    x = std::min(std::max(x, 0), width - 1);
    y = std::min(std::max(y, 0), height - 1);
    return picture[y * width + x];
}

// What the texture unit computes. A pixel's colour is that of its middle, half a unit from its
// edge.
static float between(const std::vector<float> &picture, float x, float y)
{
    const float left = std::floor(x - 0.5f), top = std::floor(y - 0.5f);
    const float right_part = x - 0.5f - left, lower_part = y - 0.5f - top;
    const int i = (int)left, j = (int)top;
    const float upper =
        pixel(picture, i, j) * (1 - right_part) + pixel(picture, i + 1, j) * right_part;
    const float lower =
        pixel(picture, i, j + 1) * (1 - right_part) + pixel(picture, i + 1, j + 1) * right_part;
    return upper * (1 - lower_part) + lower * lower_part;
}

int main()
{
    int has_textures, device;
    std::vector<float> picture(width * height), large(large_width * large_height);
    for (int i = 0; i < width * height; i++)
        picture[i] = (float)((i % width) * 3 % 32 + (i / width) * 5 % 64);
    print_device();
    HIP_CHECK(hipGetDevice(&device));
    HIP_CHECK(hipDeviceGetAttribute(&has_textures, hipDeviceAttributeImageSupport, device));
    if (!has_textures) {
        printf("this device has no textures\n");
        return 77;
    }

    // Pixels live in an array, whose layout is the device's own.
    hipArray_t array;
    hipTextureObject_t texture;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    HIP_CHECK(hipMallocArray(&array, &format, width, height));
    HIP_CHECK(hipMemcpy2DToArray(array, 0, 0, picture.data(), width * sizeof(float),
                                 width * sizeof(float), height, hipMemcpyHostToDevice));
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    hipTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = hipAddressModeClamp;
    description.filterMode = hipFilterModeLinear;
    description.readMode = hipReadModeElementType;
    description.normalizedCoords = 0;
    HIP_CHECK(hipCreateTextureObject(&texture, &resource, &description, nullptr));

    float *device_large;
    const size_t bytes = large.size() * sizeof(float);
    HIP_CHECK(hipMalloc(&device_large, bytes));
    enlarge<<<dim3((large_width + 15) / 16, (large_height + 15) / 16), dim3(16, 16)>>>(
        texture, device_large);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(large.data(), device_large, bytes, hipMemcpyDeviceToHost));
    HIP_CHECK(hipDestroyTextureObject(texture));
    HIP_CHECK(hipFreeArray(array));
    HIP_CHECK(hipFree(device_large));

    for (int y = 0; y < large_height; y++) {
        for (int x = 0; x < large_width; x++) {
            const float expected = between(picture, (x + 0.5f) / factor, (y + 0.5f) / factor);
            const float is = large[y * large_width + x];
            // Texture units weigh with eight bits.
            if (!(std::fabs(is - expected) <= 96.0f / 256)) {
                printf("FAILED: pixel %d, %d is %g, not %g\n", x, y, is, expected);
                return 1;
            }
        }
    }
    printf("PASSED: a picture of %d x %d, %d times as large\n", width, height, factor);
    return 0;
}
