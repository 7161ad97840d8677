# Packages, made by cpack (./run package): Debian packages, one for each component, and two
# archives, one of which has the debug information. Included last, when everything that is to be
# installed is known. The components:
#   runtime      libanyhip.so.<major>, libanyhip-roctx.so.<major>, ROCm's names for them, and what
#                the configuration may say
#   simulators   simulated devices
#   development  headers, the name for the linker, pkg-config and CMake packages
#   tools        hipcc, hipconfig, anyhip
#   debug        debug information of all of these

set(ANYHIP_MAINTAINER "The AnyHIP Authors <anyhip@localhost>" CACHE STRING
    "Maintainer whom the Debian packages name")

set(CPACK_PACKAGE_NAME anyhip)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${ANYHIP_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each component describes itself
set(CPACK_PACKAGE_VENDOR "The AnyHIP Authors")
string(TOLOWER ${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR} platform)
set(CPACK_PACKAGE_FILE_NAME anyhip-${PROJECT_VERSION}-${platform})
set(CPACK_GENERATOR DEB TXZ)
set(CPACK_COMPONENTS_ALL runtime simulators development tools debug)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_THREADS 0)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package/generators.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/debian.cmake)
set(CPACK_ANYHIP_COPYRIGHT ${PROJECT_BINARY_DIR}/cmake/package/copyright)

# Archives.
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_ANYHIP_FILE_NAME ${CPACK_PACKAGE_FILE_NAME})
set(CPACK_ARCHIVE_DEBUGGING_FILE_NAME ${CPACK_PACKAGE_FILE_NAME}-debug)

# Debian packages. dpkg-shlibdeps finds out which libraries of others a package needs.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SOURCE anyhip)

set(library libanyhip${PROJECT_VERSION_MAJOR})
# What dpkg-shlibdeps makes of a program of another package that is linked with one of ours, and
# that the loader's cache is to be renewed.
function(control_files out package version)
    set(folder ${PROJECT_BINARY_DIR}/cmake/package/${package})
    set(rows)
    foreach(name ${ARGN})
        string(APPEND rows "${name} ${version} ${package} (>= ${PROJECT_VERSION})\n")
    endforeach()
    file(WRITE ${folder}/shlibs "${rows}")
    file(WRITE ${folder}/triggers "activate-noawait ldconfig\n")
    set(${out} ${folder}/shlibs ${folder}/triggers PARENT_SCOPE)
endfunction()
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
control_files(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${library} ${PROJECT_VERSION_MAJOR}
    libanyhip libanyhip-roctx)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS anyhip-simulators)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "anyhip-tools, libcuda1, libhsa-runtime64-1")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "HIP host API on NVIDIA and AMD GPUs
AnyHIP implements the HIP host API on the GPU driver that the machine has:
NVIDIA's CUDA driver or AMD's HSA runtime, which it opens when a program
calls the first function. One program runs on GPUs of both vendors.

This package has the library that HIP programs need to run. Programs that
were linked with ROCm's libamdhip64 find it under that name in
lib/anyhip/rocm.")

set(CPACK_DEBIAN_SIMULATORS_PACKAGE_NAME anyhip-simulators)
set(CPACK_DEBIAN_SIMULATORS_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_SIMULATORS_PACKAGE_SHLIBDEPS ON)
control_files(CPACK_DEBIAN_SIMULATORS_PACKAGE_CONTROL_EXTRA anyhip-simulators 1
    libsimcuda libsimhsa libsimkmt libsimthunk)
set(CPACK_DEBIAN_SIMULATORS_PACKAGE_ENHANCES ${library})
set(CPACK_DEBIAN_SIMULATORS_PACKAGE_RECOMMENDS libllvm22) # which compiles kernels
set(CPACK_DEBIAN_SIMULATORS_DESCRIPTION "Simulated GPUs for HIP, CUDA driver and HSA programs
Libraries with the interfaces of NVIDIA's CUDA driver and AMD's HSA
runtime whose devices execute PTX and AMDGPU machine code on the CPU. They
report wrong accesses, races and misused barriers of kernels, and let HIP
programs be built and tested where there is no GPU.")

set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS runtime)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libanyhip-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS anyhip-tools)
# They have the same headers and CMake packages.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_CONFLICTS libamdhip64-dev)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "HIP host API on NVIDIA and AMD GPUs (development files)
The headers of HIP, and what pkg-config and CMake need to know in order to
build programs with AnyHIP. Kernels are compiled with hipcc, of the
package anyhip-tools.")

set(CPACK_COMPONENT_TOOLS_DEPENDS development runtime)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME anyhip-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS
    "clang-22, clang-tools-22, lld-22, llvm-22, libclc-22, anyhip-simulators")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "anyhip-dbgsym, pkg-config, cmake")
set(CPACK_DEBIAN_TOOLS_PACKAGE_CONFLICTS hipcc)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "compile driver for HIP programs, and tools
hipcc compiles HIP programs for NVIDIA's and AMD's GPUs at once with an
unmodified clang. hipconfig answers what build systems ask of a HIP
installation. anyhip shows the devices of the machine and the device code
in programs and libraries.")

set(CPACK_DEBIAN_DEBUG_PACKAGE_NAME anyhip-dbgsym)
set(CPACK_DEBIAN_DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_DEBUG_PACKAGE_ENHANCES "${library}, anyhip-simulators, anyhip-tools")
set(CPACK_DEBIAN_DEBUG_DESCRIPTION "debug information for AnyHIP
Debug information for the libraries and programs of AnyHIP, which
debuggers find by themselves.")

include(CPack)
cpack_add_component_group(anyhip)
cpack_add_component_group(debugging)
foreach(component runtime simulators development tools)
    cpack_add_component(${component} GROUP anyhip)
endforeach()
cpack_add_component(debug GROUP debugging)
