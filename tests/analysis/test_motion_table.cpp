// Tables of wanted motion, and the spline through them.
#include "polhode/analysis/motion_table.h"

#include "polhode/core/error.h"
#include "polhode/math/elementary.h"
#include "polhode/math/quintic_spline.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace polhode;
using analysis::MotionTable;
using analysis::read_motion_table;
using math::QuinticSpline;

namespace {

std::string why_no_table(const std::string& text) {
  try {
    static_cast<void>(read_motion_table(text, "motion.csv"));
  } catch (const Error& error) { return error.what(); }
  return "nothing";
}

/// Largest error of the second derivative of the spline through sin, away from its ends, with n pieces over [0, 6].
double error_of_second(int n) {
  std::vector<double> t;
  std::vector<double> f;
  for (int k = 0; k <= n; ++k) {
    t.push_back(6.0 * k / n);
    f.push_back(math::sin(t.back()));
  }
  const QuinticSpline spline(t, f);
  double most = 0;
  for (double at = 2; at < 4; at += 0.003) { most = std::fmax(most, std::fabs(spline(at)[2] + math::sin(at))); }
  return most;
}

}  // namespace

TEST_CASE("the spline goes through its points, and is a parabola where they are on one") {
  const std::vector<double> t{-1, 0.2, 0.5, 2, 2.1, 7};
  std::vector<double> parabola;
  std::vector<double> wild;
  for (const double x : t) {
    parabola.push_back(3 - 2 * x + 0.7 * x * x);
    wild.push_back(math::sin(5 * x) + x);
  }
  const QuinticSpline exact(t, parabola);
  const QuinticSpline other(t, wild);
  for (std::size_t k = 0; k < t.size(); ++k) { CHECK(std::fabs(other(t[k])[0] - wild[k]) < 1e-13); }
  for (double x = -1; x <= 7; x += 0.01) {
    const auto [s, s1, s2] = exact(x);
    // 1e-10: rounding, times the ratio 0.1 to 5 of the pieces to the fourth power
    CHECK(std::fabs(s - (3 - 2 * x + 0.7 * x * x)) < 1e-10);
    CHECK(std::fabs(s1 - (-2 + 1.4 * x)) < 1e-9);
    CHECK(std::fabs(s2 - 1.4) < 1e-8);
  }
}

TEST_CASE("the spline's second derivative has corners nowhere: third and fourth derivatives meet at the points") {
  const std::vector<double> t{0, 0.5, 0.9, 1.6, 2, 3};
  const std::vector<double> f{0, 1, -0.4, 0.3, 0.2, 2};
  const QuinticSpline spline(t, f);
  // one-sided differences of s'', which is a cubic in every piece: exact up to rounding over h³
  const auto differences = [&](double at, double h) {
    const double a = spline(at + 0.5 * h)[2], b = spline(at + h)[2], c = spline(at + 1.5 * h)[2],
                 d = spline(at + 2 * h)[2];
    const double h2 = 0.5 * h;
    // cubic through four points, its first and second derivative at `at`
    const double first = (-26 * a + 57 * b - 42 * c + 11 * d) / (6 * h2);
    const double second = (9 * a - 24 * b + 21 * c - 6 * d) / (3 * h2 * h2);
    return std::pair{first, second};
  };
  for (std::size_t k = 1; k + 1 < t.size(); ++k) {
    const auto [third_before, fourth_before] = differences(t[k], -0.1);
    const auto [third_after, fourth_after] = differences(t[k], 0.1);
    const double size = 1 + std::fabs(fourth_after);
    CHECK(std::fabs(third_before - third_after) < 1e-8 * size);
    CHECK(std::fabs(fourth_before - fourth_after) < 1e-6 * size);
  }
  // natural: both are zero at the ends
  CHECK(std::fabs(differences(0, 0.1).first) < 1e-8 * 1e3);
  CHECK(std::fabs(differences(0, 0.1).second) < 1e-6 * 1e3);
}

TEST_CASE("accelerations from a table are of fourth order in its interval") {
  // what is wrong at the ends shrinks by 0.43 from point to point: after 26 points it is no more seen
  const double order = std::log2(error_of_second(80) / error_of_second(160));
  CHECK(order > 3.7);
  CHECK(order < 4.5);
}

TEST_CASE("a table of motion: comments, units, joints by name") {
  const MotionTable table = read_motion_table(
      "# measured\r\nt_s, arm.turn_deg ,way.slide_z_m,hinge\r\n0,180,1,0.5\n1,90,2,0.25\n\n2.5, +45 ,3,0\n", "m.csv");
  CHECK(table.times == std::vector<double>{0, 1, 2.5});
  REQUIRE(table.columns.size() == 3);
  CHECK(table.columns[0].joint == "arm");
  CHECK(table.columns[0].coordinate == "turn");
  CHECK(std::fabs(table.columns[0].values[1] - math::kPi<double> / 2) < 1e-15);
  CHECK(table.columns[1].coordinate == "slide_z");
  CHECK(table.columns[1].values == std::vector<double>{1, 2, 3});
  CHECK(table.columns[2].coordinate.empty());
}

TEST_CASE("what is wrong with a table is told with its line") {
  CHECK(why_no_table("t,a.turn\n0,1\n1,nan\n1,2\n0.5,3\n4\n") ==
        "motion.csv:3:3: 'nan' is not a finite number\n"
        "motion.csv:5:1: time 0.5 does not come after 1; wanted: times that increase\n"
        "motion.csv:6:1: 1 value in this row; wanted: 2, as in the header");
  CHECK(why_no_table("x,a.turn\n0,1\n1,2\n2,3\n") ==
        "motion.csv:1:1: the first column is 'x'; wanted: a header t, JOINT.COORDINATE, ...");
  CHECK(why_no_table("t,a.turn,a.turn_deg\n0,1,2\n1,2,2\n2,3,2\n") ==
        "motion.csv:1:1: columns 'a.turn' and 'a.turn_deg' are the same coordinate; wanted: each once");
  CHECK(why_no_table("t,a.turn\n0,1\n1,2\n") == "motion.csv: 2 rows of numbers; wanted: a header and 3 or more");
}
