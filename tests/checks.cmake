# Tests of the project rather than of its code: one build runs them, the one that users get.
set(root ${PROJECT_SOURCE_DIR})
add_test(NAME format COMMAND ${root}/scripts/check-format.sh)
add_test(NAME exports COMMAND ${root}/tests/exports.sh $<TARGET_FILE:limber_shared> ${root}/include --complete)
add_test(NAME install COMMAND ${root}/tests/install/run.sh ${root} ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER})
add_test(NAME docs_commands COMMAND ${root}/scripts/check-docs.sh ${PROJECT_BINARY_DIR})

# A processor from before AVX2, where there is something that can play one (Debian: qemu-user).
find_program(LIMBER_QEMU qemu-x86_64)
mark_as_advanced(LIMBER_QEMU)
if(LIMBER_QEMU AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT LIMBER_SCALAR)
    add_executable(check_processor check_processor.c)
    target_link_libraries(check_processor PRIVATE limber limber_flags)
    add_test(NAME old_processor
        COMMAND ${root}/tests/old_processor.sh ${LIMBER_QEMU} $<TARGET_FILE:check_processor> ${PROJECT_BINARY_DIR})
endif()
