# Copies polhode/step.hpp away from everything else, compiles the example at its top as C++17 without exceptions and
# run-time types, with many warnings as errors, and runs it.
file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")
file(COPY "${SOURCE_DIR}/src/polhode/step.hpp" DESTINATION "${WORK_DIR}")

# The lines between the first two that are empty but for "//", less the "//".
file(READ "${SOURCE_DIR}/src/polhode/step.hpp" text)
string(FIND "${text}" "\n//\n" start)
math(EXPR start "${start} + 4")
string(SUBSTRING "${text}" ${start} -1 text)
string(FIND "${text}" "\n//\n" end)
string(SUBSTRING "${text}" 0 ${end} example)
string(REGEX REPLACE "(^|\n)//" "\\1" example "${example}")
if(NOT example MATCHES "advance\\(inertia, rotor, dt\\)")
  message(FATAL_ERROR "no example at the top of step.hpp:\n${example}")
endif()
string(REPLACE "for (;;)" "for (int n = 0; n < 600; ++n)" example "${example}")
file(WRITE "${WORK_DIR}/example.cpp" "#include \"step.hpp\"
#include <cstdio>
static void draw(const polhode::step::Quaternion<float>& e) { std::printf(\"%g\\n\", static_cast<double>(e.w)); }
static void collide(const polhode::step::Vector<float>&) {}
int main() {
  const polhode::step::Vector<float> torque{0, 0, 0.1f};
  const float dt = 1.0f / 60;
${example}
}
")
execute_process(COMMAND "${COMPILER}" -std=c++17 -O1 -fno-exceptions -fno-rtti -Wall -Wextra -Wpedantic -Wconversion
  -Wsign-conversion -Wshadow -Wdouble-promotion -Werror "${WORK_DIR}/example.cpp" -o "${WORK_DIR}/example"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK_DIR}/example" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n" lines "${printed}")
list(LENGTH lines count)
if(NOT count EQUAL 600 OR printed MATCHES "nan|inf")
  message(FATAL_ERROR "${count} lines:\n${printed}")
endif()
