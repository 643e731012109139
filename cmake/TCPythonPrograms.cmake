# The programs on the PATH of an environment that a wheel is installed in: pip puts
# the environment's Python for their first line.
foreach(program tc-compile tc-emu tc-opt tc-run tc-tune)
  install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/tc-program.py
          DESTINATION ${SKBUILD_SCRIPTS_DIR} RENAME ${program} COMPONENT python)
endforeach()
