/* Owns the folder of HSA_MODEL_TOPOLOGY: text files that say what nodes there are, as the kernel
 * driver has them in /sys/devices/virtual/kfd/kfd/topology.
 *
 * Source: topology.c of libhsakmt. Unknown lines are ignored there, and what is missing is 0.
 */
#include "simkmt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, LINKS_MAX = SIMKMT_NODES_MAX, CACHES_MAX = 3 };

/* ---- files ----------------------------------------------------------------------------- */

/* folder/format..., whose own folder is made as well. NULL: it cannot be; errno says why. */
__attribute__((format(printf, 2, 3))) static FILE *open_file(const char *folder, const char *format,
                                                             ...)
{
    char path[PATH_ROOM];
    va_list arguments;
    int length = snprintf(path, sizeof path, "%s/", folder);
    va_start(arguments, format);
    vsnprintf(path + length, sizeof path - (size_t)length, format, arguments);
    va_end(arguments);
    for (char *at = path + length; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            return NULL;
    }
    return fopen(path, "wxe");
}

static void line(FILE *file, const char *name, uint64_t value)
{
    if (file)
        fprintf(file, "%s %" PRIu64 "\n", name, value);
}

/* False: it was not written. Accepts NULL. */
static bool close_file(FILE *file)
{
    if (!file)
        return false;
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

/* ---- writing --------------------------------------------------------------------------- */

/* 9.0.10 is 90010. */
static uint64_t target_of(uint32_t engine)
{
    return (engine >> 10 & 0x3f) * 10000 + (engine >> 16 & 0xff) * 100 + (engine >> 24 & 0xff);
}

static void write_properties(FILE *file, const HsaNodeProperties *node, bool gpu)
{
    line(file, "cpu_cores_count", node->NumCPUCores);
    line(file, "simd_count", node->NumFComputeCores);
    line(file, "mem_banks_count", 1); /* the others are the runtime's own */
    line(file, "caches_count", gpu ? node->NumCaches : 0);
    line(file, "io_links_count", node->NumIOLinks);
    line(file, "simd_id_base", node->FComputeIdLo);
    line(file, "max_waves_per_simd", node->MaxWavesPerSIMD);
    line(file, "lds_size_in_kb", node->LDSSizeInKB);
    line(file, "wave_front_size", node->WaveFrontSize);
    line(file, "array_count", node->NumShaderBanks * node->NumArrays);
    line(file, "simd_arrays_per_engine", node->NumArrays);
    line(file, "cu_per_simd_array", node->NumCUPerArray);
    line(file, "simd_per_cu", node->NumSIMDPerCU);
    line(file, "max_slots_scratch_cu", node->MaxSlotsScratchCU);
    line(file, "gfx_target_version", target_of(node->EngineId));
    line(file, "vendor_id", node->VendorId);
    line(file, "device_id", node->DeviceId);
    line(file, "location_id", node->LocationId);
    line(file, "drm_render_minor", (uint64_t)node->DrmRenderMinor);
    line(file, "hive_id", node->HiveID);
    line(file, "num_sdma_engines", node->NumSdmaEngines);
    line(file, "num_sdma_xgmi_engines", node->NumSdmaXgmiEngines);
    line(file, "num_sdma_queues_per_engine", node->NumSdmaQueuesPerEngine);
    line(file, "num_cp_queues", node->NumCpQueues);
    line(file, "max_engine_clk_fcompute", node->MaxEngineClockMhzFCompute);
    line(file, "local_mem_size", 0); /* of memory that the host reaches as well */
    /* registered memory goes by attributes of shared virtual memory: a model gets no other */
    line(file, "capability", gpu ? node->Capability | HSA_CAP_SVM_API : 0);
    line(file, "unique_id", node->UniqueID);
    line(file, "num_xcc", gpu);
}

static bool write_memory(const char *folder, uint32_t number)
{
    HsaMemoryProperties bank;
    FILE *file = open_file(folder, "nodes/%" PRIu32 "/mem_banks/0/properties", number);
    (void)hsaKmtGetNodeMemoryProperties(number, 1, &bank);
    line(file, "heap_type", bank.HeapType);
    line(file, "size_in_bytes", bank.SizeInBytes);
    line(file, "width", bank.Width);
    line(file, "mem_clk_max", bank.MemoryClockMax);
    return close_file(file);
}

static bool write_caches(const char *folder, uint32_t number, uint32_t count)
{
    HsaCacheProperties caches[CACHES_MAX];
    bool good = true;
    (void)hsaKmtGetNodeCacheProperties(number, 0, count, caches);
    for (uint32_t i = 0; i < count && good; i++) {
        FILE *file =
            open_file(folder, "nodes/%" PRIu32 "/caches/%" PRIu32 "/properties", number, i);
        line(file, "level", caches[i].CacheLevel);
        line(file, "size", caches[i].CacheSize);
        line(file, "cache_line_size", caches[i].CacheLineSize);
        line(file, "type", caches[i].CacheType);
        good = close_file(file);
    }
    return good;
}

static bool write_links(const char *folder, uint32_t number, uint32_t count)
{
    HsaIoLinkProperties links[LINKS_MAX];
    bool good = true;
    (void)hsaKmtGetNodeIoLinkProperties(number, count, links);
    for (uint32_t i = 0; i < count && good; i++) {
        FILE *file =
            open_file(folder, "nodes/%" PRIu32 "/io_links/%" PRIu32 "/properties", number, i);
        line(file, "type", links[i].IoLinkType);
        line(file, "node_from", links[i].NodeFrom);
        line(file, "node_to", links[i].NodeTo);
        line(file, "weight", links[i].Weight);
        line(file, "flags", links[i].Flags);
        good = close_file(file);
    }
    return good;
}

/* gpu_id: the kernel interface takes no other for a model than the node's number plus 1. */
static bool write_node(const char *folder, uint32_t number)
{
    HsaNodeProperties node;
    bool gpu = number > 0;
    (void)hsaKmtGetNodeProperties(number, &node);
    FILE *id = open_file(folder, "nodes/%" PRIu32 "/gpu_id", number);
    if (id)
        fprintf(id, "%" PRIu32 "\n", gpu ? number + 1 : 0);
    FILE *file = open_file(folder, "nodes/%" PRIu32 "/properties", number);
    write_properties(file, &node, gpu);
    return close_file(id) && close_file(file) && write_memory(folder, number) &&
           write_caches(folder, number, gpu ? node.NumCaches : 0) &&
           write_links(folder, number, node.NumIOLinks);
}

static bool write_all(const char *folder)
{
    FILE *generation = open_file(folder, "generation_id"),
         *system = open_file(folder, "system_properties");
    if (generation)
        fprintf(generation, "1\n");
    line(system, "platform_oem", 0);
    line(system, "platform_id", 0);
    line(system, "platform_rev", 0);
    bool good = close_file(generation) && close_file(system);
    for (uint32_t i = 0; i < atomic_load(&simkmt.node_count) && good; i++)
        good = write_node(folder, i);
    return good;
}

/* Created under another name and then renamed, so that the folder is complete when it appears. */
bool simkmt_sysfs_write(const char *folder)
{
    char temporary[PATH_ROOM];
    int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", folder);
    bool good = length < PATH_ROOM / 2 && mkdtemp(temporary) && chmod(temporary, 0755) == 0 &&
                write_all(temporary) &&
                (rename(temporary, folder) == 0 || errno == ENOTEMPTY || errno == EEXIST);
    if (!good)
        AH_LOG_ERR("simulated kernel driver: the topology cannot be written to %s: %s", folder,
                   strerror(errno));
    return good;
}

/* ---- reading --------------------------------------------------------------------------- */

/* Of a node's properties; false: there is no such node. */
static bool read_target(const char *folder, uint32_t number, uint64_t *out_target)
{
    char path[PATH_ROOM], name[64];
    uint64_t value;
    snprintf(path, sizeof path, "%s/nodes/%" PRIu32 "/properties", folder, number);
    FILE *file = fopen(path, "re");
    *out_target = 0;
    while (file && fscanf(file, "%63s %" SCNu64, name, &value) == 2)
        if (strcmp(name, "gfx_target_version") == 0)
            *out_target = value;
    if (file)
        fclose(file);
    return file != NULL;
}

static const struct amdgpu_model *model_of(uint64_t target)
{
    char name[32];
    snprintf(name, sizeof name, "gfx%" PRIu64 "%" PRIx64 "%" PRIx64, target / 10000,
             target / 100 % 100, target % 100);
    return amdgpu_model(name);
}

int simkmt_sysfs_read(const char *folder, const struct amdgpu_model **out_models)
{
    int count = 0;
    uint64_t target;
    for (uint32_t i = 0; read_target(folder, i, &target) && count < SIM_DEVICES_MAX; i++) {
        if (target == 0)
            continue; /* the host */
        out_models[count] = model_of(target);
        if (!out_models[count++])
            return simkmt_refuse(HSAKMT_STATUS_ERROR, "%s has a device %" PRIu64, folder, target),
                   -1;
    }
    return count;
}
