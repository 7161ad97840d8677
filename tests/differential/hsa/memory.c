/* Memory: pools and regions, allocating, access, locking, what is known of pointers, SVM. */
#include "calls.h"

/* ---- pools and regions ------------------------------------------------------------- */

static hsa_status_t pool_info(uint64_t object, int attribute, void *value)
{
    return rt.hsa_amd_memory_pool_get_info((hsa_amd_memory_pool_t){object},
                                           (hsa_amd_memory_pool_info_t)attribute, value);
}

static hsa_status_t region_info(uint64_t object, int attribute, void *value)
{
    return rt.hsa_region_get_info((hsa_region_t){object}, (hsa_region_info_t)attribute, value);
}

static void pools(void)
{
    static const struct attribute table[] = {
        ATTRIBUTE(NUMBER, HSA_AMD_MEMORY_POOL_INFO_SEGMENT),
        ATTRIBUTE(NUMBER, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS),
        ATTRIBUTE(NUMBER, HSA_AMD_MEMORY_POOL_INFO_SIZE),
        ATTRIBUTE(NUMBER, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED),
        ATTRIBUTE(NUMBER, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE),
        ATTRIBUTE(NUMBER, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT),
        ATTRIBUTE(NUMBER, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL),
        ATTRIBUTE(NUMBER, HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE),
        ATTRIBUTE(NUMBER, HSA_AMD_MEMORY_POOL_INFO_LOCATION),
        ATTRIBUTE(NUMBER, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE),
        {3, NUMBER, "unknown3"},
        {99, NUMBER, "unknown99"},
    };
    for (unsigned i = 0; i < here.agent_count; i++) {
        within("pools.%s", here.agents[i].name);
        say("count", "%u", here.agents[i].pool_count);
        for (unsigned k = 0; k < here.agents[i].pool_count; k++) {
            within("pools.%s.%u", here.agents[i].name, k);
            SAY_ATTRIBUTES(pool_info, here.agents[i].pools[k].handle, table);
        }
    }
    within("pools");
    say_status("null", pool_info(here.device.handle, HSA_AMD_MEMORY_POOL_INFO_SIZE, NULL));
    say_status("none", pool_info(0, HSA_AMD_MEMORY_POOL_INFO_SIZE, zeros));
}

static void regions(void)
{
    static const struct attribute table[] = {
        ATTRIBUTE(NUMBER, HSA_REGION_INFO_SEGMENT),
        ATTRIBUTE(NUMBER, HSA_REGION_INFO_GLOBAL_FLAGS),
        ATTRIBUTE(NUMBER, HSA_REGION_INFO_SIZE),
        ATTRIBUTE(NUMBER, HSA_REGION_INFO_ALLOC_MAX_SIZE),
        ATTRIBUTE(NUMBER, HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE),
        ATTRIBUTE(NUMBER, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED),
        ATTRIBUTE(NUMBER, HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE),
        ATTRIBUTE(NUMBER, HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT),
        ATTRIBUTE(NUMBER, HSA_AMD_REGION_INFO_HOST_ACCESSIBLE),
        ATTRIBUTE(ZERO_OR_NOT, HSA_AMD_REGION_INFO_BASE),
        ATTRIBUTE(NUMBER, HSA_AMD_REGION_INFO_BUS_WIDTH),
        ATTRIBUTE(NUMBER, HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY),
        {3, NUMBER, "unknown3"},
    };
    for (unsigned i = 0; i < here.agent_count; i++) {
        within("regions.%s", here.agents[i].name);
        say("count", "%u", here.agents[i].region_count);
        for (unsigned k = 0; k < here.agents[i].region_count; k++) {
            within("regions.%s.%u", here.agents[i].name, k);
            SAY_ATTRIBUTES(region_info, here.agents[i].regions[k].handle, table);
        }
    }
    within("regions");
    say_status("null", region_info(here.agents[0].regions[0].handle, HSA_REGION_INFO_SIZE, NULL));
    say_status("none", region_info(0, HSA_REGION_INFO_SIZE, zeros));
    say_status("zeros", region_info(ZEROS, HSA_REGION_INFO_SIZE, zeros));
    say_status("iterate.null", rt.hsa_agent_iterate_regions(here.gpu, NULL, NULL));
    say_status("pools.null", rt.hsa_amd_agent_iterate_memory_pools(here.gpu, NULL, NULL));
}

/* What lies between an agent and a pool. */
static void say_link(hsa_agent_t agent, hsa_amd_memory_pool_t pool)
{
    hsa_amd_memory_pool_link_info_t link[8];
    uint32_t access = 77, hops = 0;
    int status = (int)rt.hsa_amd_agent_memory_pool_get_info(
        agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access);
    say("access", "%s %u", status_name(status), access);
    status = (int)rt.hsa_amd_agent_memory_pool_get_info(
        agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &hops);
    say("hops", "%s %u", status_name(status), hops);
    memset(link, 0, sizeof link);
    status = (int)rt.hsa_amd_agent_memory_pool_get_info(
        agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, link);
    say("link",
        "%s type %d, latency %u to %u, bandwidth %u to %u, atomics %d %d, coherent %d, "
        "distance %u",
        status_name(status), (int)link[0].link_type, link[0].min_latency, link[0].max_latency,
        link[0].min_bandwidth, link[0].max_bandwidth, link[0].atomic_support_32bit,
        link[0].atomic_support_64bit, link[0].coherent_support, link[0].numa_distance);
}

static void links(void)
{
    for (unsigned a = 0; a < here.agent_count; a++)
        for (unsigned i = 0; i < here.agent_count; i++)
            for (unsigned k = 0; k < here.agents[i].pool_count; k++) {
                within("links.%s.%s.%u", here.agents[a].name, here.agents[i].name, k);
                say_link(here.agents[a].handle, here.agents[i].pools[k]);
            }
    within("links");
    say_status("unknown3", rt.hsa_amd_agent_memory_pool_get_info(here.gpu, here.device, 3, zeros));
    say_status("null", rt.hsa_amd_agent_memory_pool_get_info(here.gpu, here.device, 0, NULL));
    say_status("no_agent",
               rt.hsa_amd_agent_memory_pool_get_info((hsa_agent_t){0}, here.device, 0, zeros));
    say_status("no_pool", rt.hsa_amd_agent_memory_pool_get_info(
                              here.gpu, (hsa_amd_memory_pool_t){0}, 0, zeros));
}

/* ---- allocating -------------------------------------------------------------------- */

static void allocate(const char *key, hsa_amd_memory_pool_t pool, size_t size, uint32_t flags)
{
    void *memory = NULL;
    int status = (int)rt.hsa_amd_memory_pool_allocate(pool, size, flags, &memory);
    say(key, "%s%s%s", status_name(status), memory ? " memory" : "",
        memory && (uintptr_t)memory % PAGE ? " not aligned" : "");
    if (memory && status == HSA_STATUS_SUCCESS)
        must(rt.hsa_amd_memory_pool_free(memory));
}

static void allocations(void)
{
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 2097152, (size_t)1 << 40, SIZE_MAX};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < here.agents[i].pool_count; k++) {
            within("allocations.%s.%u", here.agents[i].name, k);
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                char key[32];
                snprintf(key, sizeof key, "%zu", sizes[s]);
                allocate(key, here.agents[i].pools[k], sizes[s], 0);
            }
        }
    within("allocations");
    allocate("no_pool", (hsa_amd_memory_pool_t){0}, 4096, 0);
    allocate("zeros", (hsa_amd_memory_pool_t){ZEROS}, 4096, 0);
    allocate("flag64", here.device, 4096, 64);
    say_status("null", rt.hsa_amd_memory_pool_allocate(here.device, 4096, 0, NULL));
}

static void region_allocations(void)
{
    static const size_t sizes[] = {0, 1, 4096, (size_t)1 << 40};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < here.agents[i].region_count; k++) {
            within("region_allocations.%s.%u", here.agents[i].name, k);
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                char key[32];
                void *memory = NULL;
                snprintf(key, sizeof key, "%zu", sizes[s]);
                int status =
                    (int)rt.hsa_memory_allocate(here.agents[i].regions[k], sizes[s], &memory);
                say(key, "%s%s", status_name(status), memory ? " memory" : "");
                if (status == HSA_STATUS_SUCCESS)
                    must(rt.hsa_memory_free(memory));
            }
        }
    within("region_allocations");
    say_status("null", rt.hsa_memory_allocate(here.agents[0].regions[0], 1, NULL));
    say_status("none", rt.hsa_memory_allocate((hsa_region_t){0}, 1, (void **)zeros));
    say_status("zeros", rt.hsa_memory_allocate((hsa_region_t){ZEROS}, 1, (void **)zeros));
}

static void frees(void)
{
    char *memory = new_memory(here.device, 3 * PAGE), *host = new_memory(here.host, PAGE);
    say_status("null", rt.hsa_amd_memory_pool_free(NULL));
    say_status("region.null", rt.hsa_memory_free(NULL));
    say_status("program", rt.hsa_amd_memory_pool_free(zeros));
    say_status("inside", rt.hsa_amd_memory_pool_free(memory + PAGE));
    say_status("one_beyond", rt.hsa_amd_memory_pool_free(memory + 1));
    say_status("device", rt.hsa_amd_memory_pool_free(memory));
    say_status("device.again", rt.hsa_amd_memory_pool_free(memory));
    say_status("host.as_region", rt.hsa_memory_free(host));
    say_status("host.again", rt.hsa_memory_free(host));
}

static void registering(void)
{
    say_status("register", rt.hsa_memory_register(zeros, sizeof zeros));
    say_status("register.nothing", rt.hsa_memory_register(zeros, 0));
    say_status("register.null", rt.hsa_memory_register(NULL, 0));
    say_status("register.null_size", rt.hsa_memory_register(NULL, 8));
    say_status("deregister", rt.hsa_memory_deregister(zeros, sizeof zeros));
    say_status("deregister.unknown", rt.hsa_memory_deregister(&zeros[100], 8));
    say_status("assign", rt.hsa_memory_assign_agent(zeros, here.gpu, HSA_ACCESS_PERMISSION_RW));
    say_status("assign.0", rt.hsa_memory_assign_agent(zeros, here.gpu, 0));
    say_status("assign.4", rt.hsa_memory_assign_agent(zeros, here.gpu, 4));
    say_status("assign.null", rt.hsa_memory_assign_agent(NULL, here.gpu, HSA_ACCESS_PERMISSION_RW));
    say_status("assign.none",
               rt.hsa_memory_assign_agent(zeros, (hsa_agent_t){0}, HSA_ACCESS_PERMISSION_RW));
}

/* ---- access ------------------------------------------------------------------------ */

static void access_of(const char *key, const void *memory, hsa_agent_t first, hsa_agent_t second,
                      uint32_t count)
{
    hsa_agent_t agents[] = {first, second};
    say_status(key, rt.hsa_amd_agents_allow_access(count, agents, NULL, memory));
}

static void accesses(void)
{
    const hsa_agent_t none = {0}, nothing = {ZEROS};
    uint32_t flags = 0;
    char *memory = new_memory(here.device, 2 * PAGE), *host = new_memory(here.host, 2 * PAGE);
    access_of("device.own", memory, here.gpu, none, 1);
    access_of("device.other", memory, here.other, none, 1);
    access_of("device.both", memory, here.gpu, here.other, 2);
    access_of("device.cpu", memory, here.cpu, none, 1);
    access_of("device.cpu_too", memory, here.gpu, here.cpu, 2);
    access_of("device.twice", memory, here.gpu, here.gpu, 2);
    access_of("host.gpu", host, here.gpu, none, 1);
    access_of("host.both", host, here.gpu, here.other, 2);
    access_of("host.cpu", host, here.cpu, none, 1);
    access_of("inside", memory + PAGE, here.gpu, none, 1);
    access_of("program", zeros, here.gpu, none, 1);
    access_of("no_agents", memory, here.gpu, none, 0);
    access_of("none", memory, none, none, 1);
    access_of("zeros", memory, nothing, none, 1);
    access_of("null", NULL, here.gpu, none, 1);
    say_status("null_agents", rt.hsa_amd_agents_allow_access(1, NULL, NULL, memory));
    say_status("flags", rt.hsa_amd_agents_allow_access(1, &here.gpu, &flags, memory));
}

static void migration(void)
{
    bool yes = true;
    char *memory = new_memory(here.host, PAGE);
    int status = (int)rt.hsa_amd_memory_pool_can_migrate(here.host, here.device, &yes);
    say("can.host.device", "%s %d", status_name(status), yes);
    status = (int)rt.hsa_amd_memory_pool_can_migrate(here.device, here.device2, &yes);
    say("can.device.device", "%s %d", status_name(status), yes);
    say_status("can.null", rt.hsa_amd_memory_pool_can_migrate(here.host, here.device, NULL));
    say_status("can.none",
               rt.hsa_amd_memory_pool_can_migrate((hsa_amd_memory_pool_t){0}, here.device, &yes));
    say_status("can.to_none",
               rt.hsa_amd_memory_pool_can_migrate(here.device, (hsa_amd_memory_pool_t){0}, &yes));
    say_status("migrate", rt.hsa_amd_memory_migrate(memory, here.device, 0));
    say_status("migrate.null", rt.hsa_amd_memory_migrate(NULL, here.device, 0));
    say_status("migrate.flags", rt.hsa_amd_memory_migrate(memory, here.device, 1));
    say_status("migrate.none", rt.hsa_amd_memory_migrate(memory, (hsa_amd_memory_pool_t){0}, 0));
}

/* ---- locking ----------------------------------------------------------------------- */

static void lock(const char *key, void *memory, size_t size, hsa_agent_t *agents, int count)
{
    void *pointer = zeros + 7;
    int status = (int)rt.hsa_amd_memory_lock(memory, size, agents, count, &pointer);
    say(key, "%s %s", status_name(status),
        pointer == zeros + 7 ? "untouched" : place(pointer, memory, size ? size : 1));
    if (status == HSA_STATUS_SUCCESS)
        must(rt.hsa_amd_memory_unlock(memory));
}

static void locks(void)
{
    static char own[8 * PAGE] __attribute__((aligned(4096)));
    hsa_agent_t none = {0}, both[] = {here.gpu, here.other};
    char *host = new_memory(here.host, PAGE);
    void *pointer;
    lock("all", own, sizeof own, NULL, 0);
    lock("gpu", own, sizeof own, &here.gpu, 1);
    lock("both", own, sizeof own, both, 2);
    lock("cpu", own, sizeof own, &here.cpu, 1);
    lock("odd", own + 100, 1000, &here.gpu, 1);
    lock("of_pool", host, PAGE, &here.gpu, 1);
    lock("nothing", own, 0, NULL, 0);
    lock("null", NULL, PAGE, NULL, 0);
    lock("none", own, PAGE, &none, 1);
    lock("agents_without_count", own, PAGE, both, 0);
    lock("count_without_agents", own, PAGE, NULL, 1);
    say_status("null_pointer", rt.hsa_amd_memory_lock(own, PAGE, NULL, 0, NULL));
    say_status("unlock.null", rt.hsa_amd_memory_unlock(NULL));
    say_status("unlock.not_locked", rt.hsa_amd_memory_unlock(own));
    must(rt.hsa_amd_memory_lock(own, PAGE, NULL, 0, &pointer));
    say_status("twice", rt.hsa_amd_memory_lock(own, PAGE, NULL, 0, &pointer));
    say_status("unlock.first", rt.hsa_amd_memory_unlock(own));
    say_status("unlock.second", rt.hsa_amd_memory_unlock(own));
    say_status("unlock.third", rt.hsa_amd_memory_unlock(own));
}

static void locks_to_pools(void)
{
    static char own[2 * PAGE] __attribute__((aligned(4096)));
    void *pointer;
    hsa_amd_memory_pool_t none = {0};
    for (unsigned k = 0; k < here.agents[0].pool_count; k++) {
        char key[16];
        snprintf(key, sizeof key, "cpu.%u", k);
        int status = (int)rt.hsa_amd_memory_lock_to_pool(own, PAGE, NULL, 0,
                                                         here.agents[0].pools[k], 0, &pointer);
        say(key, "%s %s", status_name(status), place(pointer, own, PAGE));
        if (status == HSA_STATUS_SUCCESS)
            must(rt.hsa_amd_memory_unlock(own));
    }
    say_status("device",
               rt.hsa_amd_memory_lock_to_pool(own, PAGE, NULL, 0, here.device, 0, &pointer));
    say_status("none", rt.hsa_amd_memory_lock_to_pool(own, PAGE, NULL, 0, none, 0, &pointer));
    say_status("flags",
               rt.hsa_amd_memory_lock_to_pool(own, PAGE, NULL, 0, here.host, 64, &pointer));
    say_status("nothing", rt.hsa_amd_memory_lock_to_pool(own, 0, NULL, 0, here.host, 0, &pointer));
    say_status("null", rt.hsa_amd_memory_lock_to_pool(NULL, 8, NULL, 0, here.host, 0, &pointer));
}

/* ---- pointers ---------------------------------------------------------------------- */

static void say_pointer(const char *key, const void *pointer, const void *memory, size_t size)
{
    hsa_amd_pointer_info_t info;
    hsa_agent_t *accessible = NULL;
    uint32_t count = 0;
    char list[128] = "";
    memset(&info, 0xa5, sizeof info);
    info.size = sizeof info;
    int status = (int)rt.hsa_amd_pointer_info(pointer, &info, malloc, &count, &accessible);
    for (unsigned a = 0; a < here.agent_count; a++) /* in whatever order they came */
        for (uint32_t i = 0; i < count; i++)
            if (accessible[i].handle == here.agents[a].handle.handle)
                snprintf(list + strlen(list), sizeof list - strlen(list), " %s",
                         here.agents[a].name);
    if (status != HSA_STATUS_SUCCESS || info.type == HSA_EXT_POINTER_TYPE_UNKNOWN)
        say(key, "%s type %d", status_name(status), (int)info.type);
    else
        say(key,
            "%s type %d, agent %s, host %s, %zu bytes, user data %zu, owner %s, flags %u, "
            "for%s",
            status_name(status), (int)info.type, place(info.agentBaseAddress, memory, size),
            place(info.hostBaseAddress, memory, size), info.sizeInBytes, (size_t)info.userData,
            agent_name(info.agentOwner), info.global_flags, list);
    free(accessible);
}

static void pointers_of_pools(void)
{
    for (unsigned i = 0; i < here.agent_count; i++)
        for (unsigned k = 0; k < here.agents[i].pool_count; k++) {
            void *memory = NULL;
            within("pointers_of_pools.%s.%u", here.agents[i].name, k);
            if (rt.hsa_amd_memory_pool_allocate(here.agents[i].pools[k], 2 * PAGE, 0, &memory))
                continue;
            say_pointer("start", memory, memory, 2 * PAGE);
            say_pointer("inside", (char *)memory + 5000, memory, 2 * PAGE);
            must(rt.hsa_amd_agents_allow_access(1, &here.gpu, NULL, memory));
            say_pointer("for_gpu0", memory, memory, 2 * PAGE);
            hsa_agent_t both[] = {here.gpu, here.other};
            must(rt.hsa_amd_agents_allow_access(2, both, NULL, memory));
            say_pointer("for_both", memory, memory, 2 * PAGE);
            say_status("user", rt.hsa_amd_pointer_info_set_userdata(memory, (void *)99));
            say_pointer("with_user", memory, memory, 2 * PAGE);
            must(rt.hsa_amd_memory_pool_free(memory));
            say_pointer("freed", memory, memory, 2 * PAGE);
        }
}

/* Memory is given out in pages. */
static void odd_sizes(void)
{
    hsa_amd_ipc_memory_t handle;
    char *memory = new_memory(here.device, 5000);
    say_pointer("device", memory, memory, 5000);
    say_pointer("padding", memory + 5000, memory, 2 * PAGE);
    say_status("ipc.asked_for", rt.hsa_amd_ipc_memory_create(memory, 5000, &handle));
    say_status("ipc.given", rt.hsa_amd_ipc_memory_create(memory, 2 * PAGE, &handle));
    memory = new_memory(here.host, 5000);
    say_pointer("host", memory, memory, 5000);
    memory = malloc(1 << 20);
    memory[1 << 19] = 1;
    say_pointer("program", memory, memory, 1 << 20);
}

static void pointers_of_the_program(void)
{
    static char own[4 * PAGE] __attribute__((aligned(4096)));
    hsa_agent_t both[] = {here.gpu, here.other};
    void *pointer;
    say_pointer("not_locked", own, own, sizeof own);
    must(rt.hsa_amd_memory_lock(own, sizeof own, NULL, 0, &pointer));
    say_pointer("locked", own, own, sizeof own);
    say_pointer("inside", own + 5000, own, sizeof own);
    say_status("user", rt.hsa_amd_pointer_info_set_userdata(own, (void *)77));
    say_pointer("with_user", own, own, sizeof own);
    must(rt.hsa_amd_memory_unlock(own));
    say_pointer("unlocked", own, own, sizeof own);
    must(rt.hsa_amd_memory_lock(own, PAGE, &here.gpu, 1, &pointer));
    say_pointer("for_gpu0", own, own, sizeof own);
    say_pointer("beyond", own + PAGE, own, sizeof own);
    must(rt.hsa_amd_memory_unlock(own));
    must(rt.hsa_amd_memory_lock(own + 100, 1000, both, 2, &pointer));
    say_pointer("odd", own + 100, own, sizeof own);
    say_pointer("before_odd", own, own, sizeof own);
    say_pointer("after_odd", own + 1100, own, sizeof own);
    must(rt.hsa_amd_memory_unlock(own + 100));
    say_status("user.unknown", rt.hsa_amd_pointer_info_set_userdata(own, (void *)77));
}

static void bad_pointers(void)
{
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    uint32_t count = 77;
    char *memory = new_memory(here.device, PAGE);
    say_status("null", rt.hsa_amd_pointer_info(NULL, &info, NULL, NULL, NULL));
    say_status("null_info", rt.hsa_amd_pointer_info(memory, NULL, NULL, NULL, NULL));
    info.size = 0;
    say_status("size0", rt.hsa_amd_pointer_info(memory, &info, NULL, NULL, NULL));
    info.size = 8;
    info.sizeInBytes = 1;
    int status = (int)rt.hsa_amd_pointer_info(memory, &info, NULL, NULL, NULL);
    say("size8", "%s size %u type %d, %zu", status_name(status), info.size, (int)info.type,
        info.sizeInBytes);
    info.size = 1000;
    status = (int)rt.hsa_amd_pointer_info(memory, &info, NULL, &count, NULL);
    say("size1000", "%s size %u count %u", status_name(status), info.size, count);
    say_status("user.null", rt.hsa_amd_pointer_info_set_userdata(NULL, NULL));
    say_status("user.inside", rt.hsa_amd_pointer_info_set_userdata(memory + 1, NULL));
}

/* ---- telling that memory ends ------------------------------------------------------ */

static int freed;

static void count_freed(void *memory, void *data)
{
    (void)memory;
    freed += (int)(uintptr_t)data;
}

static void count_more(void *memory, void *data)
{
    count_freed(memory, (char *)data + 100);
}

static void deallocation(void)
{
    char *memory = new_memory(here.device, PAGE);
    say_status("register",
               rt.hsa_amd_register_deallocation_callback(memory, count_freed, (void *)1));
    say_status("again", rt.hsa_amd_register_deallocation_callback(memory, count_freed, (void *)1));
    say_status("more", rt.hsa_amd_register_deallocation_callback(memory, count_more, (void *)1));
    say_status("inside",
               rt.hsa_amd_register_deallocation_callback(memory + 8, count_freed, (void *)1));
    say_status("null", rt.hsa_amd_register_deallocation_callback(NULL, count_freed, NULL));
    say_status("null_callback", rt.hsa_amd_register_deallocation_callback(memory, NULL, NULL));
    say_status("program", rt.hsa_amd_register_deallocation_callback(zeros, count_freed, NULL));
    say_status("deregister", rt.hsa_amd_deregister_deallocation_callback(memory, count_more));
    say_status("deregister.again", rt.hsa_amd_deregister_deallocation_callback(memory, count_more));
    say_status("deregister.null", rt.hsa_amd_deregister_deallocation_callback(NULL, count_more));
    say_status("deregister.null_callback",
               rt.hsa_amd_deregister_deallocation_callback(memory, NULL));
    say_status("deregister.program",
               rt.hsa_amd_deregister_deallocation_callback(zeros, count_more));
    must(rt.hsa_amd_memory_pool_free(memory));
    say("called", "%d", freed);
}

/* ---- shared virtual memory --------------------------------------------------------- */

static void set_svm(const char *key, void *memory, size_t size, uint64_t attribute, uint64_t value)
{
    hsa_amd_svm_attribute_pair_t pair = {attribute, value};
    say_status(key, rt.hsa_amd_svm_attributes_set(memory, size, &pair, 1));
}

static void say_svm(const char *key, void *memory, size_t size)
{
    hsa_amd_svm_attribute_pair_t pairs[] = {
        {HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, 77},
        {HSA_AMD_SVM_ATTRIB_READ_ONLY, 77},
        {HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 77},
        {HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, 77},
        {HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION, 77},
        {HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, here.gpu.handle},
        {HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, here.other.handle},
    };
    int status = (int)rt.hsa_amd_svm_attributes_get(memory, size, pairs, 7);
    if (status != HSA_STATUS_SUCCESS) {
        say_status(key, status);
        return;
    }
    say(key, "SUCCESS grain %d, read-only %d, read-mostly %d, preferred %s, prefetched %s, %x %x",
        (int)pairs[0].value, (int)pairs[1].value, pairs[2].value != 0,
        agent_name((hsa_agent_t){pairs[3].value}), agent_name((hsa_agent_t){pairs[4].value}),
        (unsigned)pairs[5].attribute, (unsigned)pairs[6].attribute);
}

static void svm(void)
{
    static char own[8 * PAGE] __attribute__((aligned(4096)));
    hsa_signal_t signal = new_signal(1);
    uint64_t gpu = here.gpu.handle;
    memset(own, 1, sizeof own);
    say_svm("untold", own, sizeof own);
    set_svm("accessible", own, sizeof own, HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, gpu);
    say_svm("accessible.get", own, sizeof own);
    set_svm("coarse", own, sizeof own, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG,
            HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED);
    set_svm("preferred", own, sizeof own, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, gpu);
    set_svm("read_mostly", own, sizeof own, HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1);
    say_svm("all.get", own, sizeof own);
    set_svm("no_access", own, PAGE, HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS, gpu);
    say_svm("first.get", own, PAGE);
    say_svm("rest.get", own + PAGE, 7 * PAGE);
    say_svm("mixed.get", own, sizeof own);
    set_svm("unknown", own, PAGE, 99, 1);
    set_svm("bad_grain", own, PAGE, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, 7);
    set_svm("no_agent", own, PAGE, HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, 0);
    say_status("prefetch",
               rt.hsa_amd_svm_prefetch_async(own + PAGE, PAGE, here.gpu, 0, NULL, signal));
    say("prefetch.done", "%d", (int)finish(signal));
    say_svm("prefetch.get", own + PAGE, PAGE);
    say_status("prefetch.zeros",
               rt.hsa_amd_svm_prefetch_async(own, PAGE, (hsa_agent_t){ZEROS}, 0, NULL, signal));
}

const struct part parts_of_memory[] = {
    {"pools", pools, 0},
    {"regions", regions, 0},
    {"links", links, 0},
    {"allocations", allocations, 0},
    {"region_allocations", region_allocations, 0},
    {"frees", frees, ONE_MODEL},
    {"registering", registering, ONE_MODEL},
    {"accesses", accesses, ONE_MODEL},
    {"migration", migration, ONE_MODEL},
    {"locks", locks, ONE_MODEL},
    {"locks_to_pools", locks_to_pools, ONE_MODEL},
    {"pointers_of_pools", pointers_of_pools, 0},
    {"odd_sizes", odd_sizes, ONE_MODEL},
    {"pointers_of_the_program", pointers_of_the_program, ONE_MODEL},
    {"bad_pointers", bad_pointers, ONE_MODEL},
    {"deallocation", deallocation, ONE_MODEL},
    {"svm", svm, ONE_MODEL},
    {NULL, NULL, 0},
};
