# Flags of our own targets: polhode_flags(TARGET). What a user of the installed library must share
# with us (C++20, no contraction to fused multiply-add in per-body code) is on the library itself.

find_program(POLHODE_CCACHE ccache)
if(POLHODE_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${POLHODE_CCACHE})
endif()

function(polhode_flags target)
  target_compile_options(${target} PRIVATE
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
