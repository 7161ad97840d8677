# Device tests: programs that are compiled once and registered once per device, and listed in a
# table (gpu-tests.txt in the build tree) from which the bundle for GPU machines is made, and from
# which trees with sanitizers take them.

set(ANYHIP_TEST_DEVICES "cuda;simcuda;simcuda-checked;simhsa-gfx90a;simhsa-gfx1100" CACHE STRING
    "Devices that device tests are registered for")
# hipcc's own are three times as many, and tested by themselves (tests/hipcc).
set(ANYHIP_TEST_ARCHS "gfx90a;gfx1100;sm_70" CACHE STRING
    "Architectures that device tests and examples are compiled for")
set(ANYHIP_ROCR_TESTS "." CACHE STRING
    "Device tests that run on AMD's own HSA runtime too (hsa-rocr), a regular expression")
set(ANYHIP_PROGRAMS_LEFT_OUT "" CACHE STRING
    "Device tests that are not taken from the tree in ANYHIP_PROGRAMS_OF, a regular expression")
# Seconds until a test is held to hang, even on a machine that does much else. CTest takes this for
# all tests; some say themselves that they have more.
set(ah_test_timeout 300)
if(ANYHIP_SANITIZE)
    set(ah_test_timeout 600)
endif()
define_property(GLOBAL PROPERTY AH_DEVICE_TESTS BRIEF_DOCS "rows of gpu-tests.txt")

# ah_test_devices(<out> <expression>...): those of ANYHIP_TEST_DEVICES that all expressions match.
function(ah_test_devices out)
    set(chosen ${ANYHIP_TEST_DEVICES})
    foreach(expression ${ARGN})
        list(FILTER chosen INCLUDE REGEX "${expression}")
    endforeach()
    set(${out} ${chosen} PARENT_SCOPE)
endfunction()

# ah_register(<name> <program> <arguments> <seconds> <devices> [<variable>=<value>...])
# Registers <name>@<device> for each device. A real driver may be missing (exit code 77); simulated
# devices are part of this tree, two of them, and nothing is skipped for want of them; those that
# are called checked have every check on (ANYHIP_SIM_CHECK), and on those called jit every kernel is
# compiled before it runs, as far as that is possible (ANYHIP_SIM_JIT). hsa-rocr is AMD's own HSA
# runtime, where it is installed, over the simulated kernel driver; what does not pass there has a
# row with the reason in tests/rocr.tsv. hsa-rocr7-<model> is AMD's present runtime, where
# ANYHIP_ROCR says that there is one (no package of Debian 12 has it), for each AMD architecture that
# tests are compiled for; tests/rocr7.tsv is for it, with rows for all models (<name>) or for one
# (<name>@<model>). The label is the name's first word.
find_library(ANYHIP_AMD_HSA NAMES libhsa-runtime64.so.1)
set(ANYHIP_ROCR "" CACHE PATH
    "Folder with AMD's present libhsa-runtime64.so.1, on which device tests are to run as well")
if(ANYHIP_ROCR)
    foreach(arch ${ANYHIP_TEST_ARCHS})
        if(arch MATCHES "^gfx")
            list(APPEND ANYHIP_TEST_DEVICES hsa-rocr7-${arch})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES ANYHIP_TEST_DEVICES)
elseif("${ANYHIP_TEST_DEVICES}" MATCHES "hsa-rocr7-")
    message(FATAL_ERROR "ANYHIP_TEST_DEVICES has hsa-rocr7-<model>: say with ANYHIP_ROCR where that runtime is")
endif()
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/rocr.tsv ah_rocr_rows)
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/rocr7.tsv ah_rocr7_rows)

function(ah_register name program arguments seconds devices)
    get_filename_component(folder ${program} DIRECTORY)
    if(NOT ANYHIP_AMD_HSA OR NOT name MATCHES "${ANYHIP_ROCR_TESTS}"
       OR "${ah_rocr_rows}" MATCHES "(^|;)${name}\t")
        list(REMOVE_ITEM devices hsa-rocr)
    endif()
    foreach(device ${devices})
        string(REGEX REPLACE "^hsa-rocr7-" "@" row "${device}")
        if(device MATCHES "^hsa-rocr7-" AND "${ah_rocr7_rows}" MATCHES "(^|;)${name}(${row})?\t")
            list(REMOVE_ITEM devices ${device})
        endif()
    endforeach()
    string(REGEX MATCH "^[a-z]+" label ${name})
    if(seconds LESS ah_test_timeout)
        set(seconds ${ah_test_timeout})
    endif()
    foreach(device ${devices})
        set(test ${name}@${device})
        string(REGEX REPLACE "-(checked|jit)$" "" backend ${device})
        string(REGEX REPLACE "^(simhsa|simcuda)-" "\\1:" backend ${backend}) # then the model
        if(device MATCHES "^sim")
            string(APPEND backend "*2")
        endif()
        set(environment ANYHIP_BACKEND=${backend} ${ARGN})
        if(device MATCHES "^hsa-rocr(-(.*))?$")
            set(model gfx90a)
            if(CMAKE_MATCH_2)
                set(model ${CMAKE_MATCH_2})
            endif()
            set(environment ${ARGN} ANYHIP_BACKEND=hsa ANYHIP_SIM_DEVICES=${model}*2
                ASAN_OPTIONS=intercept_tls_get_addr=0 # as in tests/sim/simkmt
                LSAN_OPTIONS=print_suppressions=0:suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan_rocr.supp
                LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/lib/anyhip/kmt:${PROJECT_BINARY_DIR}/lib)
        elseif(device MATCHES "^hsa-rocr7-(.*)")
            string(CONCAT libraries ${ANYHIP_ROCR} ":${PROJECT_BINARY_DIR}/lib/anyhip/kmt:"
                ${PROJECT_BINARY_DIR}/lib)
            set(environment ANYHIP_BACKEND=hsa ANYHIP_SIM_DEVICES=${CMAKE_MATCH_1}*2
                HSA_ENABLE_DTIF=1 LD_LIBRARY_PATH=${libraries})
        endif()
        if(device MATCHES "-checked$")
            list(APPEND environment ANYHIP_SIM_CHECK=all)
        elseif(device MATCHES "-jit$")
            list(APPEND environment ANYHIP_SIM_JIT=on ANYHIP_SIM_JIT_THRESHOLD=1)
        endif()
        add_test(NAME ${test} COMMAND ${program} ${arguments} WORKING_DIRECTORY ${folder})
        set_tests_properties(${test} PROPERTIES TIMEOUT ${seconds} ENVIRONMENT "${environment}"
            LABELS "${label}")
        if(NOT device MATCHES "^sim|^hsa-rocr")
            set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77)
        endif()
    endforeach()
endfunction()

# ah_device_test(<name> PROGRAM <target of ah_hip_program> [ARGS <arg>...] [FILES <file>...]
#                [TIMEOUT <seconds>] [DEVICES <regular expression>]
#                [SANITIZED <regular expression>])
# The program runs in the folder where it lies; ARGS that name FILES do so by their file name.
# SANITIZED: the devices on which trees with sanitizers run it, where not on all.
function(ah_device_test name)
    cmake_parse_arguments(T "" "PROGRAM;TIMEOUT;DEVICES;SANITIZED" "ARGS;FILES" ${ARGN})
    if(NOT T_TIMEOUT)
        set(T_TIMEOUT 120)
    endif()
    foreach(expression T_DEVICES T_SANITIZED)
        if(NOT ${expression})
            set(${expression} .)
        endif()
    endforeach()
    if("${T_ARGS}${T_DEVICES}${T_SANITIZED}" MATCHES "[|]")
        message(FATAL_ERROR "test ${name}: | separates the columns of gpu-tests.txt")
    endif()
    get_target_property(program ${T_PROGRAM} PROGRAM)
    ah_test_devices(devices ${T_DEVICES})
    ah_register(${name} ${program} "${T_ARGS}" ${T_TIMEOUT} "${devices}")
    list(JOIN T_ARGS " " args)
    list(JOIN T_FILES "," files)
    set_property(GLOBAL APPEND_STRING PROPERTY AH_DEVICE_TESTS
        "${name}|${program}|${args}|${files}|${T_TIMEOUT}|${T_DEVICES}|${T_SANITIZED}\n")
endfunction()

# Writes the table; called when all tests are known.
function(ah_write_device_tests)
    get_property(rows GLOBAL PROPERTY AH_DEVICE_TESTS)
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/gpu-tests.txt CONTENT "${rows}")
endfunction()

# ThreadSanitizer lets a process that has other threads sleep for a second before it ends.
set(ah_tsan_options
    suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp:atexit_sleep_ms=20)

# A program without a sanitizer that loads a library with one must load its run-time library first.
set(ah_sanitizer_environment)
foreach(sanitizer address thread)
    if(NOT ANYHIP_SANITIZE MATCHES ${sanitizer})
        continue()
    endif()
    string(SUBSTRING ${sanitizer} 0 1 letter)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${letter}san.so
        OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    file(REAL_PATH ${runtime} runtime)
    list(APPEND ah_sanitizer_environment LD_PRELOAD=${runtime}
        ASAN_OPTIONS=intercept_tls_get_addr=0 # as in tests/sim/simkmt
        TSAN_OPTIONS=${ah_tsan_options})
endforeach()

# ah_test_programs_of(<build tree>)
# Registers the device tests of another tree, with its programs, on the libraries of this one. They
# are not compiled again, by a compiler whose sanitizers are other ones than those of the
# libraries: the loader is told to take this tree's libraries, and to load the run-time library of
# their sanitizer first.
function(ah_test_programs_of tree)
    if(NOT EXISTS ${tree}/gpu-tests.txt)
        message(FATAL_ERROR "there are no programs in ${tree}: make them first (./run build)")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tree}/gpu-tests.txt)
    file(STRINGS ${tree}/gpu-tests.txt rows)
    foreach(row ${rows})
        string(REPLACE "|" ";" row "${row}")
        list(GET row 0 name)
        if(ANYHIP_PROGRAMS_LEFT_OUT AND name MATCHES "${ANYHIP_PROGRAMS_LEFT_OUT}")
            continue()
        endif()
        list(GET row 1 program)
        list(GET row 2 arguments)
        list(GET row 4 seconds)
        list(GET row 5 allowed)
        list(GET row 6 sanitized)
        ah_test_devices(devices ${allowed} ${sanitized})
        separate_arguments(arguments UNIX_COMMAND "${arguments}")
        math(EXPR seconds "4 * ${seconds}") # a sanitizer costs time
        ah_register(${name} ${program} "${arguments}" ${seconds} "${devices}"
            ${ah_sanitizer_environment} LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/lib)
    endforeach()
endfunction()
