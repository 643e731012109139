# One precompiled header of the MLIR headers that nearly every file includes.
#
# A file of the dialect spends its compile time in MLIR's headers: 5.3 s with
# clang 22, 0.3 s with this header (g++ 12: 8.1 s, and a header of 620 MB that
# takes 26 s to make; so clang only). Sources still include what they use: a
# build with -DTC_PRECOMPILE_MLIR=OFF must compile.

set(TC_MLIR_PCH OFF)
if(TC_PRECOMPILE_MLIR AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(TC_MLIR_PCH ON)
  # The cache keys on content; timestamps inside the header would defeat it.
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  set(_tc_pch_source ${CMAKE_BINARY_DIR}/tc-mlir-pch.cpp)
  file(CONFIGURE OUTPUT ${_tc_pch_source} CONTENT "")
  add_library(tc-mlir-pch OBJECT EXCLUDE_FROM_ALL ${_tc_pch_source})
  target_precompile_headers(tc-mlir-pch PRIVATE
                            ${CMAKE_SOURCE_DIR}/cmake/MLIRHeaders.h)
endif()

# tc_use_mlir_pch(target libs...)
# Lets `target` use the precompiled header when one of `libs` is MLIR, or a
# library of this project that uses MLIR.
function(tc_use_mlir_pch target)
  set(uses_mlir OFF)
  foreach(lib ${ARGN})
    if(lib STREQUAL "MLIR")
      set(uses_mlir ON)
    elseif(TARGET ${lib})
      get_target_property(lib_uses_mlir ${lib} TC_USES_MLIR)
      if(lib_uses_mlir)
        set(uses_mlir ON)
      endif()
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES TC_USES_MLIR ${uses_mlir})
  if(NOT uses_mlir OR NOT TC_MLIR_PCH)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM tc-mlir-pch)
endfunction()
