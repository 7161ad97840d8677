/* Owns how the command under test is found and run. */
#include "command.h"

struct ah_test_run ah_test_anyhip(const char *const *arguments)
{
    const char *argv[16] = {AH_TEST_ANYHIP};
    for (int i = 0; i < 14 && arguments[i]; i++)
        argv[i + 1] = arguments[i];
    return ah_test_execute(argv);
}

void ah_test_use_devices(const char *capabilities)
{
    const char *text =
        ah_test_print("{\"drivers\": {\"cuda\": {\"library\": \"%s\"}}}", AH_TEST_FAKECUDA);
    ah_test_setenv("ANYHIP_CONFIG", ah_test_write_text("fake.json", text));
    ah_test_setenv("FAKECUDA_DEVICES", capabilities);
}
