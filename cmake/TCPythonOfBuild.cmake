# A wheel of what TC_BUILD_DIR, a build folder of this project, has already: no
# language is enabled, nothing is configured or compiled there.
if(NOT EXISTS "${TC_BUILD_DIR}/cmake_install.cmake")
  message(FATAL_ERROR "expected TC_BUILD_DIR to be an absolute path of a build "
                      "folder of tc, got '${TC_BUILD_DIR}'")
endif()
set(tc_build_dir "${TC_BUILD_DIR}")
unset(TC_BUILD_DIR CACHE) # the next wheel says it again, or is compiled
add_custom_target(tc-python) # what pyproject.toml builds
install(CODE "
  execute_process(
    COMMAND \"${CMAKE_COMMAND}\" --install \"${tc_build_dir}\" --component python
            --strip --prefix \"\${CMAKE_INSTALL_PREFIX}\"
    COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT python)
include(${CMAKE_CURRENT_LIST_DIR}/TCPythonPrograms.cmake)
