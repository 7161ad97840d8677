// Execution contexts and masks: kernels run on the units of their stream, and on no others.
#include "../support/hip_test.h"

#include <cstring>
#include <set>

enum { BLOCKS = 512 };

__global__ void where(unsigned *units)
{
    units[blockIdx.x] = __smid();
}

// Where the blocks of a launch in the stream ran.
static std::set<unsigned> units_of(hipStream_t stream)
{
    ah_test::buffer<unsigned> units(std::vector<unsigned>(BLOCKS, ~0u));
    where<<<BLOCKS, 1, 0, stream>>>(units.device());
    CHECK_HIP(hipGetLastError());
    CHECK_HIP(hipStreamSynchronize(stream));
    auto all = units.read();
    return std::set<unsigned>(all.begin(), all.end());
}

// The numbers of units are those within one of several dies.
static bool has_dies()
{
    hipDeviceProp_t properties;
    CHECK_HIP(hipGetDeviceProperties(&properties, 0));
    return strncmp(properties.gcnArchName, "gfx94", 5) == 0 ||
           strncmp(properties.gcnArchName, "gfx95", 5) == 0;
}

static void check_apart(const std::set<unsigned> &a, const std::set<unsigned> &b)
{
    for (unsigned unit : a)
        CHECK(has_dies() || b.count(unit) == 0);
}

static hipDevResource all_units()
{
    hipDevResource all;
    CHECK_HIP(hipDeviceGetDevResource(0, &all, hipDevResourceTypeSm));
    return all;
}

static hipExecutionCtx_t context_of(hipDevResource part)
{
    hipDevResourceDesc_t description;
    hipExecutionCtx_t context = nullptr;
    CHECK_HIP(hipDevResourceGenerateDesc(&description, &part, 1));
    CHECK_HIP(hipGreenCtxCreate(&context, description, 0, 0));
    return context;
}

TEST("kernels of two contexts run on different units")
{
    hipDevResource all = all_units(), parts[2], rest;
    unsigned count = 2;
    CHECK_HIP(hipDevSmResourceSplitByCount(parts, &count, &all, &rest, 0, 4));
    CHECK_EQ(count, 2u);
    std::set<unsigned> used[2];
    for (int i = 0; i < 2; i++) {
        hipExecutionCtx_t context = context_of(parts[i]);
        hipStream_t stream;
        CHECK_HIP(hipExecutionCtxStreamCreate(&stream, context, hipStreamNonBlocking, 0));
        used[i] = units_of(stream);
        CHECK(!used[i].empty() && used[i].size() <= parts[i].sm.smCount);
        CHECK_HIP(hipStreamDestroy(stream));
        CHECK_HIP(hipExecutionCtxDestroy(context));
    }
    check_apart(used[0], used[1]);
}

TEST("what is left by a split can be a context too")
{
    hipDevResource all = all_units(), part, rest;
    hipDevSmResourceGroupParams wish = {};
    wish.smCount = 8;
    CHECK_HIP(hipDevSmResourceSplit(&part, 1, &all, &rest, 0, &wish));
    CHECK_EQ(rest.sm.smCount, all.sm.smCount - 8);
    hipExecutionCtx_t contexts[] = {context_of(part), context_of(rest)};
    std::set<unsigned> used[2];
    for (int i = 0; i < 2; i++) {
        hipStream_t stream;
        CHECK_HIP(hipExecutionCtxStreamCreate(&stream, contexts[i], hipStreamNonBlocking, 0));
        used[i] = units_of(stream);
        CHECK_HIP(hipStreamDestroy(stream));
    }
    CHECK(used[0].size() <= 8);
    check_apart(used[0], used[1]);
    CHECK_HIP(hipExecutionCtxDestroy(contexts[0]));
    CHECK_HIP(hipExecutionCtxDestroy(contexts[1]));
}

TEST("a stream with a mask runs on the units that it names")
{
    uint32_t mask = 0xf0;
    hipStream_t stream;
    CHECK_HIP(hipExtStreamCreateWithCUMask(&stream, 1, &mask));
    std::set<unsigned> used = units_of(stream);
    CHECK(!used.empty() && used.size() <= 4);
    uint32_t other_mask = 0xf;
    hipStream_t other;
    CHECK_HIP(hipExtStreamCreateWithCUMask(&other, 1, &other_mask));
    check_apart(used, units_of(other));
    CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipStreamDestroy(other));
}

TEST("work of a context and of the device's streams sees each other's results")
{
    hipDevResource all = all_units(), part;
    hipDevSmResourceGroupParams wish = {};
    wish.smCount = 4;
    CHECK_HIP(hipDevSmResourceSplit(&part, 1, &all, nullptr, 0, &wish));
    hipExecutionCtx_t context = context_of(part);
    hipStream_t inside, outside;
    hipEvent_t done;
    CHECK_HIP(hipExecutionCtxStreamCreate(&inside, context, hipStreamNonBlocking, 0));
    CHECK_HIP(hipStreamCreateWithFlags(&outside, hipStreamNonBlocking));
    CHECK_HIP(hipEventCreate(&done));
    ah_test::buffer<unsigned> units(std::vector<unsigned>(BLOCKS, ~0u));
    std::vector<unsigned> copy(BLOCKS, ~0u);
    where<<<BLOCKS, 1, 0, inside>>>(units.device());
    CHECK_HIP(hipExecutionCtxRecordEvent(context, done));
    CHECK_HIP(hipStreamWaitEvent(outside, done, 0));
    CHECK_HIP(hipMemcpyAsync(copy.data(), units.device(), BLOCKS * sizeof(unsigned),
                             hipMemcpyDeviceToHost, outside));
    CHECK_HIP(hipStreamSynchronize(outside));
    for (unsigned unit : copy)
        CHECK(unit != ~0u);
    CHECK_HIP(hipEventRecord(done, outside));
    CHECK_HIP(hipExecutionCtxWaitEvent(context, done));
    CHECK_HIP(hipExecutionCtxSynchronize(context));
    CHECK_HIP(hipEventDestroy(done));
    CHECK_HIP(hipStreamDestroy(outside));
    CHECK_HIP(hipStreamDestroy(inside));
    CHECK_HIP(hipExecutionCtxDestroy(context));
}

TEST("a launch takes every attribute that its device has")
{
    int window = 0;
    CHECK_HIP(hipDeviceGetAttribute(&window, hipDeviceAttributeAccessPolicyMaxWindowSize, 0));
    ah_test::buffer<unsigned> units(std::vector<unsigned>(BLOCKS, ~0u));
    hipLaunchAttribute attributes[5] = {};
    attributes[0].id = hipLaunchAttributePriority;
    attributes[0].val.priority = -1;
    attributes[1].id = hipLaunchAttributeMemSyncDomain;
    attributes[1].val.memSyncDomain = hipLaunchMemSyncDomainRemote;
    attributes[2].id = hipLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[2].val.clusterSchedulingPolicyPreference = hipClusterSchedulingPolicySpread;
    attributes[3].id = hipLaunchAttributeClusterDimension;
    attributes[3].val.clusterDim = {1, 1, 1};
    attributes[4].id = hipLaunchAttributeAccessPolicyWindow;
    attributes[4].val.accessPolicyWindow = {units.device(), hipAccessPropertyPersisting, 1,
                                            hipAccessPropertyStreaming,
                                            size_t(window > 1024 ? 1024 : window)};
    hipLaunchConfig_t config = {};
    config.gridDim = dim3(BLOCKS);
    config.blockDim = dim3(1);
    config.attrs = attributes;
    config.numAttrs = 5;
    unsigned *pointer = units.device();
    void *args[] = {&pointer};
    CHECK_HIP(hipLaunchKernelExC(&config, reinterpret_cast<const void *>(where), args));
    CHECK_HIP(hipDeviceSynchronize());
    for (unsigned unit : units.read())
        CHECK(unit != ~0u);
}

HIP_TEST_MAIN
