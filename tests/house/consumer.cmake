# Builds PROGRAM with tests/consumer against the library installed in PREFIX, runs it, and leaves what it
# printed in `printed`.
file(REMOVE_RECURSE "${WORK_DIR}/build")
execute_process(COMMAND "${CMAKE_COMMAND}" -G Ninja -S "${SOURCE_DIR}/tests/consumer" -B "${WORK_DIR}/build"
  "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DPROGRAM=${PROGRAM}"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK_DIR}/build" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK_DIR}/build/consumer" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "printed:\n${printed}")
