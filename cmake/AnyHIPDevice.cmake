# Programs with device code, built with the compile driver of this build tree.

# ah_hip_precompile(<name> HEADER <file> ARCHS <arch>... [FLAGS <flag>...] [HOST_FLAGS <flag>...])
#
# Precompiles a header, once for each architecture and once for the host, for the programs that say
# PRECOMPILED <name>. They are compiled with the same ARCHS, FLAGS and HOST_FLAGS, because clang
# refuses a precompiled header that was made with other ones. A source that defines a macro which
# the header tests must not be among them.
function(ah_hip_precompile name)
    cmake_parse_arguments(P "" "HEADER" "ARCHS;FLAGS;HOST_FLAGS" ${ARGN})
    get_filename_component(header ${P_HEADER} ABSOLUTE)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.precompiled)
    file(CONFIGURE OUTPUT ${folder}/${name}.hip CONTENT "#include \"${header}\"\n")
    list(JOIN P_ARCHS "," archs)
    set(flags --offload-arch=${archs} ${P_FLAGS})
    foreach(flag ${P_HOST_FLAGS})
        list(APPEND flags -Xarch_host ${flag})
    endforeach()
    set(files)
    foreach(pass ${P_ARCHS} host)
        set(file ${folder}/${pass}.pch)
        set(mode --cuda-device-only --offload-arch=${pass} ${P_FLAGS})
        if(pass STREQUAL host)
            set(mode --cuda-host-only ${P_FLAGS} ${P_HOST_FLAGS})
        endif()
        add_custom_command(OUTPUT ${file}
            COMMAND $<TARGET_FILE:hipcc> ${mode} -fsyntax-only -fpch-instantiate-templates
                -Xclang -emit-pch -Xclang -o -Xclang ${file} -MD -MT ${file} -MF ${file}.d
                ${folder}/${name}.hip
            DEPENDS ${folder}/${name}.hip hipcc
            DEPFILE ${file}.d
            COMMENT "Precompiling ${name} for ${pass}"
            VERBATIM)
        list(APPEND flags -Xarch_${pass} -include-pch -Xarch_${pass} ${file})
        list(APPEND files ${file})
    endforeach()
    add_custom_target(${name}.precompile DEPENDS ${files})
    set_target_properties(${name}.precompile PROPERTIES AH_FLAGS "${flags}" AH_FILES "${files}")
endfunction()

# ah_hip_program(<target> SOURCES <file>... [FLAGS <flag>...] [ARCHS <arch>...] [LIBS <arg>...]
#                [PRECOMPILED <name>] [OUTPUT_DIRECTORY <dir>] [DEPENDS <target or file>...]
#                [EXCLUDE_FROM_ALL])
#
# Builds the program <target> from HIP, C++ and C sources, for ANYHIP_TEST_ARCHS where ARCHS does
# not say otherwise; "default" are hipcc's own. It links the runtime library of this build tree and
# is built again when a source, a header, the driver or that library's interface changes. FLAGS go
# to every step, LIBS to the end of the link. <target> is an imported executable, so that add_test
# and $<TARGET_FILE:...> take it; what builds it is the target <target>.build.
function(ah_hip_program target)
    cmake_parse_arguments(P "EXCLUDE_FROM_ALL" "OUTPUT_DIRECTORY;PRECOMPILED"
        "SOURCES;FLAGS;ARCHS;LIBS;DEPENDS" ${ARGN})
    if(NOT P_OUTPUT_DIRECTORY)
        set(P_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    endif()
    set(program ${P_OUTPUT_DIRECTORY}/${target})
    set(hipcc $<TARGET_FILE:hipcc>)
    set(flags ${P_FLAGS})
    if(NOT P_ARCHS)
        set(P_ARCHS ${ANYHIP_TEST_ARCHS})
    endif()
    if(NOT P_ARCHS STREQUAL "default")
        list(JOIN P_ARCHS "," archs)
        list(APPEND flags --offload-arch=${archs})
    endif()
    set(precompiled)
    if(P_PRECOMPILED)
        get_target_property(flags ${P_PRECOMPILED}.precompile AH_FLAGS)
        get_target_property(precompiled ${P_PRECOMPILED}.precompile AH_FILES)
        list(APPEND flags ${P_FLAGS})
    endif()
    if(NOT flags MATCHES "(^|;)-O")
        list(APPEND flags -O2)
    endif()
    set(objects)
    set(number 0)
    foreach(source ${P_SOURCES})
        get_filename_component(source ${source} ABSOLUTE)
        get_filename_component(name ${source} NAME)
        set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir/${number}-${name}.o)
        math(EXPR number "${number} + 1")
        list(APPEND objects ${object})
        # Two passes at a time: the build system runs other commands beside this one.
        add_custom_command(OUTPUT ${object}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir
                ${P_OUTPUT_DIRECTORY}
            COMMAND ${hipcc} -parallel-jobs=2 ${flags} -MD -MT ${object} -MF ${object}.d
                -c ${source} -o ${object}
            DEPENDS ${source} hipcc ${precompiled} ${P_DEPENDS}
            DEPFILE ${object}.d
            COMMENT "Building HIP object ${target}.dir/${name}.o"
            VERBATIM COMMAND_EXPAND_LISTS)
    endforeach()
    set(library)
    if(TARGET anyhip)
        set(library anyhip)
    endif()
    # A rule for a file that is called like a target confuses CMake; the stamp stands for it.
    set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir/built)
    add_custom_command(OUTPUT ${stamp}
        BYPRODUCTS ${program}
        COMMAND ${hipcc} -parallel-jobs=2 ${flags} ${objects} ${P_LIBS} -o ${program}
        COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
        DEPENDS ${objects} hipcc ${library} ${P_DEPENDS}
        COMMENT "Linking HIP program ${target}"
        VERBATIM COMMAND_EXPAND_LISTS)
    if(P_EXCLUDE_FROM_ALL)
        add_custom_target(${target}.build DEPENDS ${stamp})
    else()
        add_custom_target(${target}.build ALL DEPENDS ${stamp})
    endif()
    add_executable(${target} IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${program} PROGRAM ${program})
endfunction()

# ah_hip_module(<target> SOURCES <file>... OUTPUT <file> [FLAGS <flag>...] [ARCHS <arch>...]
#               [DEPENDS <target or file>...])
# Builds device code alone, for hipModuleLoad. The file is the target property MODULE.
function(ah_hip_module target)
    cmake_parse_arguments(P "" "OUTPUT" "SOURCES;FLAGS;ARCHS;DEPENDS" ${ARGN})
    set(hipcc $<TARGET_FILE:hipcc>)
    set(flags ${P_FLAGS})
    if(NOT P_ARCHS)
        set(P_ARCHS ${ANYHIP_TEST_ARCHS})
    endif()
    if(NOT P_ARCHS STREQUAL "default")
        list(JOIN P_ARCHS "," archs)
        list(APPEND flags --offload-arch=${archs})
    endif()
    set(sources)
    foreach(source ${P_SOURCES})
        get_filename_component(source ${source} ABSOLUTE)
        list(APPEND sources ${source})
    endforeach()
    get_filename_component(output ${P_OUTPUT} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
    add_custom_command(OUTPUT ${output}
        COMMAND ${hipcc} -parallel-jobs=2 --genco ${flags} -MD -MT ${output} -MF ${output}.d
            ${sources} -o ${output}
        DEPENDS ${sources} hipcc ${P_DEPENDS}
        DEPFILE ${output}.d
        COMMENT "Building HIP module ${P_OUTPUT}"
        VERBATIM COMMAND_EXPAND_LISTS)
    add_custom_target(${target} ALL DEPENDS ${output})
    set_target_properties(${target} PROPERTIES MODULE ${output})
endfunction()
