# What the Python package tc holds besides Python (pyproject.toml): the programs,
# the runtime libraries that go into kernels' packages, and the emulator, as the
# component `python` of the installation. The target tc-python builds it.
set(tc_python_targets tc-compile tc-opt tc-run tc-emu tc-runtime TCRuntime
    tc-mgpu-runtime tc-cuda-emulator)
if(TARGET tc-invoke)
  list(APPEND tc_python_targets tc-invoke)
endif()
if(TARGET tc-compile-shared)
  list(TRANSFORM tc_python_targets REPLACE "^tc-compile$" "tc-compile-shared")
endif()
add_custom_target(tc-python)
add_dependencies(tc-python ${tc_python_targets})

foreach(target ${tc_python_targets})
  # Under bin/ and lib/ of the package, as tc-compile expects them.
  install(TARGETS ${target}
          RUNTIME DESTINATION tc/bin COMPONENT python EXCLUDE_FROM_ALL
          LIBRARY DESTINATION tc/lib COMPONENT python EXCLUDE_FROM_ALL
          ARCHIVE DESTINATION tc/lib COMPONENT python EXCLUDE_FROM_ALL)
endforeach()
# Packages of kernels are linked, on machines without a linker, too.
if(TC_LLD)
  get_filename_component(tc_lld ${TC_LLD} REALPATH)
  install(PROGRAMS ${tc_lld} DESTINATION tc/bin RENAME ld.lld
          COMPONENT python EXCLUDE_FROM_ALL)
endif()
# tc-tune is one of Python's: a file, since a wheel has no links.
install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/tc-tune.py DESTINATION tc/bin
        RENAME tc-tune COMPONENT python EXCLUDE_FROM_ALL)
tc_install_tuner(tc/share/tc COMPONENT python EXCLUDE_FROM_ALL)
