#include "polhode/multibody/mechanism_system.h"

namespace polhode {

class MechanismSystem::Loan {
 public:
  explicit Loan(const MechanismSystem& system) : system_(system) {
    for (std::atomic<Scratch*>& place : system_.store_) {
      if (place.load(std::memory_order_relaxed) == nullptr) { continue; }
      scratch_.reset(place.exchange(nullptr, std::memory_order_acquire));
      if (scratch_) { return; }
    }
    scratch_ = std::make_unique<Scratch>(system_.model_);
  }
  ~Loan() {
    for (std::atomic<Scratch*>& place : system_.store_) {
      Scratch* empty = nullptr;
      if (place.compare_exchange_strong(empty, scratch_.get(), std::memory_order_release, std::memory_order_relaxed)) {
        scratch_.release();  // NOLINT(bugprone-unused-return-value): the store has it
        return;
      }
    }
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  Scratch& operator*() const { return *scratch_; }

 private:
  const MechanismSystem& system_;
  std::unique_ptr<Scratch> scratch_;
};

MechanismSystem::MechanismSystem(const Model& model, const MechanismOptions& options)
    : model_(model), options_(options) {
  store_[0].store(std::make_unique<Scratch>(model).release());
}

MechanismSystem::~MechanismSystem() {
  for (std::atomic<Scratch*>& place : store_) { std::unique_ptr<Scratch> owned(place.exchange(nullptr)); }
}

std::string MechanismSystem::entry_name(std::size_t i) const {
  static constexpr std::array<const char*, 13> kNames{"r_N.x", "r_N.y", "r_N.z", "e0",    "e1",    "e2",   "e3",
                                                      "v_N.x", "v_N.y", "v_N.z", "w_B.x", "w_B.y", "w_B.z"};
  if (i >= model_.state_size()) { return i == model_.state_size() ? "work supplied" : "energy dissipated"; }
  return std::string(kNames[i % 13]) + " of body '" + model_.bodies()[i / 13].name + "'";
}

void MechanismSystem::rhs(const double& t, std::span<const double> y, std::span<double> ydot) const {
  const Loan loan(*this);
  const std::size_t n = model_.state_size();
  evaluate(model_, t, y.first(n), ydot.first(n), *loan, options_.baumgarte_rate);
  if (options_.count_work) {
    const Power now = power(model_, *loan);
    ydot[n] = now.supplied;
    ydot[n + 1] = now.dissipated;
  }
}

void MechanismSystem::project_at(const double& t, std::span<double> y) const {
  const Loan loan(*this);
  polhode::project(model_, t, y.first(model_.state_size()), *loan);
}

}  // namespace polhode
