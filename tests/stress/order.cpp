// Random schedules of streams against a model of the order that HIP promises.
//
// Several threads put kernels, copies, fills and functions of the host into streams of every kind
// and order them by events. Each piece of work sets its word in an array when it is done, and
// looks whether the words of all work that must have come before it are set: a kernel and a
// function of the host look at all of them, a copy copies the word of one. Whatever tells the host
// that work is complete (a synchronisation, a query, a blocking copy) is checked in the same way.
//
// Every choice is made from the seed and the number of the thread, so that a seed gives the same
// work again; how the threads and the device interleave is not repeated.
#include "stress.h"

#include <atomic>
#include <bitset>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace
{

enum { THREADS = 3, STEPS = 60, WORK_MAX = THREADS * (STEPS + 1), STREAMS = 3, EVENTS = 4 };

using work_set = std::bitset<WORK_MAX>;

struct lane { // a stream in the model
    hipStream_t stream;
    bool blocking;
    int number;      // of its thread's; -1: the legacy stream
    work_set before; // what precedes anything that is put into it now
};

struct event {
    hipEvent_t handle;
    work_set before; // what its last record waits for
};

struct schedule;

struct description { // of work, for messages
    const char *kind;
    int thread, lane; // lane -1: the legacy stream
    bool blocking, has_mirror;
    int from; // of a copy
};

struct host_work {
    schedule *owner;
    work_set before;
    int self;
};

struct actor {               // a thread, with the streams and events that only it uses or records
    lane lanes[STREAMS + 1]; // the last is the per-thread default stream
    event events[EVENTS];
};

struct schedule {
    const kernel_library &kernels;
    uint64_t seed;
    // Of the host: what is done; for kernels and functions of the
    // host, work that was missed, and 1; for copies, what they found, which is to be 1.
    int *done, *missed, *found;
    int *lists;     // of the host: for each kernel what it looks at
    int *mirror;    // of the device: what is done, but for functions of the host
    const int *one; // of the device
    int *gate;      // of the host: started, flag
    description descriptions[WORK_MAX];
    std::atomic<int> work{0}, wrong{0};
    std::atomic<long> checks{0};
    // Held shared while a thread changes its own part of the model, and alone for what concerns
    // the streams or events of others.
    std::shared_mutex model;
    lane legacy{nullptr, false, -1, {}};
    work_set legacy_waits; // what the next work of the legacy stream waits for beside that
    actor actors[THREADS];
    std::vector<std::unique_ptr<host_work>> host_works[THREADS];

    explicit schedule(const kernel_library &with)
        : kernels(with), seed(0), done(pinned_memory<int>(WORK_MAX)),
          missed(pinned_memory<int>(WORK_MAX)), found(pinned_memory<int>(WORK_MAX)),
          lists(pinned_memory<int>(WORK_MAX * WORK_MAX)), mirror(device_memory<int>(WORK_MAX)),
          gate(pinned_memory<int>(2))
    {
        int *memory = device_memory<int>(1);
        CHECK_HIP(hipMemsetD32(memory, 1, 1));
        one = memory;
        CHECK_HIP(hipDeviceSynchronize()); // streams that do not wait for the fill use it
    }
    ~schedule()
    {
        for (int *memory : {done, missed, found, lists, gate})
            CHECK_HIP(hipHostFree(memory));
        CHECK_HIP(hipFree(mirror));
        CHECK_HIP(hipFree(const_cast<int *>(one)));
    }
};

bool is_done(const schedule &s, int work)
{
    return __atomic_load_n(&s.done[work], __ATOMIC_ACQUIRE) == 1;
}

// ---- the model ---------------------------------------------------------------------------------

// What must be done before work that is put into a lane now.
work_set before_now(const schedule &s, const lane &l)
{
    work_set before = l.before;
    if (&l == &s.legacy) {
        before |= s.legacy_waits;
        for (const actor &a : s.actors)
            for (const lane &other : a.lanes)
                if (other.blocking)
                    before |= other.before;
    } else if (l.blocking) {
        before |= s.legacy.before;
    }
    return before;
}

void complain(schedule &s, const char *what, int missed)
{
    const description &d = s.descriptions[missed];
    if (s.wrong++ < 10)
        std::printf("FAILED, seed %llu: %s did not wait for work %d: %s of thread %d in stream %d "
                    "(%s)\n",
                    static_cast<unsigned long long>(s.seed), what, missed, d.kind, d.thread, d.lane,
                    d.blocking ? "blocking" : "not blocking");
}

// The host was told that all of these are done.
void check_done(schedule &s, const work_set &expected, const char *by)
{
    for (int i = 0; i < WORK_MAX; i++) {
        if (!expected[static_cast<size_t>(i)])
            continue;
        s.checks++;
        if (!is_done(s, i))
            complain(s, by, i);
    }
}

// When all is done: what the work saw itself.
void check_work(schedule &s)
{
    for (int i = 0; i < s.work; i++) {
        const description &d = s.descriptions[i];
        char text[100];
        std::snprintf(text, sizeof text, "work %d (%s of thread %d in stream %d, %s)", i, d.kind,
                      d.thread, d.lane, d.blocking ? "blocking" : "not blocking");
        if (s.missed[i])
            complain(s, text, s.missed[i] - 1);
        if (d.from >= 0 && s.found[i] != 1)
            complain(s, text, d.from);
    }
}

// ---- work --------------------------------------------------------------------------------------

void kernel(schedule &s, lane &l, const work_set &before, int self, random_numbers &random)
{
    int *list = s.lists + self * WORK_MAX, count = 0;
    for (int i = 0; i < WORK_MAX; i++)
        if (before[static_cast<size_t>(i)])
            list[count++] = i;
    s.checks += count;
    CHECK_HIP(s.kernels.step(s.done, list, count, random.one_in(4) ? 2000 : 0, self,
                             s.missed + self, s.mirror + self, l.stream));
}

// Copies the word of some work before, from the device: NVIDIA's driver may read a few bytes of
// page-locked memory at the call (seen on an H100, where an idle stream waits for the legacy one).
void copy(schedule &s, lane &l, const work_set &before, int self, random_numbers &random)
{
    int from = -1;
    for (int i = 0, skip = random.below(WORK_MAX); i < WORK_MAX; i++)
        if (before[static_cast<size_t>((i + skip) % WORK_MAX)] &&
            s.descriptions[(i + skip) % WORK_MAX].has_mirror)
            from = (i + skip) % WORK_MAX;
    s.descriptions[self].from = from;
    const int *source = from < 0 ? s.one : s.mirror + from;
    CHECK_HIP(
        hipMemcpyAsync(s.mirror + self, source, sizeof(int), hipMemcpyDeviceToDevice, l.stream));
    CHECK_HIP(hipMemcpyAsync(s.found + self, s.mirror + self, sizeof(int), hipMemcpyDeviceToHost,
                             l.stream));
    CHECK_HIP(hipMemcpyAsync(s.done + self, s.one, sizeof(int), hipMemcpyDeviceToHost, l.stream));
    s.checks++;
}

void fill(schedule &s, lane &l, int self)
{
    CHECK_HIP(hipMemsetD32Async(s.mirror + self, 1, 1, l.stream));
    CHECK_HIP(hipMemcpyAsync(s.done + self, s.mirror + self, sizeof(int), hipMemcpyDeviceToHost,
                             l.stream));
}

void on_host(void *data)
{
    const host_work &work = *static_cast<const host_work *>(data);
    schedule &s = *work.owner;
    for (int i = 0; i < WORK_MAX; i++)
        if (work.before[static_cast<size_t>(i)] && (s.checks++, !is_done(s, i)))
            s.missed[work.self] = i + 1;
    __atomic_store_n(&s.done[work.self], 1, __ATOMIC_RELEASE);
}

void host_function(schedule &s, lane &l, const work_set &before, int self, int thread)
{
    s.host_works[thread].push_back(std::make_unique<host_work>(host_work{&s, before, self}));
    CHECK_HIP(hipLaunchHostFunc(l.stream, on_host, s.host_works[thread].back().get()));
}

const char *const kinds[] = {"copy", "copy", "fill", "host function", "kernel"};

// The model's part of new work; *out_before is what it comes after.
int new_work(schedule &s, lane &l, int thread, const char *kind, work_set *out_before)
{
    const int self = s.work++;
    s.descriptions[self] = {kind, thread, l.number, l.blocking, std::strcmp(kind, kinds[3]) != 0,
                            -1};
    *out_before = before_now(s, l);
    l.before = *out_before;
    l.before.set(static_cast<size_t>(self));
    if (&l == &s.legacy)
        s.legacy_waits.reset();
    return self;
}

// Called with the model held.
void put_work(schedule &s, lane &l, int thread, random_numbers &random)
{
    const int which = random.below(8), kind = which < 4 ? which : 4;
    work_set before;
    const int self = new_work(s, l, thread, kinds[kind], &before);
    if (kind < 2)
        copy(s, l, before, self, random);
    else if (kind == 2)
        fill(s, l, self);
    else if (kind == 3)
        host_function(s, l, before, self, thread);
    else
        kernel(s, l, before, self, random);
}

// ---- the threads -------------------------------------------------------------------------------

// Called with the model held. A record is work of its stream; that others wait for a record in the
// legacy stream by itself is not relied upon.
void record(schedule &s, lane &l, event &e)
{
    e.before = before_now(s, l);
    CHECK_HIP(hipEventRecord(e.handle, l.stream));
}

void wait_for(schedule &s, lane &l, const event &e)
{
    CHECK_HIP(hipStreamWaitEvent(l.stream, e.handle, 0));
    (&l == &s.legacy ? s.legacy_waits : l.before) |= e.before;
}

void synchronise(schedule &s, int thread, random_numbers &random)
{
    actor &a = s.actors[thread];
    event &e = a.events[random.below(EVENTS)];
    lane &l = a.lanes[random.below(STREAMS + 1)];
    std::shared_lock lock(s.model);
    const work_set of_lane = l.before, of_event = e.before;
    lock.unlock();
    switch (random.below(4)) {
    case 0:
        CHECK_HIP(hipStreamSynchronize(l.stream));
        return check_done(s, of_lane, "hipStreamSynchronize");
    case 1:
        CHECK_HIP(hipEventSynchronize(e.handle));
        return check_done(s, of_event, "hipEventSynchronize");
    case 2:
        if (hipEventQuery(e.handle) == hipSuccess)
            check_done(s, of_event, "hipEventQuery");
        break;
    default:
        if (hipStreamQuery(l.stream) == hipSuccess)
            check_done(s, of_lane, "hipStreamQuery");
    }
    const hipError_t error = hipGetLastError();
    CHECK(error == hipSuccess);
}

// Work of the legacy stream that the host waits for.
void legacy_wait(schedule &s, int thread, random_numbers &random)
{
    const int one = 1;
    std::unique_lock lock(s.model);
    work_set before = before_now(s, s.legacy);
    if (random.one_in(2)) {
        lock.unlock();
        CHECK_HIP(hipStreamSynchronize(nullptr));
        return check_done(s, before, "hipStreamSynchronize(NULL)");
    }
    const int self = new_work(s, s.legacy, thread, "blocking copy", &before);
    CHECK_HIP(hipMemcpy(s.mirror + self, &one, sizeof one, hipMemcpyHostToDevice));
    CHECK_HIP(hipMemcpy(s.done + self, s.mirror + self, sizeof one, hipMemcpyDeviceToHost));
    lock.unlock();
    check_done(s, before, "hipMemcpy");
}

void one_step(schedule &s, int thread, random_numbers &random)
{
    actor &a = s.actors[thread];
    lane &l = a.lanes[random.below(STREAMS + 1)];
    const int what = random.below(20);
    if (what < 10) {
        std::shared_lock lock(s.model);
        put_work(s, l, thread, random);
    } else if (what < 12) {
        std::shared_lock lock(s.model);
        record(s, l, a.events[random.below(EVENTS)]);
    } else if (what < 15) { // an event of any thread
        std::unique_lock lock(s.model);
        wait_for(s, random.one_in(8) ? s.legacy : l,
                 s.actors[random.below(THREADS)].events[random.below(EVENTS)]);
    } else if (what < 17) {
        std::unique_lock lock(s.model);
        put_work(s, s.legacy, thread, random);
        if (random.one_in(3))
            record(s, s.legacy, a.events[random.below(EVENTS)]);
    } else if (what < 19) {
        synchronise(s, thread, random);
    } else if (random.one_in(2)) {
        legacy_wait(s, thread, random);
    }
}

void make_actor(actor &a, random_numbers &random)
{
    int least, greatest;
    CHECK_HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
    for (int i = 0; i < STREAMS; i++) {
        const bool blocking = random.one_in(2);
        a.lanes[i] = {nullptr, blocking, i, {}};
        CHECK_HIP(hipStreamCreateWithPriority(&a.lanes[i].stream,
                                              blocking ? hipStreamDefault : hipStreamNonBlocking,
                                              greatest + random.below(least - greatest + 1)));
    }
    a.lanes[STREAMS] = {hipStreamPerThread, true, STREAMS, {}};
    for (event &e : a.events)
        CHECK_HIP(hipEventCreateWithFlags(&e.handle, random.one_in(2) ? hipEventDisableTiming
                                                                      : hipEventDefault));
}

void act(schedule &s, int thread)
{
    random_numbers random(s.seed * THREADS + static_cast<uint64_t>(thread));
    actor &a = s.actors[thread];
    for (int i = 0; i < STEPS; i++)
        one_step(s, thread, random);
    std::shared_lock lock(s.model); // the legacy stream is the others' as well
    const work_set own = a.lanes[STREAMS].before;
    lock.unlock();
    CHECK_HIP(hipStreamSynchronize(hipStreamPerThread));
    check_done(s, own, "hipStreamSynchronize(hipStreamPerThread)");
}

void clean_up(schedule &s)
{
    for (actor &a : s.actors) {
        for (int i = 0; i < STREAMS; i++)
            CHECK_HIP(hipStreamDestroy(a.lanes[i].stream));
        for (event &e : a.events)
            CHECK_HIP(hipEventDestroy(e.handle));
        a = actor();
    }
    s.legacy.before.reset();
    s.legacy_waits.reset();
    for (auto &works : s.host_works)
        works.clear();
    for (int i = 0; i < WORK_MAX; i++)
        s.done[i] = s.missed[i] = s.found[i] = 0;
    CHECK_HIP(hipMemset(s.mirror, 0, WORK_MAX * sizeof(int)));
    CHECK_HIP(hipDeviceSynchronize());
    s.gate[0] = s.gate[1] = s.work = 0;
}

void run_schedule(schedule &s, uint64_t seed)
{
    s.seed = seed;
    random_numbers random(~seed);
    for (actor &a : s.actors)
        make_actor(a, random);
    if (random.one_in(2)) // work piles up behind it
        CHECK_HIP(s.kernels.hold(&s.gate[0], &s.gate[1], s.actors[0].lanes[0].stream));
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back([&s, i] { act(s, i); });
    usleep(static_cast<unsigned>(seed % 5) * 1000); // any time will do
    __atomic_store_n(&s.gate[1], 1, __ATOMIC_RELEASE);
    for (std::thread &thread : threads)
        thread.join();
    CHECK_HIP(hipDeviceSynchronize());
    work_set all;
    for (int i = 0; i < s.work; i++)
        all.set(static_cast<size_t>(i));
    check_done(s, all, "hipDeviceSynchronize");
    check_work(s);
    CHECK((std::fflush(stdout), s.wrong == 0));
    clean_up(s);
}

} // namespace

int run_order(const kernel_library &kernels, double seconds, uint64_t seed)
{
    const auto start = std::chrono::steady_clock::now();
    long schedules = 0;
    std::printf("seeds from %llu\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    schedule s(kernels);
    do
        run_schedule(s, seed + static_cast<uint64_t>(schedules++));
    while (seconds_since(start) < seconds);
    std::printf("%ld schedules, %ld checks, in %.0f s\n", schedules, s.checks.load(),
                seconds_since(start));
    return 0;
}
