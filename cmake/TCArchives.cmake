# LLVM and MLIR as static archives, for a program that runs for a tenth of a second.
#
# The dynamic linker spends 20 ms on the symbols and addresses of the two shared
# libraries each time a program starts. A program of the archives starts in 9 ms, and
# its file has 180 MB. It must not load a library that has LLVM of its own.
#
# Inline functions of their headers are compiled into our objects, too, with
# assertions that upstream's are without, and the linker keeps what it sees first. So
# it sees the archives first, and is told what our objects ask for: LLVM and MLIR are
# the same code as in the shared libraries. That takes lld; other linkers read an
# archive once.

option(TC_LINK_ARCHIVES "Link tc-compile with the archives of LLVM and MLIR" ON)

# What LLVM compresses with; the shared libraries bring it along.
set(tc_compression ZLIB::ZLIB zstd::libzstd_shared)
foreach(library ${tc_compression})
  if(NOT TARGET ${library})
    set(TC_LINK_ARCHIVES OFF)
  endif()
endforeach()
find_program(TC_NM llvm-nm HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
if(NOT TC_BUILD_COMPILER OR NOT TC_LINKER_IS_LLD OR NOT TC_NM)
  set(TC_LINK_ARCHIVES OFF)
endif()

# All of both that the shared libraries are made of; the linker takes what it needs.
# As files: what their targets ask for is the shared libraries.
set(tc_archives "")
if(TC_LINK_ARCHIVES)
  get_property(archives GLOBAL PROPERTY MLIR_ALL_LIBS)
  list(APPEND archives ${LLVM_AVAILABLE_LIBS})
  list(FILTER archives INCLUDE REGEX "^(LLVM|MLIR)") # Polly comes by itself
  list(REMOVE_ITEM archives MLIRMlirOptMain)         # has a main
  list(REMOVE_DUPLICATES archives)
  foreach(archive ${archives})
    if(TARGET ${archive})
      get_target_property(kind ${archive} TYPE)
      if(kind STREQUAL "STATIC_LIBRARY")
        list(APPEND tc_archives $<TARGET_FILE:${archive}>)
      endif()
    endif()
  endforeach()
endif()

# tc_choose_llvm(result libs...)
# `libs` for the interface of a library, with LLVM and MLIR as its users link them.
function(tc_choose_llvm result)
  set(asks "$<BOOL:$<TARGET_PROPERTY:TC_LINKS_ARCHIVES>>")
  list(TRANSFORM ARGN REPLACE "^(LLVM|MLIR)$"
       "$<BUILD_INTERFACE:$<$<NOT:${asks}>:\\1>>;$<INSTALL_INTERFACE:\\1>")
  set(${result} ${ARGN} PARENT_SCOPE)
endfunction()

# tc_collect_libraries(result targets...)
# The libraries of the project that `targets` link, directly or not.
function(tc_collect_libraries result)
  set(found "")
  while(ARGN)
    list(POP_FRONT ARGN target)
    get_target_property(links ${target} LINK_LIBRARIES)
    list(FILTER links INCLUDE REGEX "^TC")
    list(REMOVE_ITEM links "" ${found})
    list(APPEND found ${links})
    list(APPEND ARGN ${links})
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# tc_link_archives(program)
function(tc_link_archives program)
  set_target_properties(${program} PROPERTIES TC_LINKS_ARCHIVES ON)
  target_link_libraries(${program} PRIVATE ${tc_compression})
  tc_collect_libraries(libraries ${program})
  list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  set(asked ${CMAKE_CURRENT_BINARY_DIR}/${program}.asked)
  add_custom_command(TARGET ${program} PRE_LINK COMMAND_EXPAND_LISTS
    COMMAND ${TC_NM} --undefined-only --just-symbol-name --quiet
            $<TARGET_OBJECTS:${program}> ${libraries} |
            sed -n "s/^_Z/-Wl,--undefined=_Z/p" > ${asked})
  target_link_options(${program} PRIVATE
    LINKER:--gc-sections @${asked} ${tc_archives})
endfunction()
