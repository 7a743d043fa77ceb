#pragma once

#include "polhode/core/error.h"
#include "polhode/formulation/formulation.h"

#include <utility>

namespace polhode {

/// Floating-point operations of one call of rates() under one force in space components, counted by doing it.
template <class Form>
OperationCount cost_of_rates(const Form& form, std::size_t size) {
  using S = Counted;
  const InertiaNow<S> inertia = inertia_now(Mat3<S>{{{2, 0.1, 0.2}, {0.1, 3, 0.3}, {0.2, 0.3, 4}}});
  Load<S> load;
  load.add_force_space({1, -2, 0.5}, {0.2, 0.1, -0.3});
  const BodyState<S> state{0, {}, {}, {0.5, {0.5, -0.1, 0.7}}, {0.3, -0.2, 0.5}};
  std::vector<S> y(size);
  std::vector<S> ydot(size);
  form.to_state(inertia, state.e_NB, state.w_B, y.data());
  return count_operations([&] { form.rates(inertia, LoadNow<S>(load, state), y.data(), ydot.data()); });
}

/// Turns a form, a plain struct with template members, into a Formulation<S>. A form has
///
///   FormDescription describe() const;
///   template <class S> void to_state(const InertiaNow<S>&, const EulerParameters<S>&, const Vec3<S>& w_B, S* y) const;
///   template <class S> void from_state(const InertiaNow<S>&, const S* y, EulerParameters<S>&, Vec3<S>& w_B) const;
///   template <class S> FormResult<S> rates(const InertiaNow<S>&, const LoadNow<S>&, const S* y, S* ydot) const;
///
/// and, if it has something to say there: project(y), switch_chart(y, least), chart_condition(y),
/// expected_multiplier(...).
template <class Form, class S>
class DescribedForm final : public Formulation<S> {
 public:
  explicit DescribedForm(Form form) : form_(std::move(form)), description_(form_.describe()) {
    description_.cost = cost_of_rates(form_, description_.size);
  }

  const FormDescription& description() const override { return description_; }
  void to_state(const InertiaNow<S>& inertia, const EulerParameters<S>& e_NB, const Vec3<S>& w_B,
                std::span<S> y) const override {
    POLHODE_ASSERT(y.size() == description_.size);
    form_.to_state(inertia, e_NB, w_B, y.data());
  }
  void from_state(const InertiaNow<S>& inertia, std::span<const S> y, EulerParameters<S>& e_NB,
                  Vec3<S>& w_B) const override {
    POLHODE_ASSERT(y.size() == description_.size);
    form_.from_state(inertia, y.data(), e_NB, w_B);
  }
  FormResult<S> rates(const InertiaNow<S>& inertia, const LoadNow<S>& load, std::span<const S> y,
                      std::span<S> ydot) const override {
    POLHODE_ASSERT(y.size() == description_.size && ydot.size() == description_.size);
    return form_.rates(inertia, load, y.data(), ydot.data());
  }
  void project(std::span<S> y) const override {
    if constexpr (requires { form_.project(y.data()); }) { form_.project(y.data()); }
  }
  bool switch_chart(std::span<S> y, const S& least_distance) const override {
    if constexpr (requires { form_.switch_chart(y.data(), least_distance); }) {
      return form_.switch_chart(y.data(), least_distance);
    } else {
      return false;
    }
  }
  S chart_condition(std::span<const S> y) const override {
    if constexpr (requires { form_.chart_condition(y.data()); }) {
      return form_.chart_condition(y.data());
    } else {
      return S(1);
    }
  }
  std::optional<S> expected_multiplier(const InertiaNow<S>& inertia, const LoadNow<S>& load,
                                       const EulerParameters<S>& e_NB, const Vec3<S>& w_B) const override {
    if constexpr (requires { form_.expected_multiplier(inertia, load, e_NB, w_B); }) {
      return form_.expected_multiplier(inertia, load, e_NB, w_B);
    } else {
      return std::nullopt;
    }
  }

 private:
  Form form_;
  FormDescription description_;
};

// A state is a row of numbers; these put parts in and take parts out.

template <class S>
void put(S* y, const Vec3<S>& v) {
  y[0] = v.x;
  y[1] = v.y;
  y[2] = v.z;
}
template <class S>
void put(S* y, const EulerParameters<S>& e) {
  y[0] = e.e0;
  put(y + 1, e.ev);
}
template <class S>
Vec3<S> take_vector(const S* y) {
  return {y[0], y[1], y[2]};
}
template <class S>
EulerParameters<S> take_euler_parameters(const S* y) {
  return {y[0], {y[1], y[2], y[3]}};
}

}  // namespace polhode
