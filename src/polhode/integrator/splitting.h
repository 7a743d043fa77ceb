#pragma once

#include "polhode/integrator/method.h"

namespace polhode {

/// The parts that a system calls its exact flows.
template <class S>
class ExactParts {
 public:
  static constexpr std::size_t kTimePart = 0;
  explicit ExactParts(const System<S>& system) : flows_(system.exact_flows()) {}
  std::size_t count() const { return flows_->count(); }
  void flow(std::size_t k, const S& t, const S& dt, std::span<S> y, std::span<S> rest) const {
    flows_->flow(k, t, dt, y, rest);
  }

 private:
  const ExactFlows<S>* flows_;
};

/// Kick and exact free motion. The kick is part 0, which comes first and last in a step: it costs less.
template <class S>
class KickAndFreeMotion {
 public:
  static constexpr std::size_t kTimePart = 1;
  explicit KickAndFreeMotion(const System<S>& system) : free_(system.free_flow()) {}
  static constexpr std::size_t count() { return 2; }
  void flow(std::size_t k, const S& t, const S& dt, std::span<S> y, std::span<S> rest) const {
    k == 0 ? free_->kick(t, dt, y, rest) : free_->drift(dt, y, rest);
  }

 private:
  const FreeFlow<S>* free_;
};

/// Compositions of exact flows of the parts of a vector field, χ going through the parts forwards, χ* backwards:
///
///   y ← ... χ*(α4 dt) χ(α3 dt) χ*(α2 dt) χ(α1 dt) y,   α palindromic, Σ α = 1          (INT-12)
///
/// Valid for any number of parts [McLachlan1995]; neighbouring flows of one part are joined. Time goes on with one of
/// them, `Parts::kTimePart`, so that a load that depends on time is another. Parts<S> is made from a system and has
/// count() and flow(k, t, dt, y, rest).
template <class S, template <class> class Parts>
class Splitting final : public Stepper<S> {
 public:
  /// `alphas`: the first half of α
  Splitting(const MethodDescription& description, const System<S>& system, std::span<const long double> alphas)
      : Stepper<S>(description), parts_(system), end_(system.size()) {
    const std::size_t parts = parts_.count();
    const std::size_t maps = 2 * alphas.size();
    for (std::size_t map = 0; map < maps; ++map) {
      const long double alpha = alphas[map < alphas.size() ? map : maps - 1 - map];
      for (std::size_t k = 0; k < parts; ++k) {
        const std::size_t part = map % 2 == 0 ? k : parts - 1 - k;
        if (!flow_.empty() && flow_.back().part == part) {
          fractions_.back() += alpha;
        } else {
          flow_.push_back({part, S(0), S(0)});
          fractions_.push_back(alpha);
        }
      }
    }
    long double time = 0;
    for (std::size_t i = 0; i < flow_.size(); ++i) {
      flow_[i].fraction = static_cast<S>(fractions_[i]);
      flow_[i].time = static_cast<S>(time);
      if (flow_[i].part == Parts<S>::kTimePart) { time += fractions_[i]; }
    }
  }

  StepStatus step(const S& t, const S& dt, std::span<S> y) override {
    end_.go_on_from(y);
    for (const Flow& flow : flow_) {
      parts_.flow(flow.part, t + flow.time * dt, flow.fraction * dt, end_.y(), end_.rest());
    }
    this->evaluations_ += flow_.size();
    this->bad_index_ = first_not_finite(end_.y());
    if (this->bad_index_ < y.size()) {
      end_.forget();
      return StepStatus::not_finite;
    }
    copy_row(end_.y(), y);
    return StepStatus::ok;
  }
  void restart() override { end_.forget(); }

 private:
  struct Flow {
    std::size_t part;
    S fraction;  ///< of dt
    S time;      ///< of dt, at the start of this flow
  };
  Parts<S> parts_;
  CarriedState<S> end_;
  std::vector<Flow> flow_;
  std::vector<long double> fractions_;
};

/// First halves of α. Orders 4 and 6 are the methods S6 and S10 of [BlanesMoan2002]; their printed 15 digits are kept
/// in as many coefficients as there are freedoms, the others follow from the order conditions.
inline constexpr long double kSplitting2[] = {0.5L};
inline constexpr long double kSplitting4[] = {
    0.0792036964311957L,
    0.1303114101821663L,
    0.2228614958676077L,
    -0.366713269047425169134513970208L,
    0.324648188689705464658597277939L,
    0.10968847787675000447591669227L,
};
inline constexpr long double kSplitting6[] = {
    0.0502627644003922L,
    0.0985536835006503899081872805373L,
    0.314960616927697890856021972718L,
    -0.447346482695480100475724224307L,
    0.492426372489877521636578509582L,
    -0.425118767797692284264742319003L,
    0.237063913978119450060617418268L,
    0.195602488600052638138131497633L,
    0.346358189850729116585160765601L,
    -0.36276277925434682244423090103L,
};

template <template <class> class Parts, const auto& Alphas>
void add_composition(MethodList& list, const MethodDescription& description) {
  list.add(description,
           []<class S>(const MethodDescription& described, const System<S>& system) -> std::unique_ptr<Stepper<S>> {
             return std::make_unique<Splitting<S, Parts>>(described, system, std::span<const long double>(Alphas));
           });
}

template <const auto& Alphas>
void add_splitting(MethodList& list, int order, const char* summary, const char* reference) {
  add_composition<ExactParts, Alphas>(list, {.name = "splitting" + std::to_string(order),
                                             .summary = summary,
                                             .reference = reference,
                                             .order = order,
                                             .symmetric = true,
                                             .symplectic = true,
                                             .needs = {"exact flows"}});
}

/// Exact where nothing acts.
template <const auto& Alphas>
void add_free_kick(MethodList& list, int order, const char* summary, const char* reference) {
  add_composition<KickAndFreeMotion, Alphas>(list, {.name = "free-kick" + std::to_string(order),
                                                    .summary = summary,
                                                    .reference = reference,
                                                    .order = order,
                                                    .symmetric = true,
                                                    .symplectic = true,
                                                    .needs = {"free flow"}});
}

}  // namespace polhode
