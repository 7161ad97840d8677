/* The command lines of single steps: a device pass, a host pass, a C compilation, a
 * bundle, a device link. What goes where is decided here and nowhere else. */
#ifndef AH_HIPCC_PASSES_H
#define AH_HIPCC_PASSES_H

#include "jobs.h"
#include "request.h"
#include "targets.h"
#include "toolchain.h"

/* What a pass makes. */
enum ah_product {
    AH_PRODUCT_IMAGE,        /* AMD: linked code object; NVIDIA: PTX; host: object */
    AH_PRODUCT_BITCODE,      /* device bitcode of relocatable device code */
    AH_PRODUCT_ASSEMBLY,     /* -S */
    AH_PRODUCT_LLVM,         /* -emit-llvm -c */
    AH_PRODUCT_LLVM_TEXT,    /* -emit-llvm -S */
    AH_PRODUCT_NOTHING,      /* -fsyntax-only */
    AH_PRODUCT_TEXT,         /* -E */
    AH_PRODUCT_DEPENDENCIES, /* -M */
};

/* Everything the steps of one run share. */
struct ah_plan {
    const struct ah_request *request;
    const struct ah_toolchain *toolchain;
    struct ah_targets targets;
    struct ah_jobs jobs;
    const char *bundler, *lld, *libclc_amd, *libclc_nvidia; /* found when first needed */
    bool failed;
};

/* A source as the passes see it. */
struct ah_unit {
    const struct ah_input *input;
    const char *id;             /* -cuid */
    const char *standard_input; /* file with what standard input held, or NULL */
    const char *depend_target;  /* NULL: no dependencies are wanted */
};

/* A file among the intermediate ones: in the temporary folder, or with -save-temps beside the
 * user's. NULL sets plan->failed. */
const char *ah_plan_scratch(struct ah_plan *plan, const char *name);

/* Adds the pass for one target; rdc says whether it compiles relocatable device code. depend_file
 * receives the dependencies (NULL: none); output is NULL where the product needs none. */
struct ah_job *ah_pass_device(struct ah_plan *plan, const struct ah_unit *unit,
                              const struct ah_target *target, enum ah_product product, bool rdc,
                              const char *depend_file, const char *output);

/* Adds the host pass of a HIP source. carried is the bundle to embed, or with rdc the container of
 * device bitcode, or NULL. */
struct ah_job *ah_pass_host(struct ah_plan *plan, const struct ah_unit *unit,
                            enum ah_product product, bool rdc, const char *carried,
                            const char *depend_file, const char *output);

/* Adds the compilation of a source that is not HIP. */
struct ah_job *ah_pass_plain(struct ah_plan *plan, const struct ah_unit *unit,
                             enum ah_product product, const char *depend_file, const char *output);

/* Adds the step that bundles one file per target; type is "o", "s", "bc" or "ll". host is the
 * host's entry, or NULL for an empty one. */
struct ah_job *ah_pass_bundle(struct ah_plan *plan, const char *type, const char *host,
                              const char *const *files, const char *output);

/* Pushes the command that makes PTX of an optimized module of LLVM IR. */
void ah_pass_push_ptx(const struct ah_plan *plan, const struct ah_target *target,
                      const char *module, const char *output, struct ah_strings *argv);

/* Adds the steps that link device bitcode into an image; the last of them is returned. */
struct ah_job *ah_pass_device_link(struct ah_plan *plan, const struct ah_target *target,
                                   const struct ah_strings *bitcode, const char *output);

#endif
