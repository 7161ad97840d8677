/* Takes the records of a backend's traces, for tests of either backend. */
#ifndef AH_TESTS_RECORDER_H
#define AH_TESTS_RECORDER_H

#include "support.h"

#include "backend.h"
#include "clocks.h"

#include <pthread.h>
#include <stdatomic.h>

enum { RECORDS_MAX = 1 << 18 };

struct recorder {
    const struct ah_backend_ops *ops;
    struct ah_backend_device *device;
    const char *method;
    uint64_t begun; /* nothing that is recorded can have begun before */
    uint64_t lost, next_id;
    pthread_mutex_t lock;
    size_t count;
    struct ah_trace_record records[RECORDS_MAX];
};

static struct recorder recorder = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline void recorder_take(void *user, const struct ah_trace_record *record)
{
    (void)user;
    pthread_mutex_lock(&recorder.lock);
    if (recorder.count < RECORDS_MAX)
        recorder.records[recorder.count++] = *record;
    pthread_mutex_unlock(&recorder.lock);
}

static inline void recorder_start(const struct ah_backend_ops *ops,
                                  struct ah_backend_device *device)
{
    struct ah_trace_sink sink = {recorder_take, NULL}; /* which is gone when work is recorded */
    recorder.ops = ops;
    recorder.device = device;
    recorder.count = 0;
    recorder.lost = 0;
    assert_int_equal(ops->trace_start(device, &sink, &recorder.method), hipSuccess);
    recorder.begun = ah_clock_now();
}

static inline uint64_t recorder_begin(struct ah_backend_stream *stream, enum ah_trace_kind kind)
{
    uint64_t id = ++recorder.next_id;
    recorder.ops->trace_begin(recorder.device, stream, id, kind);
    return id;
}

static inline void recorder_end(struct ah_backend_stream *stream)
{
    recorder.ops->trace_end(recorder.device, stream, recorder.next_id);
}

static inline void recorder_collect(bool wait)
{
    recorder.ops->trace_collect(recorder.device, wait, &recorder.lost);
}

static inline void recorder_stop(void)
{
    recorder_collect(true);
    recorder.ops->trace_stop(recorder.device);
}

/* The number of records of a command; *out_first is the first of them. */
static inline size_t recorder_count(uint64_t id, const struct ah_trace_record **out_first)
{
    size_t count = 0;
    for (size_t i = 0; i < recorder.count; i++)
        if (recorder.records[i].id == id && count++ == 0 && out_first)
            *out_first = &recorder.records[i];
    return count;
}

/* How much times may be off, ns. Two clocks are looked at at the same moment, which is exact to a
 * microsecond unless another program runs in between. */
enum { RECORDER_ERROR = 5000000 };

/* The only record of a command, which is of that kind. */
static inline const struct ah_trace_record *recorder_only(uint64_t id, enum ah_trace_kind kind)
{
    const struct ah_trace_record *record = NULL;
    assert_int_equal(recorder_count(id, &record), 1);
    assert_int_equal(record->kind, kind);
    assert_true(record->begin <= record->end);
    assert_true(record->begin + RECORDER_ERROR >= recorder.begun);
    assert_true(record->end <= ah_clock_now() + RECORDER_ERROR);
    return record;
}

/* ---- work of several threads while another one collects ----------------------------------- */

enum { RECORDER_THREADS = 4 };

static _Atomic bool recorder_finished;

static inline void *recorder_collect_all_the_time(void *data)
{
    (void)data;
    while (!atomic_load(&recorder_finished))
        recorder_collect(false);
    return NULL;
}

/* Calls work in RECORDER_THREADS threads, each with the first of its own commands' ids, which is a
 * uint64_t: 1, each + 1 and so on. Returns when all records are there. */
static inline void recorder_run_threads(void *(*work)(void *first_id), uint64_t each)
{
    pthread_t collector, threads[RECORDER_THREADS];
    uint64_t ids[RECORDER_THREADS];
    atomic_store(&recorder_finished, false);
    assert_int_equal(pthread_create(&collector, NULL, recorder_collect_all_the_time, NULL), 0);
    for (uint64_t i = 0; i < RECORDER_THREADS; i++) {
        ids[i] = i * each + 1;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &ids[i]), 0);
    }
    for (int i = 0; i < RECORDER_THREADS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&recorder_finished, true);
    pthread_join(collector, NULL);
    recorder_collect(true);
}

#endif
