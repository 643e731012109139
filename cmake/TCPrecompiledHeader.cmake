# Two precompiled headers: one of the MLIR headers that nearly every file of the
# dialect includes, and one of LLVM's for what is built without MLIR.
#
# A file of the dialect spends its compile time in MLIR's headers: 5.3 s with
# clang 22, 0.3 s with this header (g++ 12: 8.1 s, and a header of 620 MB that
# takes 26 s to make; so clang only). A file of the emulator spends two thirds in
# those of LLVM and the standard library. Sources still include what they use: a
# build with -DTC_PRECOMPILE_HEADERS=OFF must compile.

set(TC_PCH OFF)
if(TC_PRECOMPILE_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(TC_PCH ON)
  # The cache keys on content; timestamps inside the header would defeat it.
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# A library of nothing but the precompiled `header`.
function(tc_add_pch target header)
  set(source ${CMAKE_BINARY_DIR}/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${source})
  target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header})
endfunction()
if(TC_PCH)
  tc_add_pch(tc-llvm-pch LLVMHeaders.h)
  if(TC_BUILD_COMPILER)
    tc_add_pch(tc-mlir-pch MLIRHeaders.h)
  endif()
endif()

# tc_use_pch(target libs...)
# Lets `target` use the precompiled header of MLIR when one of `libs` is MLIR or
# a library of this project that uses MLIR; else in the same way that of LLVM.
function(tc_use_pch target)
  set(uses "")
  foreach(lib ${ARGN})
    if(lib MATCHES "^(LLVM|MLIR)$")
      list(APPEND uses ${lib})
    elseif(TARGET ${lib})
      get_target_property(used ${lib} TC_USES)
      if(used)
        list(APPEND uses ${used})
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES uses)
  set_target_properties(${target} PROPERTIES TC_USES "${uses}")
  if(NOT TC_PCH)
    return()
  endif()
  if("MLIR" IN_LIST uses)
    target_precompile_headers(${target} REUSE_FROM tc-mlir-pch)
  elseif("LLVM" IN_LIST uses)
    target_precompile_headers(${target} REUSE_FROM tc-llvm-pch)
  endif()
endfunction()
