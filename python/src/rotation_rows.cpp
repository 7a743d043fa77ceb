#include "rotation_rows.h"

#include "polhode/math/lanes.h"
#include "polhode/rotation/axis_angle.h"
#include "polhode/rotation/batch.h"
#include "polhode/rotation/vector_charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace polhode::python {
namespace {

// ---- rows, blocks of rows, threads ----------------------------------------------------------------------------------

/// Rows worked on together: their numbers stay in the first cache.
constexpr std::size_t kBlock = 64;
using Lane = std::array<double, kBlock>;

/// From here on a second thread pays.
constexpr std::size_t kManyRows = 100'000;

/// part(begin, end) for all rows, halves of many rows at once; gives the least of what the parts give.
template <class Part>
std::size_t in_parts(std::size_t n, const Part& part) {
  if (n < kManyRows || std::thread::hardware_concurrency() < 2) { return part(0, n); }
  const std::size_t middle = n / 2 / kBlock * kBlock;
  std::size_t of_second = kNone;
  std::thread second([&] { of_second = part(middle, n); });
  const std::size_t of_first = part(0, middle);
  second.join();
  return std::min(of_first, of_second);
}

template <class One>
void each_row(std::size_t n, const One& one) {
  in_parts(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) { one(i); }
    return kNone;
  });
}

/// The first row for which `one` is false.
template <class One>
std::size_t first_wrong(std::size_t n, const One& one) {
  return in_parts(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!one(i)) { return i; }
    }
    return kNone;
  });
}

/// block(start, count) gives the first wrong row of a block, or kNone.
template <class Block>
std::size_t each_block(std::size_t n, const Block& block) {
  return in_parts(n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t start = begin; start < end; start += kBlock) {
      const std::size_t wrong = block(start, std::min(kBlock, end - start));
      if (wrong != kNone) { return wrong; }
    }
    return kNone;
  });
}

/// Squares of lengths outside of these are for safe_norm.
constexpr double kLeastSquare = std::numeric_limits<double>::min() /
                                (std::numeric_limits<double>::epsilon() * std::numeric_limits<double>::epsilon());
bool is_usual(double square) { return square > kLeastSquare && square <= std::numeric_limits<double>::max(); }

bool is_finite(const Matrix3& A) {
  double sum = 0;
  for (const auto& row : A.m) { sum += row[0] * 0 + row[1] * 0 + row[2] * 0; }
  return sum == 0;
}

/// |e| = 1 again after an operation whose rounding moved it, to first order:  e (3 − e·e)/2.
Attitude unit_again(const Attitude& e) { return (1.5 - 0.5 * norm_squared(e)) * e; }

/// Unit to rounding already: keeps its bits.
Attitude divided_by_norm(const Attitude& e, double size) {
  constexpr double kRounding = 2 * std::numeric_limits<double>::epsilon();
  return std::fabs(size - 1) <= kRounding ? e : e / size;
}

// ---- exponential and logarithm of a block, the bits of exp() and log() ----------------------------------------------

/// out[i] = exp(x[i]). Gives the first row that is not finite.
std::size_t exp_block(const Vector* x, double unit, std::size_t count, Attitude* out) {
  Lane size{};
  Lane half{};
  Lane sine{};
  Lane cosine{};
  for (std::size_t i = 0; i < count; ++i) {
    const Vector one = unit * x[i];
    size[i] = std::sqrt(norm_squared(one));
    half[i] = 0.5 * size[i];
  }
  math::lanes::sin(half.data(), sine.data(), count);
  math::lanes::cos(half.data(), cosine.data(), count);
  bool all_usual = true;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector one = unit * x[i];
    out[i] = {cosine[i], (sine[i] / size[i]) * one};
    all_usual &= is_usual(norm_squared(one));
  }
  if (all_usual) { return kNone; }
  for (std::size_t i = 0; i < count; ++i) {
    const Vector one = unit * x[i];
    if (is_usual(norm_squared(one))) { continue; }
    if (!polhode::is_finite(one)) { return i; }
    out[i] = exp(one);
  }
  return kNone;
}

/// 2 atan2(|e|, e0)/|e| of (KIN-10) for a block, 0 where that is not usual.
struct LogFactors {
  Lane factor{};
  bool all_usual = true;

  LogFactors(const Attitude* e, std::size_t count) {
    Lane sine{};
    Lane cosine{};
    for (std::size_t i = 0; i < count; ++i) {
      sine[i] = std::sqrt(norm_squared(e[i].ev));
      cosine[i] = e[i].e0;
    }
    math::lanes::atan2(sine.data(), cosine.data(), factor.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      factor[i] = (2 * factor[i]) / sine[i];
      all_usual &= is_usual(norm_squared(e[i].ev));
    }
  }
};

/// x[i] = unit log(e[i])
void log_block(const Attitude* e, double unit, std::size_t count, Vector* x) {
  const LogFactors factors(e, count);
  for (std::size_t i = 0; i < count; ++i) { x[i] = unit * (factors.factor[i] * e[i].ev); }
  if (factors.all_usual) { return; }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_usual(norm_squared(e[i].ev))) { x[i] = unit * log(e[i]); }
  }
}

/// canonical(e), without a branch where e0 ≠ 0.
void canonical_block(const Attitude* e, std::size_t count, Attitude* out) {
  bool all_usual = true;
  for (std::size_t i = 0; i < count; ++i) {
    const double sign = e[i].e0 < 0 ? -1.0 : 1.0;
    all_usual &= e[i].e0 != 0;
    out[i] = sign * e[i];
  }
  if (all_usual) { return; }
  for (std::size_t i = 0; i < count; ++i) {
    if (e[i].e0 == 0) { out[i] = canonical(e[i]); }
  }
}

using Attitudes = std::array<Attitude, kBlock>;
using Vectors = std::array<Vector, kBlock>;

void power_block(const Attitude* e, const double* s, std::size_t count, Attitude* out) {
  Vectors x;
  log_block(e, 1, count, x.data());
  for (std::size_t i = 0; i < count; ++i) { x[i] = s[i] * x[i]; }
  exp_block(x.data(), 1, count, out);
}

/// out[i] = rotation_angle(e[i])
void angle_block(const Attitude* e, std::size_t count, double* out) {
  Lane sine{};
  Lane cosine{};
  bool all_usual = true;
  for (std::size_t i = 0; i < count; ++i) {
    const double square = norm_squared(e[i].ev);
    sine[i] = std::sqrt(square);
    cosine[i] = std::fabs(e[i].e0);
    all_usual &= is_usual(square);
  }
  math::lanes::atan2(sine.data(), cosine.data(), out, count);
  for (std::size_t i = 0; i < count; ++i) { out[i] = 2 * out[i]; }
  if (all_usual) { return; }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_usual(norm_squared(e[i].ev))) { out[i] = rotation_angle(e[i]); }
  }
}

/// Memory for large arrays, in huge pages where the system has them. The last that was given back is kept for the next:
/// new pages are cleared by the system first, which takes longer than most operations on them.
class LargeRoom {
 public:
  static constexpr std::size_t kLeast = std::size_t{4} << 20U;
  static constexpr std::size_t kMostKept = std::size_t{128} << 20U;

  static void* take(std::size_t size) {
    {
      const std::scoped_lock lock(mutex_);
      if (room_ != nullptr && size_ == size) { return std::exchange(room_, nullptr); }
    }
    constexpr std::size_t kHugePage = std::size_t{2} << 20U;
    void* room = std::aligned_alloc(kHugePage, (size + kHugePage - 1) / kHugePage * kHugePage);
    if (room == nullptr) { throw std::bad_alloc(); }
#ifdef __linux__
    madvise(room, size, MADV_HUGEPAGE);
#endif
    return room;
  }

  static void give_back(void* room, std::size_t size) {
    if (size <= kMostKept) {
      const std::scoped_lock lock(mutex_);
      std::swap(room, room_);
      size_ = size;
    }
    std::free(room);
  }

 private:
  static inline std::mutex mutex_;
  static inline void* room_ = nullptr;
  static inline std::size_t size_ = 0;
};

EulerSequence in_order_of_axes(const EulerSequence& s) { return s.extrinsic ? sequence::reversed(s) : s; }

/// Few rows one by one: the batch works on a whole block of its own.
void euler_block(const EulerSequence& sequence, const Attitude* in, std::size_t count, Vector* out) {
  constexpr std::size_t kFew = 8;
  if (count > kFew) { return batch::euler_angles(sequence, {in, count}, {out, count}); }
  for (std::size_t i = 0; i < count; ++i) { out[i] = EulerAngles{sequence}.from_euler_parameters(in[i]); }
}

/// Sines and cosines of the half angles of one turn, for a block.
struct HalfTurns {
  Lane sine{};
  Lane cosine{};

  void of(const Vector* angles, double Vector::* turn, double unit, std::size_t count) {
    Lane half{};
    for (std::size_t i = 0; i < count; ++i) { half[i] = 0.5 * (unit * angles[i].*turn); }
    math::lanes::sin(half.data(), sine.data(), count);
    math::lanes::cos(half.data(), cosine.data(), count);
  }
  math::SinCos<double> operator[](std::size_t i) const { return {sine[i], cosine[i]}; }
};

/// Fills rows of three numbers by a chart of the library.
template <class Chart>
std::size_t from_chart(const Chart& chart, const Vector* in, std::size_t n, Attitude* out) {
  return first_wrong(n, [&](std::size_t i) {
    out[i] = chart.to_euler_parameters(in[i]);
    return is_finite(in[i]);
  });
}

}  // namespace

std::shared_ptr<double[]> room_for(std::size_t count) {
  const std::size_t size = count * sizeof(double);
  if (size < LargeRoom::kLeast) { return std::shared_ptr<double[]>(new double[std::max<std::size_t>(count, 1)]); }
  return {static_cast<double*>(LargeRoom::take(size)), [size](double* p) { LargeRoom::give_back(p, size); }};
}

namespace rows {

// ---- quaternions ----------------------------------------------------------------------------------------------------

namespace {

template <bool kScalarFirst>
Attitude read_quaternion(const double* in, double sign) {
  return kScalarFirst ? Attitude{in[0], {sign * in[1], sign * in[2], sign * in[3]}}
                      : Attitude{in[3], {sign * in[0], sign * in[1], sign * in[2]}};
}

template <bool kScalarFirst>
std::size_t read_quaternions(const double* in, double sign, double tolerance, std::size_t n, Attitude* out) {
  return first_wrong(n, [&](std::size_t i) {
    const Attitude e = read_quaternion<kScalarFirst>(in + 4 * i, sign);
    const double size = norm(e);
    out[i] = divided_by_norm(e, size);
    return std::fabs(size - 1) <= tolerance && size > 0 && size <= std::numeric_limits<double>::max();
  });
}

template <bool kScalarFirst, bool kCanonical>
void write_quaternions(const Attitude* in, double sign, std::size_t n, double* out) {
  each_row(n, [&](std::size_t i) {
    const Attitude e = kCanonical ? canonical(in[i]) : in[i];
    double* to = out + 4 * i;
    to[kScalarFirst ? 0 : 3] = e.e0;
    for (std::size_t k = 0; k < 3; ++k) { to[kScalarFirst ? k + 1 : k] = sign * e.ev[k]; }
  });
}

}  // namespace

std::size_t from_quaternions(const double* in, Writing writing, double tolerance, std::size_t n, Attitude* out) {
  const double sign = writing.space_to_body ? -1 : 1;
  return writing.scalar_first ? read_quaternions<true>(in, sign, tolerance, n, out)
                              : read_quaternions<false>(in, sign, tolerance, n, out);
}

void to_quaternions(const Attitude* in, Writing writing, bool canonical, std::size_t n, double* out) {
  const double sign = writing.space_to_body ? -1 : 1;
  if (writing.scalar_first) {
    canonical ? write_quaternions<true, true>(in, sign, n, out) : write_quaternions<true, false>(in, sign, n, out);
  } else {
    canonical ? write_quaternions<false, true>(in, sign, n, out) : write_quaternions<false, false>(in, sign, n, out);
  }
}

// ---- matrices -------------------------------------------------------------------------------------------------------

std::size_t from_matrices(const Matrix3* in, bool space_to_body, double tolerance, std::size_t n, Attitude* out) {
  return first_wrong(n, [&](std::size_t i) {
    const Orthogonality<double> test = orthogonality(in[i]);
    const Attitude e = from_matrix(in[i]);
    out[i] = space_to_body ? conjugate(e) : e;
    return test.defect <= tolerance && test.determinant > 0;
  });
}

std::size_t from_noisy_matrices(const Matrix3* in, bool space_to_body, bool left_handed_too, std::size_t n,
                                Attitude* out) {
  constexpr double kRounding = 1e-12;  // of a product of a few rotations, and of a gap of eigenvalues
  return first_wrong(n, [&](std::size_t i) {
    const Matrix3& A = in[i];
    const Orthogonality<double> test = orthogonality(A);
    if (!(test.determinant > 0) && !left_handed_too) { return false; }
    if (test.determinant > 0 && test.defect <= kRounding) {
      const Attitude e = from_matrix(A);
      out[i] = space_to_body ? conjugate(e) : e;
      return true;
    }
    if (!is_finite(A)) { return false; }
    const NearestRotation<double> nearest = nearest_rotation(A);
    out[i] = space_to_body ? conjugate(nearest.e_NB) : nearest.e_NB;
    return nearest.uniqueness > kRounding * frobenius_norm(A);
  });
}

void to_matrices(const Attitude* in, bool space_to_body, std::size_t n, Matrix3* out) {
  if (space_to_body) {
    return each_row(n, [&](std::size_t i) { out[i] = rotation_matrix(conjugate(in[i])); });
  }
  each_row(n, [&](std::size_t i) { out[i] = rotation_matrix(in[i]); });
}

// ---- three numbers --------------------------------------------------------------------------------------------------

std::size_t from_rotation_vectors(const Vector* in, double unit, std::size_t n, Attitude* out) {
  return each_block(n, [&](std::size_t start, std::size_t count) {
    const std::size_t wrong = exp_block(in + start, unit, count, out + start);
    return wrong == kNone ? kNone : start + wrong;
  });
}

void to_rotation_vectors(const Attitude* in, double unit, std::size_t n, Vector* out) {
  each_block(n, [&](std::size_t start, std::size_t count) {
    Attitudes shortest;
    canonical_block(in + start, count, shortest.data());
    log_block(shortest.data(), 1 / unit, count, out + start);
    return kNone;
  });
}

std::size_t from_euler_angles(const EulerSequence& sequence, const Vector* in, double unit, std::size_t n,
                              Attitude* out) {
  const EulerSequence intrinsic = in_order_of_axes(sequence);
  return each_block(n, [&](std::size_t start, std::size_t count) {
    HalfTurns first;
    HalfTurns second;
    HalfTurns third;
    first.of(in + start, sequence.extrinsic ? &Vector::z : &Vector::x, unit, count);
    second.of(in + start, &Vector::y, unit, count);
    third.of(in + start, sequence.extrinsic ? &Vector::x : &Vector::z, unit, count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!polhode::is_finite(in[start + i])) { return start + i; }
      out[start + i] = sequence::euler_parameters(intrinsic, Turns<double>{first[i], second[i], third[i]});
    }
    return kNone;
  });
}

void to_euler_angles(const EulerSequence& sequence, const Attitude* in, double unit, std::size_t n, Vector* out) {
  const double per_unit = 1 / unit;
  each_block(n, [&](std::size_t start, std::size_t count) {
    euler_block(sequence, in + start, count, out + start);
    if (unit != 1) {
      for (std::size_t i = start; i < start + count; ++i) { out[i] = per_unit * out[i]; }
    }
    return kNone;
  });
}

namespace {

/// At lock θ1 ± θ3 alone is known, by the sign of b1·b3 (KIN-33): all of it in the first angle.
Vector all_in_first(const EulerSequence& intrinsic, const Vector& angles) {
  const math::SinCos<double> middle = math::sincos(angles.y);
  const double side = intrinsic.proper() ? middle.cos : sequence::sign(intrinsic) * middle.sin;
  const double sum = angles.x + (side < 0 ? -angles.z : angles.z);
  return {std::remainder(sum, 2 * math::kPi<double>), angles.y, 0};
}

}  // namespace

std::size_t to_euler_angles_locked(const EulerSequence& sequence, const Attitude* in, double nearness, double unit,
                                   std::size_t n, Vector* out) {
  const EulerSequence intrinsic = in_order_of_axes(sequence);
  const double quarter = 0.5 * math::kPi<double>;
  const double per_unit = 1 / unit;
  return in_parts(n, [&](std::size_t begin, std::size_t end) {
    std::size_t first_locked = kNone;
    for (std::size_t start = begin; start < end; start += kBlock) {
      const std::size_t count = std::min(kBlock, end - start);
      euler_block(sequence, in + start, count, out + start);
      for (std::size_t i = start; i < start + count; ++i) {
        const double from_middle = std::fabs(sequence.proper() ? out[i].y - quarter : out[i].y);
        if (quarter - from_middle <= nearness) {
          out[i] = all_in_first(intrinsic, out[i]);
          first_locked = std::min(first_locked, i);
        }
        out[i] = per_unit * out[i];
      }
    }
    return first_locked;
  });
}

std::size_t from_axes_and_angles(Rows<Vector> axes, Rows<double> angles, double unit, double tolerance, std::size_t n,
                                 Attitude* out) {
  return first_wrong(n, [&](std::size_t i) {
    const double size = norm(axes[i]);
    const double angle = unit * angles[i];
    out[i] = to_euler_parameters(AxisAngle<double>{axes[i] / size, angle});
    return std::fabs(size - 1) <= tolerance && std::isfinite(angle);
  });
}

void to_axes_and_angles(const Attitude* in, double unit, std::size_t n, AxesAndAngles out) {
  each_row(n, [&](std::size_t i) {
    const AxisAngle<double> one = axis_angle(in[i]);
    out.axes[i] = one.axis;
    out.angles[i] = one.angle / unit;
  });
}

std::size_t from_modified_rodrigues(const Vector* in, std::size_t n, Attitude* out) {
  return from_chart(ModifiedRodrigues{}, in, n, out);
}
void to_modified_rodrigues(const Attitude* in, std::size_t n, Vector* out) {
  each_row(n, [&](std::size_t i) { out[i] = ModifiedRodrigues{}.from_euler_parameters(in[i]); });
}
std::size_t from_rodrigues(const Vector* in, std::size_t n, Attitude* out) {
  return from_chart(Rodrigues{}, in, n, out);
}
std::size_t to_rodrigues(const Attitude* in, std::size_t n, Vector* out) {
  return first_wrong(n, [&](std::size_t i) {
    out[i] = Rodrigues{}.from_euler_parameters(in[i]);
    return polhode::is_finite(out[i]);
  });
}

// ---- group and vectors ----------------------------------------------------------------------------------------------

void multiply(Rows<Attitude> a, Rows<Attitude> b, std::size_t n, Attitude* out) {
  each_row(n, [&](std::size_t i) { out[i] = unit_again(a[i] * b[i]); });
}

void invert(const Attitude* in, std::size_t n, Attitude* out) {
  each_row(n, [&](std::size_t i) { out[i] = conjugate(in[i]); });
}

void to_space(Rows<Attitude> e_NB, Rows<Vector> v_B, std::size_t n, Vector* out) {
  each_row(n, [&](std::size_t i) { out[i] = rotate(e_NB[i], v_B[i]); });
}

void to_body(Rows<Attitude> e_NB, Rows<Vector> v_N, std::size_t n, Vector* out) {
  each_row(n, [&](std::size_t i) { out[i] = rotate_back(e_NB[i], v_N[i]); });
}

void angles(const Attitude* in, std::size_t n, double* out) {
  each_block(n, [&](std::size_t start, std::size_t count) {
    angle_block(in + start, count, out + start);
    return kNone;
  });
}

void angles_between(Rows<Attitude> a, Rows<Attitude> b, std::size_t n, double* out) {
  each_block(n, [&](std::size_t start, std::size_t count) {
    Attitudes between;
    for (std::size_t i = 0; i < count; ++i) { between[i] = relative_rotation(a[start + i], b[start + i]); }
    angle_block(between.data(), count, out + start);
    return kNone;
  });
}

/// (KIN-11) as polhode::slerp.
void slerp(Rows<Attitude> a, Rows<Attitude> b, Rows<double> s, std::size_t n, Attitude* out) {
  each_block(n, [&](std::size_t start, std::size_t count) {
    Attitudes between;
    Attitudes turn;
    Lane share{};
    for (std::size_t i = 0; i < count; ++i) {
      between[i] = nearest_sign(relative_rotation(a[start + i], b[start + i]), Attitude::identity());
      share[i] = s[start + i];
    }
    power_block(between.data(), share.data(), count, turn.data());
    for (std::size_t i = 0; i < count; ++i) { out[start + i] = unit_again(a[start + i] * turn[i]); }
    return kNone;
  });
}

void power(const Attitude* in, double s, std::size_t n, Attitude* out) {
  Lane share{};
  share.fill(s);
  each_block(n, [&](std::size_t start, std::size_t count) {
    Attitudes shortest;
    canonical_block(in + start, count, shortest.data());
    power_block(shortest.data(), share.data(), count, out + start);
    return kNone;
  });
}

// ---- rates ----------------------------------------------------------------------------------------------------------

void euler_parameter_rates(Rows<Attitude> e_NB, Rows<Vector> w, bool body, std::size_t n, Attitude* out) {
  each_row(n, [&](std::size_t i) { out[i] = body ? rate_from_body(e_NB[i], w[i]) : rate_from_space(e_NB[i], w[i]); });
}

void velocities(Rows<Attitude> e_NB, Rows<Attitude> edot, bool body, std::size_t n, Vector* out) {
  each_row(n, [&](std::size_t i) { out[i] = body ? body_rate(e_NB[i], edot[i]) : space_rate(e_NB[i], edot[i]); });
}

void euler_rates(const EulerSequence& sequence, Rows<Attitude> e_NB, Rows<Vector> w, bool body, std::size_t n,
                 Vector* out) {
  const EulerAngles chart{sequence};
  each_row(n, [&](std::size_t i) {
    const Vector at = chart.from_euler_parameters(e_NB[i]);
    out[i] = body ? coordinate_rate(chart, at, BodyVector<double>(w[i]))
                  : coordinate_rate(chart, at, SpaceVector<double>(w[i]));
  });
}

void velocities_of_euler(const EulerSequence& sequence, Rows<Attitude> e_NB, Rows<Vector> rates, bool body,
                         std::size_t n, Vector* out) {
  const EulerAngles chart{sequence};
  each_row(n, [&](std::size_t i) {
    const Vector at = chart.from_euler_parameters(e_NB[i]);
    out[i] =
        body ? angular_velocity<Body>(chart, at, rates[i]).raw() : angular_velocity<Space>(chart, at, rates[i]).raw();
  });
}

void distances_to_lock(const EulerSequence& sequence, const Attitude* in, std::size_t n, double* out) {
  const EulerAngles chart{sequence};
  each_row(n, [&](std::size_t i) { out[i] = chart.conditioning(chart.from_euler_parameters(in[i])).distance; });
}

// ---- mean -----------------------------------------------------------------------------------------------------------

/// Σ wᵢ ‖R − Rᵢ‖² is least for the rotation nearest to Σ wᵢ Rᵢ: Rotation matrices have one norm (KIN-23).
NearestRotation<double> mean(const Attitude* in, const double* weights, std::size_t n) {
  Matrix3 sum{};
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = weights == nullptr ? 1 : weights[i];
    total += weight;
    sum = sum + weight * rotation_matrix(in[i]);
  }
  return nearest_rotation((1 / total) * sum);
}

}  // namespace rows
}  // namespace polhode::python
