#pragma once

#include "polhode/verification/report.h"
#include "polhode/verification/trial.h"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace polhode::verification {

/// Deviation of a relation at one random point, and whether the relation counts as true there.
struct Outcome {
  double residual;
  bool holds;
};

/// A relation evaluated at the random point number `seed`, as it is or made wrong.
struct Check {
  std::string_view arithmetic;
  std::function<Outcome(std::uint64_t seed, bool twin)> at;
};

/// A relation among fractions: true if the residual is zero.
Check exact(Exact (*residual)(Trial<Exact>&));

/// A relation with roots or angles, in 50 digits. True below 1e-40: some hundred operations and condition numbers up to
/// 1e4 may cost ten digits; a wrong sign costs all.
Check digits50(Fine (*residual)(Trial<Fine>&));

/// One relation of a source, in the source's symbols but for the prime that marks body quantities.
struct Identity {
  std::string_view equation;
  std::string_view label;
  std::string_view function;
  std::string_view statement;
  std::string_view twin;
  Check check;
  std::string_view erratum = "";
};

// The relations, a file each source. Adding one is adding an entry to its list.
std::vector<Identity> identities_sherif();
std::vector<Identity> identities_bernstein();
std::vector<Identity> identities_multibody_notes();
std::vector<Identity> identities_engine_notes();
std::vector<Identity> identities_schwab_meijaard();
std::vector<Identity> identities_parameters();
std::vector<Identity> identities_sequences();
std::vector<Identity> identities_charts();

// The equations of motion, the same way.
std::vector<Identity> forms_sherif();
std::vector<Identity> forms_bernstein();
std::vector<Identity> forms_engine_notes();
std::vector<Identity> forms_schwab_meijaard();
std::vector<Identity> forms_own();

/// Checks each identity and its twin at several points and adds them to the report under this source.
void check_all(std::span<const Identity> identities, std::string_view source, Report& report);
/// Adds them not evaluated.
void describe_all(std::span<const Identity> identities, std::string_view source, Report& report);

}  // namespace polhode::verification
