#include "polhode/math/elliptic.h"

namespace polhode::elliptic {

template double R_F(double, double, double);
template double R_J(double, double, double, double);
template double complete_K(const double&);
template double F(const double&, const double&);
template double Pi(const double&, const double&, const double&);
template double am(const double&, const double&);
template Jacobi<double> jacobi(const double&, const double&);

}  // namespace polhode::elliptic
