/* Private to submit*.c: what ah_submit does for each kind of command. check looks at the command's
 * arguments and memory, stores there what run needs, and calls no driver for the stream; run passes
 * the command to the driver, in the stream that native is of. */
#ifndef AH_SUBMIT_KINDS_H
#define AH_SUBMIT_KINDS_H

#include "submit.h"

typedef hipError_t ah_command_check(const struct ah_stream *stream, struct ah_command *command);
typedef hipError_t ah_command_run(struct ah_stream *stream, struct ah_backend_stream *native,
                                  const struct ah_command *command);

ah_command_check ah_check_launch, ah_check_copy, ah_check_region, ah_check_fill,
    ah_check_semaphores;
ah_command_run ah_run_copy, ah_run_copy_batch, ah_run_copy_peer, ah_run_region, ah_run_fill,
    ah_run_semaphores;

/* Host memory through which a copy between two drivers goes, bytes: larger ones go in pieces. A
 * multiple of every array's element. */
enum { AH_STAGING_SIZE = 4 << 20 };

/* Waits for all work of two devices, before a copy between them. */
hipError_t ah_device_wait_both(struct ah_device *one, struct ah_device *other);

#endif
