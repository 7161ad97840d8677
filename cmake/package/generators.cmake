# Read by cpack once for each generator: archives hold a group of components, Debian packages one.
if(CPACK_GENERATOR STREQUAL DEB)
    set(CPACK_COMPONENTS_GROUPING IGNORE)
else()
    set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
