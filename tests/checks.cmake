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

# The page: its types, its modules, and all of it in a browser with the engine behind it. What they need comes by
# scripts/install-page.sh test; without it they are not there.
find_program(LIMBER_NODE node)
find_program(LIMBER_CHROMIUM chromium)
mark_as_advanced(LIMBER_NODE LIMBER_CHROMIUM)
if(LIMBER_NODE AND EXISTS ${root}/web/node_modules/typescript)
    add_test(NAME page_types COMMAND ${LIMBER_NODE} node_modules/typescript/bin/tsc --project tsconfig.json)
    add_test(NAME page_units COMMAND npm test)
    set_tests_properties(page_types page_units PROPERTIES WORKING_DIRECTORY ${root}/web LABELS page)
    if(LIMBER_CHROMIUM AND TARGET limber_server)
        add_test(NAME page_browser COMMAND ${LIMBER_NODE} --test test/browser/page.test.mjs)
        set_tests_properties(page_browser PROPERTIES WORKING_DIRECTORY ${root}/web LABELS browser TIMEOUT 1500
            ENVIRONMENT "LIMBER=$<TARGET_FILE:limber_command>;LIMBER_SCREENSHOTS=${PROJECT_BINARY_DIR}/screenshots")
    endif()
else()
    message(STATUS "limber: no tests of the page, since Node.js or its packages are missing (scripts/install-page.sh test)")
endif()
