/* Owns opening and closing, versions, clocks, and functions whose results do not depend on
 * hardware. */
#include "simkmt.h"

#include "jit_exit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The kernel driver's interface that this is like: the first with exceptions of queues, and for
 * later runtimes the first whose virtual memory they use. */
enum { VERSION_MAJOR = 1, VERSION_MINOR = 11, VERSION_MINOR_LATER = 15 };
enum { TRAP_ALIGNMENT = 256, NS_PER_S = 1000000000 };

struct simkmt simkmt = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool simkmt_is_open(void)
{
    return atomic_load_explicit(&simkmt.node_count, memory_order_acquire) > 0 &&
           !atomic_load_explicit(&simkmt.forked, memory_order_relaxed);
}

HSAKMT_STATUS simkmt_refuse(HSAKMT_STATUS status, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    AH_LOG_ERR("simulated kernel driver: %s", text);
    return status;
}

/* ---- opening --------------------------------------------------------------------------- */

static void in_child(void)
{
    atomic_store_explicit(&simkmt.forked, true, memory_order_relaxed);
}

HSAKMT_STATUS hsaKmtOpenKFD(void)
{
    HSAKMT_STATUS result = HSAKMT_STATUS_SUCCESS;
    if (atomic_load(&simkmt.forked))
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    pthread_mutex_lock(&simkmt.lock);
    if (atomic_load(&simkmt.node_count) == 0) {
        result = simkmt_nodes_open();
        if (result == HSAKMT_STATUS_SUCCESS)
            pthread_atfork(NULL, NULL, in_child);
        jit_wait_at_exit();
    } else if (simkmt.opened > 0) {
        result = HSAKMT_STATUS_KERNEL_ALREADY_OPENED;
    }
    simkmt.opened +=
        result == HSAKMT_STATUS_SUCCESS || result == HSAKMT_STATUS_KERNEL_ALREADY_OPENED;
    pthread_mutex_unlock(&simkmt.lock);
    return result;
}

/* Their code goes with all memory. */
static void remove_handlers(void)
{
    for (uint32_t i = 1; i < atomic_load(&simkmt.node_count); i++)
        atomic_store(&simkmt.nodes[i].gpu.trap_handler, 0);
}

HSAKMT_STATUS hsaKmtCloseKFD(void)
{
    SIMKMT_ENTER();
    pthread_mutex_lock(&simkmt.lock);
    bool was_open = simkmt.opened > 0;
    bool last = simkmt.opened == 1;
    simkmt.opened -= was_open;
    pthread_mutex_unlock(&simkmt.lock);
    if (last) {
        simkmt_queues_close();
        simkmt_events_close();
        remove_handlers();
        simkmt_attributes_close();
        simkmt_drm_close();
        simkmt_memory_close();
    }
    return was_open ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
}

HSAKMT_STATUS hsaKmtGetVersion(HsaVersionInfo *info)
{
    SIMKMT_ENTER();
    if (!info)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    *info = (HsaVersionInfo){VERSION_MAJOR, simkmt.later ? VERSION_MINOR_LATER : VERSION_MINOR};
    return HSAKMT_STATUS_SUCCESS;
}

/* A debugger could attach from now on, but there is none for simulated devices. The caller learns
 * that queues report the reasons of their failures. */
HSAKMT_STATUS hsaKmtRuntimeEnable(void *debug, bool setup_ttmp)
{
    SIMKMT_ENTER();
    (void)debug, (void)setup_ttmp;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtRuntimeDisable(void)
{
    SIMKMT_ENTER();
    return HSAKMT_STATUS_SUCCESS;
}

/* ---- clocks ---------------------------------------------------------------------------- */

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

HSAKMT_STATUS hsaKmtGetClockCounters(uint32_t number, HsaClockCounters *counters)
{
    SIMKMT_ENTER();
    const struct simkmt_node *node = simkmt_node(number);
    if (!node)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!counters)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    *counters = (HsaClockCounters){
        .GPUClockCounter = number > 0 ? amdgpu_clock() : 0,
        .CPUClockCounter = nanoseconds(CLOCK_MONOTONIC_RAW),
        .SystemClockCounter = nanoseconds(CLOCK_BOOTTIME),
        .SystemClockFrequencyHz = NS_PER_S,
    };
    return HSAKMT_STATUS_SUCCESS;
}

/* ---- modes of devices ------------------------------------------------------------------ */

/* Faults of simulated devices are never retried. */
HSAKMT_STATUS hsaKmtGetXNACKMode(int32_t *enable)
{
    SIMKMT_ENTER();
    if (!enable)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    *enable = 0;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetXNACKMode(int32_t enable)
{
    SIMKMT_ENTER();
    if (simkmt_queues_exist())
        return simkmt_refuse(HSAKMT_STATUS_ERROR, "the XNACK mode, while there are queues");
    return enable == 0 ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_NOT_SUPPORTED;
}

/* All memory is coherent: a policy of caches changes nothing. */
HSAKMT_STATUS hsaKmtSetMemoryPolicy(uint32_t number, uint32_t policy, uint32_t alternate_policy,
                                    void *alternate, uint64_t size)
{
    SIMKMT_ENTER();
    (void)policy, (void)alternate_policy, (void)alternate, (void)size;
    return simkmt_gpu_node(number) ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_NODE_UNIT;
}

HSAKMT_STATUS hsaKmtSetTrapHandler(uint32_t number, void *code, uint64_t code_size, void *buffer,
                                   uint64_t buffer_size)
{
    SIMKMT_ENTER();
    (void)buffer_size;
    struct simkmt_node *node = simkmt_gpu_node(number);
    uint64_t address = (uintptr_t)code;
    if (!node)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    if (!code || code_size == 0 || address % TRAP_ALIGNMENT != 0)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    if (!sim_translate_range(node->gpu.device, address, code_size, false))
        return simkmt_refuse(HSAKMT_STATUS_INVALID_PARAMETER,
                             "a trap handler at %p, which node %u cannot access", code, number);
    atomic_store(&node->gpu.trap_data, (uintptr_t)buffer);
    atomic_store(&node->gpu.trap_handler, address);
    return HSAKMT_STATUS_SUCCESS;
}
