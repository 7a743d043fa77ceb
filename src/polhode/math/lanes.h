#pragma once

#include <cstddef>
#include <string_view>

/// Elementary functions of many doubles at once, with the bits that math::sin, math::pow, ... give for each alone. They
/// are compiled several times, for two, four and eight numbers an instruction; the widest that the processor has is
/// taken when the program runs. `x` and `to` must not overlap.
namespace polhode::math::lanes {

#define POLHODE_LANES(function) void function(const double* x, double* to, std::size_t count);
POLHODE_LANES(sin)
POLHODE_LANES(cos)
POLHODE_LANES(tan)
POLHODE_LANES(asin)
POLHODE_LANES(acos)
POLHODE_LANES(atan)
POLHODE_LANES(sinh)
POLHODE_LANES(cosh)
POLHODE_LANES(tanh)
POLHODE_LANES(exp)
POLHODE_LANES(log)
POLHODE_LANES(log10)
POLHODE_LANES(cbrt)
#undef POLHODE_LANES
#define POLHODE_LANES(function) void function(const double* x, const double* y, double* to, std::size_t count);
POLHODE_LANES(atan2)  // arguments (y, x), as everywhere
POLHODE_LANES(pow)
POLHODE_LANES(hypot)
#undef POLHODE_LANES

/// What the processor has: "avx512", "avx2", "plain".
std::string_view instructions();
/// Takes narrower ones from now on, "plain" or "avx2", or again the widest: for tests and benchmarks. Gives whether
/// the processor has them. Not while other threads compute.
bool take_instructions(std::string_view name);

}  // namespace polhode::math::lanes
