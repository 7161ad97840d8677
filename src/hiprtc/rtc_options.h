/* The options of hiprtcCompileProgram, in the compile driver's spelling. */
#ifndef AH_RTC_OPTIONS_H
#define AH_RTC_OPTIONS_H

#include "runtime.h"
#include "rtc_work.h"

#include <hip/hiprtc.h>

struct ah_rtc_options {
    struct ah_rtc_arguments arguments; /* without the architectures */
    /* The program's macros, as "-DNAME=VALUE" and "-UNAME". They are for its source, not for the
     * runtime's header before it, where "T" or "N" may well be names of something. */
    struct ah_rtc_arguments macros;
    char *architectures; /* separated by commas; NULL: none was named */
    bool relocatable;    /* the program becomes bitcode */
    bool prints;         /* -mllvm -print-...: messages are written to standard error too, as if the
                            compiler were part of the process */
};

/* Reads the options, and those of HIPRTC_COMPILE_OPTIONS_APPEND after them. out_refused, to be
 * freed, says which was refused and why. Unknown options are passed to clang. */
hiprtcResult ah_rtc_options_read(struct ah_rtc_options *out, int count, const char *const *options,
                                 char **out_refused);
void ah_rtc_options_fini(struct ah_rtc_options *options);

/* The architecture of the current device as the compile driver spells it, to be freed; NULL without
 * one. */
char *ah_rtc_current_architecture(void);
/* That of a device; NULL is the current one. */
char *ah_rtc_architecture(struct ah_device *device);
bool ah_rtc_is_nvidia(struct ah_device *device);

#endif
