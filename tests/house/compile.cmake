# Compiles each of FILES (patterns below SOURCE_DIR, searched in depth) alone, to syntax only, with FLAGS.
# EIGEN: where Eigen's headers are, for our eigen.h.
# MUST_FAIL: the other way round, to show that the check can fail.
cmake_policy(SET CMP0009 NEW)
list(TRANSFORM FILES PREPEND "${SOURCE_DIR}/")
file(GLOB_RECURSE files ${FILES})
list(LENGTH files count)
if(count EQUAL 0)
  message(FATAL_ERROR "no files match ${FILES}")
endif()
foreach(file ${files})
  execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only -ffp-contract=off -DPOLHODE_VERSION="0" ${FLAGS}
    "-I${SOURCE_DIR}/src" -isystem "${EIGEN}" -x c++ "${file}" -Wno-pragma-once-outside-header RESULT_VARIABLE status ERROR_VARIABLE said)
  if(status EQUAL 0 AND MUST_FAIL)
    message(SEND_ERROR "${file} compiles, and should not")
  elseif(NOT status EQUAL 0 AND NOT MUST_FAIL)
    message(SEND_ERROR "${file}:\n${said}")
  endif()
endforeach()
message(STATUS "${count} files")
