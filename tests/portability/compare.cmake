# Runs PROGRAM and compares its output with the file EXPECTED, comment lines left out.
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ "${EXPECTED}" expected)
string(REGEX REPLACE "#[^\n]*\n" "" expected "${expected}")
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "expected:\n${expected}printed:\n${printed}")
endif()
