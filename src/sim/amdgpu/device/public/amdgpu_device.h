/* The interface of device: the AMD GPUs that can be simulated.
 *
 * device owns the table of models, the syntax in which users list devices, and what a driver
 * reports about the host and about links between devices. It knows nothing of code, memory or
 * queues. Every room and both drivers may call it, from any thread: all of it is constant data
 * and pure functions, and nothing takes a lock. */
#ifndef AMDGPU_DEVICE_H
#define AMDGPU_DEVICE_H

#include "amdgpu_inst.h"
#include "sim_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- models ---------------------------------------------------------------------------- */

/* A kind of device; a row of amdgpu_models.def. */
struct amdgpu_model {
    const char *name; /* "gfx90a" */
    enum amdgpu_isa isa;
    const char *product; /* the product that it resembles, "AMD Instinct MI210"; the device itself
                            is called "AnyHIP simulated gfx90a" */
    unsigned lanes;      /* of a wave, unless the kernel specifies the wavefront size */
    unsigned units;      /* compute units */
    unsigned simds_per_unit, waves_per_simd;
    unsigned clock_mhz, memory_clock_mhz, bus_width;
    unsigned l1_kib, l2_kib, l3_kib;    /* caches; 0: there is none */
    unsigned chip_id;                   /* PCI device id */
    bool xnack, sramecc;                /* defaults of the target id's features */
    unsigned vgprs_per_simd, vgpr_unit; /* registers of a lane, and allocation granularity */
    unsigned line_size;                 /* bytes of a line of the vector caches */
};
enum { AMDGPU_LDS_PER_BLOCK = 65536 };
/* The most LDS that a work-group can have, in bytes; ANYHIP_SIM_SHARED overrides it. */
static inline size_t amdgpu_lds_limit(void)
{
    size_t requested = sim_options()->shared_per_block;
    return requested ? requested : AMDGPU_LDS_PER_BLOCK;
}
const struct amdgpu_model *amdgpu_model(const char *name); /* NULL: there is no such model */
const struct amdgpu_model *amdgpu_model_at(size_t index);  /* NULL past the last */
/* The model of a processor, or the first that runs code for a generic target; NULL: none does. */
const struct amdgpu_model *amdgpu_model_of_target(const char *target);

/* Shader engines of a device, among which its compute units are divided evenly. */
unsigned amdgpu_shader_engines(const struct amdgpu_model *model);
/* Whether devices of this model are linked to each other by XGMI; otherwise by PCI Express. */
bool amdgpu_has_xgmi(const struct amdgpu_model *model);

/* ---- devices --------------------------------------------------------------------------- */

/* A device, as dispatches see it. The driver creates it. */
struct amdgpu_device {
    int device; /* of sim_memory.h */
    struct amdgpu_model model;
    uint64_t clock_hz; /* of timestamps, s_memrealtime and signals: 100000000 */
    /* The address of the trap handler, 0: there is none; and the value that the handler finds in
     * TTMP14 and TTMP15. Both may change while kernels run. */
    _Atomic(uint64_t) trap_handler, trap_data;
};
enum { AMDGPU_CLOCK_HZ = 100000000 };
uint64_t amdgpu_clock(void); /* the current time, in ticks of clock_hz */

/* Parses a list of devices, "gfx90a*2,gfx1100" ("": the default device), into out_models, which has
 * room for SIM_DEVICES_MAX. A generic target stands for a model that runs code for it, and of
 * "gfx1200|gfx9-4-generic" the first counts that can be simulated. NVIDIA's devices ("sm_80") are
 * skipped. Returns how many there are; -1: the list is invalid, and the log says where. */
int amdgpu_list_read(const char *list, const struct amdgpu_model **out_models);

/* Says in the log that the list cannot be used from at on, and what can. */
void amdgpu_list_refuse(const char *list, const char *at);

/* ---- the host -------------------------------------------------------------------------- */

/* The host's processor, as its vendor calls it. */
void amdgpu_host_name(char *name, size_t size);
/* The size of its level 2 cache, in KiB. */
unsigned amdgpu_host_cache_kib(void);

#endif
