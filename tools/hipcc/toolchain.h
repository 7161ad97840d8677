/* Where things are: clang and the tools beside it, libclc, and our own headers and
 * library. Found from the environment, from the place of this program, and from the
 * usual places, in this order; every failure names the places that were tried. */
#ifndef AH_HIPCC_TOOLCHAIN_H
#define AH_HIPCC_TOOLCHAIN_H

#include <stdbool.h>

#include "text.h"

struct ah_toolchain {
    const char *clang;      /* the program; always run with an explicit --driver-mode */
    const char *bin;        /* folder of clang with symbolic links resolved: its tools are there */
    const char *prefix;     /* our installation prefix, or build tree */
    const char *include;    /* our headers */
    const char *library;    /* folder of libanyhip */
    bool has_prelude;       /* hip/device/prelude.h is there, for HIP passes to include first */
    bool include_is_system; /* the compiler looks there by itself */
    bool library_is_system; /* the linker and the loader do */
};

/* Our own places. out_toolchain's clang is NULL afterwards. */
void ah_toolchain_find_self(struct ah_toolchain *out_toolchain);

/* Finds a clang that is new enough. False after a message. */
bool ah_toolchain_find_clang(struct ah_toolchain *toolchain);

/* The path of a tool of clang's LLVM (clang-offload-bundler); NULL after a message that names
 * package as the one to install. */
const char *ah_toolchain_tool(const struct ah_toolchain *toolchain, const char *name,
                              const char *package);

/* The file of libclc's functions for a GPU vendor; NULL after a message. */
const char *ah_toolchain_libclc(const struct ah_toolchain *toolchain, bool nvidia);

/* Whether anything was looked for and not found. */
bool ah_toolchain_incomplete(void);

/* Starts argv with clang as a driver for C++ (or for C when c is set). */
void ah_toolchain_push_clang(const struct ah_toolchain *toolchain, bool c, struct ah_strings *argv);

/* The version of the HIP API that the headers describe, "7.2.0". */
const char *ah_toolchain_hip_version(void);

/* The version of AnyHIP, as anyhipVersion() has it. */
const char *ah_toolchain_version(void);

#endif
