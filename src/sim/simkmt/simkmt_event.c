/* Owns events: the calls that wait for them, the mailboxes by which devices name them, and the
 * reports of memory faults.
 *
 * An event of type HSA_EVENTTYPE_SIGNAL has a mailbox, a word of memory that devices can access. A
 * device stores the event's number there and sends an interrupt; an interrupt without a number
 * signals all events with mail. */
#include "simkmt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EVENTS_MAX = 4096 }; /* of a process, as the kernel driver has it */
#define NO_MAIL UINT64_MAX

/* One event of one call that waits. */
struct waiter {
    struct event *event; /* NULL: destroyed */
    struct waiter *next; /* of the same event */
    bool activated;      /* the event was signaled before or while the call waited */
};

struct event {
    HsaEvent shown; /* what the caller has */
    bool manual_reset, signaled;
    uint64_t age; /* how often it was signaled, from 1 */
    struct waiter *waiters;
    HsaMemoryAccessFault fault; /* of HSA_EVENTTYPE_MEMORY: copied to the caller when it waits */
};

static struct {
    pthread_mutex_t lock; /* of all */
    pthread_cond_t changed;
    bool open;
    struct sim_memory *mailboxes;    /* a word of each event */
    struct event *table[EVENTS_MAX]; /* by number; number 0 is not an event */
    uint32_t end;                    /* no number from here on was ever used */
} events = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- finding --------------------------------------------------------------------------- */

static _Atomic(uint64_t) *mailbox_of(uint32_t number)
{
    return (_Atomic(uint64_t) *)(void *)events.mailboxes->view + number;
}

/* Under the lock. NULL: it was never made, or is destroyed; what shown points to may be gone. */
static struct event *event_get(const HsaEvent *shown)
{
    for (uint32_t i = 1; i < events.end && shown; i++)
        if (events.table[i] && &events.table[i]->shown == shown)
            return events.table[i];
    return NULL;
}

/* ---- making ---------------------------------------------------------------------------- */

/* Under the lock. */
static bool open_events(void)
{
    pthread_condattr_t attributes;
    if (events.open)
        return true;
    events.mailboxes =
        sim_memory_create(SIM_MEMORY_HOST, -1, EVENTS_MAX * sizeof(uint64_t), SIMKMT_PAGE);
    if (!events.mailboxes)
        return false;
    sim_memory_name(events.mailboxes, "mailboxes of events");
    for (uint32_t i = 0; i < EVENTS_MAX; i++)
        atomic_store_explicit(mailbox_of(i), NO_MAIL, memory_order_relaxed);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&events.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    events.open = true;
    return true;
}

/* Under the lock. 0: none is left. */
static uint32_t unused_number(void)
{
    for (uint32_t i = 1; i < EVENTS_MAX; i++)
        if (!events.table[i])
            return i;
    return 0;
}

static HSAKMT_STATUS create(const HsaEventDescriptor *descriptor, struct event *event)
{
    uint32_t number = open_events() ? unused_number() : 0;
    if (number == 0)
        return simkmt_refuse(HSAKMT_STATUS_ERROR,
                             "an event cannot be created: out of memory, or all %d are in use",
                             EVENTS_MAX - 1);
    event->shown.EventId = number;
    event->shown.EventData.EventType = descriptor->EventType;
    event->shown.EventData.EventData.SyncVar = descriptor->SyncVar;
    event->shown.EventData.HWData1 = number;
    event->shown.EventData.HWData3 = number;
    if (descriptor->EventType == HSA_EVENTTYPE_SIGNAL)
        event->shown.EventData.HWData2 = (uintptr_t)mailbox_of(number);
    atomic_store(mailbox_of(number), NO_MAIL);
    events.table[number] = event;
    events.end = events.end > number ? events.end : number + 1;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor *descriptor, bool manual_reset, bool signaled,
                                HsaEvent **event)
{
    SIMKMT_ENTER();
    if (!descriptor || !event || descriptor->EventType >= HSA_EVENTTYPE_MAXID)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct event *made = calloc(1, sizeof *made);
    if (!made)
        return HSAKMT_STATUS_NO_MEMORY;
    made->manual_reset = manual_reset;
    made->signaled = signaled;
    made->age = 1;
    pthread_mutex_lock(&events.lock);
    HSAKMT_STATUS result = create(descriptor, made);
    pthread_mutex_unlock(&events.lock);
    if (result == HSAKMT_STATUS_SUCCESS)
        *event = &made->shown;
    else
        free(made);
    return result;
}

/* Under the lock. Calls that wait for it find that it is destroyed. */
static void discard(struct event *event)
{
    for (struct waiter *waiter = event->waiters; waiter; waiter = waiter->next)
        waiter->event = NULL;
    events.table[event->shown.EventId] = NULL;
    pthread_cond_broadcast(&events.changed);
    free(event);
}

HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent *shown)
{
    SIMKMT_ENTER();
    pthread_mutex_lock(&events.lock);
    struct event *event = event_get(shown);
    if (event)
        discard(event);
    pthread_mutex_unlock(&events.lock);
    return event ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

void simkmt_events_close(void)
{
    pthread_mutex_lock(&events.lock);
    for (uint32_t i = 1; i < EVENTS_MAX; i++)
        if (events.table[i])
            discard(events.table[i]);
    if (events.open) {
        sim_memory_destroy(events.mailboxes);
        events.open = false;
    }
    pthread_mutex_unlock(&events.lock);
}

/* ---- signaling ------------------------------------------------------------------------- */

/* Under the lock. As the kernel driver does it, the signal reaches every call that waits, and an
 * event that resets by itself stays signaled only if none does: runtimes let several threads wait
 * for one event, and none may take the signal from another. */
static void signal_event(struct event *event)
{
    for (struct waiter *waiter = event->waiters; waiter; waiter = waiter->next)
        waiter->activated = true;
    event->signaled = event->manual_reset || !event->waiters;
    event->age++;
    pthread_cond_broadcast(&events.changed);
}

HSAKMT_STATUS hsaKmtSetEvent(HsaEvent *shown)
{
    SIMKMT_ENTER();
    pthread_mutex_lock(&events.lock);
    struct event *event = event_get(shown);
    if (event)
        signal_event(event);
    pthread_mutex_unlock(&events.lock);
    amdgpu_signals_changed(); /* the runtime stored to a signal, for which queues may wait */
    return event ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

HSAKMT_STATUS hsaKmtResetEvent(HsaEvent *shown)
{
    SIMKMT_ENTER();
    pthread_mutex_lock(&events.lock);
    struct event *event = event_get(shown);
    if (event)
        event->signaled = false;
    pthread_mutex_unlock(&events.lock);
    return event ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}

/* As a wait that does not wait. */
HSAKMT_STATUS hsaKmtQueryEventState(HsaEvent *shown)
{
    return hsaKmtWaitOnEvent(shown, 0);
}

void simkmt_interrupt(uint32_t number)
{
    pthread_mutex_lock(&events.lock);
    uint32_t first = number, last = number;
    if (!events.open)
        last = 0, first = 1;
    else if (number == 0 || number >= EVENTS_MAX)
        first = 1, last = EVENTS_MAX - 1;
    for (uint32_t i = first; i <= last; i++) {
        bool mail = atomic_exchange(mailbox_of(i), NO_MAIL) != NO_MAIL;
        if (events.table[i] && (mail || i == number))
            signal_event(events.table[i]);
    }
    pthread_mutex_unlock(&events.lock);
    amdgpu_signals_changed();
}

bool simkmt_memory_fault(const struct simkmt_node *node, uint64_t address)
{
    bool reported = false;
    pthread_mutex_lock(&events.lock);
    for (uint32_t i = 1; i < EVENTS_MAX; i++) {
        struct event *event = events.table[i];
        if (!event || event->shown.EventData.EventType != HSA_EVENTTYPE_MEMORY)
            continue;
        event->fault = (HsaMemoryAccessFault){
            .NodeId = node->number,
            .VirtualAddress = address & -(uint64_t)SIMKMT_PAGE,
            .Failure = HSA_FAULT_NOT_PRESENT,
            .Flags = HSA_EVENTID_MEMORY_FATAL_PROCESS,
        };
        signal_event(event);
        reported = true;
    }
    pthread_mutex_unlock(&events.lock);
    return reported;
}

/* ---- waiting --------------------------------------------------------------------------- */

/* The age of an event that a caller has seen. NULL: it does not say. */
static uint64_t *age_of(const struct event *event, uint64_t *ages, uint32_t i)
{
    bool counts = ages && ages[i] != 0 && event->shown.EventData.EventType == HSA_EVENTTYPE_SIGNAL;
    return counts ? &ages[i] : NULL;
}

/* Under the lock. Signals that are there are taken, and one that a caller has not seen is as good
 * as one that is there. False: one of the events does not exist. */
static bool begin_wait(HsaEvent *const *shown, struct waiter *waiters, uint32_t count,
                       uint64_t *ages)
{
    for (uint32_t i = 0; i < count; i++) {
        waiters[i].event = event_get(shown[i]);
        if (!waiters[i].event)
            return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct event *event = waiters[i].event;
        const uint64_t *age = age_of(event, ages, i);
        waiters[i].activated = event->signaled || (age && *age != event->age);
        waiters[i].next = event->waiters;
        event->waiters = &waiters[i];
    }
    for (uint32_t i = 0; i < count; i++)
        waiters[i].event->signaled &= waiters[i].event->manual_reset;
    return true;
}

/* Under the lock. */
static void end_wait(struct waiter *waiters, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!waiters[i].event)
            continue;
        struct waiter **place = &waiters[i].event->waiters;
        while (*place != &waiters[i])
            place = &(*place)->next;
        *place = waiters[i].next;
    }
}

/* Under the lock. HSAKMT_STATUS_WAIT_TIMEOUT: too few of the events are signaled as yet. */
static HSAKMT_STATUS wait_state(const struct waiter *waiters, uint32_t count, uint32_t wanted)
{
    uint32_t activated = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!waiters[i].event)
            return HSAKMT_STATUS_WAIT_FAILURE;
        activated += waiters[i].activated;
    }
    return activated < wanted ? HSAKMT_STATUS_WAIT_TIMEOUT : HSAKMT_STATUS_SUCCESS;
}

/* Under the lock: fills in what the caller gets about signaled events. */
static void report_events(const struct waiter *waiters, uint32_t count, uint64_t *ages)
{
    for (uint32_t i = 0; i < count; i++) {
        struct event *event = waiters[i].event;
        uint64_t *age = age_of(event, ages, i);
        if (waiters[i].activated && age)
            *age = event->age;
        if (waiters[i].activated && event->shown.EventData.EventType == HSA_EVENTTYPE_MEMORY)
            event->shown.EventData.EventData.MemoryAccessFault = event->fault;
    }
}

static struct timespec end_of(uint32_t milliseconds)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return end;
}

/* Under the lock. AMD's runtime 5.2.3 has two threads wait for one event that resets automatically:
 * when one of them consumes a signal while the other is about to wait, the other never wakes up.
 * Later runtimes say which signals they have seen. AMD's runtimes wait without a limit by using the
 * longest timeout; such a wait returns every second, and they check the values then, whatever it
 * returns. */
static HSAKMT_STATUS wait_until(const struct waiter *waiters, uint32_t count, uint32_t wanted,
                                uint32_t milliseconds)
{
    enum { LOOK_AGAIN_MS = 1000 };
    bool longest = milliseconds == (uint32_t)HSA_EVENTTIMEOUT_INFINITE - 1;
    struct timespec end = end_of(longest ? LOOK_AGAIN_MS : milliseconds);
    HSAKMT_STATUS state;
    int late = 0;
    while ((state = wait_state(waiters, count, wanted)) == HSAKMT_STATUS_WAIT_TIMEOUT && !late) {
        if (milliseconds == (uint32_t)HSA_EVENTTIMEOUT_INFINITE)
            pthread_cond_wait(&events.changed, &events.lock);
        else
            late = pthread_cond_timedwait(&events.changed, &events.lock, &end) == ETIMEDOUT;
    }
    return state;
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents_Ext(HsaEvent *shown[], uint32_t count, bool all,
                                             uint32_t milliseconds, uint64_t *ages)
{
    SIMKMT_ENTER();
    if (!shown || count == 0)
        return HSAKMT_STATUS_INVALID_HANDLE;
    struct waiter few[8], *waiters = count <= 8 ? few : calloc(count, sizeof *waiters);
    if (!waiters)
        return HSAKMT_STATUS_NO_MEMORY;
    HSAKMT_STATUS result = HSAKMT_STATUS_WAIT_FAILURE;
    pthread_mutex_lock(&events.lock);
    if (begin_wait(shown, waiters, count, ages)) {
        result = wait_until(waiters, count, all ? count : 1, milliseconds);
        if (result == HSAKMT_STATUS_SUCCESS)
            report_events(waiters, count, ages);
        end_wait(waiters, count);
    }
    pthread_mutex_unlock(&events.lock);
    if (waiters != few)
        free(waiters);
    return result;
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent *shown[], uint32_t count, bool all,
                                         uint32_t milliseconds)
{
    return hsaKmtWaitOnMultipleEvents_Ext(shown, count, all, milliseconds, NULL);
}

HSAKMT_STATUS hsaKmtWaitOnEvent_Ext(HsaEvent *event, uint32_t milliseconds, uint64_t *age)
{
    return hsaKmtWaitOnMultipleEvents_Ext(&event, 1, true, milliseconds, age);
}

HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent *event, uint32_t milliseconds)
{
    return hsaKmtWaitOnEvent_Ext(event, milliseconds, NULL);
}
