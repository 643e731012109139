# LLVM and MLIR as static archives, for programs that run for a tenth of a second.
#
# The dynamic linker spends 25 ms on the symbols and addresses of the two shared
# libraries each time a program starts. A program of the archives starts in 7 ms, and
# its file has 180 MB. It must not load a library that has LLVM of its own.

option(TC_LINK_ARCHIVES "Link tc-compile with the archives of LLVM and MLIR" ON)

# What LLVM compresses with; the shared libraries bring it along.
set(tc_compression ZLIB::ZLIB zstd::libzstd_shared)
foreach(library ${tc_compression})
  if(NOT TARGET ${library})
    set(TC_LINK_ARCHIVES OFF)
  endif()
endforeach()

# All of both that the shared libraries are made of; the linker takes what it needs.
# As files: what their targets ask for is the shared libraries.
if(NOT TC_BUILD_COMPILER)
  set(TC_LINK_ARCHIVES OFF)
endif()
if(TC_LINK_ARCHIVES)
  get_property(archives GLOBAL PROPERTY MLIR_ALL_LIBS)
  list(APPEND archives ${LLVM_AVAILABLE_LIBS})
  list(FILTER archives INCLUDE REGEX "^(LLVM|MLIR)") # Polly comes by itself
  set(files "")
  foreach(archive ${archives})
    if(TARGET ${archive})
      get_target_property(kind ${archive} TYPE)
      if(kind STREQUAL "STATIC_LIBRARY")
        list(APPEND files $<TARGET_FILE:${archive}>)
      endif()
    endif()
  endforeach()
  list(JOIN files "," files)
  add_library(tc-archives INTERFACE)
  target_link_libraries(tc-archives INTERFACE "$<LINK_GROUP:RESCAN,${files}>"
                        ${tc_compression})
endif()

# tc_choose_llvm(result libs...)
# `libs` for the interface of a library, with LLVM and MLIR as its users link them.
function(tc_choose_llvm result)
  set(asks "$<BOOL:$<TARGET_PROPERTY:TC_LINKS_ARCHIVES>>")
  list(TRANSFORM ARGN REPLACE "^(LLVM|MLIR)$"
       "$<BUILD_INTERFACE:$<IF:${asks},tc-archives,\\1>>;$<INSTALL_INTERFACE:\\1>")
  set(${result} ${ARGN} PARENT_SCOPE)
endfunction()

# tc_link_archives(program)
function(tc_link_archives program)
  set_target_properties(${program} PROPERTIES TC_LINKS_ARCHIVES ON)
  target_link_options(${program} PRIVATE -Wl,--gc-sections)
endfunction()
