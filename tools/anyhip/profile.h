/* `anyhip profile`: a program whose kernels are counted on simulated devices. */
#ifndef AH_ANYHIP_PROFILE_H
#define AH_ANYHIP_PROFILE_H

/* arguments: those after the command. Returns the exit status. */
int ah_profile(int count, char **arguments);

#endif
