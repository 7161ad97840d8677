# Compiler settings and the few functions with which every folder describes itself.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # glibc extensions: dlinfo, qsort_r, secure_getenv
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(ANYHIP_CCACHE ccache)
if(ANYHIP_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${ANYHIP_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${ANYHIP_CCACHE})
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
find_package(ZLIB REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

pkg_check_modules(MSGPACK REQUIRED IMPORTED_TARGET msgpack)

# Prefer static archives: fewer libraries on users' machines.
find_library(ANYHIP_ZLIB NAMES libz.a z)
find_library(ANYHIP_ZSTD NAMES libzstd.a zstd)
find_library(ANYHIP_MSGPACK NAMES libmsgpackc.a libmsgpack-c.a msgpackc msgpack-c)

add_library(ah_flags INTERFACE)
target_compile_options(ah_flags INTERFACE
    -Wall -Wextra -Wshadow -Wpointer-arith -Wwrite-strings -Wundef -Wvla
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition>
    $<$<BOOL:${ANYHIP_WERROR}>:-Werror>
    -ffunction-sections -fdata-sections)
target_compile_definitions(ah_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:_GNU_SOURCE>)
if(ANYHIP_SANITIZE)
    target_compile_options(ah_flags INTERFACE
        -fsanitize=${ANYHIP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(ah_flags INTERFACE -fsanitize=${ANYHIP_SANITIZE})
endif()

# What is installed: a smashed stack, an overrun that the compiler can see and a jump to where no
# function begins end the process; all symbols are bound and read-only when a library is loaded;
# names of files are as in the source tree. tests/install/hardened.sh looks at the result.
if(NOT ANYHIP_SANITIZE)
    set(ah_installed $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
    target_compile_options(ah_flags INTERFACE -fstack-protector-strong
        $<${ah_installed}:-U_FORTIFY_SOURCE> $<${ah_installed}:-D_FORTIFY_SOURCE=2>
        -Wno-unused-result -Wno-format-truncation # of write(2) and snprintf: both are meant
        $<${ah_installed}:-ffile-prefix-map=${PROJECT_BINARY_DIR}/=>
        $<${ah_installed}:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        target_compile_options(ah_flags INTERFACE -fcf-protection=full)
    endif()
    target_link_options(ah_flags INTERFACE
        -Wl,-z,now -Wl,-z,relro -Wl,-z,noexecstack -Wl,--build-id=sha1)
endif()
include(CheckPIESupported)
check_pie_supported()

# ah_module(<name> SOURCES <file>... [USES <module>...])
# One folder of the library: an object library that sees its own headers and those it uses.
function(ah_module name)
    cmake_parse_arguments(M "" "" "SOURCES;USES" ${ARGN})
    add_library(ah_${name} OBJECT ${M_SOURCES})
    target_include_directories(ah_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
        ${CMAKE_CURRENT_BINARY_DIR})
    target_link_libraries(ah_${name} PRIVATE ah_flags)
    foreach(used ${M_USES})
        target_link_libraries(ah_${name} PRIVATE ah_${used}_headers)
    endforeach()
endfunction()

# ah_launch_path(<file>...): sources that every launch goes through. Nothing of a caller's size is
# put on the stack there, and a guard would cost eight instructions in each function. Packing
# arguments that are in registers into vectors costs more than it saves.
function(ah_launch_path)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS
        "-fno-stack-protector;-fno-tree-slp-vectorize")
endfunction()

# ah_made_once(<file> <argument of add_custom_command>...)
# A file that does not depend on this tree's sanitizers, made by the command; in a tree that tests the
# programs of another one (ANYHIP_PROGRAMS_OF) it is that one's, if it was there at configuration.
function(ah_made_once file)
    ah_made_before(${file} made)
    if(made)
        add_custom_command(OUTPUT ${file} COMMAND ${CMAKE_COMMAND} -E copy ${made} ${file}
            DEPENDS ${made} VERBATIM)
    else()
        add_custom_command(OUTPUT ${file} ${ARGN})
    endif()
endfunction()

# ah_made_before(<file> <out>): the same file of the tree ANYHIP_PROGRAMS_OF, or "".
function(ah_made_before file out)
    file(RELATIVE_PATH path ${PROJECT_BINARY_DIR} ${file})
    set(made ${ANYHIP_PROGRAMS_OF}/${path})
    if(NOT ANYHIP_SANITIZE OR NOT ANYHIP_PROGRAMS_OF OR NOT EXISTS ${made})
        set(made "")
    endif()
    set(${out} "${made}" PARENT_SCOPE)
endfunction()

# ah_headers(<name> <dir>...): what other modules may include of a folder.
function(ah_headers name)
    add_library(ah_${name}_headers INTERFACE)
    target_include_directories(ah_${name}_headers INTERFACE ${ARGN})
endfunction()
