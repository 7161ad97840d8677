/* Owns how lines are written: statuses and handles by name, attributes with their sizes. */
#include "calls.h"

#include <stdarg.h>

static char context[128];

void within(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context, sizeof context, format, arguments);
    va_end(arguments);
}

void say(const char *key, const char *format, ...)
{
    char value[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    printf("%s.%s\t%s\n", context, key, value);
}

const char *status_name(int status)
{
    static char other[32];
#define NAME(which)                                                                                \
    case HSA_STATUS_##which:                                                                       \
        return #which;
    switch (status) {
        NAME(SUCCESS)
        NAME(INFO_BREAK)
        NAME(ERROR)
        NAME(ERROR_INVALID_ARGUMENT)
        NAME(ERROR_INVALID_QUEUE_CREATION)
        NAME(ERROR_INVALID_ALLOCATION)
        NAME(ERROR_INVALID_AGENT)
        NAME(ERROR_INVALID_REGION)
        NAME(ERROR_INVALID_SIGNAL)
        NAME(ERROR_INVALID_QUEUE)
        NAME(ERROR_OUT_OF_RESOURCES)
        NAME(ERROR_INVALID_PACKET_FORMAT)
        NAME(ERROR_RESOURCE_FREE)
        NAME(ERROR_NOT_INITIALIZED)
        NAME(ERROR_REFCOUNT_OVERFLOW)
        NAME(ERROR_INCOMPATIBLE_ARGUMENTS)
        NAME(ERROR_INVALID_INDEX)
        NAME(ERROR_INVALID_ISA)
        NAME(ERROR_INVALID_ISA_NAME)
        NAME(ERROR_INVALID_CODE_OBJECT)
        NAME(ERROR_INVALID_EXECUTABLE)
        NAME(ERROR_FROZEN_EXECUTABLE)
        NAME(ERROR_INVALID_SYMBOL_NAME)
        NAME(ERROR_VARIABLE_ALREADY_DEFINED)
        NAME(ERROR_VARIABLE_UNDEFINED)
        NAME(ERROR_EXCEPTION)
        NAME(ERROR_INVALID_CODE_SYMBOL)
        NAME(ERROR_INVALID_EXECUTABLE_SYMBOL)
        NAME(ERROR_INVALID_FILE)
        NAME(ERROR_INVALID_CODE_OBJECT_READER)
        NAME(ERROR_INVALID_CACHE)
        NAME(ERROR_INVALID_WAVEFRONT)
        NAME(ERROR_INVALID_SIGNAL_GROUP)
        NAME(ERROR_INVALID_RUNTIME_STATE)
        NAME(ERROR_FATAL)
        NAME(ERROR_INVALID_MEMORY_POOL)
        NAME(ERROR_MEMORY_APERTURE_VIOLATION)
        NAME(ERROR_ILLEGAL_INSTRUCTION)
        NAME(ERROR_MEMORY_FAULT)
        NAME(CU_MASK_REDUCED)
        NAME(ERROR_OUT_OF_REGISTERS)
        NAME(ERROR_RESOURCE_BUSY)
        NAME(ERROR_NOT_SUPPORTED)
    default:
        snprintf(other, sizeof other, "0x%x", (unsigned)status);
        return other;
    }
#undef NAME
}

void say_status(const char *key, int status)
{
    say(key, "%s", status_name(status));
}

const char *agent_name(hsa_agent_t agent)
{
    for (unsigned i = 0; i < here.agent_count; i++)
        if (here.agents[i].handle.handle == agent.handle)
            return here.agents[i].name;
    return agent.handle == 0 ? "none" : "unknown";
}

const char *pool_name(uint64_t handle)
{
    static char name[32];
    for (unsigned i = 0; i < here.agent_count; i++)
        for (unsigned k = 0; k < here.agents[i].pool_count; k++)
            if (here.agents[i].pools[k].handle == handle) {
                snprintf(name, sizeof name, "%s.pool%u", here.agents[i].name, k);
                return name;
            }
    return handle == 0 ? "none" : "unknown";
}

const char *place(const void *address, const void *memory, size_t size)
{
    static char names[4][32];
    static unsigned next;
    char *name = names[next++ % 4];
    uintptr_t offset = (uintptr_t)address - (uintptr_t)memory;
    if (!address)
        snprintf(name, sizeof names[0], "0");
    else if (offset < size)
        snprintf(name, sizeof names[0], "+%zu", (size_t)offset);
    else
        snprintf(name, sizeof names[0], "elsewhere");
    return name;
}

/* ---- attributes -------------------------------------------------------------------- */

enum { VALUE_MAX = 512 };

static void append(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static uint64_t number_at(const unsigned char *bytes, size_t size)
{
    uint64_t number = 0;
    memcpy(&number, bytes, size < sizeof number ? size : sizeof number);
    return number;
}

static void put_bits(char *text, size_t text_size, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size * 8; i++)
        if (bytes[i / 8] >> i % 8 & 1)
            append(text, text_size, " %zu", i);
}

/* The host's memory is as large as it is. */
static void put_number(char *text, size_t text_size, uint64_t number)
{
    uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (number == host)
        append(text, text_size, " host");
    else if (number % host == 0 && number > 0)
        append(text, text_size, " %llu*host", (unsigned long long)(number / host));
    else
        append(text, text_size, " %llu", (unsigned long long)number);
}

static void put_value(enum type type, char *text, size_t text_size, const unsigned char *bytes,
                      size_t size)
{
    size_t each = type == NUMBERS ? 4 : type == HALVES ? 2 : size ? size : 1;
    switch (type) {
    case TEXT:
        append(text, text_size, " \"%.*s\"", (int)size, (const char *)bytes);
        break;
    case BITS:
        put_bits(text, text_size, bytes, size);
        break;
    case NUMBER:
    case NUMBERS:
    case HALVES:
        for (size_t at = 0; at < size; at += each)
            put_number(text, text_size, number_at(bytes + at, each));
        break;
    case AGENT:
        append(text, text_size, " %s", agent_name((hsa_agent_t){number_at(bytes, size)}));
        break;
    case POOL:
        append(text, text_size, " %s", pool_name(number_at(bytes, size)));
        break;
    case ZERO_OR_NOT:
        append(text, text_size, number_at(bytes, size) ? " not 0" : " 0");
        break;
    }
}

/* How many bytes were written is seen by asking twice, over two fillings. */
void say_attributes(hsa_status_t (*get)(uint64_t object, int attribute, void *value),
                    uint64_t object, const struct attribute *attributes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char first[VALUE_MAX], second[VALUE_MAX];
        char text[1024] = "";
        memset(first, 0xa5, sizeof first);
        memset(second, 0x5a, sizeof second);
        int status = (int)get(object, attributes[i].id, first);
        get(object, attributes[i].id, second);
        size_t size = VALUE_MAX;
        while (size > 0 && first[size - 1] == 0xa5 && second[size - 1] == 0x5a)
            size--;
        if (size > 0)
            append(text, sizeof text, " (%zu)", size);
        if (status == HSA_STATUS_SUCCESS)
            put_value(attributes[i].type, text, sizeof text, first, size);
        say(attributes[i].name, "%s%s", status_name(status), text);
    }
}
