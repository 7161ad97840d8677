# Run by cpack when the components are installed in a folder each and are not packed yet: Debian
# wants a copyright file and the changes in every package, and manual pages compressed.
if(NOT CPACK_GENERATOR STREQUAL DEB)
    return()
endif()

function(compress file)
    execute_process(COMMAND gzip -9 -n "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component ${CPACK_COMPONENTS_ALL})
    string(TOUPPER ${component} upper)
    set(usr "${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}")
    set(folder "${usr}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
    file(MAKE_DIRECTORY "${folder}")
    file(COPY_FILE "${CPACK_ANYHIP_COPYRIGHT}" "${folder}/copyright")
    file(COPY_FILE "${CPACK_ANYHIP_CHANGES}" "${folder}/changelog")
    compress("${folder}/changelog")
    file(REMOVE "${usr}/share/doc/anyhip/LICENSE" "${usr}/share/doc/anyhip/CHANGELOG.md"
        "${usr}/share/doc/anyhip/copyright")
    file(GLOB pages "${usr}/share/man/man*/*")
    foreach(page ${pages})
        if(NOT IS_SYMLINK "${page}")
            compress("${page}")
        endif()
    endforeach()
endforeach()
