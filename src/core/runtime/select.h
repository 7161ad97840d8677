/* Which backends are opened and which devices are shown, in which order: the
 * small languages of ANYHIP_BACKEND, the configuration's device selectors and
 * HIP_VISIBLE_DEVICES. Pure functions over text and device identities. */
#ifndef AH_SELECT_H
#define AH_SELECT_H

#include "backend.h"

#include <stdbool.h>
#include <stddef.h>

/* One element of ANYHIP_BACKEND: name[:model][*count]. */
struct ah_backend_request {
    char name[16];
    char devices[256]; /* "sm_80*2,sm_90": of all elements of this name, "" without any */
};

enum { AH_BACKEND_REQUEST_MAX = 8 };

/* Parses a comma list into requests, elements of one name merged, and returns how many there are.
 * Invalid elements are logged (source is where they come from) and ignored. */
size_t ah_select_parse_backends(const char *text, const char *source,
                                struct ah_backend_request out[AH_BACKEND_REQUEST_MAX]);

/* The properties of a device that selectors compare. */
struct ah_candidate {
    const char *driver; /* "cuda" */
    int index;          /* the driver's number */
    const struct ah_device_identity *identity;
};

/* Device selectors of the configuration, in order: "2" (position in candidates),
 * "cuda" (all of a driver), "cuda:0", "GPU-<uuid>" (a prefix is enough),
 * "0000:3b:00.0" or "3b:00.0" (PCI), "name:<shell pattern>". Writes the chosen
 * positions, each once, and returns how many; no selectors choose all. */
size_t ah_select_devices(const struct ah_candidate *candidates, size_t count,
                         char *const *selectors, size_t selector_count, size_t *out_chosen);

/* HIP_VISIBLE_DEVICES: a comma list of positions in candidates or of "GPU-<uuid>". It ends at the
 * first invalid element, as in ROCm, which is reported with the name of the variable; repeated
 * elements count once; an empty list shows nothing. */
size_t ah_select_visible(const struct ah_candidate *candidates, size_t count, const char *variable,
                         const char *list, size_t *out_chosen);

/* Writes "0000:3b:00.0"; "" for a device that is not on such a bus. */
void ah_select_format_pci(const struct ah_device_identity *identity, char out[32]);

/* Writes "GPU-..." in the form the device's vendor uses. */
void ah_select_format_uuid(const hipUUID *uuid, char out[48]);

#endif
