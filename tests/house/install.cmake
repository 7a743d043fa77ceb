cmake_minimum_required(VERSION 3.25)
# Installs what stands in BUILD_DIR into PREFIX, and nothing of an earlier time stays there.
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${PREFIX}" COMMAND_ERROR_IS_FATAL ANY)
