/* The library as the GPU model that AMD's current runtime loads: the folder that describes the
 * devices, the table of functions, memory that the runtime manages, and queues in it. The tests do
 * what the runtime does. */
#include "hsakmt_model.h"
#include "simkmt_test.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
    APERTURE = 1 << 30,
    VRAM = 0x200000, /* an address of the device's memory: the host has no memory there */
    RING = PAGE,
    PACKETS = RING / 64,
    MEMORY_VIOLATION = 0x20000000, /* values of queue_inactive_signal */
    INVALID_FORMAT = 32,
};
enum { SDMA_COPY = 1, SDMA_ATOMIC_ADD_64 = 47 << 25 | 10 };

static const struct hsakmt_model_functions *functions;
static hsakmt_model_t *models[2];
static char folder[] = "/tmp/anyhip-model-XXXXXX/topology", *const parent = folder;
static unsigned char *aperture;
static _Atomic(unsigned) last_event;

static void set_event(void *data, unsigned event)
{
    assert_ptr_equal(data, &last_event);
    atomic_store(&last_event, event);
}

static const struct hsakmt_model_functions *load(void)
{
    void *library = dlopen(SIMKMT_PATH, RTLD_NOW | RTLD_LOCAL);
    const struct hsakmt_model_functions *(*get)(void) = NULL;
    if (library)
        *(void **)&get = dlsym(library, "get_hsakmt_model_functions");
    return get ? get() : NULL;
}

static int open_model(void **state)
{
    (void)state;
    char *slash = strrchr(folder, '/');
    *slash = '\0';
    if (!mkdtemp(parent))
        return -1;
    *slash = '/';
    setenv("HSA_MODEL_TOPOLOGY", folder, 1);
    setenv("ANYHIP_SIM_DEVICES", "gfx1100,gfx942", 1);
    setenv("ANYHIP_SIM_MEMORY", "1GiB", 1);
    functions = load();
    if (!functions)
        return -1;
    aperture = mmap(NULL, APERTURE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (int i = 0; i < 2; i++) {
        models[i] = functions->create();
        functions->set_global_aperture(models[i], aperture, APERTURE);
        functions->set_set_event(models[i], set_event, &last_event);
    }
    return 0;
}

static int close_model(void **state)
{
    char command[128];
    (void)state;
    *strrchr(folder, '/') = '\0';
    snprintf(command, sizeof command, "rm -rf %s", parent);
    return system(command);
}

/* ---- the folder ------------------------------------------------------------------------ */

/* Reads a file whose lines are a name and a number; -1: it has no such line. */
static long long value_in(const char *file, const char *name)
{
    char path[256], found[64];
    long long value = -1, result = -1;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *from = fopen(path, "r");
    if (from && !name && fscanf(from, "%lld", &result) != 1)
        result = -1;
    while (from && name && fscanf(from, "%63s %lld", found, &value) == 2)
        if (strcmp(found, name) == 0)
            result = value;
    if (from)
        fclose(from);
    return result;
}

static void the_folder_describes_the_devices(void **state)
{
    (void)state;
    assert_int_equal(value_in("generation_id", NULL), 1);
    assert_int_equal(value_in("system_properties", "platform_id"), 0);
    assert_int_equal(value_in("nodes/0/gpu_id", NULL), 0);
    assert_true(value_in("nodes/0/properties", "cpu_cores_count") > 0);
    assert_int_equal(value_in("nodes/0/properties", "simd_count"), 0);
    assert_int_equal(value_in("nodes/1/gpu_id", NULL), 2);
    assert_int_equal(value_in("nodes/1/properties", "gfx_target_version"), 110000);
    assert_int_equal(value_in("nodes/1/properties", "wave_front_size"), 32);
    assert_int_equal(value_in("nodes/1/properties", "simd_count"), 192);
    assert_int_equal(value_in("nodes/1/mem_banks/0/properties", "size_in_bytes"), 1 << 30);
    assert_int_equal(value_in("nodes/1/caches/1/properties", "level"), 2);
    assert_int_equal(value_in("nodes/1/io_links/1/properties", "node_to"), 2);
    assert_int_equal(value_in("nodes/2/gpu_id", NULL), 3);
    assert_int_equal(value_in("nodes/2/properties", "gfx_target_version"), 90402);
    assert_int_equal(value_in("nodes/3/gpu_id", NULL), -1);
    /* no debugger: the kernel interface terminates the process if a model has one */
    assert_int_equal(value_in("nodes/1/properties", "capability") >> 30 & 1, 0);
}

/* ANYHIP_SIM_DEVICES is used only if there is no folder. Returns 0 on success. */
static int load_another(const char *name, const char *properties)
{
    char command[512];
    snprintf(command, sizeof command,
             "mkdir -p %s.%s/nodes/0 && printf '%s' > %s.%s/nodes/0/properties", folder, name,
             properties, folder, name);
    if (system(command) != 0)
        return 1;
    snprintf(command, sizeof command, "%s.%s", folder, name);
    setenv("HSA_MODEL_TOPOLOGY", command, 1);
    const struct hsakmt_model_functions *others = load();
    bool one = others && others->create() != NULL;
    return one != (strcmp(name, "one") == 0);
}

/* In another process, since the devices of a library never change. */
static int in_child(const char *name, const char *properties)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        char *arguments[] = {(char *)"test_simkmt_model", (char *)name, (char *)properties, NULL};
        execv("/proc/self/exe", arguments);
        _exit(2);
    }
    waitpid(child, &status, 0);
    return status;
}

static void an_existing_folder_is_read(void **state)
{
    (void)state;
    setenv("ANYHIP_TEST_FOLDER", folder, 1);
    assert_int_equal(in_child("one", "simd_count 8\\ngfx_target_version 90010\\n"), 0);
    assert_int_equal(in_child("unknown", "simd_count 8\\ngfx_target_version 70001\\n"), 0);
}

static void the_interface_has_the_version_that_runtimes_expect(void **state)
{
    (void)state;
    assert_int_equal(functions->version_major, 0);
    assert_true(functions->version_minor >= 4);
    assert_non_null(models[0]);
    assert_non_null(models[1]);
    assert_ptr_not_equal(models[0], models[1]);
}

/* ---- memory and queues ----------------------------------------------------------------- */

/* Host memory that is registered with the device, as the runtime allocates it. */
static void *host_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    functions->alloced_memory(models[0], memory, size, HSAKMT_MODEL_GTT);
    return memory;
}

static void free_host_memory(void *memory, size_t size)
{
    functions->freed_memory(models[0], memory, size);
    munmap(memory, size);
}

struct queue {
    amd_queue_t *amd;
    unsigned char *ring;
    amd_signal_t *done, *inactive;
    hsakmt_model_queue_t *handle;
};

/* Everything except the ring is in one page. */
static struct queue make_queue(uint32_t type)
{
    struct queue queue = {.amd = host_memory(PAGE), .ring = host_memory(RING)};
    queue.done = (amd_signal_t *)((char *)queue.amd + 1024);
    queue.inactive = queue.done + 1;
    queue.done->kind = queue.inactive->kind = AMD_SIGNAL_KIND_USER;
    queue.done->event_id = 5;
    queue.inactive->event_id = 6;
    queue.done->value = 1;
    queue.amd->queue_inactive_signal.handle = (uintptr_t)queue.inactive;
    struct hsakmt_model_queue_info info = {
        .ring_base_address = (uintptr_t)queue.ring,
        .ring_size = RING,
        .read_pointer_address = (uintptr_t)&queue.amd->read_dispatch_id,
        .write_pointer_address = (uintptr_t)&queue.amd->write_dispatch_id,
        .queue_type = type,
    };
    queue.handle = functions->register_queue(models[0], &info);
    assert_non_null(queue.handle);
    return queue;
}

static void destroy_queue(struct queue *queue)
{
    functions->destroy_queue(models[0], queue->handle);
    free_host_memory(queue->ring, RING);
    free_host_memory(queue->amd, PAGE);
}

static void wait_for(const amd_signal_t *signal, int64_t value, unsigned event)
{
    while (__atomic_load_n(&signal->value, __ATOMIC_ACQUIRE) != value ||
           atomic_load(&last_event) != event)
        usleep(100);
}

static void put_barrier(struct queue *queue, uint16_t type)
{
    uint64_t number = queue->amd->write_dispatch_id;
    hsa_barrier_and_packet_t *packet = (hsa_barrier_and_packet_t *)queue->ring + number % PACKETS;
    packet->completion_signal.handle = (uintptr_t)queue->done;
    __atomic_store_n(&queue->amd->write_dispatch_id, number + 1, __ATOMIC_RELEASE);
    usleep(number % 3 * 100); /* the slot is reserved before the packet is written */
    __atomic_store_n(&packet->header, type, __ATOMIC_RELEASE);
}

static void a_queue_polls_the_write_index(void **state)
{
    (void)state;
    struct queue queue = make_queue(HSAKMT_MODEL_QUEUE_AQL);
    for (int i = 0; i < 2 * PACKETS; i++) {
        atomic_store(&last_event, 0);
        queue.done->value = 1;
        put_barrier(&queue, HSA_PACKET_TYPE_BARRIER_AND);
        wait_for(queue.done, 0, 5);
    }
    assert_int_equal(queue.amd->read_dispatch_id, 2 * PACKETS);
    destroy_queue(&queue);
}

static void a_queue_that_fails_stores_the_reason_in_its_signal(void **state)
{
    (void)state;
    struct queue queue = make_queue(HSAKMT_MODEL_QUEUE_AQL);
    put_barrier(&queue, 77);
    wait_for(queue.inactive, INVALID_FORMAT, 6);
    destroy_queue(&queue);
}

/* Packets of an SDMA queue: a copy, and an atomic that completes the signal. */
static void copy(struct queue *queue, uint64_t to, uint64_t from, uint32_t size)
{
    uint64_t at = queue->amd->write_dispatch_id, signal = (uintptr_t)&queue->done->value;
    const uint32_t words[] = {
        SDMA_COPY,
        size - 1,
        0,
        (uint32_t)from,
        (uint32_t)(from >> 32),
        (uint32_t)to,
        (uint32_t)(to >> 32),
        SDMA_ATOMIC_ADD_64,
        (uint32_t)signal,
        (uint32_t)(signal >> 32),
        UINT32_MAX,
        UINT32_MAX,
        0,
        0,
        0,
    };
    queue->done->value = 1;
    atomic_store(&last_event, 0);
    memcpy(queue->ring + at, words, sizeof words);
    __atomic_store_n(&queue->amd->write_dispatch_id, at + sizeof words, __ATOMIC_RELEASE);
}

static void memory_of_devices_is_in_the_aperture(void **state)
{
    (void)state;
    struct queue queue = make_queue(HSAKMT_MODEL_QUEUE_SDMA);
    char *own = malloc(PAGE); /* which is not reported to the driver */
    functions->alloced_memory(models[0], (void *)VRAM, PAGE, HSAKMT_MODEL_VRAM);
    assert_ptr_not_equal(mmap(aperture + VRAM, PAGE, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
                         MAP_FAILED);
    strcpy(own, "there and back");
    copy(&queue, VRAM + 100, (uintptr_t)own, 15);
    wait_for(queue.done, 0, 5);
    assert_string_equal((char *)aperture + VRAM + 100, "there and back");
    copy(&queue, (uintptr_t)own + 1000, VRAM + 106, 9);
    wait_for(queue.done, 0, 5);
    assert_string_equal(own + 1000, "and back");
    assert_int_equal(queue.amd->read_dispatch_id, queue.amd->write_dispatch_id);
    functions->freed_memory(models[0], (void *)VRAM, PAGE);
    free(own);
    destroy_queue(&queue);
}

/* The engine stops at an address that it cannot access, and executes no later packet. */
static void freed_memory_is_not_accessed(void **state)
{
    (void)state;
    struct queue queue = make_queue(HSAKMT_MODEL_QUEUE_SDMA);
    char *gone = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), own[8] = "";
    copy(&queue, (uintptr_t)own, (uintptr_t)gone, 8);
    wait_for(queue.done, 0, 5);
    copy(&queue, (uintptr_t)gone, (uintptr_t)own, 8); /* the memory exists, and is read-only */
    usleep(20000);
    assert_int_equal(queue.done->value, 1);
    assert_int_equal(queue.amd->read_dispatch_id, 60);
    munmap(gone, PAGE);
    destroy_queue(&queue);
}

static const char first_thread_ends[] = "the first thread ends";

/* Waits until the first thread has ended, which leaves /proc/self without mappings, and copies the
 * program's memory. */
static void *copy_without_first_thread(void *unused)
{
    char state = 0, own[8] = "", from[8] = "copied";
    while (state != 'Z') {
        FILE *stat = fopen("/proc/self/stat", "r");
        if (!stat || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
            _exit(2);
        fclose(stat);
    }
    struct queue queue = make_queue(HSAKMT_MODEL_QUEUE_SDMA);
    copy(&queue, (uintptr_t)own, (uintptr_t)from, sizeof own);
    wait_for(queue.done, 0, 5);
    (void)close_model(NULL);
    _exit(strcmp(own, "copied") == 0 ? 0 : 1);
    return unused;
}

/* In a process of its own. */
static int end_first_thread(void)
{
    pthread_t thread;
    alarm(100); /* instead of a copy that never ends */
    if (open_model(NULL) != 0 || pthread_create(&thread, NULL, copy_without_first_thread, NULL))
        return 2;
    pthread_exit(NULL);
}

static void memory_of_the_program_is_found_after_its_first_thread(void **state)
{
    (void)state;
    assert_int_equal(in_child(first_thread_ends, ""), 0);
}

static void queues_of_other_types_are_refused(void **state)
{
    (void)state;
    struct hsakmt_model_queue_info info = {.ring_base_address = VRAM, .ring_size = RING};
    for (uint32_t type = 0; type < 5; type++) {
        info.queue_type = type;
        assert_null(functions->register_queue(models[1], &info));
    }
}

/* The number of voluntary context switches of this process's threads. */
static long long sleeps(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

/* Models are not notified of packets, so a thread polls the indices: seldom, if there has been no
 * packet for a while. The test waits until this is the case. */
static void an_idle_queue_is_polled_seldom(void **state)
{
    enum { TENTHS = 5, SLEEPS_MAX = 50 };
    long long before, after = 0;
    (void)state;
    struct queue queue = make_queue(HSAKMT_MODEL_QUEUE_AQL);
    do {
        before = sleeps();
        for (int i = 0; i < TENTHS; i++)
            usleep(100000);
        after = sleeps();
    } while (after - before > SLEEPS_MAX);
    put_barrier(&queue, HSA_PACKET_TYPE_BARRIER_AND);
    wait_for(queue.done, 0, 5);
    destroy_queue(&queue);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_folder_describes_the_devices),
        cmocka_unit_test(an_existing_folder_is_read),
        cmocka_unit_test(the_interface_has_the_version_that_runtimes_expect),
        cmocka_unit_test(a_queue_polls_the_write_index),
        cmocka_unit_test(a_queue_that_fails_stores_the_reason_in_its_signal),
        cmocka_unit_test(memory_of_devices_is_in_the_aperture),
        cmocka_unit_test(freed_memory_is_not_accessed),
        cmocka_unit_test(memory_of_the_program_is_found_after_its_first_thread),
        cmocka_unit_test(queues_of_other_types_are_refused),
        cmocka_unit_test(an_idle_queue_is_polled_seldom),
    };
    if (argc == 3 && strcmp(argv[1], first_thread_ends) == 0)
        return end_first_thread();
    if (argc == 3) {
        snprintf(folder, sizeof folder, "%s", getenv("ANYHIP_TEST_FOLDER"));
        return load_another(argv[1], argv[2]);
    }
    return cmocka_run_group_tests_name("model of GPUs", tests, open_model, close_model);
}
