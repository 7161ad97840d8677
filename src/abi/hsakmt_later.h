/* What AMD's HSA runtime of ROCm 7 has differently from hsakmt_abi.h when it reaches its kernel
 * driver through a library of its own: with HSA_ENABLE_DTIF=1 it opens libdtif.so and takes all
 * of libhsakmt's functions from there, and those of libdrm that it uses.
 *
 * Source: hsakmttypes.h and thunk_loader.h of rocr-runtime, ROCm/rocm-systems, August 2025;
 * amdgpu.h of libdrm. Names of fields are AMD's. */
#ifndef HSAKMT_LATER_H
#define HSAKMT_LATER_H

#include "hsakmt_abi.h"

#pragma pack(push, 4)

typedef struct {
    uint32_t NumCPUCores, NumFComputeCores, NumNeuralCores, NumMemoryBanks, NumCaches, NumIOLinks;
    uint32_t CComputeIdLo, FComputeIdLo;
    uint32_t Capability, Capability2;
    uint32_t MaxWavesPerSIMD, LDSSizeInKB, GDSSizeInKB, WaveFrontSize;
    uint32_t NumShaderBanks, NumArrays, NumCUPerArray, NumSIMDPerCU, MaxSlotsScratchCU;
    uint32_t EngineId, OverrideEngineId;
    uint16_t VendorId, DeviceId;
    uint32_t LocationId;
    uint64_t LocalMemSize;
    uint32_t MaxEngineClockMhzFCompute, MaxEngineClockMhzCCompute;
    int32_t DrmRenderMinor;
    uint16_t MarketingName[HSA_PUBLIC_NAME_SIZE];
    uint8_t AMDName[HSA_PUBLIC_NAME_SIZE];
    uint32_t uCodeEngineVersions;
    uint64_t DebugProperties;
    uint64_t HiveID;
    uint32_t NumSdmaEngines, NumSdmaXgmiEngines;
    uint8_t NumSdmaQueuesPerEngine, NumCpQueues, NumGws, Integrated;
    uint32_t Domain;
    uint64_t UniqueID;
    uint32_t VGPRSizePerCU, SGPRSizePerCU;
    uint32_t NumXcc, KFDGpuID, FamilyID;
} HsaNodePropertiesLater;

typedef struct {
    uint32_t IoLinkType, VersionMajor, VersionMinor, NodeFrom, NodeTo, Weight;
    uint32_t MinimumLatency, MaximumLatency, MinimumBandwidth, MaximumBandwidth;
    uint32_t RecTransferSize, RecSdmaEngIdMask, Flags;
} HsaIoLinkPropertiesLater;

#pragma pack(pop)

/* A queue type: the engine is named by a number of its own. */
enum { HSA_QUEUE_SDMA_BY_ENG_ID = 6 };

/* libdrm's description of a GPU, up to the field that is used. */
struct amdgpu_gpu_info {
    uint32_t asic_id, chip_rev, chip_external_rev, family_id;
    uint64_t ids_flags, max_engine_clk, max_memory_clk;
    uint32_t num_shader_engines, num_shader_arrays_per_engine;
    uint32_t avail_quad_shader_pipes, max_quad_shader_pipes, cache_entries_per_quad_pipe;
    uint32_t num_hw_gfx_contexts, rb_pipes, enabled_rb_pipes_mask;
    uint32_t gpu_counter_freq; /* kHz */
};

#define HSAKMT_FUNCTION(name, parameters) HSAKMT_STATUS name parameters;
#include "hsakmt_later.def"
#undef HSAKMT_FUNCTION

/* Called once before any other function, with "HSA". NULL: the runtime has no devices. */
void *DtifCreate(const char *name);
void DtifDestroy(void);

/* libdrm's kinds of handles, operations on addresses and their flags, as far as they are used. */
enum { AMDGPU_BO_HANDLE_KMS = 1, AMDGPU_BO_HANDLE_DMA_BUF_FD = 2 };
enum { AMDGPU_VA_OP_MAP = 1, AMDGPU_VA_OP_UNMAP = 2 };
enum { AMDGPU_VM_PAGE_READABLE = 1 << 1, AMDGPU_VM_PAGE_WRITEABLE = 1 << 2 };
struct amdgpu_bo_import_result {
    void *buf_handle;
    uint64_t alloc_size;
};
enum { DRM_AMDGPU_GEM_MMAP = 1 }; /* a command of drmCommandWriteRead */
union drm_amdgpu_gem_mmap {
    struct {
        uint32_t handle, pad;
    } in;
    struct {
        uint64_t addr_ptr;
    } out;
};

/* Of libdrm: 0 or a negative error number. */
int amdgpu_device_initialize(int file, uint32_t *major, uint32_t *minor, void **device);
int amdgpu_device_deinitialize(void *device);
int amdgpu_query_gpu_info(void *device, struct amdgpu_gpu_info *information);
int amdgpu_bo_cpu_map(void *buffer, void **address);
int amdgpu_bo_free(void *buffer);
int amdgpu_bo_export(void *buffer, int type, uint32_t *handle);
int amdgpu_bo_import(void *device, int type, uint32_t handle,
                     struct amdgpu_bo_import_result *result);
int amdgpu_bo_va_op(void *buffer, uint64_t offset, uint64_t size, uint64_t address, uint64_t flags,
                    uint32_t operation);
int drmCommandWriteRead(int file, unsigned long command, void *data, unsigned long size);

#endif
