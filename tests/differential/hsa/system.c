/* The runtime as a whole: beginning and ending, attributes, extensions, statuses. */
#include "calls.h"

static void statuses(void)
{
    static const struct {
        int first, last;
    } ranges[] = {{0, 2}, {38, 49}, {4095, 4136}};
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (int status = ranges[r].first; status <= ranges[r].last; status++) {
            const char *text = "nothing";
            char key[32];
            snprintf(key, sizeof key, "%d", status);
            int result = (int)rt.hsa_status_string((hsa_status_t)status, &text);
            say(key, "%s %.*s", status_name(result), (int)strcspn(text, ":"), text);
        }
    say_status("null", rt.hsa_status_string(HSA_STATUS_SUCCESS, NULL));
}

/* ---- before and after -------------------------------------------------------------- */

static hsa_status_t no_agent(hsa_agent_t agent, void *data)
{
    (void)agent, (void)data;
    return HSA_STATUS_SUCCESS;
}

/* Functions that say so when the runtime does not run. */
static void calls_are_refused(void)
{
    uint64_t handle = 0;
    uint32_t word = 0;
    bool yes = false;
    void *pointer = NULL;
    hsa_agent_t agent = {ZEROS};
    hsa_amd_memory_pool_t pool = {ZEROS};
    hsa_signal_t signal = {0};
    hsa_executable_t executable = {ZEROS};
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    hsa_amd_ipc_memory_t ipc;
#define REFUSED(name, ...) say_status(#name, rt.name(__VA_ARGS__))
    REFUSED(hsa_shut_down);
    REFUSED(hsa_system_get_info, HSA_SYSTEM_INFO_VERSION_MAJOR, &handle);
    REFUSED(hsa_iterate_agents, no_agent, NULL);
    REFUSED(hsa_agent_get_info, agent, HSA_AGENT_INFO_NAME, zeros);
    REFUSED(hsa_signal_create, 1, 0, NULL, &signal);
    REFUSED(hsa_signal_destroy, (hsa_signal_t){ZEROS});
    REFUSED(hsa_amd_signal_create, 1, 0, NULL, 0, &signal);
    REFUSED(hsa_queue_destroy, (hsa_queue_t *)ZEROS);
    REFUSED(hsa_memory_allocate, (hsa_region_t){ZEROS}, 1, &pointer);
    REFUSED(hsa_memory_free, zeros);
    REFUSED(hsa_memory_copy, zeros, zeros + 1, 8);
    REFUSED(hsa_memory_register, zeros, 8);
    REFUSED(hsa_amd_memory_pool_allocate, pool, 1, 0, &pointer);
    REFUSED(hsa_amd_memory_pool_free, zeros);
    REFUSED(hsa_amd_memory_fill, zeros, 0, 1);
    REFUSED(hsa_amd_memory_lock, zeros, 8, NULL, 0, &pointer);
    REFUSED(hsa_amd_memory_unlock, zeros);
    REFUSED(hsa_amd_agents_allow_access, 1, &agent, NULL, zeros);
    REFUSED(hsa_amd_pointer_info, zeros, &info, NULL, NULL, NULL);
    REFUSED(hsa_amd_ipc_memory_create, zeros, 8, &ipc);
    REFUSED(hsa_executable_create_alt, HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL,
            &executable);
    REFUSED(hsa_executable_destroy, executable);
    REFUSED(hsa_code_object_reader_create_from_memory, zeros, 8,
            (hsa_code_object_reader_t *)&handle);
    REFUSED(hsa_isa_from_name, "amdgcn-amd-amdhsa--gfx90a", (hsa_isa_t *)&handle);
    REFUSED(hsa_extension_get_name, HSA_EXTENSION_IMAGES, (const char **)&pointer);
    REFUSED(hsa_system_extension_supported, HSA_EXTENSION_IMAGES, 1, 0, &yes);
    REFUSED(hsa_amd_profiling_async_copy_enable, true);
    REFUSED(hsa_amd_register_system_event_handler, NULL, NULL);
    REFUSED(hsa_amd_svm_attributes_get, zeros, PAGE, NULL, 0);
    REFUSED(hsa_amd_coherency_get_type, agent, (hsa_amd_coherency_type_t *)&word);
#undef REFUSED
}

static void not_yet(void)
{
    calls_are_refused();
}

static void no_more(void)
{
    for (int i = 0; i < 3; i++)
        must(rt.hsa_init());
    for (int i = 0; i < 3; i++) {
        uint16_t version;
        say_status(i == 0   ? "info3"
                   : i == 1 ? "info2"
                            : "info1",
                   rt.hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &version));
        must(rt.hsa_shut_down());
    }
    calls_are_refused();
    say_status("again", rt.hsa_init());
    say_status("last", rt.hsa_shut_down());
}

/* ---- attributes -------------------------------------------------------------------- */

static hsa_status_t system_info(uint64_t object, int attribute, void *value)
{
    (void)object;
    return rt.hsa_system_get_info((hsa_system_info_t)attribute, value);
}

static void attributes(void)
{
    static const struct attribute table[] = {
        ATTRIBUTE(NUMBER, HSA_SYSTEM_INFO_VERSION_MAJOR),
        ATTRIBUTE(NUMBER, HSA_SYSTEM_INFO_VERSION_MINOR),
        ATTRIBUTE(NUMBER, HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY),
        ATTRIBUTE(NUMBER, HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT),
        ATTRIBUTE(NUMBER, HSA_SYSTEM_INFO_ENDIANNESS),
        ATTRIBUTE(NUMBER, HSA_SYSTEM_INFO_MACHINE_MODEL),
        ATTRIBUTE(BITS, HSA_SYSTEM_INFO_EXTENSIONS),
        ATTRIBUTE(NUMBER, HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED),
        ATTRIBUTE(NUMBER, HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT),
        ATTRIBUTE(NUMBER, HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED),
        ATTRIBUTE(NUMBER, HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED),
        ATTRIBUTE(NUMBER, HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED),
        ATTRIBUTE(NUMBER, HSA_AMD_SYSTEM_INFO_XNACK_ENABLED),
        ATTRIBUTE(NUMBER, HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR),
        ATTRIBUTE(NUMBER, HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR),
        {8, NUMBER, "unknown8"},
        {99999, NUMBER, "unknown99999"},
    };
    uint64_t before = 0, after = 0;
    SAY_ATTRIBUTES(system_info, 0, table);
    say_status("null", rt.hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, NULL));
    must(rt.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
    usleep(1000);
    must(rt.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
    say("time_goes_on", "%d", after > before);
}

/* ---- extensions -------------------------------------------------------------------- */

static const uint16_t extensions[] = {0, 1, 2, 4, 512, 513, 514, 515, 516};
enum { EXTENSIONS = sizeof extensions / sizeof *extensions };

static void extension_names(void)
{
    for (size_t i = 0; i < EXTENSIONS; i++) {
        const char *name = "untouched";
        char key[32];
        snprintf(key, sizeof key, "%u", extensions[i]);
        int result = (int)rt.hsa_extension_get_name(extensions[i], &name);
        say(key, "%s %s", status_name(result), name);
    }
    say_status("null", rt.hsa_extension_get_name(HSA_EXTENSION_IMAGES, NULL));
}

static void say_supported(const char *who, uint16_t extension, uint16_t major, uint16_t minor,
                          int status, bool result)
{
    char key[64];
    snprintf(key, sizeof key, "%s.%u.%u.%u", who, extension, major, minor);
    if (status == HSA_STATUS_SUCCESS)
        say(key, "SUCCESS %d", result);
    else
        say_status(key, status);
}

static void extensions_supported(void)
{
    static const uint16_t versions[][2] = {{0, 0}, {1, 0}, {1, 3}, {2, 0}};
    for (size_t i = 0; i < EXTENSIONS; i++)
        for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
            uint16_t major = versions[v][0], minor = versions[v][1];
            bool result = false;
            int status =
                (int)rt.hsa_system_extension_supported(extensions[i], major, minor, &result);
            say_supported("system", extensions[i], major, minor, status, result);
            status = (int)rt.hsa_agent_extension_supported(extensions[i], here.gpu, major, minor,
                                                           &result);
            say_supported("gpu", extensions[i], major, minor, status, result);
            status = (int)rt.hsa_agent_extension_supported(extensions[i], here.cpu, major, minor,
                                                           &result);
            say_supported("cpu", extensions[i], major, minor, status, result);
        }
}

static void major_extensions_supported(void)
{
    for (size_t i = 0; i < EXTENSIONS; i++)
        for (uint16_t major = 0; major < 3; major++) {
            uint16_t minor = 77;
            bool result = false;
            char key[64];
            int status =
                (int)rt.hsa_system_major_extension_supported(extensions[i], major, &minor, &result);
            snprintf(key, sizeof key, "system.%u.%u", extensions[i], major);
            say(key, "%s %d minor %u", status_name(status), result, minor);
            minor = 77;
            result = false;
            status = (int)rt.hsa_agent_major_extension_supported(extensions[i], here.gpu, major,
                                                                 &minor, &result);
            snprintf(key, sizeof key, "gpu.%u.%u", extensions[i], major);
            say(key, "%s %d minor %u", status_name(status), result, minor);
        }
}

static void bad_extensions(void)
{
    bool yes;
    uint16_t minor;
    say_status("supported.null",
               rt.hsa_system_extension_supported(HSA_EXTENSION_IMAGES, 1, 0, NULL));
    say_status("major.null",
               rt.hsa_system_major_extension_supported(HSA_EXTENSION_IMAGES, 1, &minor, NULL));
    say_status("major.null_minor",
               rt.hsa_system_major_extension_supported(HSA_EXTENSION_IMAGES, 1, NULL, &yes));
    say_status("agent.null",
               rt.hsa_agent_extension_supported(HSA_EXTENSION_IMAGES, here.gpu, 1, 0, NULL));
    say_status("agent.none", rt.hsa_agent_extension_supported(HSA_EXTENSION_IMAGES,
                                                              (hsa_agent_t){0}, 1, 0, &yes));
    say_status("agent.zeros", rt.hsa_agent_extension_supported(HSA_EXTENSION_IMAGES,
                                                               (hsa_agent_t){ZEROS}, 1, 0, &yes));
    say_status("agent_major.none", rt.hsa_agent_major_extension_supported(
                                       HSA_EXTENSION_IMAGES, (hsa_agent_t){0}, 1, &minor, &yes));
}

/* How many functions a table of this length is given. */
static void say_table(const char *key, uint16_t extension, uint16_t major, size_t size)
{
    void *table[64];
    unsigned count = 0;
    memset(table, 0, sizeof table);
    int status = (int)rt.hsa_system_get_major_extension_table(extension, major, size, table);
    while (count < 64 && table[count])
        count++;
    say(key, "%s %u functions", status_name(status), count);
}

static void extension_tables(void)
{
    void *table[64];
    say_table("images", HSA_EXTENSION_IMAGES, 1, sizeof table);
    say_table("images.2", HSA_EXTENSION_IMAGES, 2, sizeof table);
    say_table("loader", HSA_EXTENSION_AMD_LOADER, 1, sizeof table);
    say_table("loader.3_functions", HSA_EXTENSION_AMD_LOADER, 1, 3 * sizeof *table);
    say_table("loader.nothing", HSA_EXTENSION_AMD_LOADER, 1, 0);
    say_table("loader.0", HSA_EXTENSION_AMD_LOADER, 0, sizeof table);
    say_table("loader.2", HSA_EXTENSION_AMD_LOADER, 2, sizeof table);
    say_table("profiler", HSA_EXTENSION_AMD_PROFILER, 1, sizeof table);
    say_table("aqlprofile", HSA_EXTENSION_AMD_AQLPROFILE, 1, sizeof table);
    say_table("counters", HSA_EXTENSION_PERFORMANCE_COUNTERS, 1, sizeof table);
    say_table("unknown", 100, 1, sizeof table);
    for (uint16_t minor = 0; minor < 6; minor++) {
        char key[32];
        unsigned count = 0;
        memset(table, 0, sizeof table);
        int status =
            (int)rt.hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, minor, table);
        while (count < 64 && table[count])
            count++;
        snprintf(key, sizeof key, "loader.1.%u", minor);
        say(key, "%s %u functions", status_name(status), count);
    }
    say_status("null", rt.hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1,
                                                               sizeof table, NULL));
    say_status("old.null", rt.hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 0, NULL));
    say_status("old.unknown", rt.hsa_system_get_extension_table(100, 1, 0, table));
}

const struct part parts_of_system[] = {
    {"statuses", statuses, RAW | ONE_MODEL},
    {"not_yet", not_yet, RAW | ONE_MODEL},
    {"no_more", no_more, RAW | ONE_MODEL},
    {"system", attributes, 0},
    {"extension_names", extension_names, ONE_MODEL},
    {"extensions_supported", extensions_supported, ONE_MODEL},
    {"major_extensions_supported", major_extensions_supported, ONE_MODEL},
    {"bad_extensions", bad_extensions, ONE_MODEL},
    {"extension_tables", extension_tables, ONE_MODEL},
    {NULL, NULL, 0},
};
