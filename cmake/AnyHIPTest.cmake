# Device tests: programs that are compiled once and registered once per device, and listed in a
# table (gpu-tests.txt in the build tree) from which the bundle for GPU machines is made.

set(ANYHIP_TEST_DEVICES cuda CACHE STRING "Devices that device tests are registered for")
define_property(GLOBAL PROPERTY AH_DEVICE_TESTS BRIEF_DOCS "rows of gpu-tests.txt")

# ah_device_test(<name> PROGRAM <target of ah_hip_program> [ARGS <arg>...] [FILES <file>...]
#                [TIMEOUT <seconds>])
# Registers <name>@<device> for each device. The program runs in the folder where it lies; ARGS
# that name FILES do so by their file name. Exit code 77 means that the driver is not there.
function(ah_device_test name)
    cmake_parse_arguments(T "" "PROGRAM;TIMEOUT" "ARGS;FILES" ${ARGN})
    if(NOT T_TIMEOUT)
        set(T_TIMEOUT 120)
    endif()
    get_target_property(program ${T_PROGRAM} PROGRAM)
    get_filename_component(folder ${program} DIRECTORY)
    foreach(device ${ANYHIP_TEST_DEVICES})
        add_test(NAME ${name}@${device} COMMAND ${program} ${T_ARGS} WORKING_DIRECTORY ${folder})
        set_tests_properties(${name}@${device} PROPERTIES
            ENVIRONMENT ANYHIP_BACKEND=${device} SKIP_RETURN_CODE 77 TIMEOUT ${T_TIMEOUT})
    endforeach()
    list(JOIN T_ARGS " " args)
    list(JOIN T_FILES "," files)
    set_property(GLOBAL APPEND_STRING PROPERTY AH_DEVICE_TESTS
        "${name}|${program}|${args}|${files}|${T_TIMEOUT}\n")
endfunction()

# Writes the table; called when all tests are known.
function(ah_write_device_tests)
    get_property(rows GLOBAL PROPERTY AH_DEVICE_TESTS)
    file(WRITE ${PROJECT_BINARY_DIR}/gpu-tests.txt "${rows}")
endfunction()
