/* `anyhip info`: what this process finds on this machine. */
#ifndef AH_ANYHIP_INFO_H
#define AH_ANYHIP_INFO_H

enum ah_info_form { AH_INFO_TEXT, AH_INFO_JSON, AH_INFO_QUIET };

/* Prints drivers, devices, configuration and the variables that are set. Returns the exit status:
 * 0 with at least one device, else 1. */
int ah_info(enum ah_info_form form);

#endif
