# Installation, and the package that find_package(TC) finds.
include(CMakePackageConfigHelpers)

set(TC_CMAKE_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tc)
get_property(tc_libraries GLOBAL PROPERTY TC_LIBRARIES)
get_property(tc_tools GLOBAL PROPERTY TC_TOOLS)

install(TARGETS ${tc_libraries} EXPORT TCTargets)
if(tc_tools)
  install(TARGETS ${tc_tools})
endif()
# Without the compiler, the headers of the layers that there are.
set(tc_headers ${CMAKE_SOURCE_DIR}/include/ ${CMAKE_BINARY_DIR}/include/)
set(tc_header_folder ${CMAKE_INSTALL_INCLUDEDIR})
if(NOT TC_BUILD_COMPILER)
  list(TRANSFORM tc_libraries REPLACE "^TC" "${CMAKE_SOURCE_DIR}/include/tc/"
       OUTPUT_VARIABLE tc_headers)
  list(FILTER tc_headers EXCLUDE REGEX "/Runtime$")
  set(tc_header_folder ${CMAKE_INSTALL_INCLUDEDIR}/tc)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/tc-runtime
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${CMAKE_SOURCE_DIR}/include/tc-c/Emulator.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tc-c)
endif()
install(DIRECTORY ${tc_headers} DESTINATION ${tc_header_folder}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc"
        PATTERN "CMakeFiles" EXCLUDE)

# tc_install_tuner(folder options...)
# What tc-tune is made of, below `folder`.
function(tc_install_tuner folder)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/benchmarks/gpu/harness
          DESTINATION ${folder}/benchmarks/gpu ${ARGN}
          PATTERN "__pycache__" EXCLUDE)
  install(PROGRAMS ${CMAKE_SOURCE_DIR}/benchmarks/gpu/tune.py
          DESTINATION ${folder}/benchmarks/gpu ${ARGN})
  install(FILES ${CMAKE_SOURCE_DIR}/benchmarks/cases/contractions.json
          DESTINATION ${folder}/benchmarks/cases ${ARGN})
endfunction()

if(TC_BUILD_COMPILER)
  tc_install_tuner(${CMAKE_INSTALL_DATADIR}/tc)
  file(RELATIVE_PATH tc_tune ${CMAKE_INSTALL_FULL_BINDIR}
       ${CMAKE_INSTALL_FULL_DATADIR}/tc/benchmarks/gpu/tune.py)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/install)
  file(CREATE_LINK ${tc_tune} ${CMAKE_BINARY_DIR}/install/tc-tune SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/install/tc-tune
          DESTINATION ${CMAKE_INSTALL_BINDIR})
  # Schedules that were tried before, for --tuning.
  install(FILES ${CMAKE_SOURCE_DIR}/share/tuning.json
          DESTINATION ${CMAKE_INSTALL_DATADIR}/tc)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs ${CMAKE_SOURCE_DIR}/examples
        DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "__pycache__" EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md
              ${CMAKE_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT TCTargets NAMESPACE TC:: DESTINATION ${TC_CMAKE_INSTALL_DIR})
set(tc_llvm_libraries ${tc_libraries})
list(REMOVE_ITEM tc_llvm_libraries TCRuntime) # a launcher without LLVM
set(tc_llvm_package LLVM)
set(tc_llvm_package_dir ${LLVM_DIR})
if(TC_BUILD_COMPILER)
  set(tc_llvm_package MLIR)
  set(tc_llvm_package_dir ${MLIR_DIR})
endif()
list(JOIN tc_llvm_libraries " " tc_llvm_libraries)
configure_package_config_file(
  ${CMAKE_SOURCE_DIR}/cmake/TCConfig.cmake.in
  ${CMAKE_BINARY_DIR}/TCConfig.cmake
  INSTALL_DESTINATION ${TC_CMAKE_INSTALL_DIR}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TCConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TCConfig.cmake
              ${CMAKE_BINARY_DIR}/TCConfigVersion.cmake
        DESTINATION ${TC_CMAKE_INSTALL_DIR})
