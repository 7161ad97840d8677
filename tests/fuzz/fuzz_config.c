/* Configuration files of any content: what was read prints as JSON that reads back the same. */
#include "config.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ah_config config, again;
    ah_config_init(&config);
    ah_config_init(&again);
    ah_config_parse(&config, (const char *)data, size, "fuzz.json");
    fuzz_check(config.log_level >= 0 && config.log_level <= 5);
    fuzz_check(config.backends.count == 0 || config.backends.items);
    char *text = ah_config_print(&config);
    fuzz_check(text);
    fuzz_check(ah_config_parse(&again, text, strlen(text), "again.json"));
    char *text_again = ah_config_print(&again);
    fuzz_check(text_again && strcmp(text, text_again) == 0);
    free(text);
    free(text_again);
    ah_config_fini(&config);
    ah_config_fini(&again);
    return 0;
}
