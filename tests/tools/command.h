/* Runs the anyhip command, without a driver or with the scripted one. */
#ifndef AH_TEST_COMMAND_H
#define AH_TEST_COMMAND_H

#include "support.h"

/* Runs `anyhip` with arguments, NULL at the end. */
struct ah_test_run ah_test_anyhip(const char *const *arguments);

#define anyhip(...) ah_test_anyhip((const char *const[]){__VA_ARGS__, NULL})

/* From now on there are scripted NVIDIA devices of these compute capabilities, "80,90". */
void ah_test_use_devices(const char *capabilities);

#define AH_COMMAND_TEST(function)                                                                  \
    cmocka_unit_test_setup_teardown(function, ah_test_without_driver, ah_test_tear_down)

#endif
