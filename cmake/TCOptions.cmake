# Compiler cache, linker and warnings: used when the machine has them.
include(CheckLinkerFlag)

find_program(TC_CCACHE ccache)
if(TC_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${TC_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TC_CCACHE})
endif()

find_program(TC_LLD NAMES ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR})
if(TC_LLD)
  get_filename_component(_lld_dir ${TC_LLD} DIRECTORY)
  add_link_options(-B${_lld_dir})
  check_linker_flag(CXX -fuse-ld=lld TC_LINKER_IS_LLD)
  if(TC_LINKER_IS_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter
                    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
