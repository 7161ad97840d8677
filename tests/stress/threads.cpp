// Many threads share streams, events, pools of memory and a module, and have some of their own.
// What they did is counted, and must be what the device has in the end.
#include "stress.h"

#include <atomic>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace
{

enum { STREAMS = 8, EVENTS = 16, POOLS = 2, WORDS = 512 };

struct shared_things {
    const kernel_library &kernels;
    std::vector<char> image; // what process_kernels holds for devices
    hipStream_t streams[STREAMS];
    hipEvent_t events[EVENTS];
    hipMemPool_t pools[POOLS];
    hipModule_t module;
    int *counter, *wrong; // of the device
    std::atomic<int> added{0}, called{0},
        asked{0}; // what the device must have counted, and the host
    std::atomic<bool> stop{false};
};

// The device code that a library carries, for hipModuleLoadData.
std::vector<char> device_code(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    Elf64_Ehdr header;
    CHECK(bytes.size() > sizeof header);
    std::memcpy(&header, bytes.data(), sizeof header);
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    std::memcpy(sections.data(), bytes.data() + header.e_shoff,
                sections.size() * sizeof(Elf64_Shdr));
    const char *names = bytes.data() + sections[header.e_shstrndx].sh_offset;
    for (const Elf64_Shdr &s : sections)
        if (std::strcmp(names + s.sh_name, ".hip_fatbin") == 0)
            return {bytes.data() + s.sh_offset, bytes.data() + s.sh_offset + s.sh_size};
    return {};
}

hipStream_t any_stream(const shared_things &s, random_numbers &random)
{
    return s.streams[random.below(STREAMS)];
}

hipEvent_t any_event(const shared_things &s, random_numbers &random)
{
    return s.events[random.below(EVENTS)];
}

void add(shared_things &s, hipStream_t stream)
{
    CHECK_HIP(s.kernels.add(s.counter, 1, stream));
    s.added++;
}

// ---- what a thread does ------------------------------------------------------------------------

void share_event(shared_things &s, random_numbers &random)
{
    CHECK_HIP(hipEventRecord(any_event(s, random), any_stream(s, random)));
    CHECK_HIP(hipStreamWaitEvent(any_stream(s, random), any_event(s, random), 0));
}

void ask(shared_things &s, random_numbers &random)
{
    const hipError_t event = hipEventQuery(any_event(s, random));
    const hipError_t stream = hipStreamQuery(any_stream(s, random));
    CHECK(event == hipSuccess || event == hipErrorNotReady);
    CHECK(stream == hipSuccess || stream == hipErrorNotReady);
    if (random.one_in(4))
        CHECK_HIP(hipEventSynchronize(any_event(s, random)));
    if (random.one_in(8))
        CHECK_HIP(hipStreamSynchronize(any_stream(s, random)));
}

void use_pool(shared_things &s, random_numbers &random)
{
    hipStream_t stream = any_stream(s, random);
    const int value = random.below(1 << 30);
    void *p;
    CHECK_HIP(
        hipMallocFromPoolAsync(&p, WORDS * sizeof(int), s.pools[random.below(POOLS)], stream));
    CHECK_HIP(s.kernels.fill(static_cast<int *>(p), WORDS, value, stream));
    CHECK_HIP(s.kernels.count_other(static_cast<int *>(p), WORDS, value, s.wrong, stream));
    CHECK_HIP(hipFreeAsync(p, stream));
}

void use_own_stream(shared_things &s, random_numbers &random)
{
    hipStream_t stream;
    hipEvent_t begin, end;
    float milliseconds = -1;
    CHECK_HIP(hipStreamCreateWithFlags(&stream,
                                       random.one_in(2) ? hipStreamNonBlocking : hipStreamDefault));
    CHECK_HIP(hipEventCreate(&begin));
    CHECK_HIP(hipEventCreate(&end));
    CHECK_HIP(hipEventRecord(begin, stream));
    add(s, stream);
    CHECK_HIP(hipEventRecord(end, stream));
    CHECK_HIP(hipStreamWaitEvent(any_stream(s, random), end, 0));
    if (random.one_in(2)) {
        CHECK_HIP(hipEventSynchronize(end));
        CHECK_HIP(hipEventElapsedTime(&milliseconds, begin, end));
        CHECK(milliseconds >= 0);
    }
    CHECK_HIP(hipEventDestroy(begin));
    CHECK_HIP(hipEventDestroy(end));
    CHECK_HIP(hipStreamDestroy(stream));
}

void launch_from(shared_things &s, hipModule_t module, hipStream_t stream)
{
    hipFunction_t function;
    int one = 1;
    void *arguments[] = {&s.counter, &one};
    CHECK_HIP(hipModuleGetFunction(&function, module, "kernel_add"));
    CHECK_HIP(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
    s.added++;
}

void use_own_module(shared_things &s)
{
    hipModule_t module;
    CHECK_HIP(hipModuleLoadData(&module, s.image.data()));
    launch_from(s, module, hipStreamPerThread);
    CHECK_HIP(hipStreamSynchronize(hipStreamPerThread));
    CHECK_HIP(hipModuleUnload(module));
}

void copy_there_and_back(shared_things &s, random_numbers &random)
{
    std::vector<int> out(WORDS), in(WORDS);
    void *p;
    for (int &word : out)
        word = random.below(1 << 30);
    const bool pinned = random.one_in(2);
    if (pinned)
        CHECK_HIP(hipHostRegister(out.data(), WORDS * sizeof(int), hipHostRegisterDefault));
    CHECK_HIP(hipMalloc(&p, WORDS * sizeof(int)));
    CHECK_HIP(hipMemcpyAsync(p, out.data(), WORDS * sizeof(int), hipMemcpyHostToDevice,
                             hipStreamPerThread));
    CHECK_HIP(hipMemcpyAsync(in.data(), p, WORDS * sizeof(int), hipMemcpyDeviceToHost,
                             hipStreamPerThread));
    CHECK_HIP(hipStreamSynchronize(hipStreamPerThread));
    CHECK(in == out);
    hipPointerAttribute_t about;
    CHECK_HIP(hipPointerGetAttributes(&about, p));
    CHECK(about.type == hipMemoryTypeDevice && about.devicePointer == p);
    CHECK_HIP(hipFree(p));
    if (pinned)
        CHECK_HIP(hipHostUnregister(out.data()));
    (void)s;
}

void call_the_host(shared_things &s, random_numbers &random)
{
    CHECK_HIP(hipLaunchHostFunc(
        any_stream(s, random), [](void *data) { ++*static_cast<std::atomic<int> *>(data); },
        &s.called));
    s.asked++;
}

void err(random_numbers &random)
{
    int local = 0;
    if (random.one_in(2))
        CHECK_RESULT(hipFree(&local), hipErrorInvalidValue);
    else
        CHECK_RESULT(hipSetDevice(-1), hipErrorInvalidDevice);
    CHECK(hipGetLastError() != hipSuccess); // of this thread, whatever others do
    CHECK_RESULT(hipGetLastError(), hipSuccess);
}

void work(shared_things &s, int thread)
{
    random_numbers random(static_cast<uint64_t>(thread) + 1);
    while (!s.stop) {
        switch (random.below(10)) {
        case 0:
            share_event(s, random);
            break;
        case 1:
            ask(s, random);
            break;
        case 2:
            use_pool(s, random);
            break;
        case 3:
            use_own_stream(s, random);
            break;
        case 4:
            launch_from(s, s.module, any_stream(s, random));
            break;
        case 5:
            copy_there_and_back(s, random);
            break;
        case 6:
            call_the_host(s, random);
            break;
        case 7:
            err(random);
            break;
        case 8:
            if (random.one_in(8))
                use_own_module(s);
            if (random.one_in(64))
                CHECK_HIP(hipDeviceSynchronize());
            break;
        default:
            add(s, any_stream(s, random));
        }
    }
}

void make(shared_things &s)
{
    const hipMemPoolProps kind = {hipMemAllocationTypePinned,
                                  hipMemHandleTypeNone,
                                  {hipMemLocationTypeDevice, 0},
                                  nullptr,
                                  0,
                                  {}};
    for (int i = 0; i < STREAMS; i++)
        CHECK_HIP(hipStreamCreateWithFlags(&s.streams[i],
                                           i % 2 ? hipStreamNonBlocking : hipStreamDefault));
    for (hipEvent_t &event : s.events)
        CHECK_HIP(hipEventCreate(&event));
    CHECK_HIP(hipMemPoolCreate(&s.pools[0], &kind));
    CHECK_HIP(hipDeviceGetDefaultMemPool(&s.pools[1], 0));
    s.image = device_code(kernel_library_path());
    CHECK(!s.image.empty());
    CHECK_HIP(hipModuleLoadData(&s.module, s.image.data()));
    s.counter = device_memory<int>(1);
    s.wrong = device_memory<int>(1);
}

void check_and_end(shared_things &s)
{
    int counted = -1, wrong = -1;
    CHECK_HIP(hipDeviceSynchronize());
    CHECK_HIP(hipMemcpy(&counted, s.counter, sizeof counted, hipMemcpyDeviceToHost));
    CHECK_HIP(hipMemcpy(&wrong, s.wrong, sizeof wrong, hipMemcpyDeviceToHost));
    CHECK(counted == s.added && wrong == 0 && s.called == s.asked);
    for (hipEvent_t event : s.events)
        CHECK_HIP(hipEventDestroy(event));
    for (hipStream_t stream : s.streams)
        CHECK_HIP(hipStreamDestroy(stream));
    CHECK_HIP(hipMemPoolDestroy(s.pools[0]));
    CHECK_HIP(hipModuleUnload(s.module));
    CHECK_HIP(hipFree(s.counter));
    CHECK_HIP(hipFree(s.wrong));
}

} // namespace

int run_threads(const kernel_library &kernels, double seconds, int threads)
{
    shared_things s{.kernels = kernels};
    const auto start = std::chrono::steady_clock::now();
    make(s);
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; i++)
        workers.emplace_back([&s, i] { work(s, i); });
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    s.stop = true;
    for (std::thread &worker : workers)
        worker.join();
    check_and_end(s);
    std::printf("%d threads, %.0f s: %d kernels counted, %d functions of the host\n", threads,
                seconds_since(start), s.added.load(), s.called.load());
    return 0;
}
