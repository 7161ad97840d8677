/* What travels through the ring: made by threads of the application and of drivers (trace.c), read
 * by the writer (trace_writer.c). */
#ifndef AH_TRACE_RECORDS_H
#define AH_TRACE_RECORDS_H

#include "runtime.h"

enum ah_trace_record_kind {
    AH_RECORD_CALL,
    AH_RECORD_COMMAND,
    AH_RECORD_DEVICE,
    AH_RECORD_GRAPH, /* what the nodes of a graph of the backend are */
    AH_RECORD_NAME,  /* of a kernel */
    AH_RECORD_MEMORY,
    AH_RECORD_RANGE, /* ROCTX */
};

enum { AH_TRACE_TEXT_MAX = 256, AH_TRACE_NAME_MAX = 2048, AH_TRACE_RESULTS_MAX = 4 };

/* A call that has returned. Text arguments follow the struct, each with its end, in their order;
 * in place of a null pointer there is the text "null". */
struct ah_call_record {
    const char *name; /* a constant of the library */
    uint64_t correlation, begin, end;
    int id;
    unsigned thread;
    hipError_t result;
    bool has_result;
    uint8_t arg_count;
    /* What pointers to results point to, as far as the call succeeded. */
    uint8_t result_count;
    uint8_t result_of[AH_TRACE_RESULTS_MAX]; /* the argument */
    char result_code[AH_TRACE_RESULTS_MAX];  /* of ah_api_argument_types; of a float: millionths */
    uint64_t results[AH_TRACE_RESULTS_MAX];
    struct ah_api_arg args[];
};

enum ah_trace_copy {
    AH_COPY_HTOD,
    AH_COPY_DTOH,
    AH_COPY_DTOD,
    AH_COPY_HTOH,
    AH_COPY_PTOP, /* between devices */
    AH_COPY_COUNT
};

/* Which stream: default streams have the same number on every device. */
struct ah_trace_stream {
    int device;
    unsigned thread;       /* of a thread's default stream; else 0 */
    unsigned long long id; /* 0: streams that an executable graph has for itself */
};

struct ah_command_record {
    uint64_t id, correlation, begin;
    enum ah_command_kind kind;
    const char *kind_name;
    unsigned thread;
    struct ah_trace_stream stream;
    uint64_t graph;                      /* the launch that it is part of, or 0 */
    struct ah_trace_stream graph_stream; /* of that launch */
    int node;                            /* of the executable graph, or -1 */
    unsigned name; /* LAUNCH: number of the kernel's name; GRAPH: of its nodes */
    unsigned grid[3], block[3], shared;
    enum ah_trace_copy copy;
    uint64_t bytes; /* of copies and fills */
};

struct ah_device_record {
    int device;
    struct ah_trace_record did;
};

struct ah_graph_record {
    unsigned number, count;
    struct ah_graph_record_node {
        const char *type; /* a constant of the library */
        unsigned name;    /* number of a kernel's name, or 0 */
        int node;
    } nodes[];
};

struct ah_name_record {
    unsigned number;
    char text[];
};

struct ah_memory_record {
    int device;
    uint64_t time;
    struct ah_memory_use use;
};

struct ah_range_record {
    int kind; /* enum anyhipTraceMarkKind */
    unsigned thread;
    uint64_t time, id;
    char text[];
};

#endif
