/* What AMD's runtime does not look at: handles that were never any or are no more. Each has a
 * process of its own, since a runtime may end there. */
#include "calls.h"

#define WILD ((uint64_t)0x1230)

static void wild_agent(void)
{
    say_status("status", rt.hsa_agent_get_info((hsa_agent_t){WILD}, HSA_AGENT_INFO_NAME, zeros));
}

static void wild_queue(void)
{
    say_status("status", rt.hsa_queue_destroy((hsa_queue_t *)WILD));
}

static void destroyed_queue(void)
{
    hsa_queue_t *queue = new_queue(here.gpu);
    must(rt.hsa_queue_destroy(queue));
    say_status("status", rt.hsa_queue_destroy(queue));
}

static void queue_of_zeros(void)
{
    say_status("status", rt.hsa_queue_destroy((hsa_queue_t *)ZEROS));
}

static void no_queue(void)
{
    say_status("status", rt.hsa_amd_profiling_set_profiler_enabled(NULL, 1));
}

static void wild_signal(void)
{
    say_status("status", rt.hsa_signal_destroy((hsa_signal_t){WILD}));
}

static void destroyed_signal(void)
{
    hsa_signal_t signal = new_signal(0);
    must(rt.hsa_signal_destroy(signal));
    say_status("status", rt.hsa_signal_destroy(signal));
}

static void no_signal(void)
{
    say("value", "%d", (int)rt.hsa_signal_load_relaxed((hsa_signal_t){0}));
}

static void no_handler(void)
{
    say_status("status", rt.hsa_amd_signal_async_handler((hsa_signal_t){0}, 0, 0,
                                                         (hsa_amd_signal_handler)no_signal, NULL));
}

static void wild_pool(void)
{
    say_status("status", rt.hsa_amd_memory_pool_get_info((hsa_amd_memory_pool_t){ZEROS},
                                                         HSA_AMD_MEMORY_POOL_INFO_SIZE, zeros));
}

static void wild_isa(void)
{
    say_status("status", rt.hsa_isa_get_info_alt((hsa_isa_t){WILD}, HSA_ISA_INFO_NAME, zeros));
}

static void wild_executable(void)
{
    say_status("status", rt.hsa_executable_destroy((hsa_executable_t){WILD}));
}

static void destroyed_executable(void)
{
    hsa_executable_t executable = load_kernels(here.gpu);
    must(rt.hsa_executable_destroy(executable));
    say_status("status", rt.hsa_executable_destroy(executable));
}

static void wild_reader(void)
{
    say_status("status", rt.hsa_code_object_reader_destroy((hsa_code_object_reader_t){WILD}));
}

static void wild_code_object(void)
{
    say_status("status", rt.hsa_code_object_destroy((hsa_code_object_t){WILD}));
}

static void copy_of_nothing(void)
{
    say_status("status", rt.hsa_memory_copy((void *)WILD, zeros, 8));
}

static void fill_of_nothing(void)
{
    say_status("status", rt.hsa_amd_memory_fill((void *)WILD, 0, 8));
}

static void no_ipc_handle(void)
{
    void *pointer;
    say_status("status", rt.hsa_amd_ipc_memory_attach(NULL, PAGE, 0, NULL, &pointer));
}

static void no_group(void)
{
    hsa_signal_t signal = new_signal(0);
    say_status("status", rt.hsa_signal_group_create(1, &signal, 0, NULL, NULL));
}

static void no_signals(void)
{
    hsa_signal_group_t group;
    say_status("status", rt.hsa_signal_group_create(1, NULL, 0, NULL, &group));
}

const struct part parts_of_errors[] = {
    {"wild_agent", wild_agent, ONE_MODEL},
    {"wild_queue", wild_queue, ONE_MODEL},
    {"destroyed_queue", destroyed_queue, ONE_MODEL},
    {"queue_of_zeros", queue_of_zeros, ONE_MODEL},
    {"no_queue", no_queue, ONE_MODEL},
    {"wild_signal", wild_signal, ONE_MODEL},
    {"destroyed_signal", destroyed_signal, ONE_MODEL},
    {"no_signal", no_signal, ONE_MODEL},
    {"no_handler", no_handler, ONE_MODEL},
    {"wild_pool", wild_pool, ONE_MODEL},
    {"wild_isa", wild_isa, ONE_MODEL},
    {"wild_executable", wild_executable, ONE_MODEL},
    {"destroyed_executable", destroyed_executable, ONE_MODEL},
    {"wild_reader", wild_reader, ONE_MODEL},
    {"wild_code_object", wild_code_object, ONE_MODEL},
    {"copy_of_nothing", copy_of_nothing, ONE_MODEL},
    {"fill_of_nothing", fill_of_nothing, ONE_MODEL},
    {"no_ipc_handle", no_ipc_handle, ONE_MODEL},
    {"no_group", no_group, ONE_MODEL},
    {"no_signals", no_signals, ONE_MODEL},
    {NULL, NULL, 0},
};
