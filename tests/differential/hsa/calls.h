/* The same HSA calls on any HSA runtime, and a line for what each of them gave: what the parts of
 * hsa_calls share. A line is "key<tab>value"; its key is unique, and its value names handles and
 * leaves out addresses, so that the lines of two runtimes can be compared. */
#ifndef HSA_CALLS_H
#define HSA_CALLS_H

#include "hsa_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct functions {
#define HSA_FUNCTION(result, name, parameters) result(*name) parameters;
#include "hsa_functions.def"
#undef HSA_FUNCTION
};
extern struct functions rt;

enum { AGENTS_MAX = 4, POOLS_MAX = 8, PAGE = 4096, TICKS_10S = 1000000000 };

/* What there is, found before a part runs. */
extern struct here {
    const char *model, *code_folder;
    struct agent {
        hsa_agent_t handle;
        const char *name; /* "cpu", "gpu0", "gpu1" */
        hsa_amd_memory_pool_t pools[POOLS_MAX];
        hsa_region_t regions[POOLS_MAX];
        unsigned pool_count, region_count;
    } agents[AGENTS_MAX];
    unsigned agent_count;
    hsa_agent_t cpu, gpu, other;
    hsa_amd_memory_pool_t host, kernarg, device, device2;
} here;
void look_around(void);

/* Where an invalid handle may point: zeros, which both runtimes can look at. */
extern uint64_t zeros[1024];
#define ZEROS ((uintptr_t)zeros)

/* Ends the program, with what is wrong. */
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);
#define must(call)                                                                                 \
    do {                                                                                           \
        int must_ = (int)(call);                                                                   \
        if (must_)                                                                                 \
            fail("%s gave %s", #call, status_name(must_));                                         \
    } while (0)

/* ---- lines ------------------------------------------------------------------------- */

/* What the keys of the lines to come begin with. */
__attribute__((format(printf, 1, 2))) void within(const char *format, ...);
__attribute__((format(printf, 2, 3))) void say(const char *key, const char *format, ...);
void say_status(const char *key, int status);
const char *status_name(int status);
const char *agent_name(hsa_agent_t agent);
const char *pool_name(uint64_t handle); /* of a region too */
/* The offset of an address in memory, "0", or "elsewhere". */
const char *place(const void *address, const void *memory, size_t size);

/* What an attribute's value is. */
enum type {
    TEXT,    /* up to a zero byte */
    BITS,    /* the numbers of those that are set */
    NUMBER,  /* of as many bytes as were written */
    NUMBERS, /* of 4 bytes each */
    HALVES,  /* of 2 bytes each */
    AGENT,   /* handles */
    POOL,
    ZERO_OR_NOT /* differs from run to run */
};
struct attribute {
    int id;
    enum type type;
    const char *name;
};
#define ATTRIBUTE(type, id)                                                                        \
    {                                                                                              \
        id, type, #id                                                                              \
    }
/* A line for each attribute that get() gives of an object: status, size and value. */
void say_attributes(hsa_status_t (*get)(uint64_t object, int attribute, void *value),
                    uint64_t object, const struct attribute *attributes, size_t count);
#define SAY_ATTRIBUTES(get, object, table)                                                         \
    say_attributes(get, object, table, sizeof(table) / sizeof *(table))

/* ---- things ------------------------------------------------------------------------ */

hsa_signal_t new_signal(hsa_signal_value_t value);
/* Waits until it is less than 1: its value. */
hsa_signal_value_t finish(hsa_signal_t signal);
void *new_memory(hsa_amd_memory_pool_t pool, size_t size);
hsa_queue_t *new_queue(hsa_agent_t agent);
void *read_code(const char *name, size_t *out_size);
/* kernels.c of tests/sim/simhsa, loaded and frozen. */
hsa_executable_t load_kernels(hsa_agent_t agent);
uint64_t kernel_of(hsa_executable_t executable, hsa_agent_t agent, const char *name);
/* A packet's place; its header is written by ring. */
void *next_packet(hsa_queue_t *queue, uint64_t *out_index);
void ring(hsa_queue_t *queue, void *packet, uint16_t header, uint64_t index);
/* One work-group of 64. */
void dispatch(hsa_queue_t *queue, uint64_t kernel, void *arguments, hsa_signal_t completion);

/* ---- parts ------------------------------------------------------------------------- */

/* Each runs in a process of its own. */
enum {
    RAW = 1,       /* hsa_init has not been called there */
    ONE_MODEL = 2, /* all models give the same */
};
struct part {
    const char *name;
    void (*run)(void);
    unsigned flags;
};
extern const struct part parts_of_agents[], parts_of_code[], parts_of_copies[], parts_of_memory[],
    parts_of_queues[], parts_of_signals[], parts_of_system[], parts_of_errors[];

#endif
