/* Owns the ways to the HIP library's trace file and to AMD's tracer. The HIP library is found where
 * it is loaded, under whichever name, and is not loaded for the sake of marks. */
#include "roctx_private.h"

#include "roctracer_abi.h"

#include <hip/anyhip.h>

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>

/* ---- the trace file -------------------------------------------------------------------- */

typedef void trace_mark(enum anyhipTraceMarkKind kind, uint64_t id, const char *text);
static trace_mark *_Atomic trace;

/* How many libraries have been loaded so far. */
static int count_loads(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(unsigned long long *)data = info->dlpi_adds;
    return 1;
}

/* Looks again when libraries have been loaded since the last time. */
static trace_mark *find_trace(void)
{
    static _Atomic(unsigned long long) looked_at;
    trace_mark *found = atomic_load_explicit(&trace, memory_order_acquire);
    unsigned long long loads = 0;
    if (found)
        return found;
    dl_iterate_phdr(count_loads, &loads);
    if (atomic_exchange_explicit(&looked_at, loads, memory_order_relaxed) == loads)
        return NULL;
    void *library = dlopen("libanyhip.so.0", RTLD_LAZY | RTLD_NOLOAD); // stays open
    if (!library)
        return NULL;
    *(void **)&found = dlsym(library, "anyhipTraceMark");
    atomic_store_explicit(&trace, found, memory_order_release);
    return found;
}

void ah_roctx_trace(const struct ah_roctx_event *event)
{
    trace_mark *mark = find_trace();
    if (mark)
        mark((enum anyhipTraceMarkKind)event->kind, event->id, event->message);
}

/* ---- AMD's tracer ---------------------------------------------------------------------- */

static roctracer_callback *_Atomic tracer;

__attribute__((visibility("default"))) void
roctxRegisterTracerCallback(roctracer_callback *function);

/* Called by roctracer, which no header of ROCTX says. */
void roctxRegisterTracerCallback(roctracer_callback *function)
{
    atomic_store_explicit(&tracer, function, memory_order_release);
}

void ah_roctx_tracer(const struct ah_roctx_event *event)
{
    roctracer_callback *function = atomic_load_explicit(&tracer, memory_order_acquire);
    struct roctracer_roctx data = {.message = event->message, .id = event->id};
    if (function)
        function(ROCTRACER_ROCTX, (uint32_t)event->kind, &data);
}
