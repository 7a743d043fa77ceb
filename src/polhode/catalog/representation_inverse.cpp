#include "polhode/catalog/representation_support.h"

namespace polhode::catalog {
namespace {

/// The numbers of the inverse rotation: e_BN instead of e_NB, R_NBᵀ instead of R_NB.
///
///   e_BN = e_NB*;  the rate of N seen from B, in N components, is −ω:  ω'_BN = −A ω'     (KIN-69)
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
    return {turned_round(conjugate(e_NB), of_inverse.w), of_inverse.distance};
  }
  void write_rates(const EulerParameters<double>& e_NB, const BodyVector<double>& w, std::span<const double> x,
                   std::span<double> xdot) const override {
    inner_->write_rates(conjugate(e_NB), turned_round(e_NB, w), x, xdot);
  }
  RateReading read_accelerations(const EulerParameters<double>& e_NB, const BodyVector<double>& w,
                                 std::span<const double> x, std::span<const double> xdot, std::span<const double> xddot,
                                 Noise noise) const override {
    const RateReading of_inverse =
        inner_->read_accelerations(conjugate(e_NB), turned_round(e_NB, w), x, xdot, xddot, noise);
    return {turned_round(conjugate(e_NB), of_inverse.w), of_inverse.distance};
  }
  void write_accelerations(const AttitudeMotion<double>& motion, std::span<const double> x,
                           std::span<const double> xdot, std::span<double> xddot) const override {
    inner_->write_accelerations(
        {conjugate(motion.e_NB), turned_round(motion.e_NB, motion.w), turned_round(motion.e_NB, motion.wdot)}, x, xdot,
        xddot);
  }
  Conditioning<double> conditioning(std::span<const double> x) const override { return inner_->conditioning(x); }

 private:
  /// ω' or ω̇' of the inverse rotation.
  static BodyVector<double> turned_round(const EulerParameters<double>& e_NB, const BodyVector<double>& w) {
    return BodyVector<double>(-to_space(normalized(e_NB), w).raw());
  }
  RepresentationPtr inner_;
};

}  // namespace

RepresentationPtr inverse_of(std::string name, RepresentationPtr rep) {
  return std::make_shared<Inverse>(std::move(name), std::move(rep));
}

}  // namespace polhode::catalog
