/* What the command line asks for. Everything the other parts decide, they decide from
 * this struct and the toolchain; nothing else reads arguments. */
#ifndef AH_HIPCC_REQUEST_H
#define AH_HIPCC_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

enum ah_mode {
    AH_MODE_LINK,
    AH_MODE_STATIC_LIBRARY,
    AH_MODE_OBJECT,
    AH_MODE_ASSEMBLY,
    AH_MODE_SYNTAX,
    AH_MODE_PREPROCESS,
    AH_MODE_DEPEND,
};

enum ah_side { AH_SIDE_BOTH, AH_SIDE_DEVICE, AH_SIDE_HOST };

/* The steps an argument goes to, as bits. */
enum ah_route {
    AH_ROUTE_HIP_HOST = 1,
    AH_ROUTE_AMD = 2,
    AH_ROUTE_NVIDIA = 4,
    AH_ROUTE_C = 8,    /* compilation of a C source */
    AH_ROUTE_CXX = 16, /* of a C++ source that is not HIP, of assembler, ... */
    AH_ROUTE_LINK = 32,
    AH_ROUTE_DEVICE_LINK = 64,
    AH_ROUTE_PTX = 128, /* from LLVM IR to PTX; with DEVICE_LINK */
    AH_ROUTE_HOST = AH_ROUTE_HIP_HOST | AH_ROUTE_C | AH_ROUTE_CXX,
    AH_ROUTE_DEVICE = AH_ROUTE_AMD | AH_ROUTE_NVIDIA,
    AH_ROUTE_COMPILE = AH_ROUTE_HOST | AH_ROUTE_DEVICE,
    AH_ROUTE_ALL = AH_ROUTE_COMPILE | AH_ROUTE_LINK,
};

struct ah_arg {
    const char *text;
    unsigned routes;
    const char *arch; /* only for this architecture (gfx90a, sm_70), or NULL */
};

enum ah_language {
    AH_LANGUAGE_HIP,
    AH_LANGUAGE_C,
    AH_LANGUAGE_CXX,
    AH_LANGUAGE_OTHER, /* clang knows it by its suffix or by the -x given */
    AH_LANGUAGE_LINK,  /* goes to the linker as it is */
};

/* A source, or an argument of the link step; their order is the order of the link. */
struct ah_input {
    enum ah_language language;
    const char *path;    /* the source, the object or the option; "-" is standard input */
    const char *value;   /* separate value of an option, or NULL */
    const char *spelled; /* the value of -x for OTHER, or NULL */
    bool is_file;        /* a path, not an option */
};

struct ah_request {
    enum ah_mode mode;
    enum ah_side side;
    struct ah_arg *args;
    size_t arg_count, arg_capacity;
    struct ah_input *inputs;
    size_t input_count, input_capacity;
    struct ah_strings archs; /* as asked for, not yet checked */
    struct ah_strings no_archs;
    struct ah_strings folders; /* of -L */
    struct ah_strings ptx_features;
    struct ah_strings amd_linker;  /* arguments of ld.lld in AMD device links */
    struct ah_strings prefix_maps; /* OLD=NEW of -ffile-prefix-map and its kin */
    const char *output;
    const char *unit_id; /* as given; "" for none at all; NULL: to be made */
    const char *compression_level;
    const char *save_temps; /* "cwd" or "obj", or NULL */
    const char *optimize;   /* the last -O, or NULL */
    const char *depend_file;
    struct ah_strings depend_targets; /* spelled as in the rule */
    bool depend, depend_user_only, depend_phony;
    bool verbose, dry_run, rdc, emit_llvm, compress, relocatable, shared, is_static;
    bool allow_undefined; /* PTX may call functions that another linker finds */
    bool no_gpulib, no_gpuinc, no_runtime, no_rpath, bundle, no_bundle, colour_chosen;
    bool code_object_version_chosen;
    unsigned parallel; /* 0: as many as there are processors */
};

/* Reads the arguments (argv[0] left out, response files expanded). False after a message. */
bool ah_request_read(const struct ah_strings *arguments, struct ah_request *out_request);

/* Replaces every @file by the arguments in it. False after a message. */
bool ah_request_expand(const struct ah_strings *arguments, struct ah_strings *out_arguments);

/* Pushes the arguments that go to the step, in their order. arch may be NULL. */
void ah_request_args(const struct ah_request *request, unsigned route, const char *arch,
                     struct ah_strings *out_argv);

/* The inputs that are compiled. */
size_t ah_request_source_count(const struct ah_request *request);
bool ah_input_is_source(const struct ah_input *input);

/* Whether it is a header to be precompiled. */
bool ah_input_is_header(const struct ah_input *input);

#endif
