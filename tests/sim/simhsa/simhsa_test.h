/* Shared by the tests of the simulated HSA runtime: the library, opened as a program opens it, its
 * devices, and kernels. */
#ifndef SIMHSA_TEST_H
#define SIMHSA_TEST_H

#include "hsa_abi.h"

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
#define HSA_FUNCTION(result, name, parameters) result(*name) parameters;
#include "hsa_functions.def"
#undef HSA_FUNCTION
    int (*anyhipSimConfigure)(const char *devices);
} rt;

static void *library;

/* Another library, to run the tests on it by hand. */
static inline const char *library_path(void)
{
    const char *path = getenv("SIMHSA_TEST_LIBRARY");
    return path ? path : SIMHSA_PATH;
}

static inline void open_library(void)
{
    library = dlopen(library_path(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(EXIT_FAILURE);
    }
#define HSA_FUNCTION(result, name, parameters) *(void **)&rt.name = dlsym(library, #name);
#include "hsa_functions.def"
#undef HSA_FUNCTION
    *(void **)&rt.anyhipSimConfigure = dlsym(library, "anyhipSimConfigure");
}

#define ok(call)               assert_int_equal(call, HSA_STATUS_SUCCESS)
#define expect(call, expected) assert_int_equal(call, expected)

/* ---- devices ------------------------------------------------------------------------------- */

static struct {
    hsa_agent_t cpu, gpus[4];
    unsigned gpu_count;
    hsa_amd_memory_pool_t fine, kernarg, coarse; /* of the host */
    hsa_amd_memory_pool_t memory;                /* of the first device */
} here;

static inline hsa_status_t collect_agent(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    (void)data;
    hsa_status_t result = rt.hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_CPU)
        here.cpu = agent;
    else if (here.gpu_count < 4)
        here.gpus[here.gpu_count++] = agent;
    return result;
}

static inline hsa_status_t collect_pool(hsa_amd_memory_pool_t pool, void *data)
{
    uint32_t flags = 0;
    bool of_host = data == NULL;
    hsa_amd_segment_t segment;
    rt.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    rt.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    if (segment != HSA_AMD_SEGMENT_GLOBAL)
        return HSA_STATUS_SUCCESS;
    if (!of_host && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED)
        here.memory = pool;
    else if (of_host && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
        here.kernarg = pool;
    else if (of_host && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
        here.fine = pool;
    else if (of_host)
        here.coarse = pool;
    return HSA_STATUS_SUCCESS;
}

/* Starts the runtime with these devices. */
static inline int start_with(const char *devices)
{
    static int nothing;
    unsetenv("ROCR_VISIBLE_DEVICES");
    unsetenv("HSA_VISIBLE_DEVICES");
    unsetenv("ANYHIP_SIM_FAULTS");
    setenv("ANYHIP_SIM_MEMORY", "1GiB", 1);
    open_library();
    return rt.anyhipSimConfigure(devices) || rt.hsa_init() ||
           rt.hsa_iterate_agents(collect_agent, NULL) ||
           rt.hsa_amd_agent_iterate_memory_pools(here.cpu, collect_pool, NULL) ||
           rt.hsa_amd_agent_iterate_memory_pools(here.gpus[0], collect_pool, &nothing);
}

/* Runs body in a process of its own, which has not opened the runtime yet. */
static inline void in_a_child(void (*body)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        body();
        exit(EXIT_SUCCESS);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A check for such processes, where cmocka's have no effect. */
#define child_check(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

/* ---- memory and signals ------------------------------------------------------------------------
 */

static inline void *allocate(hsa_amd_memory_pool_t pool, size_t size)
{
    void *pointer = NULL;
    ok(rt.hsa_amd_memory_pool_allocate(pool, size, 0, &pointer));
    assert_non_null(pointer);
    return pointer;
}

/* Returns whether size bytes of any memory all have value. */
static inline bool all_bytes(const void *pointer, size_t size, unsigned char value)
{
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    ok(rt.hsa_memory_copy(bytes, pointer, size));
    size_t same = 0;
    while (same < size && bytes[same] == value)
        same++;
    free(bytes);
    return same == size;
}

static inline hsa_signal_t new_signal(hsa_signal_value_t value)
{
    hsa_signal_t signal = {0};
    ok(rt.hsa_signal_create(value, 0, NULL, &signal));
    return signal;
}

enum { SECOND = 1000000000 }; /* ticks of the system's clock */

/* Waits until a signal is 0 or less; false: time-out. */
static inline bool wait_for(hsa_signal_t signal)
{
    return rt.hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, 30ull * SECOND,
                                        HSA_WAIT_STATE_BLOCKED) < 1;
}

/* ---- code
 * ------------------------------------------------------------------------------------------ */

static inline void *read_code(const char *name, size_t *out_size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.co", CODE_FOLDER, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *out_size = (size_t)ftell(file);
    void *bytes = malloc(*out_size);
    assert_non_null(bytes);
    rewind(file);
    assert_int_equal(fread(bytes, 1, *out_size, file), *out_size);
    fclose(file);
    return bytes;
}

static inline hsa_executable_t new_executable(void)
{
    hsa_executable_t executable = {0};
    ok(rt.hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL,
                                    &executable));
    return executable;
}

static inline hsa_status_t load_code(hsa_executable_t executable, hsa_agent_t agent,
                                     const void *bytes, size_t size)
{
    hsa_code_object_reader_t reader;
    ok(rt.hsa_code_object_reader_create_from_memory(bytes, size, &reader));
    hsa_status_t result =
        rt.hsa_executable_load_agent_code_object(executable, agent, reader, NULL, NULL);
    ok(rt.hsa_code_object_reader_destroy(reader));
    return result;
}

/* kernels.c on an agent; model: "gfx90a". */
static inline hsa_executable_t load_kernels(hsa_agent_t agent, const char *model)
{
    size_t size;
    char name[64];
    snprintf(name, sizeof name, "kernels_%s", model);
    void *bytes = read_code(name, &size);
    hsa_executable_t executable = new_executable();
    ok(load_code(executable, agent, bytes, size));
    ok(rt.hsa_executable_freeze(executable, NULL));
    free(bytes);
    return executable;
}

static inline hsa_executable_symbol_t symbol_of(hsa_executable_t executable, hsa_agent_t agent,
                                                const char *name)
{
    hsa_executable_symbol_t symbol = {0};
    ok(rt.hsa_executable_get_symbol_by_name(executable, name, &agent, &symbol));
    return symbol;
}

static inline uint64_t kernel_of(hsa_executable_t executable, hsa_agent_t agent, const char *name)
{
    uint64_t object = 0;
    ok(rt.hsa_executable_symbol_get_info(symbol_of(executable, agent, name),
                                         HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    return object;
}

/* ---- packets
 * ------------------------------------------------------------------------------------------ */

static inline void *next_packet(hsa_queue_t *queue, uint64_t *out_index)
{
    *out_index = rt.hsa_queue_add_write_index_screlease(queue, 1);
    while (*out_index - rt.hsa_queue_load_read_index_scacquire(queue) >= queue->size)
        usleep(100);
    return (char *)queue->base_address + *out_index % queue->size * 64;
}

static inline void ring(hsa_queue_t *queue, void *packet, uint16_t header, uint64_t index)
{
    __atomic_store_n((uint16_t *)packet, header, __ATOMIC_RELEASE);
    rt.hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

static inline void barrier_after(hsa_queue_t *queue, int type, const hsa_signal_t *signals,
                                 unsigned count, hsa_signal_t completion)
{
    uint64_t index;
    hsa_barrier_and_packet_t *packet = next_packet(queue, &index);
    memset((char *)packet + 4, 0, sizeof *packet - 4);
    for (unsigned i = 0; i < count; i++)
        packet->dep_signal[i] = signals[i];
    packet->completion_signal = completion;
    ring(queue, packet, (uint16_t)(type | 1 << HSA_PACKET_HEADER_BARRIER), index);
}

static inline void dispatch(hsa_queue_t *queue, uint64_t kernel, unsigned items, void *arguments,
                            hsa_signal_t completion)
{
    uint64_t index;
    hsa_kernel_dispatch_packet_t *packet = next_packet(queue, &index);
    memset((char *)packet + 4, 0, sizeof *packet - 4);
    packet->setup = 1;
    packet->workgroup_size_x = (uint16_t)(items < 64 ? items : 64);
    packet->workgroup_size_y = packet->workgroup_size_z = 1;
    packet->grid_size_x = items;
    packet->grid_size_y = packet->grid_size_z = 1;
    packet->kernel_object = kernel;
    packet->kernarg_address = arguments;
    packet->completion_signal = completion;
    ring(queue, packet,
         HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER |
             HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
             HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
         index);
}

#endif
