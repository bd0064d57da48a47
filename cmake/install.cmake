# What `cmake --install` puts in place: libraries, headers, a CMake package and a pkg-config file. All of it can be
# moved to another place as a whole.
include(CMakePackageConfigHelpers)

install(TARGETS limber limber_shared EXPORT limberTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/limber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/docs/licences.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR})

# find_package(limber)
set(LIMBER_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
set(LIMBER_FIND_MODULES "")
foreach(name module IN ZIP_LISTS LIMBER_MODULE_NAMES LIMBER_MODULES)
    string(APPEND LIMBER_FIND_MODULES "limber_find_module(${name} ${module})\n")
endforeach()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/limberConfig.cmake.in
    ${PROJECT_BINARY_DIR}/package/limberConfig.cmake INSTALL_DESTINATION ${LIMBER_PACKAGE_DIR}
    NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/limberConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/limberConfig.cmake
    ${PROJECT_BINARY_DIR}/package/limberConfigVersion.cmake DESTINATION ${LIMBER_PACKAGE_DIR})
install(EXPORT limberTargets NAMESPACE limber:: DESTINATION ${LIMBER_PACKAGE_DIR})

# pkg-config limber
file(RELATIVE_PATH LIMBER_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" LIMBER_PC_TO_PREFIX "${LIMBER_PC_TO_PREFIX}")
# Flags rather than Requires.private: who links the shared library needs none of these modules, and with --static
# Debian's assimp.pc asks for a zlib that its package does not bring along.
set(LIMBER_PC_PRIVATE "")
list(TRANSFORM CMAKE_C_IMPLICIT_LINK_DIRECTORIES PREPEND "-L" OUTPUT_VARIABLE usual_folders)
foreach(name ${LIMBER_MODULE_NAMES})
    set(flags ${LIMBER_${name}_LDFLAGS})
    list(REMOVE_ITEM flags ${usual_folders})
    list(JOIN flags " " flags)
    string(APPEND LIMBER_PC_PRIVATE " ${flags}")
endforeach()
if(LIMBER_WITH_MUMPS)
    string(APPEND LIMBER_PC_PRIVATE " -ldmumps_seq")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/limber.pc.in ${PROJECT_BINARY_DIR}/package/limber.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/limber.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
