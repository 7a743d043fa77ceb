#include "polhode/verification/identity.h"
#include "polhode/verification/larger.h"
#include "polhode/verification/verification.h"

#include <algorithm>
#include <cmath>
#include <exception>

namespace polhode::verification {
namespace {

constexpr std::uint64_t kPoints = 4;
constexpr double kFineTolerance = 1e-40;

/// FNV-1a: each relation has its own random points, whatever stands before it in the list.
std::uint64_t hash(std::string_view seed, std::string_view equation) {
  std::uint64_t h = 14695981039346656037U;
  for (const std::string_view part : {seed, equation}) {
    for (const char c : part) { h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U; }
  }
  return h;
}

template <class S, class Holds>
Check make_check(std::string_view arithmetic, S (*residual)(Trial<S>&), Holds holds) {
  return {arithmetic, [residual, holds](std::uint64_t seed, bool twin) {
            Trial<S> trial(seed, twin);
            const S found = residual(trial);
            return Outcome{found.rounded(), holds(found)};
          }};
}

Item describe(const Identity& identity, std::string_view source) {
  Item item;
  item.source = source;
  item.equation = identity.equation;
  item.label = identity.label;
  item.function = identity.function;
  item.statement = identity.statement;
  item.twin = identity.twin;
  item.arithmetic = identity.check.arithmetic;
  item.erratum = identity.erratum;
  return item;
}

struct IdentitySource {
  std::string_view key;
  std::vector<Identity> (*identities)();
};
constexpr IdentitySource kIdentitySources[] = {
    {"Sherif2015", identities_sherif},
    {"Bernstein2023", identities_bernstein},
    {"MultibodyNotes", identities_multibody_notes},
    {"EngineNotes", identities_engine_notes},
    {"SchwabMeijaard2006", identities_schwab_meijaard},
    {"own", identities_parameters},
    {"own", identities_sequences},
    {"own", identities_charts},
};

}  // namespace

Check exact(Exact (*residual)(Trial<Exact>&)) {
  return make_check("exact", residual, [](const Exact& r) { return r == Exact(0); });
}

Check digits50(Fine (*residual)(Trial<Fine>&)) {
  return make_check("50-digit", residual, [](const Fine& r) { return r < Fine(kFineTolerance); });
}

void check_all(std::span<const Identity> identities, std::string_view source, Report& report) {
  for (const Identity& identity : identities) {
    Item item = describe(identity, source);
    item.ok = true;
    // a formula gone wrong may divide by zero: that is a failure of the check, not of the suite. A twin must be caught
    // by its residual: one that throws, or has a NaN, was not
    const auto evaluate = [&](std::uint64_t point, bool twin) {
      try {
        return identity.check.at(hash(source, identity.equation) + point, twin);
      } catch (const std::exception& trouble) {
        if (!twin) { item.trouble = trouble.what(); }
        return Outcome{0, twin};
      }
    };
    for (std::uint64_t point = 0; point < kPoints; ++point) {
      const Outcome right = evaluate(point, false);
      const Outcome wrong = evaluate(point, true);
      item.ok = item.ok && right.holds;
      item.twin_killed = item.twin_killed || (!wrong.holds && !std::isnan(wrong.residual));
      item.residual = larger(item.residual, right.residual);
      item.twin_residual = larger(item.twin_residual, wrong.residual);
    }
    report.items.push_back(std::move(item));
  }
}

void describe_all(std::span<const Identity> identities, std::string_view source, Report& report) {
  for (const Identity& identity : identities) { report.items.push_back(describe(identity, source)); }
}

Report verify_identities() {
  Report report{"identities", {}};
  for (const IdentitySource& source : kIdentitySources) { check_all(source.identities(), source.key, report); }
  return report;
}

Report describe_identities() {
  Report report{"identities", {}};
  for (const IdentitySource& source : kIdentitySources) { describe_all(source.identities(), source.key, report); }
  return report;
}

}  // namespace polhode::verification
