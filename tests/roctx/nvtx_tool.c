/* A tool for NVTX, which attaches itself as NVIDIA's do: by NVTX_INJECTION64_PATH and the tables of
 * NVTX 3. It prints what it is told. NVTX_TOOL=refuse: it does not attach itself; marks: it takes
 * marks alone; calls: it makes a mark while it is loaded. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <roctracer/roctx.h>

enum { CALLBACKS = 1, VERSION = 3, CORE = 1, CORE2 = 5, MODULES = 7 };
enum { MARK = 2, START = 5, END = 7, PUSH = 9, POP = 11, NAME_THREAD = 14 };

typedef void any_function(void);
struct callbacks {
    size_t size;
    int (*get_module)(uint32_t module, any_function ***out_table, unsigned *out_size);
};
struct version {
    size_t size;
    uint32_t version, reserved;
    void (*set_tool_version)(uint32_t version);
};

static void mark(const char *message)
{
    printf("[mark %s]", message);
}
static uint64_t start(const char *message)
{
    static uint64_t last = 500;
    printf("[start %s %llu]", message, (unsigned long long)++last);
    return last;
}
static void end(uint64_t id)
{
    printf("[end %llu]", (unsigned long long)id);
}
static int push(const char *message)
{
    printf("[push %s]", message);
    return 0;
}
static int pop(void)
{
    printf("[pop]");
    return 0;
}
static void name_thread(uint32_t thread, const char *name)
{
    printf("[%s %s]", thread ? "thread" : "no thread", name);
}

static any_function ***core;

static void attach(unsigned entry, any_function *function)
{
    *core[entry] = function;
}

/* Every entry of every module has a place, and there are no modules but these. */
static int check_tables(const struct callbacks *callbacks)
{
    static const unsigned sizes[MODULES] = {0, 16, 9, 15, 7, 16, 7};
    for (uint32_t module = 1; module < MODULES; module++) {
        any_function ***table = NULL;
        unsigned size = 0;
        if (!callbacks->get_module(module, (any_function ***)&table, &size) ||
            size != sizes[module] || table[0] || table[size])
            return 0;
        for (unsigned i = 1; i < size; i++)
            if (!table[i] || *table[i])
                return 0;
        if (module == CORE)
            core = table;
    }
    return !callbacks->get_module(0, NULL, NULL) && !callbacks->get_module(MODULES, NULL, NULL);
}

__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id));

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id))
{
    const char *mode = getenv("NVTX_TOOL");
    const struct callbacks *callbacks = export_table(CALLBACKS);
    const struct version *version = export_table(VERSION);
    if (!callbacks || callbacks->size != 16 || !version || version->size != 24 ||
        version->version != 3 || export_table(0) || export_table(4) || !check_tables(callbacks))
        printf("[wrong tables]");
    if (mode && strcmp(mode, "refuse") == 0)
        return 0;
    version->set_tool_version(3);
    attach(MARK, (any_function *)mark);
    if (mode && strcmp(mode, "calls") == 0)
        roctxMark("of the tool");
    if (mode && strcmp(mode, "marks") == 0)
        return 1;
    attach(START, (any_function *)start);
    attach(END, (any_function *)end);
    attach(PUSH, (any_function *)push);
    attach(POP, (any_function *)pop);
    attach(NAME_THREAD, (any_function *)name_thread);
    return 1;
}
