# What a build may choose, and compiler cache, linker and warnings: the cache
# and the linker are used when the machine has them.
include(CheckLinkerFlag)

option(TC_ENABLE_ASSERTIONS "Check asserts, in every build type" ON)
option(TC_PRECOMPILE_HEADERS "Precompile headers of LLVM and MLIR (clang only)" ON)

# Release is -O2: -O3 buys a compiler nothing that shows, and costs build time.
string(REPLACE "-O3" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
if(TC_ENABLE_ASSERTIONS)
  add_compile_options(-UNDEBUG)
endif()

# Each program of the preset `sanitize` has these. Calls through pointers are left
# alone: the check reads the eight bytes before a function, and those before kernels,
# which are compiled at run time, may be in no page.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=.*address")
  add_compile_options(-fno-sanitize=function)
  set(TC_SANITIZER_OPTIONS ${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp)
endif()

find_program(TC_CCACHE ccache)
if(TC_CCACHE)
  # Without these ccache refuses every file that uses a precompiled header.
  set(_tc_launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime
      ${TC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${_tc_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_tc_launcher})
endif()

find_program(TC_LLD NAMES ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR})
if(TC_LLD)
  get_filename_component(_tc_lld_dir ${TC_LLD} DIRECTORY)
  set(CMAKE_REQUIRED_LINK_OPTIONS -B${_tc_lld_dir})
  check_linker_flag(CXX -fuse-ld=lld TC_LINKER_IS_LLD)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  if(TC_LINKER_IS_LLD)
    add_link_options(-B${_tc_lld_dir} -fuse-ld=lld)
  endif()
endif()

# What is installed finds what lies beside it, and LLVM's libraries.
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${LLVM_LIBRARY_DIR}")

# Assertions name their files from the tree or the build folder on: what is
# installed tells nothing of where it was built.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
                    -fmacro-prefix-map=${PROJECT_BINARY_DIR}/=)

# One code model everywhere, programs too: they share a precompiled header.
set(CMAKE_C_COMPILE_OPTIONS_PIE -fPIC)
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)
add_compile_options(-pthread -Wall -Wextra -Wno-unused-parameter
                    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
