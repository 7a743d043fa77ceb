#!/usr/bin/env python3
"""Prints src/polhode/math/elementary_constants.h: every number the elementary functions use.

Polynomials are Chebyshev fits (mpmath.chebyfit, 60 digits) rounded to double; the largest error of the
rounded polynomial, times the power it is multiplied by and relative to the function, stands beside it.
Numbers "in parts" are sums of doubles, the first ones short, so that products with small integers are exact.
Needs mpmath.  Use: tools/elementary_coefficients.py > src/polhode/math/elementary_constants.h
"""
from mpmath import atan, cbrt, chebyfit, cosh, floor, inf, ldexp, linspace, log, mp, mpf, nint, pi, sin, cos, sinh, sqrt

mp.dps = 60


def hexadecimal(x):
    return float(x).hex()


def line(name, x, comment=""):
    print(f"inline constexpr double {name} = {hexadecimal(x)};{'  // ' + comment if comment else ''}")


def parts(x, fraction_bits):
    """x as a sum: each part but the last is a multiple of 2^-bits, the last is a full double."""
    result = []
    for bits in fraction_bits:
        piece = ldexp(nint(ldexp(x, bits)), -bits)
        result.append(piece)
        x -= piece
    return [*result, x]


def polynomial(name, function, interval, count, error, comment):
    """`error(v, p - function)`: relative error that a wrong p(v) causes in the final function."""
    coefficients = [mpf(float(c)) for c in reversed(chebyfit(function, interval, count))]
    worst = mpf(0)
    for v in linspace(*interval, 1001):
        if v != 0:
            p = sum(c * v**i for i, c in enumerate(coefficients))
            worst = max(worst, abs(error(v, p - function(v))))
    exponent = floor(log(worst, 2) * 10) / 10 if worst else -inf
    print(f"/// {comment}; relative error 2^{float(exponent):.1f}.")
    values = ", ".join(hexadecimal(c) for c in coefficients)
    print(f"inline constexpr double {name}[] = {{{values}}};")


def series(first, sign, ratio):
    """v ↦ Σ_i sign ratio^i v^i / (first + 2i)!: what is left of sin, cos, sinh, cosh after the leading terms,
    by terms, because a difference like (sin r - r) / r³ cancels near 0."""
    return lambda v: sum(sign * (ratio * v) ** i / mp.factorial(first + 2 * i) for i in range(30))


print("#pragma once")
print()
print("// Written by tools/elementary_coefficients.py; do not edit.")
print()
print("#include <cstdint>")
print()
print("// clang-format off")
print("namespace polhode::math::portable {")
print()
print("/// 2/π and π/2 in parts of 37 fraction bits, 37 more, the rest.")
line("kTwoOverPi", 2 / pi)
for i, piece in enumerate(parts(pi / 2, [37, 74])):
    line(f"kHalfPiPart{i + 1}", piece)

quarter = [mpf(0), (pi / 4) ** 2 * mpf("1.0001")]
polynomial("kSin", series(3, -1, -1), quarter, 6,
           lambda v, e: e * v ** mpf(1.5) / sin(sqrt(v)), "sin r = r + r³ p(r²), |r| ≤ π/4")
polynomial("kCos", series(4, 1, -1), quarter, 6,
           lambda v, e: e * v**2 / cos(sqrt(v)), "cos r = 1 - r²/2 + r⁴ p(r²), |r| ≤ π/4")

print()
eighth = [mpf(0), mpf(1) / 16 * mpf("1.0001")]


def atan_series(v):
    return sum((-1) ** (n + 1) * v**n / (2 * n + 3) for n in range(70))


polynomial("kAtan", atan_series, eighth, 9, lambda v, e: e * v ** mpf(1.5) / atan(sqrt(v)),
           "atan u = u + u³ p(u²), |u| ≤ 1/4")
for name, value in [("Pi", pi), ("HalfPi", pi / 2), ("AtanOne", pi / 4), ("AtanHalf", atan(mpf(1) / 2))]:
    line(f"k{name}High", mpf(float(value)))
    line(f"k{name}Low", value - mpf(float(value)))

print()
print("/// ln 2 in parts (42 fraction bits, the rest).")
ln2 = log(2)
for name, piece in zip(["High", "Low"], parts(ln2, [42])):
    line(f"kLn2{name}", piece)
half = [mpf(0), (ln2 / 2) ** 2 * mpf("1.0001")]
polynomial("kSinh", series(3, 1, 1), half, 5, lambda v, e: e * v ** mpf(1.5) / sinh(sqrt(v)),
           "sinh r = r + r³ p(r²), |r| ≤ ln 2 / 2")
polynomial("kCosh", series(4, 1, 1), half, 5, lambda v, e: e * v**2 / cosh(sqrt(v)),
           "cosh r = 1 + r²/2 + r⁴ p(r²), |r| ≤ ln 2 / 2")

print()
for name, value in [("InverseLn2", 1 / ln2), ("InverseLn10", 1 / log(10))]:
    line(f"k{name}High", mpf(float(value)))
    line(f"k{name}Low", value - mpf(float(value)))
LOG_BITS = 6
first = 1 - mpf(75) / 256
line("kLogFirst", first, "the mantissas m of log lie in [kLogFirst, 2 kLogFirst)")
print(f"inline constexpr int kLogTableBits = {LOG_BITS};")


def mantissa(steps):
    """The number whose representation is `steps` table steps above that of kLogFirst."""
    below_one = (1 - first) * 2 * 2**LOG_BITS
    if steps <= below_one:
        return first + steps / mpf(2 * 2**LOG_BITS)
    return 1 + (steps - below_one) / mpf(2**LOG_BITS)


rows, widest = [], mpf(0)
for i in range(2**LOG_BITS):
    low, high = mantissa(mpf(i)), mantissa(mpf(i + 1))
    c = mpf(1) if low < 1 < high else nint(2048 / (low + high)) / 1024
    widest = max(widest, abs(low * c - 1), abs(high * c - 1))
    rows.append((c, *parts(-log(c), [42])))
polynomial("kLog", lambda r: sum((-1) ** n * r**n / (n + 3) for n in range(60)), [-widest, widest], 7,
           lambda r, e: e * r**3 / log(1 + r), "log(1 + r) = r - r²/2 + r³ p(r), |r| ≤ %.5f" % float(widest))
print("/// c ≈ 1/m with 10 fraction bits, and -log c in parts (42 fraction bits, the rest).")
print("struct LogRow {\n  double c;\n  double high;\n  double low;\n};")
print("inline constexpr LogRow kLogTable[] = {")
for row in rows:
    print("    {" + ", ".join(hexadecimal(v) for v in row) + "},")
print("};")

print()
line("kCbrt2", cbrt(2))
line("kCbrt4", cbrt(4))
polynomial("kCbrtStart", cbrt, [mpf(1), mpf(2)], 4, lambda v, e: e / cbrt(v), "∛m ≈ p(m), 1 ≤ m ≤ 2")

print()
print("/// The first 1344 bits of 2/π after the point, 32 in a word.")
print("inline constexpr std::uint32_t kTwoOverPiBits[] = {")
mp.prec = 1500
bits = int(floor(ldexp(2 / pi, 1344)))
words = [(bits >> (1344 - 32 * (i + 1))) & 0xFFFFFFFF for i in range(42)]
for i in range(0, 42, 7):
    print("    " + ", ".join(f"0x{w:08x}u" for w in words[i:i + 7]) + ",")
print("};")
print()
print("}  // namespace polhode::math::portable")
print("// clang-format on")
