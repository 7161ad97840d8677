/* Owns doorbells: words that programs store to, and the thread that notices the stores.
 *
 * A store to memory wakes no thread. While doorbells ring, the thread polls all of them, with short
 * sleeps in between. When none has rung for a while, it protects the page with userfaultfd: the
 * next store faults, the kernel notifies the thread, and the thread lifts the protection. An idle
 * process uses no processor time. If userfaultfd is not available, the sleeps become longer
 * instead, and an idle process uses almost none. */
#include "simkmt.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    PLACES = SIMKMT_PAGE / sizeof(uint64_t),
    LOOK_NS = 20000,       /* between looks while doorbells ring */
    QUIET_LOOKS = 50,      /* without a ring, before the page is protected */
    LOOK_MAX_NS = 2000000, /* between looks where it cannot be protected */
    IDLE_LOOKS = 600,      /* without a ring, about a second, before the thread looks seldom */
    IDLE_NS = 50000000,    /* between looks then: a first packet waits so long at most */
};
#define SILENT UINT64_MAX /* what no doorbell is rung with */

/* Stands in the table for a doorbell that is being made. */
static struct simkmt_doorbell reserved;

static struct {
    pthread_mutex_t lock; /* of the table; held while ring is called */
    struct simkmt_doorbell *table[PLACES];
    _Atomic(uint64_t) *page;
    _Atomic(unsigned)
        words; /* in the table, but not in the page: stores to them are only found by polling */
    bool running;
    pthread_t thread;
    int faults; /* userfaultfd, -1: there is none */
} doorbells = {.lock = PTHREAD_MUTEX_INITIALIZER, .faults = -1};

/* ---- protecting the page --------------------------------------------------------------- */

static bool protect(bool on)
{
    struct uffdio_writeprotect range = {
        .range = {(uintptr_t)doorbells.page, SIMKMT_PAGE},
        .mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
    };
    return ioctl(doorbells.faults, UFFDIO_WRITEPROTECT, &range) == 0;
}

/* Under the lock. ThreadSanitizer's atomic stores hold a lock of the word that they store to, which
 * the thread's loads of the word take: a store that waits for the thread would never end. */
static void open_faults(void)
{
#ifndef __SANITIZE_THREAD__
    struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP};
    struct uffdio_register range = {
        .range = {(uintptr_t)doorbells.page, SIMKMT_PAGE},
        .mode = UFFDIO_REGISTER_MODE_WP,
    };
    int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
    if (faults >= 0 &&
        (ioctl(faults, UFFDIO_API, &api) != 0 || ioctl(faults, UFFDIO_REGISTER, &range) != 0)) {
        close(faults);
        faults = -1;
    }
    doorbells.faults = faults;
#endif
}

/* ---- looking --------------------------------------------------------------------------- */

/* Whether any has rung. */
static bool poll_doorbells(void)
{
    bool rang = false;
    pthread_mutex_lock(&doorbells.lock);
    for (unsigned i = 0; i < PLACES; i++) {
        struct simkmt_doorbell *doorbell = doorbells.table[i];
        if (!doorbell || doorbell == &reserved)
            continue;
        uint64_t value = atomic_load_explicit(doorbell->place, memory_order_acquire);
        if (value == doorbell->seen)
            continue;
        doorbell->seen = value;
        doorbell->ring(doorbell, value);
        rang = true;
    }
    pthread_mutex_unlock(&doorbells.lock);
    return rang;
}

/* Waits until a program stores to the page. */
static void wait_for_store(void)
{
    struct pollfd file = {.fd = doorbells.faults, .events = POLLIN};
    struct uffd_msg message;
    if (!protect(true))
        return;
    if (!poll_doorbells()) /* for what came before the page was protected */
        while (poll(&file, 1, -1) < 0 && errno == EINTR)
            continue;
    while (read(doorbells.faults, &message, sizeof message) > 0)
        continue;
    protect(false); /* wakes the thread that stores */
}

static void sleep_ns(long ns)
{
    struct timespec time = {0, ns};
    nanosleep(&time, NULL);
}

static void *watch(void *data)
{
    long pause = LOOK_NS;
    unsigned quiet = 0;
    (void)data;
    for (;;) {
        bool rang = poll_doorbells();
        quiet = rang ? 0 : quiet + 1;
        if (quiet < QUIET_LOOKS) {
            pause = LOOK_NS;
        } else if (doorbells.faults >= 0 && atomic_load(&doorbells.words) == 0) {
            wait_for_store();
            quiet = 0;
            continue;
        } else if (pause < (quiet < IDLE_LOOKS ? LOOK_MAX_NS : IDLE_NS)) {
            pause *= 2;
        }
        sleep_ns(pause);
    }
    return NULL;
}

/* ---- the table ------------------------------------------------------------------------- */

/* Under the lock. The thread lives as long as the process. */
static bool start(void)
{
    if (doorbells.running)
        return true;
    if (!doorbells.page) {
        void *page =
            mmap(NULL, SIMKMT_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
            return false;
        memset(page, 0xff, SIMKMT_PAGE); /* an existing page can be protected */
        doorbells.page = page;
        open_faults();
    }
    doorbells.running = pthread_create(&doorbells.thread, NULL, watch, NULL) == 0;
    return doorbells.running;
}

/* Under the lock. PLACES: none is left. */
static unsigned unused_place(void)
{
    unsigned place = 0;
    while (place < PLACES && doorbells.table[place])
        place++;
    return place;
}

bool simkmt_doorbell_open(struct simkmt_doorbell *doorbell)
{
    pthread_mutex_lock(&doorbells.lock);
    unsigned place = unused_place();
    bool good = place < PLACES && start();
    if (good)
        doorbells.table[place] = &reserved;
    pthread_mutex_unlock(&doorbells.lock);
    if (!good)
        return false;
    doorbell->place = &doorbells.page[place];
    doorbell->seen = SILENT;
    atomic_store(doorbell->place,
                 SILENT); /* may have to wait for the thread, so without the lock */
    pthread_mutex_lock(&doorbells.lock);
    doorbells.table[place] = doorbell;
    pthread_mutex_unlock(&doorbells.lock);
    return true;
}

bool simkmt_doorbell_watch(struct simkmt_doorbell *doorbell)
{
    pthread_mutex_lock(&doorbells.lock);
    unsigned place = unused_place();
    bool good = place < PLACES && start();
    if (good) {
        atomic_fetch_add(&doorbells.words, 1);
        doorbells.table[place] = doorbell;
    }
    pthread_mutex_unlock(&doorbells.lock);
    if (good)
        atomic_store(&doorbells.page[place], SILENT); /* the thread may wait for a store */
    return good;
}

void simkmt_doorbell_close(struct simkmt_doorbell *doorbell)
{
    pthread_mutex_lock(&doorbells.lock);
    for (unsigned place = 0; place < PLACES; place++) {
        if (doorbells.table[place] != doorbell)
            continue;
        doorbells.table[place] = NULL;
        if (doorbell->place != &doorbells.page[place])
            atomic_fetch_sub(&doorbells.words, 1);
    }
    pthread_mutex_unlock(&doorbells.lock);
}
