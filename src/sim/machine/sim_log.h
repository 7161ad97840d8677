/* The log of a simulated driver. */
#ifndef SIM_LOG_H
#define SIM_LOG_H

/* Sets it up as the library that opens the driver has it: by the configuration file, and then by
 * AMD_LOG_LEVEL, AMD_LOG_MASK and AMD_LOG_LEVEL_FILE. A driver calls it once, before its first
 * message. */
void sim_log_start(void);

#endif
