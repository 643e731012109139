# The one way a library or a tool of this project is declared.

# tc_add_library(name sources... [DEPENDS targets...] [LINK_LIBS libs...])
# A static library of the project. Everything of LLVM and MLIR comes from the
# two shared libraries: the static archives beside them would register
# dialects and options twice.
function(tc_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# tc_add_tool(name sources... [LINK_LIBS libs...])
function(tc_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  set_property(GLOBAL APPEND PROPERTY TC_TOOLS ${name})
endfunction()

# tc_add_unittest(name sources... [LINK_LIBS libs...])
# A GoogleTest program, collected under the target `tc-unit-tests`.
function(tc_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                        ${CMAKE_BINARY_DIR}/test/Unit)
  add_dependencies(tc-unit-tests ${name})
endfunction()
