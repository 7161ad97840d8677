/* How NVIDIA's tools attach to a library with NVTX 3: types and constants of its public headers
 * (nvtxTypes.h).
 *
 * NVTX_INJECTION64_PATH names the tool's library, whose function InitializeInjectionNvtx2 gets the
 * function below. By that it finds tables of pointers to the places where it puts its functions. */
#ifndef NVTX_ABI_H
#define NVTX_ABI_H

#include <stddef.h>
#include <stdint.h>

enum { NVTX_ABI_VERSION = 3 };

/* Tables that a tool can ask for; NULL: there is no such table. */
enum { NVTX_TABLE_CALLBACKS = 1, NVTX_TABLE_VERSION = 3 };
typedef const void *nvtx_export_table(uint32_t id);

/* Returns 0 if the tool does not attach itself. */
typedef int nvtx_initialize(nvtx_export_table *export_table);

typedef void nvtx_any_function(void);

/* Entry 0 of a module's table is none, and NULL is behind the last; size does not count that.
 * Returns 0 for modules that there are not. */
struct nvtx_callbacks {
    size_t size; /* of this structure */
    int (*get_module)(uint32_t module, nvtx_any_function ***out_table, unsigned *out_size);
};

struct nvtx_version {
    size_t size; /* of this structure */
    uint32_t version, reserved;
    void (*set_tool_version)(uint32_t version);
};

enum {
    NVTX_MODULE_CORE = 1,
    NVTX_MODULE_CUDA,
    NVTX_MODULE_OPENCL,
    NVTX_MODULE_CUDART,
    NVTX_MODULE_CORE2,
    NVTX_MODULE_SYNC,
    NVTX_MODULE_COUNT,
};

/* Entries of a module's table, with entry 0. */
enum {
    NVTX_CORE_SIZE = 16,
    NVTX_CUDA_SIZE = 9,
    NVTX_OPENCL_SIZE = 15,
    NVTX_CUDART_SIZE = 7,
    NVTX_CORE2_SIZE = 16,
    NVTX_SYNC_SIZE = 7,
};

/* Entries of NVTX_MODULE_CORE, and their types. */
enum {
    NVTX_MARK = 2,
    NVTX_RANGE_START = 5,
    NVTX_RANGE_END = 7,
    NVTX_RANGE_PUSH = 9,
    NVTX_RANGE_POP = 11,
    NVTX_NAME_OS_THREAD = 14,
};
typedef void nvtx_mark(const char *message);
typedef uint64_t nvtx_range_start(const char *message);
typedef void nvtx_range_end(uint64_t id);
typedef int nvtx_range_push(const char *message);
typedef int nvtx_range_pop(void);
typedef void nvtx_name_os_thread(uint32_t thread, const char *name);

#endif
