/* Owns the name under which the fake driver reads its environment variables: the
 * same driver is built twice, so that a process can have two. */
#include "fake.h"

const char *const fake_prefix = FAKE_PREFIX;
