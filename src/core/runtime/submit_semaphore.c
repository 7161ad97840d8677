/* Owns commands that signal semaphores of other APIs, or wait for them. */
#include "external.h"
#include "submit_kinds.h"

#include <stdlib.h>

hipError_t ah_check_semaphores(const struct ah_stream *stream, struct ah_command *command)
{
    const struct ah_device *device = stream->handle.device;
    hipError_t error = ah_semaphores_check(command->semaphores.list, command->semaphores.count);
    for (unsigned i = 0; i < command->semaphores.count && error == hipSuccess; i++) {
        const struct ah_semaphore *semaphore = command->semaphores.list[i];
        if (semaphore->handle.device != device) {
            AH_LOG_ERR("a semaphore that was imported on device %d is used in a stream of device "
                       "%d: import it there too",
                       semaphore->handle.device->ordinal, device->ordinal);
            error = hipErrorInvalidValue;
        }
    }
    return error;
}

hipError_t ah_run_semaphores(struct ah_stream *stream, struct ah_backend_stream *native,
                             const struct ah_command *command)
{
    enum { USUAL = 8 };
    struct ah_backend_semaphore *usual[USUAL], **list = usual;
    struct ah_device *device = stream->handle.device;
    unsigned count = command->semaphores.count;
    if (count > USUAL)
        list = malloc(count * sizeof(*list));
    if (!list)
        return hipErrorOutOfMemory;
    for (unsigned i = 0; i < count; i++)
        list[i] = ((const struct ah_semaphore *)command->semaphores.list[i])->native;
    hipError_t error = count == 0 ? hipSuccess
                       : command->kind == AH_COMMAND_SIGNAL
                           ? device->ops->stream_signal_semaphores(
                                 device->native, native, list, command->semaphores.signals, count)
                           : device->ops->stream_wait_semaphores(device->native, native, list,
                                                                 command->semaphores.waits, count);
    if (list != usual)
        free(list);
    return error;
}
