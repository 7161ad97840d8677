/* To be written. */
#include "hsa_abi.h"
