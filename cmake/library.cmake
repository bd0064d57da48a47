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
