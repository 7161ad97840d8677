/* How far memory of unknown size can be read. */
#ifndef AH_READABLE_H
#define AH_READABLE_H

#include <stddef.h>

/* The bytes that can be read from address on without a fault, 0 for none. */
size_t ah_memory_readable(const void *address);

#endif
