/* What libsimcuda.so.1 has in addition to the CUDA driver's functions. */
#ifndef SIMCUDA_H
#define SIMCUDA_H

/* Sets the devices there will be, as ANYHIP_SIM_DEVICES writes them
 * ("sm_80*2,sm_90"), which it beats. To be called before cuInit. Returns a
 * CUresult: CUDA_ERROR_INVALID_VALUE when the text does not parse (the log says
 * where), CUDA_ERROR_ILLEGAL_STATE after cuInit. */
int anyhipSimConfigure(const char *devices);

#endif
