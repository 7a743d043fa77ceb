#include "polhode/catalog/catalog.h"

#include "polhode/audit/log.h"
#include "polhode/catalog/conventions.h"
#include "polhode/catalog/examples.h"
#include "polhode/catalog/mechanism_scenario.h"
#include "polhode/catalog/representations.h"
#include "polhode/catalog/scenario.h"
#include "polhode/formulation/formulation.h"
#include "polhode/formulation/schemes.h"
#include "polhode/integrator/integrator.h"
#include "polhode/io/result.h"
#include "polhode/rotation/euler_sequence.h"

#include <fmt/format.h>

namespace polhode::catalog {
namespace {

Kind sequences() {
  Kind kind{.name = "sequences",
            .summary = "orders of three turns about coordinate axes, intrinsic; add :extrinsic for space axes",
            .entries = {}};
  for (const EulerSequence& sequence : all_sequences()) {
    kind.entries.push_back({sequence.name(),
                            sequence.proper() ? "proper Euler angles, lock at middle angle 0 and 180 deg"
                                              : "Tait-Bryan angles, lock at middle angle +-90 deg",
                            "SchwabMeijaard2006",
                            {}});
  }
  return kind;
}

/// "212 flops: 96 additions, 116 multiplications" with what else there is.
std::string cost(const OperationCount& count) {
  std::string text =
      fmt::format("{} flops: {} additions, {} multiplications", count.flops(), count.additions, count.multiplications);
  if (count.divisions > 0) { text += fmt::format(", {} divisions", count.divisions); }
  if (count.roots > 0) { text += fmt::format(", {} roots", count.roots); }
  if (count.functions > 0) { text += fmt::format("; and {} sines and cosines", count.functions); }
  return text;
}

Kind formulations_kind() {
  Kind kind{.name = "formulations",
            .summary = "forms of the rotational equations of motion; cost counted for one force",
            .entries = {}};
  for (const auto& form : formulations<double>()) {
    const FormDescription& d = form->description();
    Entry entry{d.name, d.equation, d.reference, {{"unknowns", d.unknowns}}};
    if (d.row_scale) {
      entry.details.emplace_back("multiplier", fmt::format("{} for the row {}e^T", d.multiplier,
                                                           *d.row_scale == 1 ? "" : std::to_string(*d.row_scale)));
    }
    if (!d.singularity.empty()) { entry.details.emplace_back("singular at", d.singularity); }
    std::string degree = d.gyroscopic_term.empty()
                             ? "no gyroscopic term"
                             : fmt::format("gyroscopic term {} in {}", d.gyroscopic_degree, d.gyroscopic_unknowns);
    if (d.force_jacobian_degree > 0) { degree += fmt::format(", force {} in e", d.force_jacobian_degree); }
    if (!d.gyroscopic_term.empty()) { entry.details.emplace_back("gyroscopic term", d.gyroscopic_term); }
    entry.details.emplace_back("degree", std::move(degree));
    entry.details.emplace_back("cost", cost(d.cost));
    kind.entries.push_back(std::move(entry));
  }
  return kind;
}

Kind integrators_kind() {
  Kind kind{.name = "integrators",
            .summary = "methods that carry a body through time; one that needs something of a formulation says what",
            .entries = {}};
  for (const auto& method : integrators<double>()) {
    const MethodDescription& d = method->description();
    Entry entry{d.name, d.summary, d.reference, {{"order", d.order > 0 ? std::to_string(d.order) : "variable"}}};
    std::string is = d.adaptive ? "steps by tolerance or fixed" : "fixed steps";
    if (d.dense) { is += ", dense output"; }
    if (d.symmetric) { is += ", symmetric"; }
    if (d.symplectic) { is += ", symplectic or variational"; }
    if (!d.portable) { is += ", not portable: last bits may differ between systems"; }
    if (!d.leaves_out.empty()) { is += ", leaves out " + d.leaves_out; }
    entry.details.emplace_back("is", is);
    if (!d.needs.empty()) { entry.details.emplace_back("needs", fmt::format("{}", fmt::join(d.needs, ", "))); }
    kind.entries.push_back(std::move(entry));
  }
  for (const AbsentMethod& method : absent_integrators()) {
    kind.entries.push_back({method.name, "not in this build: " + method.cure, "", {}});
  }
  return kind;
}

Kind schemes_kind() {
  Kind kind{
      .name = "schemes",
      .summary =
          "first-order update schemes of game engines, integrators of the same names; two are wrong physics on purpose",
      .entries = {}};
  for (const Scheme& scheme : kSchemes) {
    kind.entries.push_back({std::string(scheme.name), std::string(scheme.summary), "EngineNotes", {}});
  }
  return kind;
}

/// One list, under both names that its table may have.
Kind acting_kind(std::string name) {
  Kind kind{.name = std::move(name),
            .summary = "what can act on one body or in a mechanism: [[load]] or [[forces]] of a scenario",
            .entries = {}};
  for (const force::Kind& one : force::kinds()) {
    const char* on = !one.in_mechanisms ? "one body" : one.on_one_body ? "one body, mechanisms" : "mechanisms";
    kind.entries.push_back(
        {std::string(one.name), std::string(one.summary), "", {{"is", std::string(one.equation)}, {"acts on", on}}});
  }
  return kind;
}

Kind constraints_kind() {
  Kind kind{.name = "constraints",
            .summary = "what else holds bodies of a mechanism: [[constraints]] of a scenario",
            .entries = {}};
  const auto add = [&](const ConstraintKind& one) {
    kind.entries.push_back({std::string(one.name), std::string(one.summary), "", {{"is", std::string(one.equation)}}});
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (add(std::variant_alternative_t<I, GivenConstraint>::kind), ...);
  }(std::make_index_sequence<std::variant_size_v<GivenConstraint>>{});
  return kind;
}

Kind joints_kind() {
  Kind kind{.name = "joints",
            .summary = "how bodies of a mechanism are held together: [[joints]] of a scenario",
            .entries = {}};
  for (const JointKind& joint : joint_kinds()) {
    Entry entry{std::string(joint.name), std::string(joint.summary), "", {}};
    entry.details.emplace_back("leaves", fmt::format("{} of 6 freedoms", joint.freedoms()));
    std::vector<std::string_view> coordinates;
    coordinates.reserve(joint.coordinates.size());
    for (const Coordinate coordinate : joint.coordinates) { coordinates.push_back(to_text(coordinate)); }
    if (!coordinates.empty()) {
      entry.details.emplace_back("reports", fmt::format("{}", fmt::join(coordinates, ", ")));
    }
    if (!joint.parameter.empty()) { entry.details.emplace_back("needs", std::string(joint.parameter)); }
    kind.entries.push_back(std::move(entry));
  }
  return kind;
}

Kind formats_kind() {
  Kind kind{.name = "formats", .summary = "formats of result files", .entries = {}};
  for (const io::ResultWriter* writer : io::result_writers()) {
    kind.entries.push_back(
        {std::string(writer->name), std::string(writer->summary), "", {{"file", std::string(writer->file_name)}}});
  }
  return kind;
}

Kind examples_kind() {
  Kind kind{.name = "examples", .summary = "scenarios to start from: polhode new NAME", .entries = {}};
  for (const Example& example : examples()) {
    kind.entries.push_back({std::string(example.name), std::string(example.title), "", {}});
  }
  return kind;
}

Kind maps_kind() {
  Kind kind{.name = "maps", .summary = "what engines write to their logs, for polhode audit --map", .entries = {}};
  for (const audit::LogMap& map : audit::log_maps()) {
    kind.entries.push_back({std::string(map.name), std::string(map.summary), "", {}});
  }
  return kind;
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kAll{
      sequences(),    representation_kind(), convention_kind(), formulations_kind(), integrators_kind(),
      schemes_kind(), acting_kind("loads"),  joints_kind(),     constraints_kind(),  acting_kind("forces"),
      formats_kind(), examples_kind(),       maps_kind()};
  return kAll;
}

}  // namespace polhode::catalog
