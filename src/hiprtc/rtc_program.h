/* Programs of hiprtc: source text with its headers and name expressions, then the compiler's
 * results. A program is a handle (src/core/runtime/handle.h); no call may use one that another call
 * changes, hence nothing here is locked. */
#ifndef AH_RTC_PROGRAM_H
#define AH_RTC_PROGRAM_H

#include "runtime.h"
#include "rtc_work.h"

#include <hip/hiprtc.h>

struct ah_rtc_header {
    char *name, *text;
};

struct ah_rtc_name {
    char *expression; /* as the caller wrote it */
    char *lowered;    /* its symbol, once compiled */
};

struct ah_rtc_program {
    struct ah_handle handle;
    char *name; /* for messages */
    char *source;
    struct ah_rtc_header *headers;
    size_t header_count;
    struct ah_rtc_name *names;
    size_t name_count;
    char *log; /* NULL: there were no messages */
    /* With compiled set: the code, or the bitcode of relocatable device code. Of PTX the final NUL
     * counts, for loaders that are given no size. */
    struct ah_rtc_bytes image;
    bool compiled, relocatable;
};

_Static_assert(sizeof(struct ah_rtc_program) <= AH_HANDLE_SLOT, "a program fits a handle's slot");

/* As hiprtcGetErrorString. */
const char *ah_rtc_result_text(hiprtcResult result);

/* Makes a program without headers. NULL: no memory. */
struct ah_rtc_program *ah_rtc_program_create(const char *source, const char *name);
void ah_rtc_program_destroy(struct ah_rtc_program *program);

/* Both copy; false: no memory. */
bool ah_rtc_program_add_header(struct ah_rtc_program *program, const char *name, const char *text);
bool ah_rtc_program_add_name(struct ah_rtc_program *program, const char *expression);

/* Compiles for the current device unless an option names an architecture. Replaces the results of
 * an earlier compilation. */
hiprtcResult ah_rtc_program_compile(struct ah_rtc_program *program, int count,
                                    const char *const *options);

/* The entry of the expression, compared without spaces and a leading &; NULL: never added. */
const struct ah_rtc_name *ah_rtc_program_name(const struct ah_rtc_program *program,
                                              const char *expression);

/* Counts the final NUL of PTX as part of it. */
void ah_rtc_end_ptx(struct ah_rtc_bytes *image);

#endif
