/* The parameters of kernels on drivers that cannot list them: before CUDA 12.4 there is no
 * cuFuncGetParamInfo. The PTX of each module is kept as long as the module, and its declarations
 * are read when a function is looked up. Nothing is kept of cubins.
 *
 * Any thread; one lock, under which no driver is called. */
#ifndef AHCUDA_PARAMETERS_H
#define AHCUDA_PARAMETERS_H

#include "cuda_backend.h"

/* Whether the driver of the device needs this. */
static inline bool ahcuda_parameters_are_needed(const struct ah_backend_device *device)
{
    return !device->api->cuFuncGetParamInfo;
}

/* Keeps the text that a module was loaded from, a string to be freed, which becomes this file's in
 * any case. Without memory the parameters of the module's functions stay unknown. */
void ahcuda_parameters_keep(const struct ah_backend_device *device, CUmodule module, char *text);
/* The module is unloaded, or all modules of the device are gone. */
void ahcuda_parameters_forget(const struct ah_backend_device *device, CUmodule module);
void ahcuda_parameters_forget_all(const struct ah_backend_device *device);

/* The function has been looked up in the module by its name in the text. */
void ahcuda_parameters_add(CUmodule module, CUfunction function, const char *name);

/* hipErrorInvalidValue: the function has not that many parameters; hipErrorNotSupported, without a
 * message: its parameters are not known. */
hipError_t ahcuda_parameters_get(CUfunction function, size_t index,
                                 struct ah_parameter *out_parameter);

#endif
