/* Owns copies as the work of nodes, of whichever form: each becomes a region. */
#include "graph.h"
#include "graph_memory.h"
#include "log.h"
#include "parameters.h"

/* ---- checks ---------------------------------------------------------------------------- */

static struct ah_copy_place place_of(const struct ah_copy_end *end)
{
    struct ah_pointer_info info;
    if (end->kind == AH_END_ARRAY)
        return (struct ah_copy_place){AH_PLACE_ARRAY,
                                      ((const struct ah_handle *)(const void *)end->array)->device};
    const struct ah_device *device = ah_memory_describe(end->pointer, &info);
    switch (info.kind) {
    case AH_MEMORY_DEVICE:
        return (struct ah_copy_place){AH_PLACE_DEVICE, device};
    case AH_MEMORY_MANAGED:
        return (struct ah_copy_place){AH_PLACE_MANAGED, NULL};
    case AH_MEMORY_HOST:
    case AH_MEMORY_REGISTERED:
        return (struct ah_copy_place){AH_PLACE_HOST, NULL};
    default:
        return (struct ah_copy_place){AH_PLACE_PAGEABLE, NULL};
    }
}

/* Memory that no driver knows is not what a kind calls a device. */
static hipError_t check_kind(const struct ah_memcpy_work *copy, const char *call)
{
    int kind = (int)copy->kind;
    bool within = kind == hipMemcpyDeviceToDevice || kind == hipMemcpyDeviceToDeviceNoCU;
    bool from_device = within || kind == hipMemcpyDeviceToHost;
    bool to_device = within || kind == hipMemcpyHostToDevice;
    bool wrong_src = from_device && copy->src_place.kind == AH_PLACE_PAGEABLE;
    bool wrong_dst = to_device && copy->dst_place.kind == AH_PLACE_PAGEABLE;
    if (!wrong_src && !wrong_dst)
        return hipSuccess;
    AH_LOG_ERR("%s: the kind is %s, but the %s is not memory of a device", call,
               ah_name_copy_kind(copy->kind), wrong_src ? "source" : "destination");
    return hipErrorInvalidValue;
}

/* The checks that each form has once its region is known. */
static hipError_t check(struct ah_memcpy_work *copy, const char *call)
{
    if (ah_region_is_empty(&copy->region))
        return hipSuccess;
    hipError_t error = ah_region_check(&copy->region);
    if (error != hipSuccess)
        return error;
    copy->dst_place = place_of(&copy->region.dst);
    copy->src_place = place_of(&copy->region.src);
    return check_kind(copy, call);
}

static hipError_t create(const struct ah_memcpy_work *copy, struct ah_device *device,
                         struct ah_work **out_work)
{
    struct ah_work *work = ah_work_create(&ah_work_memcpy, device);
    if (!work)
        return hipErrorOutOfMemory;
    work->memcpy = *copy;
    *out_work = work;
    return hipSuccess;
}

static hipError_t check_and_create(struct ah_memcpy_work *copy, struct ah_device *device,
                                   const char *call, struct ah_work **out_work)
{
    hipError_t error = check(copy, call);
    return error == hipSuccess ? create(copy, device, out_work) : error;
}

/* One row of bytes. */
static struct ah_copy_region row_of(void *dst, const void *src, size_t size)
{
    const struct ah_copy_end end = {.kind = AH_END_POINTER, .pitch = size, .rows = 1};
    struct ah_copy_region region = {.dst = end, .src = end, .width = size, .height = 1, .depth = 1};
    region.dst.pointer = dst;
    region.src.pointer = (void *)(uintptr_t)src;
    return region;
}

/* ---- making ---------------------------------------------------------------------------- */

hipError_t ah_work_make_memcpy(const hipMemcpy3DParms *params, const char *call,
                               struct ah_work **out_work)
{
    struct ah_memcpy_work copy = {.form = AH_MEMCPY_3D};
    struct ah_device *device = ah_device_current();
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = ah_region_of_3d(params, &copy.region);
    if (error != hipSuccess)
        return error;
    copy.params = *params;
    copy.kind = params->kind;
    return check_and_create(&copy, device, call, out_work);
}

hipError_t ah_work_make_memcpy_driver(const HIP_MEMCPY3D *params, struct ah_device *device,
                                      const char *call, struct ah_work **out_work)
{
    struct ah_memcpy_work copy = {.form = AH_MEMCPY_DRIVER, .kind = hipMemcpyDefault};
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = ah_region_of_driver(params, &copy.region);
    if (error != hipSuccess)
        return error;
    copy.driver = *params;
    return check_and_create(&copy, device, call, out_work);
}

static hipError_t make_row(struct ah_memcpy_work *copy, void *dst, const void *src, size_t size,
                           hipMemcpyKind kind, struct ah_device *device, const char *call,
                           struct ah_work **out_work)
{
    if (!dst || !src || size == 0)
        return hipErrorInvalidValue;
    if (!ah_copy_kind_valid(kind))
        return hipErrorInvalidMemcpyDirection;
    hipError_t error = ah_copy_check(dst, src, size, kind);
    if (error != hipSuccess)
        return error;
    copy->kind = kind;
    copy->region = row_of(dst, src, size);
    return check_and_create(copy, device, call, out_work);
}

hipError_t ah_work_make_memcpy_1d(void *dst, const void *src, size_t size, hipMemcpyKind kind,
                                  const char *call, struct ah_work **out_work)
{
    struct ah_memcpy_work copy = {.form = AH_MEMCPY_ROW};
    struct ah_device *device = ah_device_current();
    return device ? make_row(&copy, dst, src, size, kind, device, call, out_work)
                  : hipErrorNoDevice;
}

/* The other side must not be a variable: its host address is not its memory. */
static hipError_t check_symbol(const void *other, size_t size, const char *call)
{
    if (!other || size == 0)
        return hipErrorInvalidValue;
    if (!ah_is_variable(other))
        return hipSuccess;
    AH_LOG_ERR("%s: both the source and the destination are variables of the program", call);
    return hipErrorInvalidValue;
}

/* A copy between a variable and other memory. */
static hipError_t make_symbol(bool to_symbol, const void *symbol, const void *other, size_t size,
                              size_t offset, hipMemcpyKind kind, const char *call,
                              struct ah_work **out_work)
{
    void *address, *memory = (void *)(uintptr_t)other;
    struct ah_memcpy_work copy = {.form = AH_MEMCPY_ROW};
    struct ah_device *device = ah_device_current();
    if (!device)
        return hipErrorNoDevice;
    hipError_t error = check_symbol(other, size, call);
    if (error == hipSuccess)
        error = ah_symbol_address(symbol, device, size, offset, kind, to_symbol, &address);
    if (error != hipSuccess)
        return error;
    return make_row(&copy, to_symbol ? address : memory, to_symbol ? memory : address, size, kind,
                    device, call, out_work);
}

hipError_t ah_work_make_memcpy_to_symbol(const void *symbol, const void *src, size_t size,
                                         size_t offset, hipMemcpyKind kind, const char *call,
                                         struct ah_work **out_work)
{
    return make_symbol(true, symbol, src, size, offset, kind, call, out_work);
}

hipError_t ah_work_make_memcpy_from_symbol(void *dst, const void *symbol, size_t size,
                                           size_t offset, hipMemcpyKind kind, const char *call,
                                           struct ah_work **out_work)
{
    return make_symbol(false, symbol, dst, size, offset, kind, call, out_work);
}

/* ---- capture: ah_submit has checked the command ------------------------------------------ */

static hipError_t capture(struct ah_memcpy_work *copy, const struct ah_stream *stream,
                          struct ah_work **out_work)
{
    copy->dst_place = place_of(&copy->region.dst);
    copy->src_place = place_of(&copy->region.src);
    return create(copy, stream->handle.device, out_work);
}

hipError_t ah_work_capture_copy(const struct ah_stream *stream, const struct ah_command *command,
                                struct ah_work **out_work)
{
    struct ah_memcpy_work copy = {
        .form = AH_MEMCPY_ROW,
        .kind = command->copy.kind,
        .region = row_of(command->copy.dst, command->copy.src, command->copy.size),
    };
    return capture(&copy, stream, out_work);
}

hipError_t ah_work_capture_region(const struct ah_stream *stream, const struct ah_command *command,
                                  struct ah_work **out_work)
{
    struct ah_memcpy_work copy = {
        .form = AH_MEMCPY_REGION, .kind = hipMemcpyDefault, .region = *command->region};
    return capture(&copy, stream, out_work);
}

/* ---- the row --------------------------------------------------------------------------- */

static void inherit(const struct ah_work *old, struct ah_work *work)
{
    work->device = old->device;
}

static bool has_kind(const struct ah_memcpy_work *copy)
{
    return copy->form == AH_MEMCPY_3D || copy->form == AH_MEMCPY_ROW;
}

static bool same_place(const struct ah_copy_place *one, const struct ah_copy_place *other)
{
    bool on_host = one->kind <= AH_PLACE_HOST && other->kind <= AH_PLACE_HOST;
    return on_host || (one->kind == other->kind && one->device == other->device);
}

static hipGraphExecUpdateResult update(const struct ah_work *old, const struct ah_work *work)
{
    const struct ah_memcpy_work *from = &old->memcpy, *to = &work->memcpy;
    if (has_kind(from) && has_kind(to) && from->kind != to->kind) {
        AH_LOG_ERR("the kind of a memcpy node cannot be changed from %s to %s",
                   ah_name_copy_kind(from->kind), ah_name_copy_kind(to->kind));
        return hipGraphExecUpdateErrorParametersChanged;
    }
    if (!ah_region_is_empty(&from->region) && !ah_region_is_empty(&to->region) &&
        !(same_place(&from->dst_place, &to->dst_place) &&
          same_place(&from->src_place, &to->src_place))) {
        AH_LOG_ERR("the kind of memory that a memcpy node copies, and its device, cannot be "
                   "changed");
        return hipGraphExecUpdateErrorParametersChanged;
    }
    return hipGraphExecUpdateSuccess;
}

static bool is_of_graph(const struct ah_copy_end *end)
{
    return end->kind == AH_END_POINTER && ah_graph_memory_has(end->pointer);
}

static hipError_t view(const struct ah_work *work, struct ah_graph_node *out_node)
{
    const struct ah_copy_region *region = &work->memcpy.region;
    out_node->kind = ah_region_is_empty(region) ? AH_GRAPH_EMPTY : AH_GRAPH_COPY;
    if (out_node->kind == AH_GRAPH_COPY && (is_of_graph(&region->dst) || is_of_graph(&region->src)))
        return hipErrorNotSupported;
    return out_node->kind == AH_GRAPH_EMPTY
               ? hipSuccess
               : ah_region_for_device(region, work->device, &out_node->copy);
}

static void *start_of(const struct ah_copy_end *end)
{
    return (char *)end->pointer + (end->z * end->rows + end->y) * end->pitch + end->x;
}

static bool is_row(const struct ah_copy_region *region)
{
    return region->dst.kind == AH_END_POINTER && region->src.kind == AH_END_POINTER &&
           region->height == 1 && region->depth == 1;
}

static hipError_t submit(const struct ah_work *work, struct ah_stream *stream)
{
    const struct ah_memcpy_work *copy = &work->memcpy;
    const struct ah_copy_region *region = &copy->region;
    if (ah_region_is_empty(region))
        return hipSuccess;
    if (is_row(region))
        return ah_submit(
            stream,
            &(struct ah_command){.kind = AH_COMMAND_COPY,
                                 .blocking = AH_ASYNC,
                                 .copy = {.dst = start_of(&region->dst),
                                          .src = start_of(&region->src),
                                          .size = region->width,
                                          .kind = has_kind(copy) ? copy->kind : hipMemcpyDefault}});
    return ah_submit(stream, &(struct ah_command){.kind = AH_COMMAND_COPY_REGION,
                                                  .blocking = AH_ASYNC,
                                                  .region = region});
}

static void describe_end(const struct ah_copy_end *end, const struct ah_copy_place *place,
                         const char *name, FILE *out)
{
    static const char *const places[] = {"pageable", "host", "managed", "device", "array"};
    const void *address = end->kind == AH_END_ARRAY ? (const void *)end->array : end->pointer;
    fprintf(out, "%s|%s %p, pitch %zu, at (%zu, %zu, %zu)\n", name, places[place->kind], address,
            end->pitch, end->x, end->y, end->z);
}

static void describe(const struct ah_work *work, unsigned flags, FILE *out)
{
    static const char letters[] = {[AH_PLACE_PAGEABLE] = 'H',
                                   [AH_PLACE_HOST] = 'H',
                                   [AH_PLACE_MANAGED] = 'M',
                                   [AH_PLACE_DEVICE] = 'D',
                                   [AH_PLACE_ARRAY] = 'A'};
    const struct ah_memcpy_work *copy = &work->memcpy;
    fprintf(out, "kind|%cto%c\nbytes|%zu\n", letters[copy->src_place.kind],
            letters[copy->dst_place.kind],
            copy->region.width * copy->region.height * copy->region.depth);
    if (flags & (hipGraphDebugDotFlagsVerbose | hipGraphDebugDotFlagsMemcpyNodeParams)) {
        describe_end(&copy->region.src, &copy->src_place, "source", out);
        describe_end(&copy->region.dst, &copy->dst_place, "destination", out);
        fprintf(out, "extent|%zu x %zu x %zu\n", copy->region.width, copy->region.height,
                copy->region.depth);
    }
}

const struct ah_work_type ah_work_memcpy = {
    .type = hipGraphNodeTypeMemcpy,
    .name = "memcpy",
    .can_disable = true,
    .inherit = inherit,
    .update = update,
    .view = view,
    .submit = submit,
    .describe = describe,
};
