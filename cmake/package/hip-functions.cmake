# hip_add_executable and hip_add_library: the way of building HIP sources that is older than CMake's
# own HIP language. Sources named .hip or .cu, and those with the source property
# HIP_SOURCE_PROPERTY_FORMAT, are compiled by hipcc; the others by the project's compilers.

function(_hip_objects target out_objects)
    cmake_parse_arguments(P "" "" "HIPCC_OPTIONS;CLANG_OPTIONS;NVCC_OPTIONS;SOURCES" ${ARGN})
    set(flags ${P_HIPCC_OPTIONS} ${P_CLANG_OPTIONS})
    if(CMAKE_BUILD_TYPE)
        string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
        separate_arguments(build_flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS_${type}}")
        list(PREPEND flags ${build_flags})
    endif()
    if(HIP_HIPCC_FLAGS)
        separate_arguments(hipcc_flags NATIVE_COMMAND "${HIP_HIPCC_FLAGS}")
        list(APPEND flags ${hipcc_flags})
    endif()
    set(objects)
    set(number 0)
    set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    foreach(source ${P_SOURCES} ${P_UNPARSED_ARGUMENTS})
        get_source_file_property(is_hip "${source}" HIP_SOURCE_PROPERTY_FORMAT)
        if(NOT source MATCHES "\\.(hip|cu)$" AND NOT is_hip)
            list(APPEND objects "${source}")
            continue()
        endif()
        get_filename_component(path "${source}" ABSOLUTE)
        get_filename_component(name "${source}" NAME)
        set(object "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.hip/${number}-${name}.o")
        math(EXPR number "${number} + 1")
        add_custom_command(OUTPUT "${object}"
            COMMAND ${CMAKE_COMMAND} -E make_directory
                "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.hip"
            COMMAND "${HIP_HIPCC_EXECUTABLE}" -fPIC
                "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
                "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
                ${flags} -x hip -MD -MT "${object}" -MF "${object}.d" -c "${path}" -o "${object}"
            DEPENDS "${path}"
            DEPFILE "${object}.d"
            COMMENT "Building HIP object ${target}/${name}.o"
            VERBATIM COMMAND_EXPAND_LISTS)
        set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
        list(APPEND objects "${object}")
    endforeach()
    set(${out_objects} "${objects}" PARENT_SCOPE)
endfunction()

# hip_add_executable(<target> <source>... [HIPCC_OPTIONS <option>...])
function(hip_add_executable target)
    _hip_objects(${target} objects ${ARGN})
    add_executable(${target} ${objects})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${target} hip::host)
endfunction()

# hip_add_library(<target> [STATIC|SHARED|MODULE] <source>... [HIPCC_OPTIONS <option>...])
function(hip_add_library target)
    set(kind)
    set(arguments ${ARGN})
    list(GET arguments 0 first)
    if(first MATCHES "^(STATIC|SHARED|MODULE)$")
        set(kind ${first})
        list(REMOVE_AT arguments 0)
    endif()
    _hip_objects(${target} objects ${arguments})
    add_library(${target} ${kind} ${objects})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${target} hip::host)
endfunction()

# hip_include_directories(<folder>...): for the targets of this folder.
macro(hip_include_directories)
    include_directories(${ARGN})
endmacro()
