# The static and the shared library, and how other projects find them.
find_package(Threads REQUIRED)

add_library(limber STATIC)
add_library(limber_shared SHARED)
set_target_properties(limber_shared PROPERTIES OUTPUT_NAME limber VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

foreach(library limber limber_shared)
    target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:limber_objects> $<BUILD_INTERFACE:limber_flags>
        PUBLIC Threads::Threads m)
    target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

if(LIMBER_WITH_ASSIMP)
    find_path(LIMBER_ASSIMP_INCLUDE assimp/cimport.h)
    find_library(LIMBER_ASSIMP_LIBRARY assimp)
    if(NOT LIMBER_ASSIMP_INCLUDE OR NOT LIMBER_ASSIMP_LIBRARY)
        message(FATAL_ERROR "Assimp is not there. Install it (Debian: apt install libassimp-dev) or build without it: "
            "-DLIMBER_WITH_ASSIMP=OFF")
    endif()
    target_include_directories(limber_objects SYSTEM PRIVATE ${LIMBER_ASSIMP_INCLUDE})
    target_compile_definitions(limber_objects PRIVATE LIMBER_WITH_ASSIMP)
    target_link_libraries(limber PRIVATE ${LIMBER_ASSIMP_LIBRARY})
    target_link_libraries(limber_shared PRIVATE ${LIMBER_ASSIMP_LIBRARY})
endif()
