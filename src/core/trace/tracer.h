/* Private to tracer*.c: AMD's tracer, as an observer. */
#ifndef AH_TRACER_H
#define AH_TRACER_H

#include "runtime.h"
#include "roctracer_abi.h"

/* The function that hipRegisterTracerCallback was given last; NULL: none. */
roctracer_callback *ah_tracer_callback(void);

/* The highest number of a function that it knows. */
uint32_t ah_tracer_last_number(void);

/* The correlation id that the tracer gave the call that the thread is in; 0: none. */
uint64_t ah_tracer_correlation(void);

/* Functions of observers. */
void ah_tracer_call_enters(const struct ah_call *call);
void ah_tracer_call_leaves(const struct ah_call *call);
void ah_tracer_command_begins(const struct ah_observed_command *command);
void ah_tracer_device_did(struct ah_device *device, const struct ah_trace_record *record);

/* Whether there is memory to report work. */
bool ah_tracer_work_init(void);

enum ah_tracer_wait {
    AH_TRACER_NO_WAIT,     /* for records that are not there yet */
    AH_TRACER_THIS_DEVICE, /* for those of the current device, which has nothing to do */
    AH_TRACER_ALL,         /* for all, some seconds at most */
};

/* Tells the tracer what devices have done. No lock is held while its function is called. */
void ah_tracer_deliver(enum ah_tracer_wait wait);

/* Many commands have been submitted since the last delivery. */
bool ah_tracer_delivery_is_due(void);

/* A copy of text that stays, the same for equal texts. NULL: text is NULL, or no memory. */
const char *ah_tracer_keep(const char *text);

/* The same for bytes. They are aligned as malloc's. */
const void *ah_tracer_keep_bytes(const void *bytes, size_t size);

#endif
