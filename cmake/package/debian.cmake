# Run by cpack when the components are installed in a folder each and are not packed yet: Debian
# wants a copyright file and a list of changes in every package, and manual pages compressed. The
# list, in Debian's form, leads to CHANGELOG.md, which is in the runtime's package.
if(NOT CPACK_GENERATOR STREQUAL DEB)
    return()
endif()

function(compress file)
    execute_process(COMMAND gzip -9 -n "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The moment is that of SOURCE_DATE_EPOCH where that is set.
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component ${CPACK_COMPONENTS_ALL})
    string(TOUPPER ${component} upper)
    set(usr "${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}")
    set(folder "${usr}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
    file(MAKE_DIRECTORY "${folder}")
    file(COPY_FILE "${CPACK_ANYHIP_COPYRIGHT}" "${folder}/copyright")
    file(WRITE "${folder}/changelog"
        "anyhip (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
        "  * Release ${CPACK_PACKAGE_VERSION}: /usr/share/doc/anyhip/CHANGELOG.md\n\n"
        " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
    compress("${folder}/changelog")
    file(REMOVE "${usr}/share/doc/anyhip/LICENSE" "${usr}/share/doc/anyhip/copyright")
    file(GLOB pages "${usr}/share/man/man*/*")
    foreach(page ${pages})
        if(NOT IS_SYMLINK "${page}")
            compress("${page}")
        endif()
    endforeach()
endforeach()
