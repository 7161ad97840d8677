/* Links of hiprtc: LLVM bitcode, from programs, files and memory, that becomes one image for the
 * current device, or for the link's own. A link is a handle; no call may use one that another call
 * changes. hipLink* uses links of this kind for what the compiler links. */
#ifndef AH_RTC_LINK_H
#define AH_RTC_LINK_H

#include "runtime.h"
#include "rtc_work.h"

#include <hip/hiprtc.h>

/* A buffer of the caller for messages. */
struct ah_rtc_log_buffer {
    char *at;
    size_t size;
};

struct ah_rtc_link {
    struct ah_handle handle;
    struct ah_rtc_bytes *inputs; /* bitcode */
    size_t input_count;
    struct ah_rtc_arguments *arguments; /* for the driver */
    struct ah_rtc_log_buffer info, error;
    struct ah_rtc_bytes image; /* of the last completion */
    bool partial;              /* NVIDIA's linker gets the image: functions may be missing */
};

_Static_assert(sizeof(struct ah_rtc_link) <= AH_HANDLE_SLOT, "a link fits a handle's slot");

/* device: the one to link for; NULL: the current one of each call. NULL: no memory. */
struct ah_rtc_link *ah_rtc_link_create(struct ah_device *device);
void ah_rtc_link_destroy(struct ah_rtc_link *link);

/* HIPRTC_ERROR_INVALID_OPTION: one is unknown, or lacks the pointer that it needs. */
hiprtcResult ah_rtc_link_set(struct ah_rtc_link *link, unsigned count,
                             const hiprtcJIT_option *options, void *const *values);

/* Whether inputs of the type are linked here: the kinds of LLVM bitcode. */
bool ah_rtc_link_takes(hiprtcJITInputType type);

/* Adds the bitcode that data holds for the current device, or of an archive of bundles that of all
 * members; copied. HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, after a log line: it holds none. */
hiprtcResult ah_rtc_link_add(struct ah_rtc_link *link, hiprtcJITInputType type, const void *data,
                             size_t size, const char *name);
hiprtcResult ah_rtc_link_add_file(struct ah_rtc_link *link, hiprtcJITInputType type,
                                  const char *path);

/* Adds what LLVM code there is for the device in bitcode, a bundle, a host object, or an archive of
 * those. Results as above. */
hiprtcResult ah_rtc_link_add_any(struct ah_rtc_link *link, const void *data, size_t size,
                                 const char *name);
/* Whether the data is one of those, with LLVM code for any device in it. */
bool ah_rtc_link_holds(const void *data, size_t size);

hiprtcResult ah_rtc_link_complete(struct ah_rtc_link *link);

#endif
