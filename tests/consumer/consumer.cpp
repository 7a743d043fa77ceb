#include <polhode/core/version.h>
#include <polhode/math/matrix.h>

#include <cstdio>

int main() {
  const polhode::Vec3<double> w_B{0.3, -0.2, 0.5};
  const polhode::Vec3<double> h_B = polhode::diagonal(2.0, 3.0, 4.0) * w_B;
  std::printf("polhode %s: h_B = %g %g %g\n", polhode::version(), h_B.x, h_B.y, h_B.z);
}
