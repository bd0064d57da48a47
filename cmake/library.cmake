# The static and the shared library, and what they stand on. How other projects find them is in install.cmake.
find_package(Threads REQUIRED)

add_library(limber STATIC)
add_library(limber_shared SHARED)
add_library(limber::limber ALIAS limber)
add_library(limber::limber_shared ALIAS limber_shared)
set_target_properties(limber_shared PROPERTIES OUTPUT_NAME limber VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

foreach(library limber limber_shared)
    target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:limber_objects> $<BUILD_INTERFACE:limber_flags>
        Threads::Threads m)
    target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# limber_find_library(NAME module package): finds a pkg-config module that LIMBER_WITH_NAME asks for, as the target
# PkgConfig::LIMBER_NAME. pkg-config, because it is what all of these libraries install on every system.
macro(limber_find_library name module package)
    find_package(PkgConfig QUIET)
    if(NOT PkgConfig_FOUND)
        message(FATAL_ERROR "limber finds ${module} by pkg-config, which is not here. Install it (Debian: "
            "apt-get install pkg-config), or build without: -DLIMBER_WITH_${name}=OFF")
    endif()
    pkg_check_modules(LIMBER_${name} QUIET IMPORTED_TARGET GLOBAL ${module})
    if(NOT LIMBER_${name}_FOUND)
        message(FATAL_ERROR "limber needs the library ${module}, which was not found. Install it (Debian: "
            "apt-get install ${package}), or build without: -DLIMBER_WITH_${name}=OFF")
    endif()
endmacro()

# limber_optional_library(NAME module package): when LIMBER_WITH_NAME is on, finds the module and gives it to the
# library's code, with LB_WITH_NAME defined. Its names end up in LIMBER_MODULES and LIMBER_MODULE_NAMES, for
# install.cmake.
set(LIMBER_MODULES)
set(LIMBER_MODULE_NAMES)
macro(limber_optional_library name module package)
    if(LIMBER_WITH_${name})
        limber_find_library(${name} ${module} ${package})
        target_compile_definitions(limber_objects PRIVATE LB_WITH_${name})
        foreach(library limber_objects limber limber_shared)
            target_link_libraries(${library} PRIVATE PkgConfig::LIMBER_${name})
        endforeach()
        list(APPEND LIMBER_MODULES ${module})
        list(APPEND LIMBER_MODULE_NAMES ${name})
    endif()
endmacro()

limber_optional_library(ASSIMP assimp libassimp-dev)
limber_optional_library(JANSSON jansson libjansson-dev)
limber_optional_library(OPENBLAS openblas libopenblas-dev)

# Without pkg-config; in install.cmake it is one flag more.
if(LIMBER_WITH_MUMPS)
    if(NOT LIMBER_MUMPS_FOUND)
        message(FATAL_ERROR "limber needs the library dmumps_seq and dmumps_c.h, which were not found. Install them "
            "(Debian: apt-get install libmumps-seq-dev libopenblas-dev), or build without: -DLIMBER_WITH_MUMPS=OFF")
    endif()
    target_include_directories(limber_objects SYSTEM PRIVATE ${LIMBER_MUMPS_INCLUDE})
    foreach(library limber_objects limber limber_shared)
        target_link_libraries(${library} PRIVATE dmumps_seq)
    endforeach()
endif()
