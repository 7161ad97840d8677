/* The functions of libsimhsa.so.1 beyond those of the HSA runtime. */
#ifndef SIMHSA_H
#define SIMHSA_H

/* Sets the devices there will be, as ANYHIP_SIM_DEVICES writes them
 * ("gfx90a*2,gfx1100"), which it beats. To be called before the first hsa_init. Returns a
 * hsa_status_t: HSA_STATUS_ERROR_INVALID_ARGUMENT when the text does not parse (the log says
 * where), HSA_STATUS_ERROR_INVALID_RUNTIME_STATE after hsa_init. */
int anyhipSimConfigure(const char *devices);

#endif
