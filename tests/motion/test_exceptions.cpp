// No NaN, overflow or division by zero is produced on the way, whatever the start.
#include "motion/bodies.h"
#include "polhode/motion.h"

#include <doctest/doctest.h>

#include <cfenv>

using namespace polhode;

// clang, unless told otherwise, may evaluate both sides of a branch and keep one: its flags say nothing of our
// formulas.
#ifdef __clang__
constexpr bool kFlagsCount = false;
#else
constexpr bool kFlagsCount = true;
#endif

TEST_CASE("exact motions raise no floating-point exception, from ordinary starts and from every special one") {
  const double tiny = 0x1p-52;
  const Vec3<double> moments[] = {{2, 3, 4},
                                  {2, 2, 2},
                                  {2, 2, 3},
                                  {3, 2, 2},
                                  {2, 3, 2},
                                  {2, 4, 4.5},
                                  {1, 1 + tiny, 2},
                                  {1, 2, 2 + 2 * tiny},
                                  {1, 1 + tiny, 1 + 2 * tiny},
                                  {4, 3, 2},
                                  {1e-3, 1, 1.0005}};
  const Vec3<double> rates[] = {{0, 0, 0},    {0, 0, 5},         {0, -5, 0},          {1, 2, 3},
                                {1, 0, 1},    {1.5, 0.7, 2},     {1.5, 0, 2},         {-1.5, 0.1, -2},
                                {1e-9, 2, 3}, {1e-30, 1e-30, 5}, {1e-120, 3, 1e-121}, {0, 3, 1e-60},
                                {1e-8, 5, 0}, {1e-200, 1, 0},    {0, 0, 1e-9},        {1e9, 2e9, 3e9}};
  const EulerParameters<double> attitudes[] = {{1, {0, 0, 0}}, {0, {1, 0, 0}}, {0.5, {0.5, 0.5, -0.5}}};
  const auto quiet = [&](const Vec3<double>& J, const Vec3<double>& w, const EulerParameters<double>& e) {
    std::feclearexcept(FE_ALL_EXCEPT);
    const FreeMotion<double> free(J, e, w);
    const QuickFreeMotion quick(J, e, w);
    const LagrangeTop<double> standing({J.x, J.z, 1}, e, w);
    const LagrangeTop<double> hanging({J.x, J.z, -1}, e, w);
    const double unit = norm(w) > 0 ? 1 / norm(w) : 1;
    bool finite = true;
    for (const double turns : {0.0, 0.3, -7.0, 600.0, 1e6}) {
      for (const MotionState<double>& state :
           {free.at(turns * unit), quick.at(turns * unit), standing.at(turns * unit), hanging.at(turns * unit)}) {
        finite = finite && std::isfinite(norm(state.e_NB)) && std::isfinite(norm(state.w_B));
      }
    }
    return finite && (!kFlagsCount || std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW) == 0);
  };
  for (const Vec3<double>& J : moments) {
    for (const Vec3<double>& w : rates) {
      for (const EulerParameters<double>& e : attitudes) {
        CAPTURE(J.x);
        CAPTURE(J.y);
        CAPTURE(J.z);
        CAPTURE(w.x);
        CAPTURE(w.y);
        CAPTURE(w.z);
        CHECK(quiet(J, w, e));
      }
    }
  }
  test::Random random(23);
  for (int n = 0; n < 200; ++n) {
    const test::Start s = random_start(random, random.logarithmic(1e-17, 1));
    CHECK(quiet(s.J, s.w, s.e));
  }
}
