/* The implementations of public functions that share one: the same work under the names of the
 * runtime API, of the driver API, of a context, of a stream of one's own (_spt) or of an older ABI.
 * None of these touches the last error. */
#ifndef AH_API_SHARED_H
#define AH_API_SHARED_H

#include "runtime.h"

/* Devices */
hipError_t ah_device_properties(hipDeviceProp_tR0600 *out, int ordinal);
bool ah_device_flags_valid(unsigned flags);
hipError_t ah_device_set_flags(struct ah_device *device, unsigned flags);
hipError_t ah_device_get_cache_config(hipFuncCache_t *out_config);
hipError_t ah_device_set_cache_config(hipFuncCache_t config);
hipError_t ah_device_get_shared_config(hipSharedMemConfig *out_config);
hipError_t ah_device_set_shared_config(hipSharedMemConfig config);
hipError_t ah_peer_set_access(struct ah_device *device, int peer_ordinal, bool enable);

/* Memory */
hipError_t ah_memory_alloc(void **out_pointer, size_t size, unsigned flags);
hipError_t ah_memory_alloc_pitch(void **out_pointer, size_t *out_pitch, size_t width,
                                 size_t height);
hipError_t ah_memory_free(void *pointer);
hipError_t ah_host_alloc(void **out_pointer, size_t size, unsigned flags);
hipError_t ah_host_free(void *pointer);

/* Code */
/* Reads a file; the image is to be freed. hipErrorFileNotFound, hipErrorInvalidImage (empty or not
 * readable), hipErrorOutOfMemory. */
hipError_t ah_read_code(const char *path, void **out_image, size_t *out_size);
/* The names of the module's first kernels, to be freed with ah_free_names, also after an error. */
hipError_t ah_module_names(const struct ah_module *module, unsigned count, char ***out_names);
void ah_free_names(char **names, unsigned count);
hipError_t ah_function_attribute(struct ah_function *function, hipFunction_attribute which,
                                 int *out_value);
/* One of the two attributes that can be set. */
hipError_t ah_function_set_attribute(struct ah_function *function, hipFuncAttribute attribute,
                                     int setting);

/* The driver's memory behind a handle of virtual memory management. hipErrorInvalidValue: not one,
 * or of another driver. */
hipError_t ah_physical_native(hipMemGenericAllocationHandle_t handle,
                              const struct ah_driver *driver,
                              struct ah_backend_memory **out_native);

/* Copies and fills */
hipError_t ah_copy(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t stream,
                   enum ah_blocking blocking);
hipError_t ah_copy_region(const struct ah_copy_region *region, hipStream_t stream,
                          enum ah_blocking blocking);
hipError_t ah_copy_3d(const hipMemcpy3DParms *params, hipStream_t stream,
                      enum ah_blocking blocking);
/* Rows of one plane, between pointers and arrays; depth and the rows of ends are ignored. */
hipError_t ah_copy_rows(const struct ah_copy_region *rows, hipMemcpyKind kind, hipStream_t stream,
                        enum ah_blocking blocking);
/* Bytes that start at (x, y) of an array and continue in its next rows, and their packed copy. */
struct ah_array_run {
    hipArray_const_t array;
    size_t x, y; /* bytes, rows */
    char *packed;
    size_t size;
    bool to_array;
};
hipError_t ah_copy_array_run(const struct ah_array_run *run, hipMemcpyKind kind, hipStream_t stream,
                             enum ah_blocking blocking);
static inline struct ah_copy_end ah_pointer_end(const void *pointer, size_t pitch)
{
    return (struct ah_copy_end){
        .kind = AH_END_POINTER, .pointer = (void *)(uintptr_t)pointer, .pitch = pitch};
}
static inline struct ah_copy_end ah_array_end(hipArray_const_t array, size_t x, size_t y)
{
    return (struct ah_copy_end){
        .kind = AH_END_ARRAY, .array = (struct ah_backend_array *)(uintptr_t)array, .x = x, .y = y};
}
hipError_t ah_fill(void *dst, size_t pitch, unsigned value, unsigned element_size, size_t width,
                   size_t height, hipStream_t stream, enum ah_blocking blocking);
hipError_t ah_fill_3d(hipPitchedPtr dst, int value, hipExtent extent, hipStream_t stream,
                      enum ah_blocking blocking);
hipError_t ah_copy_symbol(const void *symbol, const void *host, size_t size, size_t offset,
                          hipMemcpyKind kind, bool to_symbol, hipStream_t stream,
                          enum ah_blocking blocking);

/* Streams and events */
hipError_t ah_stream_query_handle(hipStream_t stream);
hipError_t ah_stream_synchronize_handle(hipStream_t stream);
hipError_t ah_stream_wait_event(hipStream_t stream, hipEvent_t event, unsigned flags);
hipError_t ah_stream_get_flags(hipStream_t stream, unsigned *out_flags);
hipError_t ah_stream_get_priority(hipStream_t stream, int *out_priority);
hipError_t ah_stream_add_callback(hipStream_t stream, hipStreamCallback_t callback, void *data,
                                  unsigned flags);
hipError_t ah_stream_host_function(hipStream_t stream, hipHostFn_t function, void *data);
hipError_t ah_event_record(hipEvent_t event, hipStream_t stream);
hipError_t ah_event_record_node(hipEvent_t event, hipStream_t stream);
hipError_t ah_device_synchronize(const char *call);

/* State of devices and modules in files of the API (lifetime.h). */
extern const struct ah_dependent ah_texture_dependent, ah_reference_dependent, ah_pool_dependent,
    ah_launch_dependent, ah_graphics_dependent;

/* Launches */
hipError_t ah_launch_kernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                            hipStream_t stream, unsigned flags);
hipError_t ah_launch_cooperative(const void *host, dim3 grid, dim3 block, void **args,
                                 size_t shared, hipStream_t stream);
/* A kernel by its host address, and a function of a module, with all that a launch has. */
hipError_t ah_launch_host(const void *host, const struct ah_launch *launch, hipStream_t stream);
hipError_t ah_launch_function(struct ah_function *function, const struct ah_launch *launch,
                              hipStream_t stream);
/* Checks the attributes of a launch in that stream, and lets the launch carry them, in out. */
hipError_t ah_launch_apply_attributes(const hipLaunchAttribute *attributes, unsigned count,
                                      hipStream_t stream, const char *call,
                                      struct ah_launch *launch, struct ah_launch_attributes *out);
/* The launch of HIP 2 and 3 that HIP 5 still exported. */
void ah_launch_ggl(unsigned long kernel, const dim3 *grid, const dim3 *block, uint32_t shared,
                   hipStream_t stream, void **arguments);

#endif
