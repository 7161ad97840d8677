/* Tests that run AMDGPU kernels: loads a code object that was built beside the test, dispatches
 * a kernel of it on simulated device 0 and waits. Include after cmocka.h. */
#ifndef TESTS_SIM_AMDGPU_KERNEL_H
#define TESTS_SIM_AMDGPU_KERNEL_H

#include "amdgpu.h"
#include "amdgpu_code.h"
#include "sim_memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOORBELL = 12 }; /* of all dispatches */

struct code {
    struct amdgpu_device device;
    unsigned char *elf;
    size_t size;
    struct amdgpu_code_object *object;
    struct sim_memory *memory;
    struct amdgpu_symbols *symbols;
};

/* A launch. */
struct run {
    uint32_t grid[3], group[3]; /* work-items; 0: 1 */
    uint32_t lds, scratch;      /* bytes */
    bool cooperative;
    unsigned cancel_ms; /* 0: it is not cancelled */
};

struct wait {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done;
    struct amdgpu_end end;
};

static inline int space_open(void **state)
{
    (void)state;
    size_t bytes = (size_t)1 << 30;
    return sim_space_open(&bytes, 1) ? 0 : -1;
}

static inline int space_close(void **state)
{
    (void)state;
    sim_run_stop();
    sim_space_close();
    return 0;
}

static inline unsigned char *read_file(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is not there", path);
    fseek(file, 0, SEEK_END);
    *out_size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*out_size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *out_size, file), *out_size);
    fclose(file);
    return bytes;
}

/* CODE_FOLDER/<name>_<model>.co */
static inline struct code *code_open(const char *name, const char *model)
{
    char path[1000];
    const char *reason = "";
    struct code *code = calloc(1, sizeof *code);
    snprintf(path, sizeof path, "%s/%s_%s.co", CODE_FOLDER, name, model);
    code->device =
        (struct amdgpu_device){.device = 0, .model = *amdgpu_model(model), .clock_hz = 100000000};
    code->elf = read_file(path, &code->size);
    code->object = amdgpu_code_object_read(code->elf, code->size, &reason);
    if (!code->object)
        fail_msg("%s: %s", path, reason);
    size_t span = amdgpu_code_object_span(code->object);
    code->memory = sim_memory_create(SIM_MEMORY_VARIABLE, 0, span, 4096);
    assert_non_null(code->memory);
    if (!amdgpu_code_object_load(code->object, code->memory->view, code->memory->address, NULL,
                                 NULL, &reason))
        fail_msg("%s: %s", path, reason);
    code->symbols = amdgpu_symbols_add(code->elf, code->size, code->memory->address, span);
    assert_non_null(code->symbols);
    return code;
}

static inline void code_close(struct code *code)
{
    amdgpu_code_discard(code->memory->address, code->memory->size);
    amdgpu_symbols_remove(code->symbols);
    sim_memory_destroy(code->memory);
    amdgpu_code_object_destroy(code->object);
    free(code->elf);
    free(code);
}

/* The address of a kernel's descriptor. */
static inline uint64_t code_kernel(const struct code *code, const char *name)
{
    char symbol[200];
    snprintf(symbol, sizeof symbol, "%s.kd", name);
    for (size_t i = 0; i < amdgpu_code_object_symbol_count(code->object); i++) {
        const struct amdgpu_code_symbol *found = amdgpu_code_object_symbol(code->object, i);
        if (strcmp(found->name, symbol) == 0)
            return code->memory->address + found->value;
    }
    fail_msg("no kernel %s", name);
    return 0;
}

static inline void kernel_ended(struct amdgpu_dispatch *dispatch, const struct amdgpu_end *end)
{
    struct wait *wait = dispatch->data;
    pthread_mutex_lock(&wait->lock);
    wait->done = true;
    wait->end = *end;
    pthread_cond_signal(&wait->ended);
    pthread_mutex_unlock(&wait->lock);
}

/* Zeroed memory of the device. */
static inline struct sim_memory *device_memory(size_t size)
{
    struct sim_memory *memory = sim_memory_create(SIM_MEMORY_DEVICE, 0, size, 0);
    assert_non_null(memory);
    memset(memory->view, 0, size);
    return memory;
}

/* Dispatches the kernel at descriptor; arguments are size bytes. */
static inline struct amdgpu_end run_at(struct code *code, uint64_t descriptor,
                                       const struct run *run, const void *arguments, size_t size)
{
    struct wait wait = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
    struct sim_memory *kernarg = device_memory(4096), *packet = device_memory(64);
    struct amdgpu_dispatch *dispatch = calloc(1, sizeof *dispatch);
    memcpy(kernarg->view, arguments, size);
    *dispatch = (struct amdgpu_dispatch){
        .device = &code->device,
        .packet = {.setup = 3,
                   .workgroup_size_x = (uint16_t)(run->group[0] ? run->group[0] : 1),
                   .workgroup_size_y = (uint16_t)(run->group[1] ? run->group[1] : 1),
                   .workgroup_size_z = (uint16_t)(run->group[2] ? run->group[2] : 1),
                   .grid_size_x = run->grid[0] ? run->grid[0] : 1,
                   .grid_size_y = run->grid[1] ? run->grid[1] : 1,
                   .grid_size_z = run->grid[2] ? run->grid[2] : 1,
                   .private_segment_size = run->scratch,
                   .group_segment_size = run->lds,
                   .kernel_object = descriptor,
                   .kernarg_address = (void *)(uintptr_t)kernarg->address},
        .packet_address = packet->address,
        .queue_address = 0x1234567890,
        .id = 77,
        .doorbell = DOORBELL,
        .cooperative = run->cooperative,
        .done = kernel_ended,
        .data = &wait,
    };
    memcpy(packet->view, &dispatch->packet, sizeof dispatch->packet);
    if (!amdgpu_dispatch_start(dispatch, &wait.end)) {
        assert_false(wait.done);
    } else {
        if (run->cancel_ms) {
            usleep(run->cancel_ms * 1000);
            amdgpu_dispatch_cancel(dispatch);
        }
        pthread_mutex_lock(&wait.lock);
        while (!wait.done)
            pthread_cond_wait(&wait.ended, &wait.lock);
        pthread_mutex_unlock(&wait.lock);
    }
    sim_memory_destroy(kernarg);
    sim_memory_destroy(packet);
    free(dispatch);
    return wait.end;
}

static inline struct amdgpu_end run_kernel(struct code *code, const char *kernel,
                                           const struct run *run, const void *arguments,
                                           size_t size)
{
    return run_at(code, code_kernel(code, kernel), run, arguments, size);
}

/* Captures stderr while a kernel runs. */
struct capture {
    int file, saved;
};

static inline struct capture capture_begin(void)
{
    char name[] = "/tmp/kernel-XXXXXX";
    struct capture capture = {mkstemp(name), dup(2)};
    assert_true(capture.file >= 0 && capture.saved >= 0);
    unlink(name);
    fflush(stderr);
    dup2(capture.file, 2);
    return capture;
}

static inline void capture_end(struct capture capture, char *out, size_t size)
{
    fflush(stderr);
    dup2(capture.saved, 2);
    close(capture.saved);
    ssize_t length = pread(capture.file, out, size - 1, 0);
    out[length > 0 ? length : 0] = '\0';
    close(capture.file);
}

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

#endif
