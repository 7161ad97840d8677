# The examples as a part of this build tree: compiled with its driver, linked with its library, and
# registered as tests on every device. examples/CMakeLists.txt is what users configure.
set(example_tests ${PROJECT_SOURCE_DIR}/tests/examples)

ah_hip_precompile(example HEADER ${PROJECT_SOURCE_DIR}/include/hip/hip_runtime.h
    ARCHS ${ANYHIP_TEST_ARCHS} FLAGS -O2)

# ah_example(<name> [SOURCE <file>] [FLAGS <flag>...] [ARGS <arg>...] [FILES <file>...]
#            [DEVICES <regular expression>] [SANITIZED <regular expression>])
# SOURCE is <name>.hip unless said otherwise.
function(ah_example name)
    cmake_parse_arguments(E "" "SOURCE;DEVICES;SANITIZED" "FLAGS;ARGS;FILES" ${ARGN})
    if(NOT E_SOURCE)
        set(E_SOURCE ${name}.hip)
    endif()
    set(precompiled PRECOMPILED example)
    if(E_SOURCE MATCHES "\\.c$") # C holds no device code
        set(precompiled)
    endif()
    ah_hip_program(${name} SOURCES ${E_SOURCE} FLAGS ${E_FLAGS} ${precompiled})
    ah_device_test(example.${name} PROGRAM ${name} ARGS ${E_ARGS} FILES ${E_FILES}
        DEVICES ${E_DEVICES} SANITIZED ${E_SANITIZED})
endfunction()

# Sanitizers learn nothing from programs that are long loops over what others do once, or whose
# work other processes do.
ah_example(device_query SOURCE device_query.c)
ah_example(vector_add)
ah_example(block_reduction)
ah_example(stencil SANITIZED none)
ah_example(bandwidth SANITIZED none)
ah_example(transpose SANITIZED none)
ah_example(cooperative_groups SANITIZED none)
ah_example(managed_memory SANITIZED none)
ah_example(texture SANITIZED none)
ah_example(overlap)
ah_example(graph SANITIZED none)
ah_example(peer_copy)
# Not over AMD's own runtimes (hsa-...): that of Debian has no memory that can be exported.
ah_example(two_processes DEVICES "^...([^-].*)?$" SANITIZED none)
ah_example(missing_barrier FLAGS -gline-tables-only ARGS fixed SANITIZED none)
# The bundle for GPU machines comes without the compiler.
ah_example(run_time_compilation SOURCE run_time_compilation.c DEVICES ^sim SANITIZED none)
ah_hip_module(module_api_kernels SOURCES module_api/kernels.hip OUTPUT module_api_kernels.hipfb)
ah_example(module_api SOURCE module_api/main.c ARGS module_api_kernels.hipfb
    FILES ${CMAKE_CURRENT_BINARY_DIR}/module_api_kernels.hipfb)

# `./run demo` shows it, on whatever GPU there is.
ah_hip_program(both_vendors SOURCES both_vendors.hip)
ah_device_test(example.both_vendors PROGRAM both_vendors SANITIZED none)
add_test(NAME example.both_vendors@both COMMAND both_vendors 2)
set_tests_properties(example.both_vendors@both PROPERTIES LABELS example
    ENVIRONMENT ANYHIP_BACKEND=simcuda:sm_80,simhsa:gfx90a,simhsa:gfx1100)

# The bug is reported by each kind of simulated device, with the lines of the source.
foreach(device simcuda simhsa-gfx90a simhsa-gfx1100)
    string(REPLACE "-" ":" backend ${device})
    add_test(NAME example.missing_barrier_is_reported@${device}
        COMMAND sh ${example_tests}/report.sh $<TARGET_FILE:missing_barrier>
            ${CMAKE_CURRENT_SOURCE_DIR}/missing_barrier.hip)
    set_tests_properties(example.missing_barrier_is_reported@${device} PROPERTIES
        LABELS example ENVIRONMENT ANYHIP_BACKEND=${backend})
endforeach()

# ah_mpi_example(<name> <module of pkg-config> <launcher>)
# With one of Debian's MPI libraries. Where it is not installed, the tests are skipped.
function(ah_mpi_example name module)
    pkg_check_modules(${module} QUIET ${module})
    find_program(ANYHIP_MPIEXEC_${name} mpiexec.${name})
    set(found FALSE)
    if(${module}_FOUND AND ANYHIP_MPIEXEC_${name})
        set(found TRUE)
        ah_hip_program(mpi_ranks_${name} SOURCES mpi_ranks.hip PRECOMPILED example
            FLAGS ${${module}_CFLAGS} LIBS ${${module}_LDFLAGS})
    endif()
    foreach(device simcuda simhsa-gfx90a simhsa-gfx1100)
        set(test example.mpi_ranks_${name}@${device})
        if(found)
            get_target_property(program mpi_ranks_${name} PROGRAM)
            add_test(NAME ${test} COMMAND sh ${example_tests}/mpi.sh ${ANYHIP_MPIEXEC_${name}}
                ${program})
        else()
            add_test(NAME ${test} COMMAND sh -c "echo ${name} is not installed; exit 77")
        endif()
        string(REPLACE "-" ":" backend ${device})
        set_tests_properties(${test} PROPERTIES LABELS example SKIP_RETURN_CODE 77
            ENVIRONMENT "ANYHIP_BACKEND=${backend}*2")
    endforeach()
endfunction()
ah_mpi_example(openmpi ompi-c)
ah_mpi_example(mpich mpich)
