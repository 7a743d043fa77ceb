// One motion under many forms: right ones agree, planted faults show up in their row and nowhere else.
#include "polhode/comparison/table.h"
#include "polhode/core/error.h"
#include "simulation/plans.h"
#include "simulation/spoilt_form.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

using namespace polhode;
using comparison::Choice;
using comparison::Comparison;
using comparison::Standing;
using simulation::OneBodyPlan;
using test::Spoilt;

namespace {

/// Short, so that all forms run in little time; charts are switched in time.
OneBodyPlan quick(OneBodyPlan plan) {
  plan.duration = 5;
  plan.start.e_NB = normalized(EulerParameters<double>{0.8, {0.3, -0.4, 0.2}});  // no chart is singular there
  plan.body.least_chart_distance = 0.3;
  return plan;
}

std::vector<Choice> with(const std::string& method, const std::vector<std::string>& forms) {
  std::vector<Choice> choices;
  for (const std::string& form : forms) { choices.push_back({form, method}); }
  return choices;
}

Comparison compare(const OneBodyPlan& plan, const std::vector<Choice>& choices,
                   const comparison::Options& options = {}) {
  return comparison::compare([&](const Choice&) { return plan; }, choices, options);
}

const comparison::Row& row(const Comparison& comparison, const std::string& form) {
  for (const comparison::Row& one : comparison.rows) {
    if (one.choice.formulation == form) { return one; }
  }
  FAIL("no row " << form);
  return comparison.rows.front();
}

}  // namespace

TEST_CASE("every form agrees on a free body, on a top and on a body under forces; f11 has its reason") {
  for (const OneBodyPlan& plan : {test::free_plan(), test::top_plan(), test::forced_plan()}) {
    CAPTURE(plan.title);
    const Comparison result = compare(quick(plan), with("dop853", comparison::forms_named({})));
    CHECK(result.all_agree());
    CHECK(result.rows.size() == formulations<double>().size() + 1);
    CHECK(result.reference.exact == (plan.title == "free"));
    CHECK(result.reference.uncertainty < 1e-11);  // two references at tolerance 1e-13 over few turns
    for (const comparison::Row& one : result.rows) {
      CAPTURE(one.choice.formulation);
      CAPTURE(one.reason);
      if (one.choice.formulation == "f11") {
        CHECK(one.standing == Standing::cannot);
        CHECK(one.reason.find("rank 3") != std::string::npos);
        continue;
      }
      CHECK(one.standing == Standing::agrees);
      CHECK(one.attitude_difference < 1e-7);
      CHECK(one.statistics.evaluations > one.statistics.steps);
      CHECK(one.series.attitude_difference.size() == result.times.size());
      const auto& form = formulation<double>(one.choice.formulation).description();
      CHECK(one.multiplier.has_value() == form.row_scale.has_value());
      if (one.multiplier) {
        CHECK(one.multiplier->error < 1e-8);
        CHECK(std::fabs(one.multiplier->least - one.multiplier->closed_least) < 1e-7);
      }
    }
  }
}

TEST_CASE("the multiplier of f12 is half that of f5, for the row 2eᵀ is twice the row eᵀ") {
  const Comparison result = compare(quick(test::free_plan()), with("dop853", {"f5", "f12"}));
  const auto& f5 = row(result, "f5").multiplier;
  const auto& f12 = row(result, "f12").multiplier;
  REQUIRE(f5.has_value());
  REQUIRE(f12.has_value());
  CHECK(f5->row_scale == 1);
  CHECK(f12->row_scale == 2);
  CHECK(f5->most == doctest::Approx(2 * f12->most).epsilon(1e-9));
  CHECK(comparison::printed(result).notes ==
        std::vector<std::string>{"a: constraint row e^T, lambda = 4T", "b: constraint row 2e^T, lambda = 2T"});
}

TEST_CASE("a planted wrong gyroscopic sign shows up in the row of its form, and in no other") {
  for (const OneBodyPlan& plan : {quick(test::free_plan()), quick(test::top_plan())}) {
    CAPTURE(plan.title);
    const comparison::PlanMaker make = [&](const Choice& choice) {
      OneBodyPlan made = plan;
      if (choice.formulation == "momentum-body") { made.own_form = std::make_shared<Spoilt>("momentum-body", 2, 1); }
      return made;
    };
    const Comparison result =
        comparison::compare(make, with("dop853", {"euler-body", "momentum-body", "f5", "a1:3-1-3"}), {});
    CHECK_FALSE(result.all_agree());
    CHECK(result.any_off());
    CHECK(comparison::in_words(result) == "3 agree, 1 off of 4 rows");
    CHECK(row(result, "momentum-body").standing == Standing::off);
    CHECK(row(result, "momentum-body").attitude_difference > 0.1);
    CHECK(row(result, "momentum-body").reason.find("it computes another motion") != std::string::npos);
    for (const char* form : {"euler-body", "f5", "a1:3-1-3"}) { CHECK(row(result, form).standing == Standing::agrees); }
  }
}

TEST_CASE("a multiplier with the wrong row scaling is flagged, be its body as light as it likes") {
  for (const double size : {1.0, 1e-9}) {
    CAPTURE(size);
    OneBodyPlan plan = quick(test::free_plan());
    plan.body.J_B = size * plan.body.J_B;
    const comparison::PlanMaker make = [&](const Choice& choice) {
      OneBodyPlan made = plan;
      if (choice.formulation == "f5") { made.own_form = std::make_shared<Spoilt>("f5", 0, 0.5); }
      return made;
    };
    const Comparison result = comparison::compare(make, with("dop853", {"f5", "f12"}), {});
    CHECK(row(result, "f5").standing == Standing::off);
    CHECK(row(result, "f5").reason.find("the multiplier differs from its closed form 4T") != std::string::npos);
    CHECK(row(result, "f5").attitude_difference < 1e-7);  // the motion itself is right
    CHECK(row(result, "f12").standing == Standing::agrees);
  }
}

TEST_CASE("a step that is too large is told from a form that is wrong") {
  OneBodyPlan plan = quick(test::free_plan());
  plan.step = 0.1;
  const Comparison result = compare(plan, with("rk4", {"euler-body", "f5"}));
  const comparison::PrintedTable table = comparison::printed(result);
  CHECK(std::count(table.heads.begin(), table.heads.end(), "finer rad") == 1);
  for (const auto& cells : table.rows) { CHECK(cells.size() == table.heads.size()); }
  for (const comparison::Row& one : result.rows) {
    CHECK(one.standing == Standing::coarse);
    REQUIRE(one.finer_difference.has_value());
    CHECK(*one.finer_difference < 0.1 * one.attitude_difference);  // of order 4: a sixteenth
  }
  CHECK_FALSE(result.all_agree());
  CHECK_FALSE(result.any_off());
  CHECK(result.count(Standing::coarse) == 2);
  CHECK(comparison::in_words(result) == "2 agree only with finer steps of 2 rows");
}

TEST_CASE("finer steps that do not reach the end speak for no form") {
  int made = 0;
  const comparison::PlanMaker make = [&](const Choice& choice) {
    OneBodyPlan plan = quick(test::free_plan());
    if (choice.formulation != "momentum-body") { return plan; }
    plan.own_form = std::make_shared<Spoilt>("momentum-body", 2, 1);
    if (++made > 1) {  // all runs but the first end early, where little is off yet
      plan.body.load.add_moment(
          [](const BodyState<double>& s) { return Vec3<double>{s.t > 0.2 ? std::nan("") : 0, 0, 0}; });
    }
    return plan;
  };
  const Comparison result = comparison::compare(make, with("dop853", {"momentum-body"}), {});
  CHECK(made == 4);  // the row, two finer ones, a coarser one
  CHECK(result.rows[0].standing == Standing::off);
  CHECK(result.rows[0].reason.find("no finer steps could tell why") != std::string::npos);
  CHECK_FALSE(result.rows[0].finer_difference.has_value());
}

TEST_CASE("what cannot run has its row with the reason, and spoils nothing") {
  OneBodyPlan plan = quick(test::free_plan());
  plan.body.least_chart_distance = 0;
  plan.start.e_NB = EulerParameters<double>::identity();  // where 3-1-3 is singular
  const std::vector<Choice> choices{{"euler-body", "dop853"}, {"f5", "splitting4"},   {"f11", "dop853"},
                                    {"euler-body", "rk4"},    {"a1:3-1-3", "dop853"}, {"euler-body", "splitting4"}};
  const Comparison result = compare(plan, choices);
  const auto& rows = result.rows;
  CHECK(result.all_agree());
  CHECK(rows[0].standing == Standing::agrees);
  for (const std::size_t i : {1U, 2U, 3U, 4U, 5U}) { CHECK(rows[i].standing == Standing::cannot); }
  CHECK(rows[1].reason.find("has no error estimate") != std::string::npos);
  CHECK(rows[3].reason.find("--step") != std::string::npos);
  CHECK(rows[4].reason.find("singular") != std::string::npos);
  comparison::Options options;
  options.step = 0.001;
  const Comparison stepped = compare(plan, choices, options);
  CHECK(stepped.rows[1].reason.find("needs exact flows") != std::string::npos);
  CHECK(stepped.rows[3].standing == Standing::agrees);
  CHECK(stepped.rows[5].standing == Standing::agrees);
}

TEST_CASE("a chart that meets its singularity on the way is told as such") {
  OneBodyPlan plan = test::free_plan();
  plan.start.e_NB = EulerParameters<double>::identity();
  plan.start.w_B = {0, 1, 0};  // half a turn, where e0 = 0 and the reduced parameters end
  plan.duration = 5;
  const Comparison result = compare(plan, with("dop853", {"a2:reduced", "euler-body"}));
  CHECK(row(result, "euler-body").standing == Standing::agrees);
  CHECK(row(result, "a2:reduced").standing == Standing::singular);
  CHECK(result.all_agree());
  plan.body.least_chart_distance = 0.3;
  CHECK(row(compare(plan, with("dop853", {"a2:reduced"})), "a2:reduced").standing == Standing::agrees);
}

TEST_CASE("any number of threads gives the same table, to the last bit") {
  const std::vector<Choice> choices = with("dop853", comparison::forms_named({"euler-body", "f5", "f12", "f11", "a1"}));
  CHECK(choices.size() == 22);
  comparison::Options one;
  comparison::Options four;
  four.threads = 4;
  std::uint64_t last = 0;
  std::uint64_t all = 0;
  four.on_progress = [&](std::uint64_t done, std::uint64_t total) {
    last = std::max(last, done);
    all = total;
  };
  const OneBodyPlan plan = quick(test::top_plan());
  const comparison::Origin origin{"title", "file.toml", "text", "0", "1"};
  const std::string table = comparison::to_csv(compare(plan, choices, one), origin);
  // a plan belongs to one thread: each gets its own
  const comparison::PlanMaker make = [](const Choice&) { return quick(test::top_plan()); };
  CHECK(comparison::to_csv(comparison::compare(make, choices, four), origin) == table);
  CHECK(last == all);
  CHECK(all == choices.size() * 51);  // 5 s, a row every 0.1 s
}

TEST_CASE("an interrupted comparison keeps the rows that are done") {
  std::atomic<int> asked{0};
  comparison::Options options;
  options.keep_going = [&] { return ++asked < 400; };
  const Comparison result =
      compare(quick(test::free_plan()), with("dop853", {"euler-body", "f5", "f12", "f1", "f2", "f3", "f4"}), options);
  CHECK(result.interrupted);
  CHECK(result.rows.front().standing == Standing::agrees);
  CHECK(result.rows.back().standing == Standing::not_run);
  const std::string csv = comparison::to_csv(result, {"a\nb", "f", "", "", ""});
  CHECK(csv.find("\nf4,dop853,not run,,,") != std::string::npos);
  CHECK(csv.find("a b") != std::string::npos);  // a title breaks no line
}

TEST_CASE("forms are chosen by name or by family; an unknown one is told the nearest") {
  CHECK(comparison::forms_named({"f5", "f5", "euler-body"}) == std::vector<std::string>{"f5", "euler-body"});
  CHECK(comparison::forms_named({"s1"}).size() == 12);
  CHECK(comparison::forms_named({}).size() == formulations<double>().size() + 1);
  try {
    comparison::forms_named({"euler-bdy"});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("did you mean 'euler-body'?") != std::string::npos);
  }
}
