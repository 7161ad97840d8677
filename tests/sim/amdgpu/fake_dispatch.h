/* Dispatches that execute nothing: they end when and as the test says. They replace
 * amdgpu_dispatch.c and the rest of exec. */
#ifndef FAKE_DISPATCH_H
#define FAKE_DISPATCH_H

#include "amdgpu.h"
#include "amdgpu_code.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FAKES = 1024 };

struct fake {
    struct amdgpu_dispatch *dispatch;
    struct amdgpu_dispatch seen; /* as it was started */
    bool ended, cancelled, done; /* done: its queue knows that it has ended */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct fake fakes[FAKES];
    unsigned started, running, most; /* most: that ran at once */
    bool at_once;                    /* each ends before its start returns */
    bool helps;                      /* who helps stays until the dispatch has ended */
    enum amdgpu_end_kind refusal;    /* not OK: nothing starts */
    void (*interrupt)(uint32_t);
    unsigned forgotten; /* how often decoded code was discarded */
    uint64_t clock;
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void fake_reset(void)
{
    pthread_mutex_lock(&fake.lock);
    fake.started = fake.running = fake.most = 0;
    fake.at_once = fake.helps = false;
    fake.refusal = AMDGPU_END_OK;
    pthread_mutex_unlock(&fake.lock);
}

bool amdgpu_dispatch_start(struct amdgpu_dispatch *dispatch, struct amdgpu_end *out_end)
{
    struct amdgpu_end good = {.kind = AMDGPU_END_OK};
    pthread_mutex_lock(&fake.lock);
    bool at_once = fake.at_once, starts = fake.refusal == AMDGPU_END_OK;
    *out_end = (struct amdgpu_end){.kind = fake.refusal};
    if (starts) {
        fake.fakes[fake.started++ % FAKES] = (struct fake){
            .dispatch = dispatch, .seen = *dispatch, .ended = at_once, .done = at_once};
        fake.running += !at_once;
        fake.most = fake.running > fake.most ? fake.running : fake.most;
    }
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
    if (starts && at_once)
        dispatch->done(dispatch, &good);
    return starts;
}

/* Ends the dispatch that was started as number index, from 0. */
static void fake_end(unsigned index, struct amdgpu_end end)
{
    struct amdgpu_dispatch *dispatch = NULL;
    pthread_mutex_lock(&fake.lock);
    struct fake *at = &fake.fakes[index % FAKES];
    if (!at->ended) {
        dispatch = at->dispatch;
        fake.running--;
    }
    at->ended = true;
    pthread_mutex_unlock(&fake.lock);
    if (dispatch)
        dispatch->done(dispatch, &end);
    pthread_mutex_lock(&fake.lock);
    at->done = true;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
}

static bool fake_is_running(const struct amdgpu_dispatch *dispatch)
{
    for (unsigned i = 0; i < FAKES; i++)
        if (fake.fakes[i].dispatch == dispatch && !fake.fakes[i].done)
            return true;
    return false;
}

void amdgpu_dispatch_help(struct amdgpu_dispatch *dispatch)
{
    pthread_mutex_lock(&fake.lock);
    while (fake.helps && fake_is_running(dispatch))
        pthread_cond_wait(&fake.changed, &fake.lock);
    pthread_mutex_unlock(&fake.lock);
}

static inline void fake_end_well(unsigned index)
{
    fake_end(index, (struct amdgpu_end){.kind = AMDGPU_END_OK});
}

/* Waits until count dispatches have started since fake_reset. */
static inline void fake_wait_started(unsigned count)
{
    pthread_mutex_lock(&fake.lock);
    while (fake.started < count)
        pthread_cond_wait(&fake.changed, &fake.lock);
    pthread_mutex_unlock(&fake.lock);
}

static inline unsigned fake_started(void)
{
    pthread_mutex_lock(&fake.lock);
    unsigned started = fake.started;
    pthread_mutex_unlock(&fake.lock);
    return started;
}

static inline struct amdgpu_dispatch fake_seen(unsigned index)
{
    fake_wait_started(index + 1);
    pthread_mutex_lock(&fake.lock);
    struct amdgpu_dispatch seen = fake.fakes[index % FAKES].seen;
    pthread_mutex_unlock(&fake.lock);
    return seen;
}

/* Ends what was cancelled, as a thread of the pool does. */
static void *fake_canceller(void *data)
{
    (void)data;
    for (;;) {
        unsigned index = FAKES;
        pthread_mutex_lock(&fake.lock);
        while (index == FAKES) {
            for (unsigned i = 0; i < FAKES; i++)
                if (fake.fakes[i].cancelled && !fake.fakes[i].ended)
                    index = i;
            if (index == FAKES)
                pthread_cond_wait(&fake.changed, &fake.lock);
        }
        pthread_mutex_unlock(&fake.lock);
        fake_end(index, (struct amdgpu_end){.kind = AMDGPU_END_CANCELLED});
    }
    return NULL;
}

static bool fake_open(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, fake_canceller, NULL) == 0 && pthread_detach(thread) == 0;
}

void amdgpu_dispatch_cancel(struct amdgpu_dispatch *dispatch)
{
    pthread_mutex_lock(&fake.lock);
    for (unsigned i = 0; i < FAKES; i++)
        if (fake.fakes[i].dispatch == dispatch && !fake.fakes[i].ended)
            fake.fakes[i].cancelled = true;
    pthread_cond_broadcast(&fake.changed);
    pthread_mutex_unlock(&fake.lock);
}

uint64_t amdgpu_clock(void)
{
    return __atomic_add_fetch(&fake.clock, 1, __ATOMIC_SEQ_CST);
}

void amdgpu_on_interrupt(void (*interrupt)(uint32_t))
{
    __atomic_store_n(&fake.interrupt, interrupt, __ATOMIC_SEQ_CST);
}

void amdgpu_code_discard(uint64_t address, size_t size)
{
    (void)address, (void)size;
    __atomic_fetch_add(&fake.forgotten, 1, __ATOMIC_SEQ_CST);
}

/* Code is named by its address. */
void amdgpu_symbols_name(uint64_t address, char *out, size_t out_size)
{
    snprintf(out, out_size, "kernel_%llx", (unsigned long long)address);
}

#endif
