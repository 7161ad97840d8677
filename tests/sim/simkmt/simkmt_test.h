/* Shared by the tests of the simulated kernel driver: the library, opened as a runtime opens it.
 */
#ifndef SIMKMT_TEST_H
#define SIMKMT_TEST_H

#include "hsa_abi.h"
#include "hsakmt_abi.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
#define HSAKMT_FUNCTION(name, parameters) HSAKMT_STATUS(*name) parameters;
#include "hsakmt_functions.def"
#undef HSAKMT_FUNCTION
} kmt;

enum { PAGE = 4096, GPU = 1, SECOND_GPU = 2, NODES = 3, SECONDS_10 = 10000 /* ms */ };

#define ok(call)               assert_int_equal(call, HSAKMT_STATUS_SUCCESS)
#define expect(call, expected) assert_int_equal(call, expected)

static inline void open_library(const char *devices)
{
    setenv("ANYHIP_SIM_DEVICES", devices, 1);
    setenv("ANYHIP_SIM_MEMORY", "1GiB", 1);
    unsetenv("ANYHIP_SIM_FAULTS");
    void *library = dlopen(SIMKMT_PATH, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(EXIT_FAILURE);
    }
#define HSAKMT_FUNCTION(name, parameters) *(void **)&kmt.name = dlsym(library, #name);
#include "hsakmt_functions.def"
#undef HSAKMT_FUNCTION
}

/* Opens the driver with two GPUs. */
static inline int open_driver(void **state)
{
    (void)state;
    open_library("gfx90a*2");
    return kmt.hsaKmtOpenKFD();
}

static inline int close_driver(void **state)
{
    (void)state;
    return kmt.hsaKmtCloseKFD();
}

/* Allocates memory of a node and maps it there; memory of the host is mapped to both GPUs. */
static inline void *allocate(uint32_t node, uint64_t size)
{
    void *address = NULL;
    HsaMemFlags flags = {.Value = 0};
    flags.ui32.HostAccess = node == 0;
    ok(kmt.hsaKmtAllocMemory(node, size, flags, &address));
    ok(kmt.hsaKmtMapMemoryToGPU(address, size, NULL));
    return address;
}

static inline HsaEvent *new_event(uint32_t type, bool manual)
{
    HsaEvent *event = NULL;
    HsaEventDescriptor descriptor = {.EventType = type};
    ok(kmt.hsaKmtCreateEvent(&descriptor, manual, false, &event));
    return event;
}

#endif
