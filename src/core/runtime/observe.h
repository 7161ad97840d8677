/* Observers: who is told about calls of public functions, about the commands that enter streams,
 * and about what devices then do. The trace file and tracers of others are observers; they are
 * src/core/trace's, and register themselves here. The runtime and the API know nothing else of
 * them.
 *
 * Without an observer nothing is measured: calls and commands have the branches that they have for
 * the log (ah_api_state, ah_unusual), and no more.
 *
 * A call is reported at its entry and at its exit, in the thread that makes it. The arguments are
 * kept between the two, so that what pointers to results point to can be read at the exit. HIP
 * calls that an observer's function makes are not reported.
 *
 * A command is reported around the calls of the backend that submit it. Its id is what the
 * backend's records (struct ah_trace_record) refer to; its correlation id is that of the call that
 * submitted it.
 *
 * All times are nanoseconds of CLOCK_MONOTONIC. The functions of an observer may be called by any
 * thread, several at once, also for a while after ah_observe_remove; what they use has to last as
 * long as the process. They are not called in a child of fork. */
#ifndef AH_OBSERVE_H
#define AH_OBSERVE_H

#include "backend.h"

#include <hip/hip_runtime_api.h>

#include <stdatomic.h>

struct ah_command;
struct ah_device;
struct ah_function;
struct ah_stream;

/* ---- calls ------------------------------------------------------------------------------ */

enum ah_api_arg_kind {
    AH_ARG_SIGNED,
    AH_ARG_UNSIGNED,
    AH_ARG_FLOAT,
    AH_ARG_POINTER,
    AH_ARG_TEXT,
    AH_ARG_DIM3
};

/* An argument as the log prints it. */
struct ah_api_arg {
    enum ah_api_arg_kind kind;
    union {
        long long as_signed;
        unsigned long long as_unsigned;
        double as_float;
        const void *as_pointer;
        const char *as_text;
        dim3 as_dim3;
    };
};

enum { AH_CALL_ARGS_MAX = 14 };

/* A call that is under way; lies with its thread. */
struct ah_call {
    const char *name;
    int id;               /* enum ah_api_id of api_ids.h; -1: the function has no row in api.def */
    uint64_t correlation; /* of this call alone in the process; never 0 */
    uint64_t begin, end;  /* end: at the exit */
    unsigned thread;      /* the system's number of the thread */
    hipError_t result;    /* at the exit */
    bool has_result;      /* false: it returns something else, or nothing */
    int arg_count;
    struct ah_api_arg args[AH_CALL_ARGS_MAX];
    const void *values;    /* the arguments themselves, as fields of a structure (AH_FIELDS_ of
                              api_arguments.h); at the entry alone. NULL: not passed on */
    struct ah_call *outer; /* the thread's call that this one is made in, or NULL */
    unsigned observers;    /* that were told of the entry, a bit each */
    unsigned removals;     /* of observers, before the call */
};

/* ---- commands --------------------------------------------------------------------------- */

/* A launch of an executable graph, which the thread is submitting. */
struct ah_observed_graph {
    uint64_t id; /* of this launch alone, and of no command */
    struct ah_stream *stream;
    int node; /* of the executable graph, that is being submitted by itself; -1: none */
};

/* What a node of a graph of the backend does. */
struct ah_observed_node {
    const char *type;             /* "kernel", "memcpy", ... */
    struct ah_function *function; /* of a kernel, else NULL */
    int node;                     /* of the executable graph */
};

/* The nodes of a graph of the backend, by struct ah_trace_record's index. */
struct ah_observed_nodes {
    unsigned count;
    void (*describe)(const struct ah_observed_nodes *nodes, unsigned index,
                     struct ah_observed_node *out_node);
    /* The trace file's number for these nodes; 0: it has none for them as they are now. */
    _Atomic(unsigned) *number;
};

struct ah_observed_command {
    uint64_t id;          /* of this command alone; never 0 */
    uint64_t correlation; /* of the call; 0: no call of this thread is observed */
    struct ah_stream *stream;
    const struct ah_command *command;
    const char *name;                      /* of the kind of command */
    const struct ah_observed_graph *graph; /* whose launch the command is part of, or NULL */
    uint64_t begin;                        /* when it was handed to the backend */
    bool is_traced;                        /* for observe.c: the device's backend knows of it */
};

/* ---- memory ----------------------------------------------------------------------------- */

/* What HIP has allocated, in bytes. */
struct ah_memory_use {
    uint64_t device, managed;
    uint64_t host;   /* page-locked: allocated or registered while this device was current */
    uint64_t graphs; /* of the device, that graphs have */
    uint64_t opened; /* of other processes, that is open in this one */
};

/* ---- observers -------------------------------------------------------------------------- */

/* Any function may be NULL. */
struct ah_observer {
    void (*call_enters)(const struct ah_call *call);
    void (*call_leaves)(const struct ah_call *call);
    /* Before and after the backend is called; error: what it returned. Between the two, the thread
     * may report commands of other streams that this one is made of. */
    void (*command_begins)(const struct ah_observed_command *command);
    void (*command_ends)(const struct ah_observed_command *command, hipError_t error);
    /* Memory was allocated or freed; use: since then, at that time. */
    void (*memory_changes)(struct ah_device *device, const struct ah_memory_use *use,
                           uint64_t time);
    /* What the device did for a command; threads of the driver may call this. */
    void (*device_did)(struct ah_device *device, const struct ah_trace_record *record);
};

enum { AH_OBSERVERS_MAX = 8 };

/* From now on calls, or commands as well, are reported. False: there are AH_OBSERVERS_MAX already.
 * To add an observer again that is there does nothing. After either function the caller brings
 * the states of the API in step (ah_api_update_state). */
bool ah_observe_add(const struct ah_observer *observer);
void ah_observe_remove(const struct ah_observer *observer);

/* After the last observer of commands has been removed devices stop reporting, those that a thread
 * submits to just now when it has done so, so that work costs what it costs without a trace. They
 * start again with the next observer. Records that were not collected are lost. */
void ah_observe_release_devices(void);

/* In a pause there are no observers, as it were: none is told of anything. What is under way when
 * it begins is told before; what begins in it is not told after it either. Pauses do not nest. As
 * above, the caller brings the states of the API in step. */
void ah_observe_pause(bool paused);
/* The same for the calls of the calling thread and what it submits. */
void ah_observe_pause_thread(bool paused);

/* Whether any observer has such functions: for those who keep ah_api_state and ah_unusual. */
bool ah_observe_calls(void);
bool ah_observe_commands(void);

/* Whom hipProfilerStart (start) and hipProfilerStop tell; NULL: nobody. */
void ah_observe_on_profiler(void (*function)(bool start));
bool ah_observe_has_profiler(void);
void ah_observe_profiler(bool start);

/* ---- for the API boundary ---------------------------------------------------------------- */

/* The entry and the exit of a call of the thread; name is the same pointer in both. begin: when the
 * call began, 0: now. A call whose entry was not reported has no exit. */
void ah_observe_enter(const char *name, int id, const struct ah_api_arg *args, int count,
                      const void *values, uint64_t begin);
void ah_observe_leave(const char *name, hipError_t result, bool has_result);

/* The correlation id of the call that the thread is in; 0: none is observed. */
uint64_t ah_observe_correlation(void);

/* ---- for submit.c -------------------------------------------------------------------------- */

/* Around the backend's part of a command. The device reports from its first command on: that starts
 * its backend's trace. *out_command is for the end. */
void ah_observe_command_begin(struct ah_stream *stream, struct ah_backend_stream *native,
                              const struct ah_command *command, const char *name,
                              struct ah_observed_command *out_command);
void ah_observe_command_end(const struct ah_observed_command *command,
                            struct ah_backend_stream *native, hipError_t error);

/* ---- for graphs ------------------------------------------------------------------------------ */

/* A graph of the backend is about to be made: if commands are observed the device reports from now
 * on, since a driver may say only now which of its nodes is which. */
void ah_observe_graph_create(struct ah_device *device);

/* Around the submission of an executable graph's nodes: the thread's commands in between are part
 * of the launch. */
void ah_observe_graph_begin(struct ah_observed_graph *graph, struct ah_stream *stream);
void ah_observe_graph_end(struct ah_observed_graph *graph);

/* ---- for memory.c ---------------------------------------------------------------------------- */

void ah_observe_memory(struct ah_device *device, const struct ah_memory_use *use, uint64_t time);

/* ---- for those who collect ------------------------------------------------------------------ */

/* Delivers what devices have done since the last time; wait: also what is still under way and ends
 * within some seconds.
 * Returns how many records have been lost so far. Any thread; they take turns. */
uint64_t ah_observe_collect(bool wait);

/* The same after the host has waited for a device: it waits for that one's records, which a driver
 * may have somewhat later than the work has ended, and not for other devices. */
uint64_t ah_observe_collect_idle(const struct ah_device *device);

/* How the device's times are taken, for people: "HSA profiled signals", "event pairs".
 * NULL: it has never begun to report, or cannot; *out_error is then why (hipSuccess: not begun). */
const char *ah_observe_method(const struct ah_device *device, hipError_t *out_error);

#endif
