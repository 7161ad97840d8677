/* What is around simulated AMD devices, which whoever lists them says: the host, and links. */
#ifndef AMDGPU_SYSTEM_H
#define AMDGPU_SYSTEM_H

#include "amdgpu.h"

/* The host's processor, as its vendor calls it. */
void amdgpu_host_name(char *name, size_t size);
/* Its cache of the second level, in KiB. */
unsigned amdgpu_host_cache_kib(void);
/* Shader engines of a device, among which its compute units are divided evenly. */
unsigned amdgpu_shader_engines(const struct amdgpu_model *model);
/* Whether devices of this kind are linked to each other by XGMI, else by PCI Express. */
bool amdgpu_has_xgmi(const struct amdgpu_model *model);

#endif
