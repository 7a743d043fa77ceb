#pragma once

#include "rotation_rows.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <initializer_list>
#include <string>
#include <utility>

/// Rotations as Python has them, and the arrays that go in and out.
namespace polhode::python {

namespace nb = nanobind;

/// How many rows there are, and whether the one is a row or an array with one row.
struct Extent {
  std::size_t count = 1;
  bool single = true;
};

/// One rotation, or an array of them: unit Euler parameters e_NB, never changed once made, so that copies and slices
/// share them.
class Rotation {
 public:
  /// Filled by fill(Attitude*) before anybody sees it.
  template <class Fill>
  static Rotation filled(Extent extent, const Fill& fill) {
    Rotation made;
    made.extent_ = extent;
    if (extent.single) {
      fill(&made.one_);
    } else {
      const std::shared_ptr<double[]> room = room_for(4 * extent.count);
      auto* first = reinterpret_cast<Attitude*>(room.get());
      fill(first);
      made.first_ = first;
      made.held_ = room;
    }
    return made;
  }
  static Rotation of(const Attitude& e) {
    return filled({}, [&](Attitude* out) { *out = e; });
  }

  Extent extent() const { return extent_; }
  std::size_t count() const { return extent_.count; }
  bool is_single() const { return extent_.single; }
  const Attitude* data() const { return extent_.single ? &one_ : first_; }
  Rows<Attitude> rows() const { return {data(), extent_.count == 1 ? std::size_t{0} : std::size_t{1}}; }

  /// Some rows one behind the other, without a copy.
  Rotation part(std::size_t begin, std::size_t count) const {
    Rotation some = *this;
    some.first_ = first_ + begin;
    some.extent_.count = count;
    return some;
  }

 private:
  static_assert(sizeof(Attitude) == 4 * sizeof(double) && sizeof(Vector) == 3 * sizeof(double) &&
                sizeof(Matrix3) == 9 * sizeof(double));
  Attitude one_{};
  std::shared_ptr<const double[]> held_;
  const Attitude* first_ = nullptr;
  Extent extent_;
};

/// Numbers of Python in rows of a given shape: an array of doubles as it stands, anything else as a copy.
class Numbers {
 public:
  /// `row` is the shape of one: {3} for a vector, {} for a number. `what` names them in messages.
  Numbers(nb::handle given, std::initializer_list<std::size_t> row, const char* what);
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  ~Numbers() {
    if (buffer_.obj != nullptr) { PyBuffer_Release(&buffer_); }
  }

  Extent extent() const { return extent_; }
  std::size_t count() const { return extent_.count; }
  const double* data() const { return data_; }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  template <class T>
  Rows<T> rows() const {
    return {as<T>(), extent_.count == 1 ? std::size_t{0} : std::size_t{1}};
  }

 private:
  bool take_few(nb::handle given, std::initializer_list<std::size_t> row);
  bool take_buffer(nb::handle given);
  void find_extent(std::initializer_list<std::size_t> row, const char* what);

  Py_buffer buffer_{};
  std::array<double, 4> few_{};
  const double* data_ = nullptr;
  Extent extent_;
};

/// An array for Python, filled by fill(double*): extent, then the shape of a row.
template <class Fill>
nb::object array_of(Extent extent, std::initializer_list<std::size_t> row, const Fill& fill) {
  std::array<std::size_t, 3> shape{};
  std::size_t dimensions = 0;
  std::size_t numbers = extent.count;
  if (!extent.single) { shape[dimensions++] = extent.count; }
  for (const std::size_t length : row) {
    shape[dimensions++] = length;
    numbers *= length;
  }
  auto* held = new std::shared_ptr<double[]>(room_for(numbers));
  const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::shared_ptr<double[]>*>(p); });
  fill(held->get());
  return nb::cast(nb::ndarray<nb::numpy, double>(held->get(), dimensions, shape.data(), owner));
}

/// Without Python's lock where it takes long.
template <class Work>
auto unlocked(std::size_t count, const Work& work) {
  constexpr std::size_t kLong = 2000;
  if (count < kLong) { return work(); }
  const nb::gil_scoped_release release;
  return work();
}

/// The extent of row-by-row results: one row goes with any number. Fails where two numbers differ.
Extent common(std::initializer_list<std::pair<Extent, const char*>> parts);

}  // namespace polhode::python
