# The one way a library, a tool or a unit test of this project is declared.
include(TCArchives)

# Refuses static archives of LLVM and MLIR: everything of them comes from the two
# shared libraries, or from the archives alone (TCArchives). What the archives define
# would stand in both, and dialects and options would be registered twice.
function(tc_check_libraries name)
  foreach(library ${ARGN})
    if(library MATCHES "^(LLVM|MLIR).+")
      message(FATAL_ERROR "${name}: expected the shared library LLVM or MLIR, "
                          "found the static archive ${library}")
    endif()
  endforeach()
endfunction()

# tc_add_library(name sources... [DEPENDS targets...] [LINK_LIBS libs...])
# A static library of the project, installed and exported as TC::name.
function(tc_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  tc_check_libraries(${name} ${ARG_LINK_LIBS})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tc_choose_llvm(libraries ${ARG_LINK_LIBS})
  target_link_libraries(${name} PUBLIC ${libraries})
  target_include_directories(${name} INTERFACE
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  tc_use_pch(${name} ${ARG_LINK_LIBS})
  set_property(GLOBAL APPEND PROPERTY TC_LIBRARIES ${name})
endfunction()

# tc_add_tool(name sources... [ARCHIVES] [LINK_LIBS libs...])
# A program in bin/, installed, and built before the tests run. ARCHIVES: it is linked
# with those of LLVM and MLIR; the target NAME-shared, not built by default, is the
# same program without them, for the wheel, which has the shared libraries anyway.
function(tc_add_tool name)
  cmake_parse_arguments(ARG "ARCHIVES" "" "LINK_LIBS" ${ARGN})
  tc_check_libraries(${name} ${ARG_LINK_LIBS})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS} ${TC_SANITIZER_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  if(ARG_ARCHIVES AND TC_LINK_ARCHIVES)
    tc_link_archives(${name})
    add_executable(${name}-shared EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS}
                   ${TC_SANITIZER_OPTIONS})
    target_link_libraries(${name}-shared PRIVATE ${ARG_LINK_LIBS})
    target_compile_definitions(${name}-shared PRIVATE TC_VERSION="${PROJECT_VERSION}")
    tc_use_pch(${name}-shared ${ARG_LINK_LIBS})
    set_target_properties(${name}-shared PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/shared)
  endif()
  target_compile_definitions(${name} PRIVATE TC_VERSION="${PROJECT_VERSION}")
  tc_use_pch(${name} ${ARG_LINK_LIBS})
  set_property(GLOBAL APPEND PROPERTY TC_TOOLS ${name})
endfunction()

# tc_add_unittest(name sources... [LINK_LIBS libs...])
# A GoogleTest program in test/Unit of the build folder. lit finds it by the
# ending `Tests` of its file name, which is added where it is missing.
function(tc_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  tc_check_libraries(${name} ${ARG_LINK_LIBS})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS}
                 ${TC_SANITIZER_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest_main)
  tc_use_pch(${name} ${ARG_LINK_LIBS})
  string(REGEX REPLACE "Tests?$" "" base ${name})
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME ${base}Tests
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/Unit)
  add_dependencies(tc-unit-tests ${name})
endfunction()

# tc_add_layers(folders... [COMPILER folders...])
# add_subdirectory in the given order: a layer may only use those before it. Those
# after COMPILER need MLIR and are left out of a build without the compiler. A
# folder that has a CMakeLists.txt and is not in the list is an error: it would
# silently not be built.
function(tc_add_layers)
  cmake_parse_arguments(ARG "" "" "COMPILER" ${ARGN})
  file(GLOB present RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} */CMakeLists.txt)
  foreach(file ${present})
    get_filename_component(folder ${file} DIRECTORY)
    if(NOT folder IN_LIST ARG_UNPARSED_ARGUMENTS AND NOT folder IN_LIST ARG_COMPILER)
      message(FATAL_ERROR "expected '${folder}' in the list of "
                          "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt")
    endif()
  endforeach()
  if(NOT TC_BUILD_COMPILER)
    set(ARG_COMPILER)
  endif()
  foreach(layer ${ARG_UNPARSED_ARGUMENTS} ${ARG_COMPILER})
    add_subdirectory(${layer})
  endforeach()
endfunction()
