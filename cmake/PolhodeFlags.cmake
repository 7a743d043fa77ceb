# Flags of our own targets: polhode_flags(TARGET). Users of the library inherit the language version and nothing else.

find_program(POLHODE_CCACHE ccache)
if(POLHODE_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${POLHODE_CCACHE})
endif()

# polhode_unity(TARGET): files of a folder compiled as one, up to eight. Names in their anonymous namespaces must differ
# in a folder. Files with options of their own stay alone.
function(polhode_unity target)
  if(NOT POLHODE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  foreach(source ${sources})
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${source} generated)
    if(generated)
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME room)
    list(APPEND of_${room} ${source})
    list(LENGTH of_${room} count)
    math(EXPR batch "(${count} - 1) / 8")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${room}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes the file that includes the others for a header
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# Results repeat across compilers only without silent fused multiply-adds. GCC's vectoriser of straight-line
# code makes them all the same (fmaddsub, where the processor has FMA), so it is off.
# No code of ours reads errno: without it a square root is one instruction, and loops over roots become vector code.
set(POLHODE_ARITHMETIC -ffp-contract=off -fno-math-errno $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)

function(polhode_flags target)
  target_compile_options(${target} PRIVATE ${POLHODE_ARITHMETIC}
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-qual -Wnon-virtual-dtor
    -Woverloaded-virtual -Wdouble-promotion -fno-fast-math
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # false alarms of g++ 12 on std::string
  if(POLHODE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(POLHODE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${POLHODE_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${POLHODE_SANITIZE})
  endif()
endfunction()
