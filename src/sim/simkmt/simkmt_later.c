/* Owns the differences of ROCm 7's runtimes from 5.2.3: the start (DtifCreate), the structures that
 * grew, and functions that are new or have more parameters. */
#include "simkmt.h"

#include <string.h>

/* ---- the start ------------------------------------------------------------------------- */

void *DtifCreate(const char *name)
{
    simkmt.later = true;
    return name && strcmp(name, "HSA") == 0 ? &simkmt : NULL;
}

/* hsaKmtCloseKFD has closed everything. */
void DtifDestroy(void) {}

/* The nodes do not belong to a model that the runtime would load (HSA_MODEL_LIB). */
HSAKMT_STATUS hsaKmtModelEnabled(bool *enabled)
{
    if (!enabled)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    *enabled = false;
    return HSAKMT_STATUS_SUCCESS;
}

/* As hsaKmtRuntimeEnable. */
HSAKMT_STATUS hsaKmtCheckRuntimeDebugSupport(void)
{
    SIMKMT_ENTER();
    return HSAKMT_STATUS_SUCCESS;
}

/* No optional capabilities, which are core dumps. */
HSAKMT_STATUS hsaKmtGetRuntimeCapabilities(uint32_t *capabilities)
{
    SIMKMT_ENTER();
    if (!capabilities)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    *capabilities = 0;
    return HSAKMT_STATUS_SUCCESS;
}

/* ---- structures that grew -------------------------------------------------------------- */

/* The family's number in the Linux driver (amdgpu_drm.h). */
static uint32_t family_of(const struct amdgpu_model *model)
{
    switch (model->isa) {
    case AMDGPU_GFX1010:
    case AMDGPU_GFX1030:
        return 143;
    case AMDGPU_GFX1100:
        return 145;
    default:
        return 141;
    }
}

/* Both structures begin in the same way; fields that were inserted have different names. */
void simkmt_later_node(const struct simkmt_node *node, const HsaNodeProperties *properties,
                       HsaNodePropertiesLater *out_later)
{
#define SAME(field) .field = properties->field
    *out_later = (HsaNodePropertiesLater){
        SAME(NumCPUCores),
        SAME(NumFComputeCores),
        SAME(NumMemoryBanks),
        SAME(NumCaches),
        SAME(NumIOLinks),
        SAME(CComputeIdLo),
        SAME(FComputeIdLo),
        SAME(Capability),
        SAME(MaxWavesPerSIMD),
        SAME(LDSSizeInKB),
        SAME(GDSSizeInKB),
        SAME(WaveFrontSize),
        SAME(NumShaderBanks),
        SAME(NumArrays),
        SAME(NumCUPerArray),
        SAME(NumSIMDPerCU),
        SAME(MaxSlotsScratchCU),
        SAME(EngineId),
        SAME(VendorId),
        SAME(DeviceId),
        SAME(LocationId),
        SAME(LocalMemSize),
        SAME(MaxEngineClockMhzFCompute),
        SAME(MaxEngineClockMhzCCompute),
        SAME(DrmRenderMinor),
        SAME(uCodeEngineVersions),
        SAME(DebugProperties),
        SAME(HiveID),
        SAME(NumSdmaEngines),
        SAME(NumSdmaXgmiEngines),
        SAME(NumSdmaQueuesPerEngine),
        SAME(NumCpQueues),
        SAME(NumGws),
        SAME(Domain),
        SAME(UniqueID),
        SAME(VGPRSizePerCU),
        SAME(SGPRSizePerCU),
    };
#undef SAME
    memcpy(out_later->MarketingName, properties->MarketingName, sizeof out_later->MarketingName);
    memcpy(out_later->AMDName, properties->AMDName, sizeof out_later->AMDName);
    if (node->number == 0)
        return;
    out_later->NumXcc = 1;
    out_later->KFDGpuID = node->number;
    out_later->FamilyID = family_of(&node->gpu.model);
}

void simkmt_later_link(const HsaIoLinkProperties *properties, HsaIoLinkPropertiesLater *out_later)
{
    *out_later = (HsaIoLinkPropertiesLater){
        .IoLinkType = properties->IoLinkType,
        .NodeFrom = properties->NodeFrom,
        .NodeTo = properties->NodeTo,
        .Weight = properties->Weight,
        .MinimumBandwidth = properties->MinimumBandwidth,
        .MaximumBandwidth = properties->MaximumBandwidth,
        .Flags = properties->Flags,
    };
}

/* ---- functions with more parameters ---------------------------------------------------- */

/* All engines are alike. */
HSAKMT_STATUS hsaKmtCreateQueueExt(uint32_t node, uint32_t type, uint32_t percentage,
                                   int32_t priority, uint32_t engine, void *address, uint64_t size,
                                   HsaEvent *event, HsaQueueResource *resource)
{
    (void)engine;
    if (type == HSA_QUEUE_SDMA_BY_ENG_ID)
        type = HSA_QUEUE_SDMA;
    return hsaKmtCreateQueue(node, type, percentage, priority, address, size, event, resource);
}

/* ---- what there is not ----------------------------------------------------------------- */

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define HSAKMT_FUNCTION(name, parameters)
#define HSAKMT_REFUSED(name, parameters, what)                                                     \
    HSAKMT_STATUS name parameters                                                                  \
    {                                                                                              \
        SIMKMT_ENTER();                                                                            \
        return simkmt_refuse(HSAKMT_STATUS_NOT_SUPPORTED, "%s: %s", #name, what);                  \
    }
#include "hsakmt_later.def"
#undef HSAKMT_FUNCTION
