#include "rotation.h"

#include "module.h"

#include "polhode/catalog/conventions.h"
#include "polhode/core/refuse.h"
#include "polhode/math/degree.h"
#include "polhode/rotation/checks.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

// The class polhode.Rotation: reads arguments, calls rotation_rows.h, hands arrays over.

namespace polhode::python {
namespace {

constexpr double kAnyNorm = std::numeric_limits<double>::infinity();

// ---- words that choose ----------------------------------------------------------------------------------------------

bool is_first(std::string_view given, const char* what, std::string_view first, std::string_view second) {
  if (given == first) { return true; }
  if (given == second) { return false; }
  refuse(fmt::format("{} '{}'", what, given), fmt::format("give {}='{}' or {}='{}'", what, first, what, second));
}
bool is_space_to_body(std::string_view direction) {
  return !is_first(direction, "direction", "body_to_space", "space_to_body");
}
bool is_scalar_first(std::string_view order) { return is_first(order, "order", "wxyz", "xyzw"); }
bool is_body(std::string_view frame) { return is_first(frame, "frame", "body", "space"); }
double unit_of(bool degrees) { return degrees ? math::kDegree : 1.0; }

/// An angular velocity given by one of two keywords, which say its frame.
struct AngularVelocity {
  Numbers components;
  bool body;

  AngularVelocity(const nb::object& w_body, const nb::object& w_space)
      : components(chosen(w_body, w_space), {3}, w_space.is_none() ? "w_body" : "w_space"), body(w_space.is_none()) {}

 private:
  static nb::handle chosen(const nb::object& w_body, const nb::object& w_space) {
    if (w_body.is_none() == w_space.is_none()) {
      refuse("an angular velocity is wanted in one frame", "give w_body= or w_space=");
    }
    return w_space.is_none() ? w_body : w_space;
  }
};

// ---- messages with the row ------------------------------------------------------------------------------------------

/// Fails with the message of `check`, or with `otherwise` where the check finds nothing, and the index of the row.
template <class Check>
[[noreturn]] void refuse_row(std::size_t row, Extent extent, const Check& check, std::string otherwise) {
  Problem problem{.what = std::move(otherwise), .allowed = {}, .cure = {}};
  try {
    check();
  } catch (const Error& error) { problem = error.problems().front(); }
  if (!extent.single) { problem.what = fmt::format("row {}: {}", row, problem.what); }
  fail(Error(std::move(problem)));
}
[[noreturn]] void refuse_row(std::size_t row, Extent extent, std::string what) {
  refuse_row(row, extent, [] {}, std::move(what));
}

/// A rotation of rows that `read` fills and checks; `complain` is called with the first wrong one.
template <class Read, class Complain>
Rotation read_rows(Extent extent, const Read& read, const Complain& complain) {
  std::size_t wrong = kNone;
  Rotation made = Rotation::filled(
      extent, [&](Attitude* out) { wrong = unlocked(extent.count, [&] { return read(extent.count, out); }); });
  if (wrong != kNone) { complain(wrong); }
  return made;
}

/// Three finite numbers each.
template <class Read>
Rotation read_vectors(nb::handle given, const char* what, const Read& read) {
  const Numbers in(given, {3}, what);
  return read_rows(
      in.extent(), [&](std::size_t n, Attitude* out) { return read(in.as<Vector>(), n, out); },
      [&](std::size_t wrong) {
        refuse_row(wrong, in.extent(), [&] { require_finite(in.as<Vector>()[wrong], what); }, what);
      });
}

template <class Compute>
Rotation rotation_of(Extent extent, const Compute& compute) {
  return Rotation::filled(extent, [&](Attitude* out) { unlocked(extent.count, [&] { compute(extent.count, out); }); });
}
/// An array with rows of type T, or of doubles, each in the shape `row`.
template <class T, class Compute>
nb::object rows_of(Extent extent, std::initializer_list<std::size_t> row, const Compute& compute) {
  return array_of(extent, row, [&](double* out) {
    unlocked(extent.count, [&] { compute(extent.count, reinterpret_cast<T*>(out)); });
  });
}
/// A float for one, an array for many.
template <class Compute>
nb::object numbers_of(Extent extent, const Compute& compute) {
  if (!extent.single) { return rows_of<double>(extent, {}, compute); }
  double one = 0;
  compute(std::size_t{1}, &one);
  return nb::float_(one);
}

// ---- made from ------------------------------------------------------------------------------------------------------

Rotation read_quaternions(nb::handle given, rows::Writing writing, bool normalize, const char* what) {
  const Numbers in(given, {4}, what);
  const double tolerance = normalize ? kAnyNorm : kUnitTolerance;
  return read_rows(
      in.extent(),
      [&](std::size_t n, Attitude* out) { return rows::from_quaternions(in.data(), writing, tolerance, n, out); },
      [&](std::size_t wrong) {
        const double* q = in.data() + 4 * wrong;
        const Attitude e =
            writing.scalar_first ? Attitude{q[0], {q[1], q[2], q[3]}} : Attitude{q[3], {q[0], q[1], q[2]}};
        refuse_row(wrong, in.extent(), [&] { require_unit(e); }, "norm of a quaternion is not finite");
      });
}

Rotation from_euler_parameters(nb::handle e, bool normalize) {
  return read_quaternions(e, {}, normalize, "Euler parameters");
}

Rotation from_quaternion(nb::handle q, std::string_view order, std::string_view direction, bool normalize) {
  return read_quaternions(q, {is_scalar_first(order), is_space_to_body(direction)}, normalize, "quaternion");
}

rows::Writing writing_of(std::string_view name) {
  const catalog::Convention& tool = catalog::convention(name);
  if (tool.scalar == catalog::Scalar::either || tool.scalar == catalog::Scalar::none ||
      tool.quaternion == catalog::Sense::ambiguous || tool.quaternion == catalog::Sense::none) {
    refuse(fmt::format("'{}' does not say how its quaternions are written ({})", name, tool.summary),
           "say it: from_quaternion(q, order=..., direction=...)");
  }
  return {tool.scalar == catalog::Scalar::first, tool.quaternion == catalog::Sense::space_to_body};
}

Rotation from_convention(std::string_view name, nb::handle q, bool normalize) {
  return read_quaternions(q, writing_of(name), normalize, "quaternion");
}

Rotation from_matrix(nb::handle given, std::string_view direction, bool nearest, bool right_handed) {
  const bool inverse = is_space_to_body(direction);
  const Numbers in(given, {3, 3}, "matrix");
  const auto* matrices = in.as<Matrix3>();
  return read_rows(
      in.extent(),
      [&](std::size_t n, Attitude* out) {
        return nearest ? rows::from_noisy_matrices(matrices, inverse, !right_handed, n, out)
                       : rows::from_matrices(matrices, inverse, kUnitTolerance, n, out);
      },
      [&](std::size_t wrong) {
        const Matrix3& A = matrices[wrong];
        const double det = determinant(A);
        if (nearest && right_handed && det <= 0) {
          refuse_row(wrong, in.extent(),
                     fmt::format("Non-positive determinant {:.6g}: the matrix is left-handed or singular", det));
        }
        if (nearest && std::isfinite(det)) {
          refuse_row(wrong, in.extent(), "several rotations are equally near to the matrix");
        }
        refuse_row(wrong, in.extent(), [&] { require_rotation(A); }, "matrix is not a rotation");
      });
}

Rotation from_rotation_vector(nb::handle x, bool degrees) {
  return read_vectors(x, "rotation vector", [&](const Vector* in, std::size_t n, Attitude* out) {
    return rows::from_rotation_vectors(in, unit_of(degrees), n, out);
  });
}

Rotation from_axis_angle(nb::handle axis, nb::handle angle, bool degrees) {
  const Numbers axes(axis, {3}, "axis");
  const Numbers angles(angle, {}, "angle");
  const Extent extent = common({{axes.extent(), "axes"}, {angles.extent(), "angles"}});
  return read_rows(
      extent,
      [&](std::size_t n, Attitude* out) {
        return rows::from_axes_and_angles(axes.rows<Vector>(), angles.rows<double>(), unit_of(degrees), kUnitTolerance,
                                          n, out);
      },
      [&](std::size_t wrong) {
        refuse_row(wrong, extent, [&] { require_unit(axes.rows<Vector>()[wrong], "axis"); }, "angle is not finite");
      });
}

Rotation from_euler(std::string_view sequence, nb::handle angles, bool degrees) {
  const EulerSequence turns = EulerSequence::parse(sequence);
  return read_vectors(angles, "Euler angles", [&](const Vector* in, std::size_t n, Attitude* out) {
    return rows::from_euler_angles(turns, in, unit_of(degrees), n, out);
  });
}

Rotation from_mrp(nb::handle x) {
  return read_vectors(x, "modified Rodrigues parameters", rows::from_modified_rodrigues);
}
Rotation from_rodrigues(nb::handle x) { return read_vectors(x, "Rodrigues parameters", rows::from_rodrigues); }

Extent extent_of(std::optional<std::size_t> n) { return n ? Extent{*n, false} : Extent{}; }

Rotation identity(std::optional<std::size_t> n) {
  return rotation_of(extent_of(n),
                     [](std::size_t count, Attitude* out) { std::fill_n(out, count, Attitude::identity()); });
}

/// Four normal numbers have any direction of four-space alike.
Rotation random(std::optional<std::size_t> n, const nb::object& seed) {
  const nb::object generator = nb::module_::import_("numpy").attr("random").attr("default_rng")(seed);
  const nb::object shape = n ? nb::object(nb::make_tuple(*n, 4)) : nb::object(nb::int_(4));
  return from_euler_parameters(generator.attr("standard_normal")(shape), true);
}

Rotation concatenate(const nb::object& rotations) {
  std::vector<Rotation> parts;
  std::size_t count = 0;
  for (const nb::handle one : rotations) {
    if (!nb::isinstance<Rotation>(one)) { throw nb::type_error("concatenate: every part must be a Rotation"); }
    parts.push_back(nb::cast<Rotation>(one));
    count += parts.back().count();
  }
  return rotation_of({count, false}, [&](std::size_t, Attitude* out) {
    for (const Rotation& part : parts) { out = std::copy_n(part.data(), part.count(), out); }
  });
}

// ---- written as -----------------------------------------------------------------------------------------------------

/// A view that keeps the rotation alive.
nb::object as_euler_parameters(const nb::handle& self) {
  const auto& rotation = *nb::inst_ptr<Rotation>(self);
  const std::array<std::size_t, 2> shape{rotation.count(), 4};
  const std::size_t skipped = rotation.is_single() ? 1 : 0;
  return nb::cast(
      nb::ndarray<nb::numpy, const double>(&rotation.data()->e0, 2 - skipped, shape.data() + skipped, self));
}

nb::object write_quaternions(const Rotation& self, rows::Writing writing, bool canonical) {
  return rows_of<double>(self.extent(), {4}, [&](std::size_t n, double* out) {
    rows::to_quaternions(self.data(), writing, canonical, n, out);
  });
}

nb::object as_quaternion(const Rotation& self, std::string_view order, std::string_view direction, bool canonical) {
  return write_quaternions(self, {is_scalar_first(order), is_space_to_body(direction)}, canonical);
}

nb::object as_convention(const Rotation& self, std::string_view name) {
  return write_quaternions(self, writing_of(name), false);
}

nb::object as_matrix(const Rotation& self, std::string_view direction) {
  const bool inverse = is_space_to_body(direction);
  return rows_of<Matrix3>(self.extent(), {3, 3},
                          [&](std::size_t n, Matrix3* out) { rows::to_matrices(self.data(), inverse, n, out); });
}

nb::object as_rotation_vector(const Rotation& self, bool degrees) {
  return rows_of<Vector>(self.extent(), {3}, [&](std::size_t n, Vector* out) {
    rows::to_rotation_vectors(self.data(), unit_of(degrees), n, out);
  });
}

nb::object as_euler(const Rotation& self, std::string_view sequence, bool degrees) {
  const EulerSequence turns = EulerSequence::parse(sequence);
  return rows_of<Vector>(self.extent(), {3}, [&](std::size_t n, Vector* out) {
    rows::to_euler_angles(turns, self.data(), unit_of(degrees), n, out);
  });
}

/// Angles, and the first row at lock or None.
nb::tuple as_euler_locked(const Rotation& self, std::string_view sequence, double nearness, bool degrees) {
  const EulerSequence turns = EulerSequence::parse(sequence);
  std::size_t locked = kNone;
  nb::object angles = rows_of<Vector>(self.extent(), {3}, [&](std::size_t n, Vector* out) {
    locked = rows::to_euler_angles_locked(turns, self.data(), nearness, unit_of(degrees), n, out);
  });
  return nb::make_tuple(angles, locked == kNone ? nb::none() : nb::object(nb::int_(locked)));
}

nb::tuple as_axis_angle(const Rotation& self, bool degrees) {
  nb::object axes;
  nb::object angles = numbers_of(self.extent(), [&](std::size_t n, double* angle) {
    const nb::gil_scoped_acquire lock;
    axes = rows_of<Vector>(self.extent(), {3}, [&](std::size_t, Vector* axis) {
      rows::to_axes_and_angles(self.data(), unit_of(degrees), n, {axis, angle});
    });
  });
  return nb::make_tuple(axes, angles);
}

nb::object as_mrp(const Rotation& self) {
  return rows_of<Vector>(self.extent(), {3},
                         [&](std::size_t n, Vector* out) { rows::to_modified_rodrigues(self.data(), n, out); });
}

nb::object as_rodrigues(const Rotation& self) {
  std::size_t wrong = kNone;
  nb::object out = rows_of<Vector>(self.extent(), {3},
                                   [&](std::size_t n, Vector* to) { wrong = rows::to_rodrigues(self.data(), n, to); });
  if (wrong != kNone) {
    refuse_row(wrong, self.extent(), "half a turn has no Rodrigues parameters: they are infinite");
  }
  return out;
}

// ---- operations -----------------------------------------------------------------------------------------------------

Rotation multiply(const Rotation& a, const Rotation& b) {
  return rotation_of(common({{a.extent(), "rotations on the left"}, {b.extent(), "on the right"}}),
                     [&](std::size_t n, Attitude* out) { rows::multiply(a.rows(), b.rows(), n, out); });
}

Rotation inverse(const Rotation& self) {
  return rotation_of(self.extent(), [&](std::size_t n, Attitude* out) { rows::invert(self.data(), n, out); });
}

using Turn = void (*)(Rows<Attitude>, Rows<Vector>, std::size_t, Vector*);
template <Turn kTurn>
nb::object turned(const Rotation& self, nb::handle vectors) {
  const Numbers in(vectors, {3}, "vector");
  return rows_of<Vector>(common({{self.extent(), "rotations"}, {in.extent(), "vectors"}}), {3},
                         [&](std::size_t n, Vector* out) { kTurn(self.rows(), in.rows<Vector>(), n, out); });
}

nb::object angle(const Rotation& self) {
  return numbers_of(self.extent(), [&](std::size_t n, double* out) { rows::angles(self.data(), n, out); });
}

nb::object angle_to(const Rotation& self, const Rotation& other) {
  return numbers_of(common({{self.extent(), "rotations"}, {other.extent(), "others"}}),
                    [&](std::size_t n, double* out) { rows::angles_between(self.rows(), other.rows(), n, out); });
}

Rotation slerp(const Rotation& self, const Rotation& other, nb::handle s) {
  const Numbers shares(s, {}, "s");
  return rotation_of(
      common({{self.extent(), "rotations"}, {other.extent(), "others"}, {shares.extent(), "shares s"}}),
      [&](std::size_t n, Attitude* out) { rows::slerp(self.rows(), other.rows(), shares.rows<double>(), n, out); });
}

Rotation power(const Rotation& self, double s) {
  if (!std::isfinite(s)) { refuse(fmt::format("exponent {} is not finite", s), "give a finite number"); }
  return rotation_of(self.extent(), [&](std::size_t n, Attitude* out) { rows::power(self.data(), s, n, out); });
}

Rotation mean(const Rotation& self, const nb::object& weights) {
  if (self.count() == 0) { refuse("the mean of no rotations", "give one at least"); }
  if (weights.is_none()) {
    return Rotation::of(unlocked(self.count(), [&] { return rows::mean(self.data(), nullptr, self.count()); }).e_NB);
  }
  const Numbers given(weights, {}, "weights");
  if (given.count() != self.count()) {
    refuse(fmt::format("{} weights for {} rotations", given.count(), self.count()), "give one for each");
  }
  double sum = 0;
  for (std::size_t i = 0; i < given.count(); ++i) {
    if (!(given.data()[i] >= 0) || !std::isfinite(given.data()[i])) {
      refuse_row(i, given.extent(), fmt::format("weight {} must be non-negative and finite", given.data()[i]));
    }
    sum += given.data()[i];
  }
  if (!(sum > 0)) { refuse("all weights are 0", "one must be positive"); }
  return Rotation::of(unlocked(self.count(), [&] { return rows::mean(self.data(), given.data(), self.count()); }).e_NB);
}

// ---- rates ----------------------------------------------------------------------------------------------------------

nb::object euler_parameter_rates(const Rotation& self, const nb::object& w_body, const nb::object& w_space) {
  const AngularVelocity w(w_body, w_space);
  return rows_of<Attitude>(common({{self.extent(), "rotations"}, {w.components.extent(), "angular velocities"}}), {4},
                           [&](std::size_t n, Attitude* out) {
                             rows::euler_parameter_rates(self.rows(), w.components.rows<Vector>(), w.body, n, out);
                           });
}

nb::object angular_velocity_of(const Rotation& self, nb::handle rates, std::string_view frame) {
  const bool body = is_body(frame);
  const Numbers edot(rates, {4}, "Euler parameter rates");
  return rows_of<Vector>(
      common({{self.extent(), "rotations"}, {edot.extent(), "rates"}}), {3},
      [&](std::size_t n, Vector* out) { rows::velocities(self.rows(), edot.rows<Attitude>(), body, n, out); });
}

nb::object euler_rates(const Rotation& self, std::string_view sequence, const nb::object& w_body,
                       const nb::object& w_space) {
  const EulerSequence turns = EulerSequence::parse(sequence);
  const AngularVelocity w(w_body, w_space);
  return rows_of<Vector>(common({{self.extent(), "rotations"}, {w.components.extent(), "angular velocities"}}), {3},
                         [&](std::size_t n, Vector* out) {
                           rows::euler_rates(turns, self.rows(), w.components.rows<Vector>(), w.body, n, out);
                         });
}

nb::object angular_velocity_of_euler(const Rotation& self, std::string_view sequence, nb::handle rates,
                                     std::string_view frame) {
  const EulerSequence turns = EulerSequence::parse(sequence);
  const bool body = is_body(frame);
  const Numbers given(rates, {3}, "Euler angle rates");
  return rows_of<Vector>(common({{self.extent(), "rotations"}, {given.extent(), "rates"}}), {3},
                         [&](std::size_t n, Vector* out) {
                           rows::velocities_of_euler(turns, self.rows(), given.rows<Vector>(), body, n, out);
                         });
}

nb::object distance_to_lock(const Rotation& self, std::string_view sequence) {
  const EulerSequence turns = EulerSequence::parse(sequence);
  return numbers_of(self.extent(),
                    [&](std::size_t n, double* out) { rows::distances_to_lock(turns, self.data(), n, out); });
}

// ---- as a sequence --------------------------------------------------------------------------------------------------

const Rotation& many(const Rotation& self, const char* what) {
  if (self.is_single()) { throw nb::type_error(fmt::format("a single rotation {}", what).c_str()); }
  return self;
}

Rotation at_index(const Rotation& self, Py_ssize_t index) {
  const auto count = static_cast<Py_ssize_t>(many(self, "has no index").count());
  const Py_ssize_t at = index < 0 ? index + count : index;
  if (at < 0 || at >= count) { throw nb::index_error(fmt::format("index {} of {} rotations", index, count).c_str()); }
  return Rotation::of(self.data()[at]);
}

Rotation at_slice(const Rotation& self, const nb::slice& slice) {
  const auto [start, stop, step, count] = slice.compute(many(self, "has no slices").count());
  if (step == 1) { return self.part(static_cast<std::size_t>(start), count); }
  return rotation_of({count, false}, [&, from = start, by = step](std::size_t n, Attitude* out) {
    for (std::size_t i = 0; i < n; ++i) { out[i] = self.data()[from + static_cast<Py_ssize_t>(i) * by]; }
  });
}

/// Arrays of indices or of truths, as numpy takes them.
Rotation at_array(const nb::handle& self, const nb::object& which) {
  many(*nb::inst_ptr<Rotation>(self), "has no index");
  const nb::object rows = as_euler_parameters(self).attr("__getitem__")(which);
  if (nb::cast<std::size_t>(rows.attr("ndim")) != 2 || nb::cast<std::size_t>(rows.attr("shape")[nb::int_(1)]) != 4) {
    refuse("an index of more than one dimension", "give one number, slice, or array for the rows");
  }
  return from_euler_parameters(rows, false);
}

/// The same attitudes to the last bit, e and −e alike.
bool equal(const Rotation& a, const Rotation& b) {
  if (a.is_single() != b.is_single() || a.count() != b.count()) { return false; }
  return std::equal(a.data(), a.data() + a.count(), b.data(),
                    [](const Attitude& one, const Attitude& other) { return one == other || one == -other; });
}

std::string representation(const Rotation& self) {
  const auto row = [](const Attitude& e) { return fmt::format("[{}, {}, {}, {}]", e.e0, e.ev.x, e.ev.y, e.ev.z); };
  if (self.is_single()) { return "Rotation.from_euler_parameters(" + row(*self.data()) + ")"; }
  constexpr std::size_t kShown = 6;
  std::string text = "Rotation.from_euler_parameters([";
  const std::size_t shown = std::min(self.count(), kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    text += (i == 0 ? "" : ",\n" + std::string(32, ' ')) + row(self.data()[i]);
  }
  if (shown < self.count()) { return text + fmt::format(", ...])  # {} rotations", self.count()); }
  return text + "])";
}

nb::tuple state(const Rotation& self) {
  return nb::make_tuple(self.is_single(),
                        nb::bytes(reinterpret_cast<const char*>(self.data()), self.count() * sizeof(Attitude)));
}
void set_state(Rotation& self, const std::tuple<bool, nb::bytes>& saved) {
  const auto& [single, bytes] = saved;
  const std::size_t count = bytes.size() / sizeof(Attitude);
  if (bytes.size() % sizeof(Attitude) != 0 || (single && count != 1)) {
    refuse("a saved Rotation has a wrong length", "save it again");
  }
  new (&self) Rotation(Rotation::filled({count, single}, [&, &data = bytes](Attitude* out) {
    std::memcpy(static_cast<void*>(out), data.c_str(), data.size());
  }));
}

// ---- what Python sees -----------------------------------------------------------------------------------------------

#define POLHODE_IN "numpy.typing.ArrayLike"
#define POLHODE_OUT "numpy.typing.NDArray[numpy.float64]"
#define POLHODE_DIRECTION "typing.Literal['body_to_space', 'space_to_body']"
#define POLHODE_FRAME "typing.Literal['body', 'space']"
#define POLHODE_ORDER "typing.Literal['wxyz', 'xyzw']"

using Class = nb::class_<Rotation>;

void bind_made_from(Class& c) {
  c.def_static("from_euler_parameters", from_euler_parameters, nb::arg("e"), nb::kw_only(),
               nb::arg("normalize") = false,
               nb::sig("def from_euler_parameters(e: " POLHODE_IN ", *, normalize: bool = False) -> Rotation"),
               "From Euler parameters e0 e1 e2 e3, body to space, scalar first.\n\n"
               "The norm must be 1 to 1e-6, or normalize=True; rows are divided by it.\n\n"
               ">>> Rotation.from_euler_parameters([1, 0, 0, 0]).angle()\n0.0\n");
  c.def_static("from_quaternion", from_quaternion, nb::arg("q"), nb::kw_only(), nb::arg("order"),
               nb::arg("direction") = "body_to_space", nb::arg("normalize") = false,
               nb::sig("def from_quaternion(q: " POLHODE_IN ", *, order: " POLHODE_ORDER
                       ", direction: " POLHODE_DIRECTION " = 'body_to_space', normalize: bool = False) -> Rotation"),
               "From quaternions of which it is said how they are written.\n\n"
               ">>> Rotation.from_quaternion([0, 0, 0, 1], order='xyzw') == Rotation.identity()\nTrue\n");
  c.def_static("from_convention", from_convention, nb::arg("name"), nb::arg("q"), nb::kw_only(),
               nb::arg("normalize") = false,
               nb::sig("def from_convention(name: str, q: " POLHODE_IN ", *, normalize: bool = False) -> Rotation"),
               "From quaternions as another program writes them: 'ros', 'spice', ... (`polhode list conventions`).\n\n"
               ">>> Rotation.from_convention('drake', [1, 0, 0, 0]).angle()\n0.0\n");
  c.def_static(
      "from_matrix",
      [](nb::handle R, std::string_view direction, bool nearest) { return from_matrix(R, direction, nearest, false); },
      nb::arg("R"), nb::kw_only(), nb::arg("direction") = "body_to_space", nb::arg("nearest") = false,
      nb::sig("def from_matrix(R: " POLHODE_IN ", *, direction: " POLHODE_DIRECTION
              " = 'body_to_space', nearest: bool = False) -> Rotation"),
      "From rotation matrices R_NB, v_N = R_NB v_B; orthogonal to 1e-6, or nearest=True.\n\n"
      ">>> Rotation.from_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]]).as_rotation_vector().round(3)\n"
      "array([0.   , 0.   , 1.571])\n");
  c.def_static("_from_right_handed", [](nb::handle R) { return from_matrix(R, "body_to_space", true, true); });
  c.def_static("from_rotation_vector", from_rotation_vector, nb::arg("x"), nb::kw_only(), nb::arg("degrees") = false,
               nb::sig("def from_rotation_vector(x: " POLHODE_IN ", *, degrees: bool = False) -> Rotation"),
               "From rotation vectors: the axis times the angle.\n\n"
               ">>> Rotation.from_rotation_vector([0, 0, 0.5]).angle()\n0.5\n");
  c.def_static(
      "from_axis_angle", from_axis_angle, nb::arg("axis"), nb::arg("angle"), nb::kw_only(), nb::arg("degrees") = false,
      nb::sig("def from_axis_angle(axis: " POLHODE_IN ", angle: " POLHODE_IN ", *, degrees: bool = False) -> Rotation"),
      "From axes of length 1 (to 1e-6) and angles.\n\n"
      ">>> Rotation.from_axis_angle([0, 1, 0], 90, degrees=True).to_space([0, 0, 1]).round(12)\n"
      "array([1., 0., 0.])\n");
  c.def_static("from_euler", from_euler, nb::arg("sequence"), nb::arg("angles"), nb::kw_only(),
               nb::arg("degrees") = false,
               nb::sig("def from_euler(sequence: str, angles: " POLHODE_IN ", *, degrees: bool = False) -> Rotation"),
               "From Euler angles in the order of the turns: '3-2-1' about body axes, '3-2-1:extrinsic' about space "
               "axes.\n\n"
               ">>> Rotation.from_euler('3-2-1', [0.3, 0.2, 0.1]).as_euler('3-2-1').round(12)\n"
               "array([0.3, 0.2, 0.1])\n");
  c.def_static("from_mrp", from_mrp, nb::arg("x"), nb::sig("def from_mrp(x: " POLHODE_IN ") -> Rotation"),
               "From modified Rodrigues parameters n tan(angle/4).\n\n"
               ">>> Rotation.from_mrp([0, 0, 0]).angle()\n0.0\n");
  c.def_static("from_rodrigues", from_rodrigues, nb::arg("x"),
               nb::sig("def from_rodrigues(x: " POLHODE_IN ") -> Rotation"),
               "From Rodrigues parameters (Gibbs vector) n tan(angle/2).\n\n"
               ">>> Rotation.from_rodrigues([0, 0, 1]).as_rotation_vector(degrees=True).round(12)\n"
               "array([ 0.,  0., 90.])\n");
  c.def_static("identity", identity, nb::arg("n") = nb::none(),
               nb::sig("def identity(n: int | None = None) -> Rotation"),
               "No rotation, or n of them.\n\n>>> len(Rotation.identity(3))\n3\n");
  c.def_static("random", random, nb::arg("n") = nb::none(), nb::kw_only(), nb::arg("seed") = nb::none(),
               nb::sig("def random(n: int | None = None, *, seed: typing.Any = None) -> Rotation"),
               "Random rotations, any attitude alike; seed as numpy.random.default_rng takes it.\n\n"
               ">>> Rotation.random(5, seed=1) == Rotation.random(5, seed=1)\nTrue\n");
  c.def_static("concatenate", concatenate, nb::arg("rotations"),
               nb::sig("def concatenate(rotations: typing.Iterable[Rotation]) -> Rotation"),
               "Single ones and arrays, one behind the other.\n\n"
               ">>> len(Rotation.concatenate([Rotation.identity(), Rotation.identity(2)]))\n3\n");
}

void bind_written_as(Class& c) {
  c.def("as_euler_parameters", as_euler_parameters, nb::sig("def as_euler_parameters(self) -> " POLHODE_OUT),
        "Euler parameters e0 e1 e2 e3, body to space: a view, read-only.\n\n"
        ">>> Rotation.identity().as_euler_parameters()\narray([1., 0., 0., 0.])\n");
  c.def(
      "__array__",
      [](const nb::handle& self, const nb::object& dtype, const nb::object& copy) {
        const nb::object view = as_euler_parameters(self);
        if (dtype.is_none() && !(nb::isinstance<nb::bool_>(copy) && nb::cast<bool>(copy))) { return view; }
        return nb::module_::import_("numpy").attr("array")(view, dtype, nb::arg("copy") = copy);
      },
      nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
      nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> " POLHODE_OUT));
  c.def("as_quaternion", as_quaternion, nb::kw_only(), nb::arg("order"), nb::arg("direction") = "body_to_space",
        nb::arg("canonical") = false,
        nb::sig("def as_quaternion(self, *, order: " POLHODE_ORDER ", direction: " POLHODE_DIRECTION
                " = 'body_to_space', canonical: bool = False) -> " POLHODE_OUT),
        "Quaternions as they are wanted; canonical: the scalar is not negative.\n\n"
        ">>> Rotation.identity().as_quaternion(order='xyzw')\narray([0., 0., 0., 1.])\n");
  c.def("as_convention", as_convention, nb::arg("name"), nb::sig("def as_convention(self, name: str) -> " POLHODE_OUT),
        "Quaternions as another program writes them.\n\n"
        ">>> Rotation.identity().as_convention('ros')\narray([0., 0., 0., 1.])\n");
  c.def("as_matrix", as_matrix, nb::kw_only(), nb::arg("direction") = "body_to_space",
        nb::sig("def as_matrix(self, *, direction: " POLHODE_DIRECTION " = 'body_to_space') -> " POLHODE_OUT),
        "Rotation matrices R_NB, v_N = R_NB v_B.\n\n"
        ">>> Rotation.identity().as_matrix()[0]\narray([1., 0., 0.])\n");
  c.def("as_rotation_vector", as_rotation_vector, nb::kw_only(), nb::arg("degrees") = false,
        nb::sig("def as_rotation_vector(self, *, degrees: bool = False) -> " POLHODE_OUT),
        "The axis times the angle, the shorter way round.\n\n"
        ">>> Rotation.from_rotation_vector([0, 0.5, 0]).as_rotation_vector()\narray([0. , 0.5, 0. ])\n");
  c.def("as_axis_angle", as_axis_angle, nb::kw_only(), nb::arg("degrees") = false,
        nb::sig("def as_axis_angle(self, *, degrees: bool = False) -> tuple[" POLHODE_OUT ", float | " POLHODE_OUT "]"),
        "Axes and angles; without a turn the axis is the third.\n\n"
        ">>> Rotation.from_rotation_vector([0, 0.5, 0]).as_axis_angle()\n(array([0., 1., 0.]), 0.5)\n");
  c.def("as_euler", as_euler, nb::arg("sequence"), nb::kw_only(), nb::arg("degrees") = false,
        nb::sig("def as_euler(self, sequence: str, *, degrees: bool = False) -> " POLHODE_OUT),
        "Euler angles in the order of the turns. At lock the last turn about body axes is 0.\n\n"
        ">>> Rotation.identity().as_euler('3-1-3')\narray([0., 0., 0.])\n");
  c.def("_as_euler_locked", as_euler_locked);
  c.def(
      "as_mrp", as_mrp, nb::sig("def as_mrp(self) -> " POLHODE_OUT),
      "Modified Rodrigues parameters, of length 1 at most.\n\n>>> Rotation.identity().as_mrp()\narray([0., 0., 0.])\n");
  c.def("as_rodrigues", as_rodrigues, nb::sig("def as_rodrigues(self) -> " POLHODE_OUT),
        "Rodrigues parameters; half a turn has none.\n\n>>> Rotation.identity().as_rodrigues()\narray([0., 0., 0.])\n");
}

void bind_neighbours(Class& c) {
  c.def_static(
      "from_ros", [](nb::handle q) { return from_convention("ros", q, false); }, nb::arg("q"),
      nb::sig("def from_ros(q: " POLHODE_IN ") -> Rotation"), "From quaternions of ROS, x y z w.");
  c.def(
      "as_ros", [](const Rotation& self) { return as_convention(self, "ros"); },
      nb::sig("def as_ros(self) -> " POLHODE_OUT), "Quaternions of ROS, x y z w.");
  c.def_static(
      "from_mujoco", [](nb::handle q) { return from_convention("mujoco", q, false); }, nb::arg("q"),
      nb::sig("def from_mujoco(q: " POLHODE_IN ") -> Rotation"), "From quaternions of MuJoCo, w x y z.");
  c.def(
      "as_mujoco", [](const Rotation& self) { return as_convention(self, "mujoco"); },
      nb::sig("def as_mujoco(self) -> " POLHODE_OUT), "Quaternions of MuJoCo, w x y z.");
}

void bind_scipy(Class& c) {
  c.def_static(
      "from_scipy",
      [](const nb::object& rotation) { return from_convention("scipy", rotation.attr("as_quat")(), false); },
      nb::arg("rotation"), nb::sig("def from_scipy(rotation: typing.Any) -> Rotation"),
      "From a scipy.spatial.transform.Rotation.");
  c.def(
      "as_scipy",
      [](const Rotation& self) {
        const nb::object module = nb::module_::import_("scipy.spatial.transform");
        return module.attr("Rotation").attr("from_quat")(write_quaternions(self, writing_of("scipy"), false));
      },
      nb::sig("def as_scipy(self) -> typing.Any"), "As a scipy.spatial.transform.Rotation.");
}

void bind_operations(Class& c) {
  c.def("__mul__", multiply, nb::is_operator(), nb::sig("def __mul__(self, other: Rotation) -> Rotation"),
        "Labels meet and cancel: R_NC = R_NB * R_BC.\n\n"
        ">>> a = Rotation.from_rotation_vector([0, 0, 0.5])\n>>> (a * a).angle()\n1.0\n");
  c.def("inv", inverse, nb::sig("def inv(self) -> Rotation"),
        "R_BN of R_NB.\n\n>>> a = Rotation.random(seed=1)\n>>> (a * a.inv()).angle() < 1e-15\nTrue\n");
  c.def("to_space", turned<rows::to_space>, nb::arg("v_body"),
        nb::sig("def to_space(self, v_body: " POLHODE_IN ") -> " POLHODE_OUT),
        "Body components to space components, v_N = R_NB v_B.\n\n"
        ">>> Rotation.from_euler('3-2-1', [90, 0, 0], degrees=True).to_space([1, 0, 0]).round(12)\n"
        "array([0., 1., 0.])\n");
  c.def("to_body", turned<rows::to_body>, nb::arg("v_space"),
        nb::sig("def to_body(self, v_space: " POLHODE_IN ") -> " POLHODE_OUT),
        "Space components to body components.\n\n"
        ">>> Rotation.from_euler('3-2-1', [90, 0, 0], degrees=True).to_body([0, 1, 0]).round(12)\n"
        "array([1., 0., 0.])\n");
  c.def("angle", angle, nb::sig("def angle(self) -> float | " POLHODE_OUT),
        "The angle of the rotation, 0 to pi.\n\n>>> Rotation.from_rotation_vector([0, 0, 0.25]).angle()\n0.25\n");
  c.def("angle_to", angle_to, nb::arg("other"), nb::sig("def angle_to(self, other: Rotation) -> float | " POLHODE_OUT),
        "The angle of the rotation that is between two.\n\n"
        ">>> Rotation.identity().angle_to(Rotation.from_rotation_vector([0, 0, 0.25]))\n0.25\n");
  c.def("slerp", slerp, nb::arg("other"), nb::arg("s"),
        nb::sig("def slerp(self, other: Rotation, s: " POLHODE_IN ") -> Rotation"),
        "From here (s = 0) to the other (s = 1) at constant rate, the shorter way.\n\n"
        ">>> Rotation.identity().slerp(Rotation.from_rotation_vector([0, 0, 1]), 0.25).angle()\n0.25\n");
  c.def("mean", mean, nb::arg("weights") = nb::none(),
        nb::sig("def mean(self, weights: " POLHODE_IN " | None = None) -> Rotation"),
        "The rotation with the least sum of squares of the differences of matrices.\n\n"
        ">>> x = [[0, 0, 0.1], [0, 0, 0.3]]\n>>> round(Rotation.from_rotation_vector(x).mean().angle(), 12)\n0.2\n");
  c.def("_power", power);
}

void bind_rates(Class& c) {
  c.def("euler_parameter_rates", euler_parameter_rates, nb::kw_only(), nb::arg("w_body") = nb::none(),
        nb::arg("w_space") = nb::none(),
        nb::sig("def euler_parameter_rates(self, *, w_body: " POLHODE_IN " | None = None, w_space: " POLHODE_IN
                " | None = None) -> " POLHODE_OUT),
        "Rates of the Euler parameters from an angular velocity in one of the frames.\n\n"
        ">>> Rotation.identity().euler_parameter_rates(w_body=[2, 0, 0])\narray([0., 1., 0., 0.])\n");
  c.def("angular_velocity", angular_velocity_of, nb::arg("euler_parameter_rates"), nb::kw_only(), nb::arg("frame"),
        nb::sig("def angular_velocity(self, euler_parameter_rates: " POLHODE_IN ", *, frame: " POLHODE_FRAME
                ") -> " POLHODE_OUT),
        "And back.\n\n"
        ">>> Rotation.identity().angular_velocity([0, 1, 0, 0], frame='body')\narray([2., 0., 0.])\n");
  c.def("euler_rates", euler_rates, nb::arg("sequence"), nb::kw_only(), nb::arg("w_body") = nb::none(),
        nb::arg("w_space") = nb::none(),
        nb::sig("def euler_rates(self, sequence: str, *, w_body: " POLHODE_IN " | None = None, w_space: " POLHODE_IN
                " | None = None) -> " POLHODE_OUT),
        "Rates of the angles that as_euler gives; not finite at lock.\n\n"
        ">>> Rotation.identity().euler_rates('3-2-1', w_body=[1, 2, 3])\narray([3., 2., 1.])\n");
  c.def("angular_velocity_of_euler_rates", angular_velocity_of_euler, nb::arg("sequence"), nb::arg("rates"),
        nb::kw_only(), nb::arg("frame"),
        nb::sig("def angular_velocity_of_euler_rates(self, sequence: str, rates: " POLHODE_IN
                ", *, frame: " POLHODE_FRAME ") -> " POLHODE_OUT),
        "And back.\n\n"
        ">>> Rotation.identity().angular_velocity_of_euler_rates('3-2-1', [3, 2, 1], frame='space')\n"
        "array([1., 2., 3.])\n");
  c.def("distance_to_lock", distance_to_lock, nb::arg("sequence"),
        nb::sig("def distance_to_lock(self, sequence: str) -> float | " POLHODE_OUT),
        "How far the middle angle is from the lock of a sequence, in rad.\n\n"
        ">>> round(Rotation.identity().distance_to_lock('3-2-1'), 12)\n1.570796326795\n");
}

void bind_sequence(Class& c) {
  c.def("__len__", [](const Rotation& self) { return many(self, "has no len()").count(); });
  c.def("__bool__", [](const Rotation&) { return true; });
  c.def("__getitem__", at_index, nb::arg("index"));
  c.def("__getitem__", at_slice, nb::arg("index"));
  c.def("__getitem__", at_array, nb::arg("index"),
        nb::sig("def __getitem__(self, index: numpy.typing.ArrayLike) -> Rotation"));
  c.def(
      "__iter__",
      [](const nb::handle& self) {
        many(*nb::inst_ptr<Rotation>(self), "has no rows to go through");
        return nb::steal(PySeqIter_New(self.ptr()));
      },
      nb::sig("def __iter__(self) -> typing.Iterator[Rotation]"));
  c.def_prop_ro("single", &Rotation::is_single, "Whether it is one rotation, not an array of them.");
  c.def("__eq__", equal, nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"),
        "The same attitudes to the last bit, e and -e alike.");
  c.def("__repr__", representation);
  c.def("__getstate__", state, nb::sig("def __getstate__(self) -> tuple[bool, bytes]"));
  c.def("__setstate__", set_state, nb::sig("def __setstate__(self, state: tuple[bool, bytes], /) -> None"));
  c.def("__copy__", [](const Rotation& self) { return self; });
  c.def("__deepcopy__", [](const Rotation& self, const nb::dict&) { return self; }, nb::arg("memo"));
  c.attr("__hash__") = nb::none();
  c.attr("__array_ufunc__") = nb::none();  // an array times a rotation is an error, not an array of objects
}

}  // namespace

void bind_rotation(nb::module_& m) {
  Class c(m, "Rotation",
          "One rotation, or an array of them: attitudes of a body in space, kept as unit Euler parameters.\n\n"
          "R_NB takes body components to space components. Arrays go row by row; one goes with many.\n\n"
          ">>> from polhode import Rotation\n"
          ">>> R_NB = Rotation.from_euler('3-2-1', [90, 0, 0], degrees=True)\n"
          ">>> R_NB.to_space([1, 0, 0]).round(12)\narray([0., 1., 0.])\n");
  bind_made_from(c);
  bind_written_as(c);
  bind_neighbours(c);
  bind_scipy(c);
  bind_operations(c);
  bind_rates(c);
  bind_sequence(c);
}

}  // namespace polhode::python
