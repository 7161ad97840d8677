/* Lists of simulated AMD devices, as users write them. */
#ifndef AMDGPU_LIST_H
#define AMDGPU_LIST_H

#include "amdgpu.h"

/* Reads "gfx90a*2,gfx1100" ("": the usual device) into out_models, which has room for
 * SIM_DEVICES_MAX; NVIDIA's ("sm_80") are passed over. Returns how many there are, -1: it is not
 * such a list, and the log says where. */
int amdgpu_list_read(const char *list, const struct amdgpu_model **out_models);

#endif
