# What can be switched, and the compiler flags that follow from it.
# A project that takes limber in by add_subdirectory wants the library only.
option(LIMBER_TOOLS "Build the limber command" ${PROJECT_IS_TOP_LEVEL})
option(LIMBER_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(LIMBER_CHECKS "Test the project too: format, exported symbols, installation, commands in the docs" OFF)
option(LIMBER_SCALAR "Kernels one element at a time, without SIMD" OFF)
option(LIMBER_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(LIMBER_ASSERTIONS "Check limber's own invariants at run time" OFF)
option(LIMBER_WERROR "Warnings are errors" OFF)
option(LIMBER_WITH_ASSIMP "Read glTF and many other formats by libassimp" ON)
option(LIMBER_WITH_JANSSON "Read scenes, by libjansson" ON)
# MUMPS installs no pkg-config file. On by default where it is found.
find_path(LIMBER_MUMPS_INCLUDE dmumps_c.h)
find_library(LIMBER_MUMPS_LIBRARY dmumps_seq)
mark_as_advanced(LIMBER_MUMPS_INCLUDE LIMBER_MUMPS_LIBRARY)
set(LIMBER_MUMPS_FOUND OFF)
if(LIMBER_MUMPS_INCLUDE AND LIMBER_MUMPS_LIBRARY)
    set(LIMBER_MUMPS_FOUND ON)
endif()
option(LIMBER_WITH_MUMPS "Sparse matrices factored by the sequential MUMPS" ${LIMBER_MUMPS_FOUND})
# On by default where it is found: without it dense systems are solved all the same, slowly.
find_library(LIMBER_OPENBLAS_LIBRARY openblas)
mark_as_advanced(LIMBER_OPENBLAS_LIBRARY)
set(LIMBER_OPENBLAS_FOUND_HERE OFF)
if(LIMBER_OPENBLAS_LIBRARY)
    set(LIMBER_OPENBLAS_FOUND_HERE ON)
endif()
option(LIMBER_WITH_OPENBLAS "Dense systems of boundary elements factored by OpenBLAS" ${LIMBER_OPENBLAS_FOUND_HERE})
option(LIMBER_GMSH "Build limber-gmsh, a separate program under the GPL: meshes with sharp edges, by libgmsh" OFF)
option(LIMBER_MPI "Build limber-precompute-mpi, a separate program on PETSc under MPI" OFF)
option(LIMBER_WITH_WEBSOCKETS "Serve the page, by libwebsockets" ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_C_FLAGS_RELEASE "-O3")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Flags of everything that limber compiles itself: library, command, tests.
add_library(limber_flags INTERFACE)
target_compile_definitions(limber_flags INTERFACE _POSIX_C_SOURCE=200809L)
# No errno from sqrt and no floating-point traps: both keep loops from becoming vector code.
target_compile_options(limber_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wconversion
    -Wno-sign-conversion -fno-math-errno -fno-trapping-math)
if(LIMBER_WERROR)
    target_compile_options(limber_flags INTERFACE -Werror)
endif()
if(LIMBER_ASSERTIONS)
    target_compile_definitions(limber_flags INTERFACE LB_ASSERTIONS)
endif()
if(LIMBER_SANITIZE)
    # What addresses are good for is told by the address sanitizer: asking twice costs a third of the time.
    target_compile_options(limber_flags INTERFACE -fsanitize=address,undefined -fno-sanitize=null,object-size
        -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    target_link_options(limber_flags INTERFACE -fsanitize=address,undefined)
endif()

# The processor's vector instructions, for the files that hold kernels only: all else runs on any machine of the
# family, so that an older one gets a message (base/processor.c).
# LB_LANES is the number of elements that a kernel handles at once.
set(LIMBER_KERNEL_FLAGS -ffp-contract=fast)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    list(APPEND LIMBER_KERNEL_FLAGS -Wno-psabi) # vectors are passed to functions of the same file only
    if(LIMBER_SANITIZE)
        # Checks on every element of every vector: at -O2 such a file takes gcc a minute.
        list(APPEND LIMBER_KERNEL_FLAGS -O1 -g1)
    else()
        # Matrices of vectors (288 bytes and more) are kept in registers, as small structures are, instead of being copied
        # by string instructions, which took a third of some kernels' time.
        list(APPEND LIMBER_KERNEL_FLAGS --param=sra-max-scalarization-size-Ospeed=2048)
    endif()
endif()
set(LIMBER_LANES 4)
if(LIMBER_SCALAR)
    set(LIMBER_LANES 1)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(LIMBER_LANES 8)
    list(APPEND LIMBER_KERNEL_FLAGS -mavx2 -mfma)
endif()
target_compile_definitions(limber_flags INTERFACE LB_LANES=${LIMBER_LANES})

# limber_sources(FILES... [KERNELS FILES...]): adds files of the calling folder to the library.
function(limber_sources)
    cmake_parse_arguments(PARSE_ARGV 0 ARG "" "" "KERNELS")
    target_sources(limber_objects PRIVATE ${ARG_UNPARSED_ARGUMENTS} ${ARG_KERNELS})
    if(ARG_KERNELS)
        set_source_files_properties(${ARG_KERNELS} TARGET_DIRECTORY limber_objects
            PROPERTIES COMPILE_OPTIONS "${LIMBER_KERNEL_FLAGS}")
    endif()
endfunction()
