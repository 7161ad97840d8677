// Vulkan without a window, for tests: a device, buffers and semaphores that are exported as file
// descriptors, and what tests tell the device. The library is looked up when the program runs, so
// that it needs no Vulkan to be built, and is skipped where a machine has none.
#ifndef AH_TESTS_VULKAN_TEST_H
#define AH_TESTS_VULKAN_TEST_H

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ah_test
{

// Types and values of Vulkan 1.2, under their own names without the prefix.
namespace vk
{

typedef struct opaque_handle *handle; // of what threads may share, and of all objects on 64 bits
typedef unsigned flags;

enum structure_type : int {
    APPLICATION_INFO = 0,
    INSTANCE_CREATE_INFO = 1,
    DEVICE_QUEUE_CREATE_INFO = 2,
    DEVICE_CREATE_INFO = 3,
    SUBMIT_INFO = 4,
    MEMORY_ALLOCATE_INFO = 5,
    SEMAPHORE_CREATE_INFO = 9,
    BUFFER_CREATE_INFO = 12,
    COMMAND_POOL_CREATE_INFO = 39,
    COMMAND_BUFFER_ALLOCATE_INFO = 40,
    COMMAND_BUFFER_BEGIN_INFO = 42,
    MEMORY_BARRIER = 46,
    PHYSICAL_DEVICE_PROPERTIES_2 = 1000059001,
    PHYSICAL_DEVICE_ID_PROPERTIES = 1000071004,
    EXTERNAL_MEMORY_BUFFER_CREATE_INFO = 1000072000,
    EXPORT_MEMORY_ALLOCATE_INFO = 1000072002,
    MEMORY_GET_FD_INFO_KHR = 1000074002,
    EXPORT_SEMAPHORE_CREATE_INFO = 1000077000,
    SEMAPHORE_GET_FD_INFO_KHR = 1000079001,
    PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES = 1000207000,
    SEMAPHORE_TYPE_CREATE_INFO = 1000207002,
    TIMELINE_SEMAPHORE_SUBMIT_INFO = 1000207003,
};

enum : unsigned {
    API_VERSION_1_2 = 1 << 22 | 2 << 12,
    OPAQUE_FD = 1, // of memory and of semaphores
    TRANSFER_SRC_AND_DST = 3,
    MEMORY_HOST_VISIBLE_AND_COHERENT = 6,
    MEMORY_DEVICE_LOCAL = 1,
    PIPELINE_STAGE_ALL_COMMANDS = 0x10000,
    ACCESS_ALL = 0x18000, // MEMORY_READ | MEMORY_WRITE
    RESET_COMMAND_BUFFER = 2,
    QUEUE_TRANSFERS = 7, // graphics, compute or transfer
};
enum : int { SUCCESS = 0, SEMAPHORE_TYPE_BINARY = 0, SEMAPHORE_TYPE_TIMELINE = 1 };

struct application_info {
    structure_type type;
    const void *next;
    const char *name;
    unsigned version;
    const char *engine;
    unsigned engine_version, api_version;
};
struct instance_create_info {
    structure_type type;
    const void *next;
    vk::flags flags;
    const application_info *application;
    unsigned layer_count;
    const char *const *layers;
    unsigned extension_count;
    const char *const *extensions;
};
struct physical_device_id_properties {
    structure_type type;
    void *next;
    unsigned char device_uuid[16], driver_uuid[16], luid[8];
    unsigned node_mask, luid_valid;
};
struct physical_device_properties_2 {
    structure_type type;
    void *next;
    unsigned api_version, driver_version, vendor, device, device_type;
    char name[256];
    unsigned char rest[1024]; // identifiers and limits
};
struct queue_family_properties {
    vk::flags flags;
    unsigned count, timestamp_bits, granularity[3];
};
struct device_queue_create_info {
    structure_type type;
    const void *next;
    vk::flags flags;
    unsigned family, count;
    const float *priorities;
};
struct timeline_semaphore_features {
    structure_type type;
    void *next;
    unsigned timeline_semaphore;
};
struct device_create_info {
    structure_type type;
    const void *next;
    vk::flags flags;
    unsigned queue_count;
    const device_queue_create_info *queues;
    unsigned layer_count;
    const char *const *layers;
    unsigned extension_count;
    const char *const *extensions;
    const void *features;
};
struct memory_properties {
    unsigned type_count;
    struct {
        vk::flags flags;
        unsigned heap;
    } types[32];
    unsigned heap_count;
    struct {
        uint64_t size;
        vk::flags flags;
    } heaps[16];
};
struct external_memory_buffer_create_info {
    structure_type type;
    const void *next;
    vk::flags handle_types;
};
struct buffer_create_info {
    structure_type type;
    const void *next;
    vk::flags flags;
    uint64_t size;
    vk::flags usage;
    int sharing;
    unsigned family_count;
    const unsigned *families;
};
struct memory_requirements {
    uint64_t size, alignment;
    unsigned types;
};
struct export_info { // of memory and of semaphores
    structure_type type;
    const void *next;
    vk::flags handle_types;
};
struct memory_allocate_info {
    structure_type type;
    const void *next;
    uint64_t size;
    unsigned memory_type;
};
struct get_fd_info { // of memory and of semaphores
    structure_type type;
    const void *next;
    handle object;
    unsigned handle_type;
};
struct semaphore_type_create_info {
    structure_type type;
    const void *next;
    int semaphore_type;
    uint64_t initial;
};
struct semaphore_create_info {
    structure_type type;
    const void *next;
    vk::flags flags;
};
struct command_pool_create_info {
    structure_type type;
    const void *next;
    vk::flags flags;
    unsigned family;
};
struct command_buffer_allocate_info {
    structure_type type;
    const void *next;
    handle pool;
    int level;
    unsigned count;
};
struct command_buffer_begin_info {
    structure_type type;
    const void *next;
    vk::flags flags;
    const void *inheritance;
};
struct memory_barrier {
    structure_type type;
    const void *next;
    vk::flags source, destination;
};
struct buffer_copy {
    uint64_t source, destination, size;
};
struct timeline_submit_info {
    structure_type type;
    const void *next;
    unsigned wait_count;
    const uint64_t *waits;
    unsigned signal_count;
    const uint64_t *signals;
};
struct submit_info {
    structure_type type;
    const void *next;
    unsigned wait_count;
    const handle *waits;
    const vk::flags *wait_stages;
    unsigned command_count;
    const handle *commands;
    unsigned signal_count;
    const handle *signals;
};

// Functions by which the others are found have rows of their own.
#define AH_VK_FUNCTIONS                                                                            \
    AH_VK(int, EnumeratePhysicalDevices, (handle, unsigned *, handle *))                           \
    AH_VK(void, GetPhysicalDeviceProperties2, (handle, physical_device_properties_2 *))            \
    AH_VK(void, GetPhysicalDeviceQueueFamilyProperties,                                            \
          (handle, unsigned *, queue_family_properties *))                                         \
    AH_VK(void, GetPhysicalDeviceMemoryProperties, (handle, memory_properties *))                  \
    AH_VK(int, CreateDevice, (handle, const device_create_info *, const void *, handle *))         \
    AH_VK(void, DestroyDevice, (handle, const void *))                                             \
    AH_VK(void, DestroyInstance, (handle, const void *))                                           \
    AH_VK(void, GetDeviceQueue, (handle, unsigned, unsigned, handle *))                            \
    AH_VK(int, CreateBuffer, (handle, const buffer_create_info *, const void *, handle *))         \
    AH_VK(void, DestroyBuffer, (handle, handle, const void *))                                     \
    AH_VK(void, GetBufferMemoryRequirements, (handle, handle, memory_requirements *))              \
    AH_VK(int, AllocateMemory, (handle, const memory_allocate_info *, const void *, handle *))     \
    AH_VK(void, FreeMemory, (handle, handle, const void *))                                        \
    AH_VK(int, BindBufferMemory, (handle, handle, handle, uint64_t))                               \
    AH_VK(int, MapMemory, (handle, handle, uint64_t, uint64_t, vk::flags, void **))                \
    AH_VK(int, GetMemoryFdKHR, (handle, const get_fd_info *, int *))                               \
    AH_VK(int, CreateSemaphore, (handle, const semaphore_create_info *, const void *, handle *))   \
    AH_VK(void, DestroySemaphore, (handle, handle, const void *))                                  \
    AH_VK(int, GetSemaphoreFdKHR, (handle, const get_fd_info *, int *))                            \
    AH_VK(int, CreateCommandPool,                                                                  \
          (handle, const command_pool_create_info *, const void *, handle *))                      \
    AH_VK(void, DestroyCommandPool, (handle, handle, const void *))                                \
    AH_VK(int, AllocateCommandBuffers, (handle, const command_buffer_allocate_info *, handle *))   \
    AH_VK(int, BeginCommandBuffer, (handle, const command_buffer_begin_info *))                    \
    AH_VK(int, EndCommandBuffer, (handle))                                                         \
    AH_VK(void, CmdFillBuffer, (handle, handle, uint64_t, uint64_t, unsigned))                     \
    AH_VK(void, CmdCopyBuffer, (handle, handle, handle, unsigned, const buffer_copy *))            \
    AH_VK(void, CmdPipelineBarrier,                                                                \
          (handle, vk::flags, vk::flags, vk::flags, unsigned, const memory_barrier *, unsigned,    \
           const void *, unsigned, const void *))                                                  \
    AH_VK(int, QueueSubmit, (handle, unsigned, const submit_info *, handle))                       \
    AH_VK(int, QueueWaitIdle, (handle))

struct functions {
#define AH_VK(result, name, parameters) result(*name) parameters;
    AH_VK_FUNCTIONS
#undef AH_VK
};

} // namespace vk

// A device with one queue, which can export memory. Not made: `missing` says why.
class vulkan
{
  public:
    vk::functions call = {};
    vk::handle device = nullptr, queue = nullptr, pool = nullptr;
    const char *missing = nullptr;
    bool is_same_gpu = false; // as the one with that identifier
    bool exports_semaphores = false;
    char name[256] = "";

    // uuid: of the device that is wanted; any other if there is none.
    explicit vulkan(const char *uuid)
    {
        missing = open(uuid);
        if (missing)
            close();
    }
    ~vulkan() { close(); }
    vulkan(const vulkan &) = delete;
    vulkan &operator=(const vulkan &) = delete;

    // UINT_MAX: there is none.
    unsigned memory_type(unsigned allowed, vk::flags wanted) const
    {
        for (unsigned i = 0; i < memory.type_count; i++)
            if ((allowed >> i & 1) && (memory.types[i].flags & wanted) == wanted)
                return i;
        return ~0u;
    }

  private:
    vk::handle instance = nullptr, gpu = nullptr;
    vk::memory_properties memory = {};
    unsigned family = 0;

    const char *open(const char *uuid)
    {
        void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL); // it stays
        if (!library)
            return "there is no libvulkan.so.1";
        auto lookup = reinterpret_cast<void *(*)(vk::handle, const char *)>(
            dlsym(library, "vkGetInstanceProcAddr"));
        auto create =
            reinterpret_cast<int (*)(const vk::instance_create_info *, const void *, vk::handle *)>(
                lookup ? lookup(nullptr, "vkCreateInstance") : nullptr);
        vk::application_info application = {vk::APPLICATION_INFO, nullptr, "test", 0, nullptr, 0,
                                            vk::API_VERSION_1_2};
        vk::instance_create_info info = {
            vk::INSTANCE_CREATE_INFO, nullptr, 0, &application, 0, nullptr, 0, nullptr};
        if (!create || create(&info, nullptr, &instance) != vk::SUCCESS)
            return "Vulkan does not start";
#define AH_VK(result, name, parameters)                                                            \
    call.name = reinterpret_cast<decltype(call.name)>(lookup(instance, "vk" #name));
        AH_VK_FUNCTIONS
#undef AH_VK
        const char *why = choose(uuid);
        return why ? why : make_device();
    }

    const char *choose(const char *uuid)
    {
        unsigned count = 0;
        call.EnumeratePhysicalDevices(instance, &count, nullptr);
        std::vector<vk::handle> gpus(count);
        if (count == 0 ||
            call.EnumeratePhysicalDevices(instance, &count, gpus.data()) != vk::SUCCESS)
            return "Vulkan has no device";
        for (vk::handle one : gpus) {
            vk::physical_device_id_properties id = {};
            vk::physical_device_properties_2 properties = {};
            id.type = vk::PHYSICAL_DEVICE_ID_PROPERTIES;
            properties.type = vk::PHYSICAL_DEVICE_PROPERTIES_2;
            properties.next = &id;
            call.GetPhysicalDeviceProperties2(one, &properties);
            bool same = std::memcmp(id.device_uuid, uuid, sizeof id.device_uuid) == 0;
            if (properties.api_version < vk::API_VERSION_1_2 || (gpu && !same))
                continue;
            gpu = one;
            is_same_gpu = same;
            std::memcpy(name, properties.name, sizeof name);
        }
        if (!gpu)
            return "no device has Vulkan 1.2";
        call.GetPhysicalDeviceMemoryProperties(gpu, &memory);
        return nullptr;
    }

    const char *make_device()
    {
        static const char *const extensions[] = {"VK_KHR_external_memory_fd",
                                                 "VK_KHR_external_semaphore_fd"};
        unsigned count = 0;
        const float priority = 1;
        call.GetPhysicalDeviceQueueFamilyProperties(gpu, &count, nullptr);
        std::vector<vk::queue_family_properties> families(count);
        call.GetPhysicalDeviceQueueFamilyProperties(gpu, &count, families.data());
        while (family < count && !(families[family].flags & vk::QUEUE_TRANSFERS))
            family++;
        vk::timeline_semaphore_features timelines = {
            vk::PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, nullptr, 1};
        vk::device_queue_create_info queues = {
            vk::DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, &priority};
        // with semaphores where it exports them
        for (unsigned extension_count : {2u, 1u}) {
            vk::device_create_info info = {
                vk::DEVICE_CREATE_INFO, &timelines, 0,      1, &queues, 0, nullptr,
                extension_count,        extensions, nullptr};
            exports_semaphores = extension_count == 2;
            if (call.CreateDevice(gpu, &info, nullptr, &device) == vk::SUCCESS)
                break;
            device = nullptr;
        }
        if (!device)
            return "Vulkan exports no memory as file descriptors";
        call.GetDeviceQueue(device, family, 0, &queue);
        vk::command_pool_create_info commands = {vk::COMMAND_POOL_CREATE_INFO, nullptr,
                                                 vk::RESET_COMMAND_BUFFER, family};
        return call.CreateCommandPool(device, &commands, nullptr, &pool) == vk::SUCCESS
                   ? nullptr
                   : "Vulkan has no command pool";
    }

    void close()
    {
        if (pool)
            call.DestroyCommandPool(device, pool, nullptr);
        if (device)
            call.DestroyDevice(device, nullptr);
        if (instance)
            call.DestroyInstance(instance, nullptr);
        pool = device = instance = nullptr;
    }
};

// A buffer with memory of its own: exported, or seen by the host.
class vulkan_buffer
{
  public:
    vk::handle buffer = nullptr, memory = nullptr;
    uint64_t size = 0; // of the memory
    void *mapped = nullptr;
    bool made = false;

    vulkan_buffer(const vulkan &v, uint64_t bytes, bool exported) : v(v)
    {
        vk::external_memory_buffer_create_info external = {vk::EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                                           nullptr, vk::OPAQUE_FD};
        vk::buffer_create_info info = {vk::BUFFER_CREATE_INFO,
                                       exported ? &external : nullptr,
                                       0,
                                       bytes,
                                       vk::TRANSFER_SRC_AND_DST,
                                       0,
                                       0,
                                       nullptr};
        vk::memory_requirements needs = {};
        if (v.call.CreateBuffer(v.device, &info, nullptr, &buffer) != vk::SUCCESS)
            return;
        v.call.GetBufferMemoryRequirements(v.device, buffer, &needs);
        size = needs.size;
        vk::export_info exports = {vk::EXPORT_MEMORY_ALLOCATE_INFO, nullptr, vk::OPAQUE_FD};
        vk::memory_allocate_info memory_info = {
            vk::MEMORY_ALLOCATE_INFO, exported ? &exports : nullptr, size,
            v.memory_type(needs.types, exported ? vk::MEMORY_DEVICE_LOCAL
                                                : vk::MEMORY_HOST_VISIBLE_AND_COHERENT)};
        made = v.call.AllocateMemory(v.device, &memory_info, nullptr, &memory) == vk::SUCCESS &&
               v.call.BindBufferMemory(v.device, buffer, memory, 0) == vk::SUCCESS &&
               (exported || v.call.MapMemory(v.device, memory, 0, size, 0, &mapped) == vk::SUCCESS);
    }
    ~vulkan_buffer()
    {
        if (buffer)
            v.call.DestroyBuffer(v.device, buffer, nullptr);
        if (memory)
            v.call.FreeMemory(v.device, memory, nullptr);
    }
    vulkan_buffer(const vulkan_buffer &) = delete;
    vulkan_buffer &operator=(const vulkan_buffer &) = delete;

    // A new file descriptor, -1: there is none.
    int file() const
    {
        int out = -1;
        vk::get_fd_info info = {vk::MEMORY_GET_FD_INFO_KHR, nullptr, memory, vk::OPAQUE_FD};
        return v.call.GetMemoryFdKHR(v.device, &info, &out) == vk::SUCCESS ? out : -1;
    }

  private:
    const vulkan &v;
};

class vulkan_semaphore
{
  public:
    vk::handle semaphore = nullptr;
    bool timeline;

    vulkan_semaphore(const vulkan &v, bool timeline) : timeline(timeline), v(v)
    {
        vk::semaphore_type_create_info type = {
            vk::SEMAPHORE_TYPE_CREATE_INFO, nullptr,
            timeline ? vk::SEMAPHORE_TYPE_TIMELINE : vk::SEMAPHORE_TYPE_BINARY, 0};
        vk::export_info exports = {vk::EXPORT_SEMAPHORE_CREATE_INFO, timeline ? &type : nullptr,
                                   vk::OPAQUE_FD};
        vk::semaphore_create_info info = {vk::SEMAPHORE_CREATE_INFO, &exports, 0};
        if (v.call.CreateSemaphore(v.device, &info, nullptr, &semaphore) != vk::SUCCESS)
            semaphore = nullptr;
    }
    ~vulkan_semaphore()
    {
        if (semaphore)
            v.call.DestroySemaphore(v.device, semaphore, nullptr);
    }
    vulkan_semaphore(const vulkan_semaphore &) = delete;
    vulkan_semaphore &operator=(const vulkan_semaphore &) = delete;

    int file() const
    {
        int out = -1;
        vk::get_fd_info info = {vk::SEMAPHORE_GET_FD_INFO_KHR, nullptr, semaphore, vk::OPAQUE_FD};
        return v.call.GetSemaphoreFdKHR(v.device, &info, &out) == vk::SUCCESS ? out : -1;
    }

  private:
    const vulkan &v;
};

// Work for the queue: what is between begin and submit.
class vulkan_commands
{
  public:
    explicit vulkan_commands(const vulkan &v) : v(v)
    {
        vk::command_buffer_allocate_info info = {vk::COMMAND_BUFFER_ALLOCATE_INFO, nullptr, v.pool,
                                                 0, 1};
        vk::command_buffer_begin_info begin = {vk::COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
        ok = v.call.AllocateCommandBuffers(v.device, &info, &commands) == vk::SUCCESS &&
             v.call.BeginCommandBuffer(commands, &begin) == vk::SUCCESS;
    }
    void fill(const vulkan_buffer &to, uint64_t bytes, unsigned value)
    {
        v.call.CmdFillBuffer(commands, to.buffer, 0, bytes, value);
        barrier();
    }
    void copy(const vulkan_buffer &from, const vulkan_buffer &to, uint64_t bytes)
    {
        vk::buffer_copy all = {0, 0, bytes};
        barrier();
        v.call.CmdCopyBuffer(commands, from.buffer, to.buffer, 1, &all);
        barrier();
    }
    // Waits for the one and signals the other, where there is one; values are of timelines.
    bool submit(const vulkan_semaphore *wait = nullptr, uint64_t wait_value = 0,
                const vulkan_semaphore *signal = nullptr, uint64_t signal_value = 0)
    {
        const vk::flags stage = vk::PIPELINE_STAGE_ALL_COMMANDS;
        const vk::handle waits = wait ? wait->semaphore : nullptr,
                         signals = signal ? signal->semaphore : nullptr;
        vk::timeline_submit_info values = {vk::TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                           nullptr,
                                           wait ? 1u : 0u,
                                           &wait_value,
                                           signal ? 1u : 0u,
                                           &signal_value};
        vk::submit_info info = {vk::SUBMIT_INFO, &values,          wait ? 1u : 0u,
                                &waits,          &stage,           1,
                                &commands,       signal ? 1u : 0u, &signals};
        return ok && v.call.EndCommandBuffer(commands) == vk::SUCCESS &&
               v.call.QueueSubmit(v.queue, 1, &info, nullptr) == vk::SUCCESS;
    }

  private:
    const vulkan &v;
    vk::handle commands = nullptr;
    bool ok = false;

    void barrier()
    {
        const vk::flags all = vk::PIPELINE_STAGE_ALL_COMMANDS;
        vk::memory_barrier memory = {vk::MEMORY_BARRIER, nullptr, vk::ACCESS_ALL, vk::ACCESS_ALL};
        v.call.CmdPipelineBarrier(commands, all, all, 0, 1, &memory, 0, nullptr, 0, nullptr);
    }
};

} // namespace ah_test

#endif
