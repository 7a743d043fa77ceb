#include "polhode/simulation/ledger.h"

#include "polhode/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace polhode::simulation {
namespace {

using Numbers = std::array<double, sizeof(LedgerState) / sizeof(double)>;

}  // namespace

std::vector<double> LedgerState::numbers() const {
  const auto all = std::bit_cast<Numbers>(*this);
  return {all.begin(), all.end()};
}

double energy_bound(double accuracy, const LedgerState& ledger) {
  constexpr double kRoundings = 64 * 2.220446049250313e-16;
  return std::fmax(accuracy, relative_error(kRoundings * ledger.energy_terms, ledger.energy_scale));
}

LedgerState LedgerState::from(std::span<const double> numbers) {
  Numbers all{};
  if (numbers.size() != all.size()) {
    fail(Error(Problem{
        .what = fmt::format("the checkpoint's ledger holds {} numbers, and {} are needed", numbers.size(), all.size()),
        .allowed = "wanted: a checkpoint by this version",
        .cure = "run from the start"}));
  }
  std::copy(numbers.begin(), numbers.end(), all.begin());
  return std::bit_cast<LedgerState>(all);
}

}  // namespace polhode::simulation
