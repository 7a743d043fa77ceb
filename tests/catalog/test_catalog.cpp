#include "polhode/catalog/catalog.h"
#include "polhode/formulation/formulation.h"
#include "polhode/formulation/schemes.h"
#include "polhode/integrator/integrator.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace polhode;

namespace {

const catalog::Kind& kind(const std::string& name) {
  const auto found = std::find_if(catalog::kinds().begin(), catalog::kinds().end(),
                                  [&](const catalog::Kind& k) { return k.name == name; });
  REQUIRE(found != catalog::kinds().end());
  return *found;
}

std::string detail_of(const catalog::Entry& entry, const std::string& name) {
  for (const auto& [key, value] : entry.details) {
    if (key == name) { return value; }
  }
  return {};
}

}  // namespace

TEST_CASE("kinds and their entries are named once, each with a summary") {
  std::set<std::string> kinds;
  for (const catalog::Kind& k : catalog::kinds()) {
    CHECK(kinds.insert(k.name).second);
    std::set<std::string> names;
    for (const catalog::Entry& entry : k.entries) {
      CHECK(names.insert(entry.name).second);
      CHECK_FALSE(entry.summary.empty());
    }
  }
}

TEST_CASE("formulations are listed with unknowns, multiplier and its row, singularity, degree and cost") {
  const catalog::Kind& forms = kind("formulations");
  REQUIRE(forms.entries.size() == formulations<double>().size());
  for (std::size_t n = 0; n < forms.entries.size(); ++n) {
    const catalog::Entry& entry = forms.entries[n];
    const FormDescription& d = formulations<double>()[n]->description();
    CAPTURE(entry.name);
    CHECK(entry.name == d.name);
    CHECK(detail_of(entry, "unknowns") == d.unknowns);
    CHECK(detail_of(entry, "multiplier").empty() == !d.row_scale.has_value());
    CHECK(detail_of(entry, "singular at") == d.singularity);
    CHECK(detail_of(entry, "gyroscopic term") == d.gyroscopic_term);
    CHECK(detail_of(entry, "degree").empty() == false);
    CHECK(detail_of(entry, "cost").starts_with(std::to_string(d.cost.flops()) + " flops"));
  }
  const auto f12 =
      std::find_if(forms.entries.begin(), forms.entries.end(), [](const auto& e) { return e.name == "f12"; });
  REQUIRE(f12 != forms.entries.end());
  CHECK(detail_of(*f12, "multiplier") == "2T for the row 2e^T");
  CHECK(detail_of(*f12, "degree") == "gyroscopic term 3 in e and e., force 3 in e");
  CHECK(detail_of(*f12, "gyroscopic term") == "-8 Q. D Q.^T e");
  CHECK(detail_of(forms.entries.front(), "degree") == "gyroscopic term 2 in w'");
}

TEST_CASE("every integrator is listed, those that this build lacks too, with what it takes to have them") {
  const catalog::Kind& integrators_kind = kind("integrators");
  CHECK(integrators_kind.entries.size() == integrators<double>().size() + absent_integrators().size());
  for (const catalog::Entry& entry : integrators_kind.entries) {
    CAPTURE(entry.name);
    CHECK(!entry.summary.empty());
    const bool absent = entry.summary.starts_with("not in this build");
    CHECK(entry.details.empty() == absent);
    CHECK(entry.source.empty() == absent);
  }
}

TEST_CASE("the four update schemes are listed, with their source, and again among the integrators") {
  CHECK(kind("schemes").entries.size() == kSchemes.size());
  const auto& methods = kind("integrators").entries;
  for (const catalog::Entry& scheme : kind("schemes").entries) {
    CAPTURE(scheme.name);
    CHECK(scheme.source == "EngineNotes");
    const auto found =
        std::find_if(methods.begin(), methods.end(), [&](const catalog::Entry& e) { return e.name == scheme.name; });
    REQUIRE(found != methods.end());
    CHECK(found->source == "EngineNotes");
    CHECK(detail_of(*found, "needs") == "update schemes");
    CHECK((detail_of(*found, "is").find("leaves out the gyroscopic term") != std::string::npos) ==
          (scheme.name.find("no-gyro") != std::string::npos));
  }
}
