# find_package(HIP) in module mode, for projects that put this folder into CMAKE_MODULE_PATH. It
# finds the package beside it.
find_package(hip CONFIG QUIET PATHS "${CMAKE_CURRENT_LIST_DIR}" NO_DEFAULT_PATH)
set(HIP_ROOT_DIR "${ANYHIP_PREFIX}")
set(HIP_RUN_HIPCC "")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HIP
    REQUIRED_VARS HIP_ROOT_DIR HIP_HIPCC_EXECUTABLE HIP_HIPCONFIG_EXECUTABLE
    VERSION_VAR HIP_VERSION)
