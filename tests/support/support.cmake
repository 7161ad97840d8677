# Included by the folders whose tests use support.h.
if(NOT TARGET ah_test_support)
    add_library(ah_test_support STATIC
        ${CMAKE_CURRENT_LIST_DIR}/forge.c
        ${CMAKE_CURRENT_LIST_DIR}/support.c)
    target_include_directories(ah_test_support PUBLIC ${CMAKE_CURRENT_LIST_DIR})
    target_link_libraries(ah_test_support PUBLIC ah_flags PkgConfig::CMOCKA
        ${ANYHIP_ZSTD} ${ANYHIP_ZLIB})
endif()

# ah_supported_test(<module>.<name> ...): as ah_unit_test, with support.h.
function(ah_supported_test name)
    ah_unit_test(${name} ${ARGN})
    string(REPLACE "." "_" target test_${name})
    target_link_libraries(${target} PRIVATE ah_test_support)
endfunction()
