#include "polhode/catalog/representation_support.h"

namespace polhode::catalog {
namespace {

/// The numbers of the inverse rotation: e_BN instead of e_NB, R_NBᵀ instead of R_NB.
///
///   e_BN = e_NB*;  the rate of N seen from B, in N components, is −ω:  ω'_BN = −A ω'
class Inverse final : public Representation {
 public:
  Inverse(std::string name, RepresentationPtr inner)
      : Representation(std::move(name), inner->columns()), inner_(std::move(inner)) {}

  Reading read(std::span<const double> x, Noise noise) const override {
    const Reading of_inverse = inner_->read(x, noise);
    return {conjugate(of_inverse.e_NB), of_inverse.distance};
  }
  void write(const EulerParameters<double>& e_NB, std::span<double> x) const override {
    inner_->write(conjugate(e_NB), x);
  }
  RateReading read_rates(const EulerParameters<double>& e_NB, std::span<const double> x, std::span<const double> xdot,
                         Noise noise) const override {
    const RateReading of_inverse = inner_->read_rates(conjugate(e_NB), x, xdot, noise);
    return {to_body(normalized(e_NB), SpaceVector<double>(-of_inverse.w.raw())), of_inverse.distance};
  }
  void write_rates(const EulerParameters<double>& e_NB, const BodyVector<double>& w, std::span<const double> x,
                   std::span<double> xdot) const override {
    const SpaceVector<double> w_N = to_space(normalized(e_NB), w);
    inner_->write_rates(conjugate(e_NB), BodyVector<double>(-w_N.raw()), x, xdot);
  }
  Conditioning<double> conditioning(std::span<const double> x) const override { return inner_->conditioning(x); }

 private:
  RepresentationPtr inner_;
};

}  // namespace

RepresentationPtr inverse_of(std::string name, RepresentationPtr rep) {
  return std::make_shared<Inverse>(std::move(name), std::move(rep));
}

}  // namespace polhode::catalog
