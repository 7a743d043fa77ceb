// Formulas of scenario files: values, mistakes with their locations, nothing else reachable.
#include "polhode/math/elementary.h"
#include "support/bound_formula.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>

using namespace polhode;
using testing::Formula;
using testing::FormulaNames;

namespace {
std::atomic<std::size_t> allocations{0};  // threads of other tests allocate, too

struct Names {
  FormulaNames names;
  Names() {
    names.add("t", &t);
    names.add("k", &k);
    names.add("wx_body", &wx);
  }
  double t = 2;
  double k = 3;
  double wx = -0.5;
};

double value(const std::string& text) {
  const Names names;
  return Formula(text, names.names, {})();
}
std::string message(const std::string& text) {
  const Names names;
  try {
    const Formula formula(text, names.names, {"f.toml", 7, 20});
  } catch (const Error& error) { return error.what(); }
  return "no error";
}
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size);
  if (memory == nullptr) { std::abort(); }
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("formulas: operators, functions, names, conditions") {
  CHECK(value("1 + 2*3 - 4/8") == 6.5);
  CHECK(value("-t^2") == -4);
  CHECK(value("2^3^2") == 512);
  CHECK(value("k*wx_body + t") == 0.5);
  CHECK(value("t > 1 && k < 4 ? 10 : 20") == 10);
  CHECK(value("!(t == 2) || k >= 5") == 0);
  CHECK(value("1e3 + .5 + 2.") == 1002.5);
  CHECK(value("min(t, k) + max(t, k)*10") == 32);
  CHECK(value("mod(-1, 3)") == 2);
  CHECK(value("sign(wx_body) + step(0) + abs(wx_body)") == 0.5);
  // our own functions, to the bit
  CHECK(value("sin(t)") == math::sin(2.0));
  CHECK(value("atan2(t, k)") == math::atan2(2.0, 3.0));
  CHECK(value("k^1.5") == math::pow(3.0, 1.5));
  CHECK(value("pi") == math::kPi<double>);
  CHECK(std::isinf(value("1/0")));
  CHECK(std::isnan(value("sqrt(-1)")));
}

TEST_CASE("formulas: a mistake is told with its location and what would be right") {
  CHECK(message("2*wx_bdy") ==
        "f.toml:7:22: unknown name 'wx_bdy'; did you mean 'wx_body'? or declare it in "
        "[parameters]: wx_bdy = 1.5");
  CHECK(message("sin t").find("f.toml:7:2") == 0);
  CHECK(message("2*qqqqqq").find("known: t k wx_body pi sin") != std::string::npos);
  CHECK(message("2*qqqqqq").ends_with("; declare it in [parameters]: qqqqqq = 1.5"));
  CHECK(message("2 +").find("ends too early") != std::string::npos);
  CHECK(message("").find("empty") != std::string::npos);
  CHECK(message(" ").find("formula") != std::string::npos);
  CHECK(message("(1 + 2").find("parenthesis is not closed") != std::string::npos);
  CHECK(message("1 + 2)").find("parenthesis too many") != std::string::npos);
  CHECK(message("atan2(1)").find("too few arguments") != std::string::npos);
  CHECK(message("sin(1, 2)").find("too many arguments") != std::string::npos);
  CHECK(message("1, 2").find("more than one number") != std::string::npos);
  CHECK(message("2x") != "no error");
  CHECK(message("t t") != "no error");
  CHECK(message(std::string(3000, '1')).find("3000 characters") != std::string::npos);
}

TEST_CASE("formulas: nothing but numbers can be reached") {
  for (const char* text :
       {"t = 5", "k := 1", "\"text\"",  "system(1)", "rnd()", "_pi + 1", "strlen(\"a\")", "t;k", "t\nk",    "#", "@",
        "[1]",   "{1}",    "import(1)", "e^{x}",     "\\t",   "$k",      "inf",           "nan", "0x10 + y"}) {
    CAPTURE(text);
    CHECK(message(text) != "no error");
  }
}

TEST_CASE("formulas: evaluating does not allocate, and follows the numbers") {
  Names names;
  const Formula formula("k*sin(t) + (wx_body > 0 ? wx_body : -wx_body)^2", names.names, {});
  const double first = formula();
  const std::size_t before = allocations;
  double sum = 0;
  for (int i = 0; i < 100; ++i) {
    names.t = 0.01 * i;
    sum += formula();
  }
  CHECK(allocations == before);
  CHECK(sum != 100 * first);
  CHECK(formula.uses("wx_body"));
  CHECK_FALSE(Formula("t", names.names, {}).uses("k"));
}

TEST_CASE("formulas: names that mean something, and texts that are no names") {
  for (const char* name : {"sin", "pi"}) { CHECK(formula::is_reserved(name)); }
  for (const char* name : {"2x", "", "a b", "a-b", "ä"}) { CHECK_FALSE(formula::is_name(name)); }
  CHECK(formula::is_name("_x9"));
  CHECK_FALSE(formula::is_reserved("_x9"));
}
