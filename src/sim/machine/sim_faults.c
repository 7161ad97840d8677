/* Owns the faults that tests inject: the list of them, and what was counted so far. */
#include "log.h"
#include "sim_memory.h"
#include "sim_options.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_MAX = 32, ITEM_MAX = 256 };

enum what { ALLOC, MEMORY, LAUNCH, KERNEL, LOST, SLOW, WHAT_COUNT };

struct rule {
    enum what what;
    uint64_t value; /* a number, bytes or nanoseconds */
    char name[ITEM_MAX];
};

struct rules {
    struct rule items[RULES_MAX];
    size_t count;
};

static struct {
    pthread_mutex_t lock; /* of rules and marks */
    struct rules rules;
    bool marked[SIM_DEVICES_MAX]; /* for memory:SIZE, what was in use at the first allocation */
    size_t mark[SIM_DEVICES_MAX];
} faults = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic(bool) armed; /* there are rules: without any, nothing is locked */
static _Atomic(uint64_t) allocations, launches;

/* ---- text ----------------------------------------------------------------------------- */

static bool parse_number(const char *text, struct rule *rule)
{
    char *end;
    if (*text < '1' || *text > '9')
        return false;
    rule->value = strtoull(text, &end, 10);
    return *end == '\0';
}

static bool parse_size(const char *text, struct rule *rule)
{
    size_t size;
    if (!sim_parse_size(text, &size))
        return false;
    rule->value = size;
    return true;
}

static bool parse_name(const char *text, struct rule *rule)
{
    strcpy(rule->name, text); /* cut to fit already */
    return *text != '\0';
}

static bool parse_time(const char *text, struct rule *rule)
{
    static const struct {
        const char *unit;
        uint64_t nanoseconds;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    uint64_t value = strtoull(text, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].unit) != 0 || value > UINT64_MAX / units[i].nanoseconds)
            continue;
        rule->value = value * units[i].nanoseconds;
        return true;
    }
    return false;
}

static const struct {
    const char *name;
    bool (*parse)(const char *text, struct rule *rule);
} words[WHAT_COUNT] = {
    [ALLOC] = {"alloc", parse_number},   [MEMORY] = {"memory", parse_size},
    [LAUNCH] = {"launch", parse_number}, [KERNEL] = {"kernel", parse_name},
    [LOST] = {"lost", parse_number},     [SLOW] = {"slow", parse_time},
};

static bool parse_rule(const char *text, struct rule *rule)
{
    size_t length = strcspn(text, ":");
    if (text[length] != ':')
        return false;
    for (int i = 0; i < WHAT_COUNT; i++) {
        rule->what = (enum what)i;
        if (strlen(words[i].name) == length && strncmp(words[i].name, text, length) == 0)
            return words[i].parse(text + length + 1, rule);
    }
    return false;
}

static bool parse(const char *text, struct rules *out_rules)
{
    *out_rules = (struct rules){.count = 0};
    while (*text) {
        char item[ITEM_MAX];
        size_t length = strcspn(text, ",");
        bool fits = length < sizeof item && out_rules->count < RULES_MAX;
        snprintf(item, sizeof item, "%.*s", (int)length, text);
        if (!fits || !parse_rule(item, &out_rules->items[out_rules->count])) {
            AH_LOG_NOTICE(
                AH_LOG_WARNING,
                "\"%s\" is not a fault of simulated devices, so that all faults are ignored; "
                "config/README.md lists them",
                item);
            return false;
        }
        out_rules->count++;
        text += length + (text[length] == ',');
    }
    return true;
}

/* ---- in force ------------------------------------------------------------------------------ */

static bool install(const char *text)
{
    struct rules rules;
    if (!parse(text ? text : "", &rules))
        return false;
    pthread_mutex_lock(&faults.lock);
    faults.rules = rules;
    memset(faults.marked, 0, sizeof faults.marked);
    atomic_store(&allocations, 0);
    atomic_store(&launches, 0);
    atomic_store(&armed, rules.count > 0);
    pthread_mutex_unlock(&faults.lock);
    return true;
}

static void install_options(void)
{
    (void)install(sim_options()->faults);
}

bool sim_fault_armed(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_options);
    return atomic_load_explicit(&armed, memory_order_acquire);
}

bool sim_fault_set(const char *text)
{
    (void)sim_fault_armed(); /* what a user set comes before, not after */
    return install(text);
}

/* Whether size more bytes are beyond what memory:SIZE leaves. Under the lock. */
static bool beyond(uint64_t left, int device, size_t size)
{
    size_t used = sim_memory_used(device);
    if (device < 0 || device >= SIM_DEVICES_MAX)
        return false;
    if (!faults.marked[device])
        faults.mark[device] = used;
    faults.marked[device] = true;
    uint64_t since = used > faults.mark[device] ? used - faults.mark[device] : 0;
    return size > left || since > left - size;
}

bool sim_fault_allocation(int device, size_t size)
{
    bool fails = false;
    if (!sim_fault_armed())
        return false;
    uint64_t number = atomic_fetch_add(&allocations, 1) + 1;
    pthread_mutex_lock(&faults.lock);
    for (size_t i = 0; i < faults.rules.count; i++) {
        const struct rule *rule = &faults.rules.items[i];
        fails |= rule->what == ALLOC && rule->value == number;
        fails |= rule->what == MEMORY && beyond(rule->value, device, size);
    }
    pthread_mutex_unlock(&faults.lock);
    if (fails)
        AH_LOG(AH_LOG_INFO, AH_LOG_MEM,
               "allocation %llu, of %zu bytes, fails, as ANYHIP_SIM_FAULTS requests",
               (unsigned long long)number, size);
    return fails;
}

/* A kernel has a name, also when that is what C++ makes of it: _Z3addPf is "add". */
static bool has_name(const char *kernel, const char *name)
{
    if (strcmp(kernel, name) == 0)
        return true;
    if (strncmp(kernel, "_Z", 2) != 0)
        return false;
    char *start;
    unsigned long length = strtoul(kernel + 2, &start, 10);
    return start != kernel + 2 && length == strlen(name) && strncmp(start, name, length) == 0;
}

enum sim_fault sim_fault_launch(const char *kernel)
{
    enum sim_fault fault = SIM_FAULT_NONE;
    if (!sim_fault_armed())
        return fault;
    uint64_t number = atomic_fetch_add(&launches, 1) + 1;
    pthread_mutex_lock(&faults.lock);
    for (size_t i = 0; i < faults.rules.count; i++) {
        const struct rule *rule = &faults.rules.items[i];
        bool named = rule->what == KERNEL && has_name(kernel, rule->name);
        if (rule->what == LOST && rule->value == number)
            fault = SIM_FAULT_LOST;
        else if (fault == SIM_FAULT_NONE &&
                 (named || (rule->what == LAUNCH && rule->value == number)))
            fault = SIM_FAULT_LAUNCH;
    }
    pthread_mutex_unlock(&faults.lock);
    if (fault != SIM_FAULT_NONE)
        AH_LOG(AH_LOG_INFO, AH_LOG_KERN, "launch %llu, of %s, fails, as ANYHIP_SIM_FAULTS requests",
               (unsigned long long)number, kernel);
    return fault;
}

uint64_t sim_fault_delay(void)
{
    uint64_t delay = 0;
    if (!sim_fault_armed())
        return 0;
    pthread_mutex_lock(&faults.lock);
    for (size_t i = 0; i < faults.rules.count; i++)
        if (faults.rules.items[i].what == SLOW)
            delay += faults.rules.items[i].value;
    pthread_mutex_unlock(&faults.lock);
    return delay;
}
