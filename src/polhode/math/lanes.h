#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Elementary functions of many doubles at once, with the bits that math::sin, math::pow, ... give for each alone. They
/// are compiled several times, for two, four and eight numbers an instruction; the widest that the processor has is
/// taken when the program runs. `x` and `to` must not overlap.
namespace polhode::math::lanes {

/// Functions of two numbers take them in the usual order: atan2(y, x).
#define OF_ONE(function, how) void function(const double* x, double* to, std::size_t count);
#define OF_TWO(function, how) void function(const double* x, const double* y, double* to, std::size_t count);
#include "polhode/math/lanes.def"
#undef OF_ONE
#undef OF_TWO

/// Which of `count` ≤ 64 truths, each 1 or 0, are 1: bit i is of truth i.
std::uint64_t truths(const double* truth, std::size_t count);
/// Some of `count` ≤ 64 numbers, those whose bits are set in `which`, one behind the other; behind them the first of
/// them again, until there are `room` numbers. `which` is not 0.
void take(std::uint64_t which, const double* from, std::size_t count, double* to, std::size_t room);
/// The other way: numbers one behind the other to where the bits are set; the others stay.
void put(std::uint64_t which, const double* from, double* to, std::size_t count);

/// What the processor has: "avx512", "avx2", "plain".
std::string_view instructions();
/// Takes narrower ones from now on, "plain" or "avx2", or again the widest: for tests and benchmarks. Gives whether
/// the processor has them. Not while other threads compute.
bool take_instructions(std::string_view name);

}  // namespace polhode::math::lanes
