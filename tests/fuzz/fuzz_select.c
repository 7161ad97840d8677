/* Lists that choose devices, of any content: ANYHIP_BACKEND, the configuration's selectors and
 * HIP_VISIBLE_DEVICES. */
#include "fuzz.h"
#include "log.h"
#include "select.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 3, SELECTORS_MAX = 8 };

static const struct ah_device_identity identities[DEVICES] = {
    {.name = "NVIDIA H100", .uuid = {"0123456789abcdef"}, .pci_bus = 0x3b},
    {.name = "AMD Instinct", .uuid = {"f123456789abcdef"}, .pci_domain = 1, .pci_bus = 0xc1},
    {.name = "simulated", .pci_domain = -1, .pci_bus = -1, .pci_device = -1},
};
static const struct ah_candidate candidates[DEVICES] = {
    {"cuda", 0, &identities[0]}, {"hsa", 0, &identities[1]}, {"simcuda", 0, &identities[2]}};

/* Each list that is wrong is logged; a line that were written would cost more than all the rest. */
void ah_log_write(enum ah_log_level level, const char *file, int line, const char *format, ...)
{
    char text[256];
    va_list args;
    (void)level, (void)file, (void)line;
    va_start(args, format);
    fuzz_check(vsnprintf(text, sizeof text, format, args) >= 0);
    va_end(args);
}

/* Each device at most once. */
static void check_chosen(const size_t *chosen, size_t count)
{
    unsigned seen = 0;
    fuzz_check(count <= DEVICES);
    for (size_t i = 0; i < count; i++) {
        fuzz_check(chosen[i] < DEVICES && !(seen & 1u << chosen[i]));
        seen |= 1u << chosen[i];
    }
}

static void check_requests(const char *text)
{
    struct ah_backend_request requests[AH_BACKEND_REQUEST_MAX];
    size_t count = ah_select_parse_backends(text, "fuzz", requests);
    fuzz_check(count <= AH_BACKEND_REQUEST_MAX);
    for (size_t i = 0; i < count; i++) {
        fuzz_check(memchr(requests[i].name, '\0', sizeof requests[i].name) && *requests[i].name);
        fuzz_check(memchr(requests[i].devices, '\0', sizeof requests[i].devices));
    }
}

static void check_selectors(char *text)
{
    char *selectors[SELECTORS_MAX], *rest = text;
    size_t count = 0, chosen[DEVICES];
    while (count < SELECTORS_MAX && rest)
        selectors[count++] = strsep(&rest, ",");
    check_chosen(chosen, ah_select_devices(candidates, DEVICES, selectors, count, chosen));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t chosen[DEVICES];
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    check_requests(text);
    check_chosen(chosen, ah_select_visible(candidates, DEVICES, "V", text, chosen));
    check_selectors(text);
    free(text);
    return 0;
}
