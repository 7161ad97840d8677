/* Calls of the library for which the host has no memory: they say so, and keep nothing. The driver
 * always has memory. */
#include "support.h"

#include <hip/hiprtc.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- memory that ends ------------------------------------------------------------------------ */

static _Thread_local int allocations_left = -1; /* of this thread, outside the driver; -1: no end */
static _Thread_local bool refused;

static bool may_allocate(void)
{
    if (allocations_left < 0 || fakecuda_inside())
        return true;
    if (allocations_left > 0)
        return allocations_left--;
    refused = true;
    errno = ENOMEM; /* as the C library's leave it */
    return false;
}

/* The program's functions take precedence over the C library's. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return may_allocate() ? __libc_malloc(size) : NULL;
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    return may_allocate() ? __libc_calloc(count, size) : NULL;
}

__attribute__((visibility("default"))) void *realloc(void *memory, size_t size)
{
    return may_allocate() ? __libc_realloc(memory, size) : NULL;
}

/* Runs call with memory for 0, 1, 2 ... allocations, until it asks for no more. Until then it
 * returns without and leaves nothing in the driver; then it succeeds and is undone. */
static void check_call(const char *name, int (*call)(void), void (*undo)(void), int without)
{
    struct fakecuda_counts before, after;
    int error, enough;
    for (enough = 0;; enough++) {
        fakecuda_count(&before);
        allocations_left = enough;
        refused = false;
        error = call();
        allocations_left = -1;
        if (!refused)
            break;
        ok(hipDeviceSynchronize()); /* what is freed in stream order */
        fakecuda_count(&after);
        if (error != without || memcmp(&before, &after, sizeof before) != 0)
            fprintf(stderr, "%s with %d allocations: %d\n", name, enough, error);
        check(error == without);
        check(memcmp(&before, &after, sizeof before) == 0);
    }
    if (error != 0)
        fprintf(stderr, "%s: %d\n", name, error);
    check(error == 0 && enough > 0);
    undo();
}

/* ---- memory of devices -------------------------------------------------------------------------
 */

static void *made;

static int call_malloc(void)
{
    return (int)hipMalloc(&made, 64);
}

static int call_managed(void)
{
    return (int)hipMallocManaged(&made, 64, hipMemAttachGlobal);
}

static int call_async(void)
{
    return (int)hipMallocAsync(&made, 64, NULL);
}

static int call_host(void)
{
    return (int)hipHostMalloc(&made, 64, 0);
}

static unsigned char page[4096] __attribute__((aligned(4096)));

static int call_register(void)
{
    return (int)hipHostRegister(page, sizeof page, 0);
}

static void free_made(void)
{
    ok(hipFree(made));
}

static void free_host(void)
{
    ok(hipHostFree(made));
}

static void unregister(void)
{
    ok(hipHostUnregister(page));
}

static void memory_that_cannot_be_remembered_is_given_back(void **state)
{
    (void)state;
    check_call("hipMalloc", call_malloc, free_made, hipErrorOutOfMemory);
    check_call("hipMallocManaged", call_managed, free_made, hipErrorOutOfMemory);
    check_call("hipMallocAsync", call_async, free_made, hipErrorOutOfMemory);
    check_call("hipHostMalloc", call_host, free_host, hipErrorOutOfMemory);
    check_call("hipHostRegister", call_register, unregister, hipErrorOutOfMemory);
}

/* ---- handles and lists -------------------------------------------------------------------------
 */

static hipCtx_t context;
static hipMipmappedArray_t mipmap;

static int call_push(void)
{
    return (int)hipCtxPushCurrent(context);
}

static void pop(void)
{
    hipCtx_t popped;
    ok(hipCtxPopCurrent(&popped));
    check(popped == context);
}

static int call_mipmap(void)
{
    static const hipChannelFormatDesc floats = {32, 0, 0, 0, hipChannelFormatKindFloat};
    return (int)hipMallocMipmappedArray(&mipmap, &floats, (hipExtent){4, 4, 0}, 2, hipArrayDefault);
}

static void free_mipmap(void)
{
    ok(hipFreeMipmappedArray(mipmap));
}

static void what_cannot_be_remembered_is_not_made(void **state)
{
    (void)state;
    ok(hipCtxGetCurrent(&context));
    check_call("hipCtxPushCurrent", call_push, pop, hipErrorOutOfMemory);
    check_call("hipMallocMipmappedArray", call_mipmap, free_mipmap, hipErrorOutOfMemory);
}

static hipModule_t module_with_managed;

static const char managed_text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                   ".visible .global .align 4 .u32 value.managed = 5;\n"
                                   ".visible .global .align 8 .u64 value;\n";

static int call_load_managed(void)
{
    return (int)hipModuleLoadData(&module_with_managed, managed_text);
}

static hipModule_t module_of_file;
static char module_path[] = "/tmp/anyhip_module_XXXXXX";

static int call_load_file(void)
{
    return (int)hipModuleLoad(&module_of_file, module_path);
}

static void unload_file(void)
{
    ok(hipModuleUnload(module_of_file));
}

static void unload_managed(void)
{
    ok(hipModuleUnload(module_with_managed));
}

static void a_module_that_there_is_no_memory_for_is_no_invalid_image(void **state)
{
    int file = mkstemp(module_path);
    (void)state;
    check(file >= 0 && write(file, managed_text, strlen(managed_text)) > 0);
    close(file);
    check_call("hipModuleLoadData", call_load_managed, unload_managed, hipErrorOutOfMemory);
    check_call("hipModuleLoad", call_load_file, unload_file, hipErrorOutOfMemory);
    check(unlink(module_path) == 0);
}

/* The names of the functions are kept for the call only. */
static void a_list_of_functions_that_there_is_no_memory_for_is_refused(void **state)
{
    enum { ROOM = 4 };
    hipFunction_t functions[ROOM];
    hipModule_t module;
    (void)state;
    ok(hipModuleLoadData(&module, kernels_image()));
    ok(hipModuleEnumerateFunctions(functions, ROOM, module)); /* they are made once */
    for (int enough = 0; enough < 2; enough++) {              /* the names, the driver's handles */
        allocations_left = enough;
        hipError_t error = hipModuleEnumerateFunctions(functions, ROOM, module);
        allocations_left = -1;
        expect(error, hipErrorOutOfMemory);
    }
    ok(hipModuleUnload(module));
}

/* ---- memory of others -------------------------------------------------------------------------
 */

static hipMemPool_t imported;
static hipMemPoolPtrExportData exported;

static int call_import_pointer(void)
{
    return (int)hipMemPoolImportPointer(&made, imported, &exported);
}

static void free_async(void)
{
    ok(hipFreeAsync(made, NULL));
    ok(hipDeviceSynchronize());
}

static void memory_of_an_imported_pool_is_given_back(void **state)
{
    hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                  .handleTypes = hipMemHandleTypePosixFileDescriptor,
                                  .location = {.type = hipMemLocationTypeDevice, .id = 0}};
    hipMemPool_t pool;
    void *memory;
    int file = -1;
    (void)state;
    ok(hipMemPoolCreate(&pool, &properties));
    ok(hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypePosixFileDescriptor, 0));
    ok(hipMemPoolImportFromShareableHandle(&imported, (void *)(intptr_t)file,
                                           hipMemHandleTypePosixFileDescriptor, 0));
    close(file);
    ok(hipMallocFromPoolAsync(&memory, 64, pool, NULL));
    ok(hipMemPoolExportPointer(&exported, memory));
    check_call("hipMemPoolImportPointer", call_import_pointer, free_async, hipErrorOutOfMemory);
    ok(hipFreeAsync(memory, NULL));
    ok(hipDeviceSynchronize());
    ok(hipMemPoolDestroy(imported));
    ok(hipMemPoolDestroy(pool));
}

static hipIpcMemHandle_t shared;

static int call_open(void)
{
    return (int)hipIpcOpenMemHandle(&made, shared, hipIpcMemLazyEnablePeerAccess);
}

static void close_made(void)
{
    ok(hipIpcCloseMemHandle(made));
}

static void share_memory(int end)
{
    hipIpcMemHandle_t handle;
    void *memory;
    ok(hipMalloc(&memory, 4096));
    ok(hipIpcGetMemHandle(&handle, memory));
    check(write(end, &handle, sizeof handle) == sizeof handle);
}

static struct sharer sharer;

static void memory_of_another_process_is_given_back(void **state)
{
    (void)state;
    check(read(sharer.end, &shared, sizeof shared) == sizeof shared);
    check_call("hipIpcOpenMemHandle", call_open, close_made, hipErrorOutOfMemory);
    check(end_sharer(&sharer));
}

/* ---- programs that are compiled at run time -----------------------------------------------------
 */

static hiprtcProgram program;

static int call_add_name(void)
{
    return (int)hiprtcAddNameExpression(program, "&kernel");
}

static void ask_for_name(void)
{
    const char *name;
    check(hiprtcGetLoweredName(program, "another", &name) != HIPRTC_SUCCESS);
}

static int call_create(void)
{
    static const char *const headers[] = {"int a;", "int b;"}, *const names[] = {"a.h", "b.h"};
    return (int)hiprtcCreateProgram(&program, "__global__ void kernel() {}", "x.hip", 2, headers,
                                    names);
}

static void destroy_program(void)
{
    ask_for_name();
    check_call("hiprtcAddNameExpression", call_add_name, ask_for_name, HIPRTC_ERROR_OUT_OF_MEMORY);
    check(hiprtcDestroyProgram(&program) == HIPRTC_SUCCESS);
}

static void a_program_lacks_what_there_is_no_memory_for(void **state)
{
    (void)state;
    check_call("hiprtcCreateProgram", call_create, destroy_program, HIPRTC_ERROR_OUT_OF_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(memory_that_cannot_be_remembered_is_given_back),
        TEST(what_cannot_be_remembered_is_not_made),
        TEST(a_module_that_there_is_no_memory_for_is_no_invalid_image),
        TEST(a_list_of_functions_that_there_is_no_memory_for_is_refused),
        TEST(memory_of_an_imported_pool_is_given_back),
        TEST(memory_of_another_process_is_given_back),
        TEST(a_program_lacks_what_there_is_no_memory_for),
    };
    sharer = start_sharer(share_memory);
    use_fake("80,90");
    return run_group("driver.no_memory", tests);
}
