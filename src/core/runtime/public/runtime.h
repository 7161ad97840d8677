/* The runtime: the implementation below the public functions of HIP, used by the API's rooms.
 *
 * It owns the list of drivers and devices (registry.h), handles (handle.h), what belongs to a
 * thread (thread.h), the address map of all allocations (memory.h), device code (code.h,
 * library.h, managed.h), arrays (array.h), memory and semaphores of other APIs (external.h), streams
 * and events (stream.h), their attributes (stream_attribute.h, launch_attribute.h), execution
 * contexts (execution.h), the way into a stream (submit.h), what is asked while streams are captured
 * (capture.h), who is told of calls and commands (observe.h), waits across drivers, the reset of
 * devices (lifetime.h), and the names of errors (error.h). It owns no public function, and neither
 * sets nor reads the thread's last error.
 *
 * Users are src/core/api and src/hiprtc, which include this header and see no other of this
 * folder. The runtime calls backends through src/backend/backend.h and knows nothing of its
 * users: what must happen above when a device is reset registers itself with lifetime.h.
 *
 * Any thread may call anything, unless a header says otherwise. Each lock is private to one file
 * and held for bookkeeping; none is held while a backend is called, except a device's lock
 * (struct ah_device) where something of the device is made for the first time, and that of
 * execution contexts while an event is recorded after all streams of one. Initialisation
 * (ah_registry_init) comes before everything else. */
#ifndef AH_RUNTIME_H
#define AH_RUNTIME_H

#include "../array.h"
#include "../capture.h"
#include "../code.h"
#include "../error.h"
#include "../execution.h"
#include "../external.h"
#include "../handle.h"
#include "../launch_attribute.h"
#include "../launch_data.h"
#include "../library.h"
#include "../lifetime.h"
#include "../managed.h"
#include "../memory.h"
#include "../observe.h"
#include "../registry.h"
#include "../select.h"
#include "../stream.h"
#include "../stream_attribute.h"
#include "../submit.h"
#include "../thread.h"

#endif
