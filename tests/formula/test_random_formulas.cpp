// Formulas made at random: every number type says the same, and intervals hold what numbers inside them give.
#include "polhode/formula/compiler.h"
#include "polhode/math/dual.h"
#include "polhode/math/interval.h"
#include "polhode/math/jet.h"
#include "polhode/math/pack.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

using namespace polhode;

namespace {

struct ThreeNames final : formula::Scope {
  std::optional<formula::Input> find(std::string_view name) const override {
    constexpr std::string_view kNames = "tkx";
    const std::size_t at = name.size() == 1 ? kNames.find(name) : std::string_view::npos;
    if (at == std::string_view::npos) { return {}; }
    return formula::Input{static_cast<std::uint32_t>(at), at == 1 ? formula::Pace::parameter : formula::Pace::state};
  }
  std::vector<std::string_view> names() const override { return {"t", "k", "x"}; }
};

class FormulaMaker {
 public:
  std::string make(int depth) {
    if (depth <= 0) {
      return pick(2) == 0 ? one_of({"0", "1", "2", ".5", "3.", "1e-3", "7", "pi"}) : one_of({"t", "k", "x"});
    }
    switch (pick(9)) {
      case 0: {
        const auto& all = formula::functions();
        const auto& [name, arguments] = all[static_cast<std::size_t>(pick(static_cast<int>(all.size())))];
        return name + "(" + make(depth - 1) + (arguments == 2 ? ", " + make(depth - 1) : "") + ")";
      }
      case 1:
        return "(" + make(depth - 1) + ")";
      case 2:
        return one_of({"-", "!"}) + "(" + make(depth - 1) + ")";
      case 3:
        return "(" + make(depth - 1) + " ? " + make(depth - 1) + " : " + make(depth - 1) + ")";
      default:
        return make(depth - 1) +
               one_of({"+", "-", "*", "/", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||", " + ", " * "}) +
               make(depth - 1);
    }
  }
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random_); }

 private:
  std::string one_of(std::initializer_list<const char*> list) {
    return *(list.begin() + pick(static_cast<int>(list.size())));
  }
  std::mt19937_64 random_{11};
};

template <class S>
S random_value(const formula::Tape& tape, const std::vector<S>& values) {
  formula::Evaluation<S> evaluation(tape);
  for (std::size_t i = 0; i < tape.inputs().size(); ++i) { evaluation.inputs()[i] = values[tape.inputs()[i].id]; }
  evaluation.parameters_changed();
  evaluation.update();
  return evaluation[0];
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

}  // namespace

TEST_CASE(
    "random formulas: number types made of doubles agree to the bit, intervals hold what numbers inside them give") {
  FormulaMaker maker;
  const ThreeNames names;
  int compiled = 0;
  int finite = 0;
  int narrow = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::string text = maker.make(1 + maker.pick(4));
    formula::Compiler compiler(names);
    compiler.add(text);
    if (!compiler.mistakes().empty()) { continue; }  // such as a comparison behind a comparison
    ++compiled;
    const formula::Tape tape = compiler.finish();
    CAPTURE(text);
    const double width = std::vector<double>{1e-9, 0.1, 2}[static_cast<std::size_t>(maker.pick(3))];
    std::vector<Interval> box;
    for (int i = 0; i < 3; ++i) {
      const double low = maker.between(-3, 3);
      box.emplace_back(low, low + width);
    }
    const Interval range = random_value<Interval>(tape, box);
    narrow += range.width() < 1 ? 1 : 0;
    constexpr std::size_t kLanes = 4;
    std::vector<Pack<kLanes>> packs(3);
    std::vector<double> alone(kLanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::vector<double> point;
      std::vector<Dual<double>> duals;
      std::vector<Jet<double, 2>> jets;
      for (std::size_t i = 0; i < 3; ++i) {
        const double x = lane == 0 ? box[i].low : lane == 1 ? box[i].high : maker.between(box[i].low, box[i].high);
        point.push_back(x);
        duals.emplace_back(x, 1.0);
        jets.push_back(i == 0 ? Jet<double, 2>::time(x) : Jet<double, 2>(x));
        packs[i][lane] = x;
      }
      const double value = alone[lane] = random_value<double>(tape, point);
      CHECK(same_bits(random_value<Dual<double>>(tape, duals).value, value));
      CHECK(same_bits(random_value<Jet<double, 2>>(tape, jets).c[0], value));
      if (std::isfinite(value)) {
        ++finite;
        CHECK(range.low <= value);
        CHECK(value <= range.high);
      }
    }
    const Pack<kLanes> lanes = random_value<Pack<kLanes>>(tape, packs);
    for (std::size_t lane = 0; lane < kLanes; ++lane) { CHECK(same_bits(lanes[lane], alone[lane])); }
  }
  // the sample is worth something
  CHECK(compiled > 2200);
  CHECK(finite > 7000);
  CHECK(narrow > 800);
}

TEST_CASE("random choices: a batch has the bits of each state alone, whichever sides its states take") {
  FormulaMaker maker;
  const ThreeNames names;
  constexpr std::size_t kLanes = 32;
  int moved = 0;
  int unlike = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const auto any = [&](int depth) { return "(" + maker.make(depth) + ")"; };
    const std::string text = "t + " + any(1) + " < x ? sin" + any(2) + "*atan" + any(2) + "*" + any(3) + " : cos" +
                             any(2) + "*tanh" + any(2) + " + " + any(3);
    formula::Compiler compiler(names);
    compiler.add(text);
    if (!compiler.mistakes().empty()) { continue; }
    const formula::Tape tape = compiler.finish();
    CAPTURE(text);
    for (const formula::Side& side : tape.sides()) { moved += side.is_worth_moving ? 1 : 0; }
    std::vector<Pack<kLanes>> packs(3);
    std::vector<double> alone(kLanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::vector<double> point;
      for (std::size_t i = 0; i < 3; ++i) {
        point.push_back(maker.between(-3, 3));
        packs[i][lane] = point[i];
      }
      alone[lane] = random_value<double>(tape, point);
    }
    const Pack<kLanes> lanes = random_value<Pack<kLanes>>(tape, packs);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      CHECK(same_bits(lanes[lane], alone[lane]));
      unlike += same_bits(lanes[lane], alone[(lane + 1) % kLanes]) ? 0 : 1;
    }
  }
  // the sample is worth something: sides are computed in narrower packs, and the state of another lane would be wrong
  CHECK(moved > 500);
  CHECK(unlike > 10000);
}
