/* Owns how anyhipGetReport()'s JSON is laid out for people. */
#include "info.h"

#include <hip/anyhip.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text ? text : "";
}

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* The loader's words mostly start with the file's name. */
static void print_attempts(const cJSON *driver)
{
    const cJSON *attempt;
    cJSON_ArrayForEach(attempt, cJSON_GetObjectItemCaseSensitive(driver, "tried"))
    {
        const char *file = text_of(attempt, "file"), *error = text_of(attempt, "error");
        if (!*error)
            continue;
        if (strncmp(error, file, strlen(file)) == 0)
            printf("      tried %s\n", error);
        else
            printf("      tried %s: %s\n", file, error);
    }
}

static void print_driver(const cJSON *driver)
{
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(driver, "available")))
        printf("  %-8s %s, version %.0f, %.0f device(s)\n", text_of(driver, "name"),
               text_of(driver, "file"), number_of(driver, "version"), number_of(driver, "devices"));
    else
        printf("  %-8s not available: %s (%s)\n", text_of(driver, "name"),
               text_of(driver, "reason"), text_of(driver, "error"));
    print_attempts(driver);
}

static void print_drivers(const cJSON *report)
{
    const cJSON *driver, *drivers = cJSON_GetObjectItemCaseSensitive(report, "drivers");
    puts("\nDrivers");
    cJSON_ArrayForEach(driver, drivers) print_driver(driver);
    if (cJSON_GetArraySize(drivers) == 0)
        puts("  none was asked for");
}

static void print_devices(const cJSON *report)
{
    const cJSON *device, *devices = cJSON_GetObjectItemCaseSensitive(report, "devices");
    puts("\nDevices");
    cJSON_ArrayForEach(device, devices)
    {
        printf("  %-3.0f %s, %s, %.1f GiB, %.0f multiprocessors, warps of %.0f\n",
               number_of(device, "index"), text_of(device, "name"), text_of(device, "arch"),
               number_of(device, "memory") / (1 << 30), number_of(device, "multiprocessors"),
               number_of(device, "warp_size"));
        printf("      %s:%.0f  %s  %s%s\n", text_of(device, "driver"),
               number_of(device, "driver_index"), text_of(device, "uuid"), text_of(device, "pci"),
               cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(device, "simulated")) ? "  simulated"
                                                                                   : "");
    }
    if (cJSON_GetArraySize(devices) == 0)
        puts("  none");
}

/* Every value on a line, by its path. */
static void print_values(const cJSON *object, const char *prefix)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        char path[128];
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", item->string);
        if (cJSON_IsObject(item)) {
            print_values(item, path);
        } else if (*prefix || strcmp(path, "file") != 0) {
            char *value = cJSON_PrintUnformatted(item);
            printf("  %-24s %s\n", path, value ? value : "");
            cJSON_free(value);
        }
    }
}

static void print_configuration(const cJSON *report)
{
    const cJSON *configuration = cJSON_GetObjectItemCaseSensitive(report, "configuration");
    const char *file = text_of(configuration, "file");
    printf("\nConfiguration: %s\n", *file ? file : "no file, the defaults");
    print_values(configuration, "");
}

static void print_environment(void)
{
    static const char *const names[] = {
        "ANYHIP_BACKEND",         "ANYHIP_CONFIG",        "HIP_VISIBLE_DEVICES",
        "CUDA_VISIBLE_DEVICES",   "ROCR_VISIBLE_DEVICES", "HIP_LAUNCH_BLOCKING",
        "ANYHIP_SIM_DEVICES",     "ANYHIP_SIM_MEMORY",    "ANYHIP_SIM_THREADS",
        "ANYHIP_SIM_SEED",        "ANYHIP_SIM_CHECK",     "ANYHIP_SIM_UNITS",
        "ANYHIP_SIM_SHARED",      "ANYHIP_SIM_FAULTS",    "ANYHIP_SIM_ISA",
        "ANYHIP_SIM_JIT",         "ANYHIP_LLVM",          "ANYHIP_SIM_JIT_THRESHOLD",
        "ANYHIP_SIM_JIT_THREADS", "ANYHIP_SIM_JIT_CACHE", "ANYHIP_SIM_TIMEOUT",
        "ANYHIP_SIM_PROGRESS",    "ANYHIP_SIM_PROFILE",   "AMD_SERIALIZE_KERNEL",
        "AMD_SERIALIZE_COPY",     "AMD_LOG_LEVEL",        "AMD_LOG_MASK",
        "AMD_LOG_LEVEL_FILE",     "AMD_LOG_LEVEL_SIZE",   "ANYHIP_TRACE"};
    bool any = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (!value)
            continue;
        if (!any)
            puts("\nVariables, which beat the configuration");
        any = true;
        printf("  %s=%s\n", names[i], value);
    }
}

static void print_text(const cJSON *report)
{
    printf("AnyHIP %s\n", text_of(report, "anyhip"));
    print_drivers(report);
    print_devices(report);
    print_configuration(report);
    print_environment();
}

int ah_info(enum ah_info_form form)
{
    char *text = NULL;
    hipError_t error = anyhipGetReport(&text);
    cJSON *report = error == hipSuccess ? cJSON_Parse(text) : NULL;
    int devices = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(report, "devices"));
    if (!report && form != AH_INFO_QUIET)
        fprintf(stderr, "anyhip: no report: %s\n", hipGetErrorString(error));
    else if (form == AH_INFO_JSON)
        puts(text);
    else if (form == AH_INFO_TEXT)
        print_text(report);
    cJSON_Delete(report);
    free(text);
    return devices > 0 ? 0 : 1;
}
