/* Owns the report on this machine: drivers and whether they could be opened, devices, the effective
 * configuration. As JSON, for `anyhip info` and for bug reports. */
#include "api.h"
#include "api_arguments.h"
#include "runtime.h"

#include <hip/anyhip.h>

#include <cjson/cJSON.h>

static void add_attempts(cJSON *parent, const struct ah_dynlib *lib)
{
    cJSON *list = cJSON_AddArrayToObject(parent, "tried");
    for (size_t i = 0; i < lib->attempt_count; i++) {
        cJSON *attempt = cJSON_CreateObject();
        cJSON_AddStringToObject(attempt, "file", lib->attempts[i].path);
        if (lib->attempts[i].error)
            cJSON_AddStringToObject(attempt, "error", lib->attempts[i].error);
        cJSON_AddItemToArray(list, attempt);
    }
}

static cJSON *describe_driver(const struct ah_driver *driver)
{
    cJSON *object = cJSON_CreateObject();
    int version = 0;
    cJSON_AddStringToObject(object, "name", driver->name);
    cJSON_AddBoolToObject(object, "simulated", driver->simulated);
    cJSON_AddBoolToObject(object, "available", driver->backend != NULL);
    if (driver->backend) {
        cJSON_AddStringToObject(object, "file", driver->lib.path);
        driver->ops->driver_version(driver->backend, &version);
        cJSON_AddNumberToObject(object, "version", version);
        cJSON_AddNumberToObject(object, "devices", driver->ops->device_count(driver->backend));
    } else {
        cJSON_AddStringToObject(object, "error", ah_error_name(driver->error));
        cJSON_AddStringToObject(object, "reason", driver->reason ? driver->reason : "");
    }
    add_attempts(object, &driver->lib);
    return object;
}

static cJSON *describe_device(struct ah_device *device)
{
    char uuid[48], pci[32];
    hipDeviceProp_tR0600 properties;
    cJSON *object = cJSON_CreateObject();
    ah_select_format_uuid(&device->identity.uuid, uuid);
    ah_select_format_pci(&device->identity, pci);
    cJSON_AddNumberToObject(object, "index", device->ordinal);
    cJSON_AddStringToObject(object, "driver", device->driver->name);
    cJSON_AddNumberToObject(object, "driver_index", device->index);
    cJSON_AddBoolToObject(object, "simulated", device->driver->simulated);
    cJSON_AddStringToObject(object, "name", device->identity.name);
    cJSON_AddStringToObject(object, "uuid", uuid);
    if (*pci)
        cJSON_AddStringToObject(object, "pci", pci);
    if (device->ops->device_properties(device->native, &properties) == hipSuccess) {
        cJSON_AddStringToObject(object, "arch", properties.gcnArchName);
        cJSON_AddNumberToObject(object, "memory", (double)properties.totalGlobalMem);
        cJSON_AddNumberToObject(object, "multiprocessors", properties.multiProcessorCount);
        cJSON_AddNumberToObject(object, "warp_size", properties.warpSize);
    }
    return object;
}

static cJSON *describe_configuration(const struct ah_config *config)
{
    char *text = ah_config_print(config);
    cJSON *object = text ? cJSON_Parse(text) : NULL;
    cJSON_free(text);
    if (object && config->path)
        cJSON_AddStringToObject(object, "file", config->path);
    return object;
}

hipError_t anyhipGetReport(char **out_json)
{
    AH_ENTER(anyhipGetReport);
    if (!out_json)
        return AH_LEAVE(hipErrorInvalidValue);
    cJSON *report = cJSON_CreateObject();
    cJSON_AddStringToObject(report, "anyhip", ANYHIP_VERSION);
    cJSON *drivers = cJSON_AddArrayToObject(report, "drivers");
    for (size_t i = 0; i < ah_registry.driver_count; i++)
        cJSON_AddItemToArray(drivers, describe_driver(&ah_registry.drivers[i]));
    cJSON *devices = cJSON_AddArrayToObject(report, "devices");
    for (int i = 0; i < ah_registry.device_count; i++)
        cJSON_AddItemToArray(devices, describe_device(&ah_registry.devices[i]));
    cJSON_AddItemToObject(report, "configuration", describe_configuration(&ah_registry.config));
    *out_json = cJSON_Print(report);
    cJSON_Delete(report);
    return AH_LEAVE(*out_json ? hipSuccess : hipErrorOutOfMemory);
}

static bool can_run(const struct ah_device *found, const void *image, size_t size)
{
    struct ah_images images;
    char reason[AH_IMAGE_ERROR_SIZE];
    int best = 0;
    if (!found || !ah_images_open(&images, image, size, reason))
        return false;
    for (size_t i = 0; i < images.count; i++) {
        int rank = found->ops->device_rank_image(found->native, &images.items[i]);
        best = rank > best ? rank : best;
    }
    ah_images_close(&images);
    return best > 0;
}

int anyhipDeviceCanRunImage(int device, const void *image, size_t size)
{
    AH_ENTER_ELSE(0, device, image, size);
    bool can = can_run(ah_device_at(device), image, size);
    AH_LEAVE_SILENTLY();
    return can;
}
