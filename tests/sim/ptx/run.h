/* Tests that run PTX: loads a module, launches a kernel of it on simulated device 0 and waits.
 * Include after cmocka.h. */
#ifndef TESTS_SIM_PTX_RUN_H
#define TESTS_SIM_PTX_RUN_H

#include "ptx.h"
#include "sim_memory.h"
#include "sim_run.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_HEAD(target) ".version 8.0\n.target sm_" #target "\n.address_size 64\n"

struct run_module {
    struct ptx_module *module;
    struct sim_memory *variables; /* .global and .const; NULL: there are none */
    struct ptx_context context;
    uint64_t workspace; /* of a cooperative launch; 0: the launch is not cooperative */
};

struct run_wait {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done, failed;
};

/* Setup and teardown of a group. */
static inline int run_open(void **state)
{
    (void)state;
    size_t bytes = (size_t)1 << 30;
    return sim_space_open(&bytes, 1) ? 0 : -1;
}

static inline int run_close(void **state)
{
    (void)state;
    sim_run_stop();
    sim_space_close();
    return 0;
}

/* Loads text for compute capability sm; a text that does not load fails the test,
 * with the log. */
static inline struct run_module *run_load_for(const char *text, unsigned sm)
{
    struct run_module *run = calloc(1, sizeof *run);
    char messages[4096] = "";
    struct ptx_log log = {.text = messages, .capacity = sizeof messages};
    enum ptx_result result = ptx_module_load(text, strlen(text), sm, &log, &run->module);
    if (result != PTX_OK)
        fail_msg("module does not load (%d):\n%s", result, messages);
    size_t align, size = ptx_module_size(run->module, &align);
    if (size > 0) {
        run->variables = sim_memory_create(SIM_MEMORY_VARIABLE, 0, size, align);
        assert_non_null(run->variables);
        ptx_module_place(run->module, run->variables->address);
        ptx_module_initialise(run->module, run->variables->view);
    } else {
        ptx_module_place(run->module, 0);
    }
    run->context = (struct ptx_context){
        .device = 0, .sm = sm, .units = 4, .stack_size = 4096, .heap_size = 1 << 20};
    return run;
}

static inline struct run_module *run_load(const char *text)
{
    return run_load_for(text, 90);
}

static inline void run_unload(struct run_module *run)
{
    ptx_module_destroy(run->module);
    sim_memory_destroy(run->variables);
    free(run);
}

static inline void run_ended(struct sim_launch *launch, bool failed)
{
    struct run_wait *wait = launch->data;
    pthread_mutex_lock(&wait->lock);
    wait->done = true;
    wait->failed = failed;
    pthread_cond_signal(&wait->ended);
    pthread_mutex_unlock(&wait->lock);
}

/* Launches and waits; shape: grid x y z, block x y z. params: the parameter bytes. */
static inline enum ptx_end run_shape(struct run_module *run, const char *kernel,
                                     const uint32_t shape[6], size_t dynamic_shared,
                                     const void *params)
{
    struct run_wait wait = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
    struct ptx_launch launch = {
        .run = {.grid = {shape[0], shape[1], shape[2]},
                .resident_max = 64,
                .done = run_ended,
                .data = &wait},
        .context = &run->context,
        .kernel = ptx_module_kernel(run->module, kernel),
        .block = {shape[3], shape[4], shape[5]},
        .dynamic_shared = dynamic_shared,
        .params = params,
        .envregs = {[1] = (uint32_t)(run->workspace >> 32), [2] = (uint32_t)run->workspace},
        .id = 1,
    };
    if (!launch.kernel)
        fail_msg("no kernel %s", kernel);
    if (!ptx_launch(&launch))
        fail_msg("%s cannot be launched", kernel);
    pthread_mutex_lock(&wait.lock);
    while (!wait.done)
        pthread_cond_wait(&wait.ended, &wait.lock);
    pthread_mutex_unlock(&wait.lock);
    assert_int_equal(wait.failed, launch.end != PTX_END_OK);
    return (enum ptx_end)launch.end;
}

/* blocks x threads, in one dimension. */
static inline enum ptx_end run_launch(struct run_module *run, const char *kernel, uint32_t blocks,
                                      uint32_t threads, const void *params)
{
    return run_shape(run, kernel, (uint32_t[6]){blocks, 1, 1, threads, 1, 1}, 0, params);
}

/* Zeroed memory of the device. */
static inline struct sim_memory *run_memory(size_t size)
{
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, size, 0);
    assert_non_null(memory);
    memset(memory->view, 0, size);
    return memory;
}

/* Loads and runs a kernel in one block. Its only parameter points to out_size bytes of device
 * memory, which are copied from out before the launch and to out after it. */
static inline enum ptx_end run_once(const char *text, const char *kernel, uint32_t threads,
                                    void *out, size_t out_size)
{
    struct run_module *run = run_load(text);
    struct sim_memory *memory = run_memory(out_size);
    memcpy(memory->view, out, out_size);
    uint64_t params = memory->address;
    enum ptx_end end = run_launch(run, kernel, 1, threads, &params);
    memcpy(out, memory->view, out_size);
    sim_memory_destroy(memory);
    run_unload(run);
    return end;
}

#endif
