/* Owns how the log of a simulated driver is set up. */
#include "sim_log.h"

#include "config.h"

void sim_log_start(void)
{
    ah_config_start_log();
}
