# What the Python package tc holds besides Python (pyproject.toml): the compiler,
# the runtime libraries that go into kernels' packages, and the emulator, as the
# component `python` of the installation. The target tc-python builds it.
set(tc_python_targets tc-compile tc-runtime TCRuntime tc-cuda-emulator)
add_custom_target(tc-python)
add_dependencies(tc-python ${tc_python_targets})

foreach(target ${tc_python_targets})
  # Under bin/ and lib/ of the package, as tc-compile expects them.
  install(TARGETS ${target}
          RUNTIME DESTINATION tc/bin COMPONENT python EXCLUDE_FROM_ALL
          LIBRARY DESTINATION tc/lib COMPONENT python EXCLUDE_FROM_ALL
          ARCHIVE DESTINATION tc/lib COMPONENT python EXCLUDE_FROM_ALL)
endforeach()
