#include "rotation.h"

#include "polhode/core/refuse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace polhode::python {
namespace {

/// numpy.asarray, of real numbers only: text, objects and complex numbers are refused.
nb::object as_doubles(nb::handle given, const char* what) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object array = numpy.attr("asarray")(given);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  if (nb::cast<std::size_t>(array.attr("size")) != 0 && kind != "f" && kind != "i" && kind != "u") {
    const std::string type = nb::cast<std::string>(array.attr("dtype").attr("name"));
    refuse(fmt::format("{}: an array of {}", what, type), "give real numbers");
  }
  return numpy.attr("array")(array, numpy.attr("float64"), nb::arg("order") = "C");
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

Numbers::Numbers(nb::handle given, std::initializer_list<std::size_t> row, const char* what) {
  if (take_few(given, row)) { return; }
  if (!take_buffer(given)) {
    const nb::object array = as_doubles(given, what);
    if (!take_buffer(array)) { refuse(fmt::format("{}: not an array of numbers", what), "give real numbers"); }
  }
  find_extent(row, what);
}

/// One row as a list or a tuple, or one number: no array is made of it.
bool Numbers::take_few(nb::handle given, std::initializer_list<std::size_t> row) {
  if (row.size() == 0 && (PyFloat_CheckExact(given.ptr()) || PyLong_CheckExact(given.ptr()))) {
    few_[0] = PyFloat_AsDouble(given.ptr());
    if (few_[0] == -1 && PyErr_Occurred() != nullptr) { throw nb::python_error(); }
    data_ = few_.data();
    return true;
  }
  if (row.size() != 1 || !(PyList_CheckExact(given.ptr()) || PyTuple_CheckExact(given.ptr()))) { return false; }
  const std::size_t length = *row.begin();
  if (length > few_.size() || static_cast<std::size_t>(PySequence_Fast_GET_SIZE(given.ptr())) != length) {
    return false;
  }
  for (std::size_t i = 0; i < length; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(given.ptr(), static_cast<Py_ssize_t>(i));
    if (!PyFloat_CheckExact(item) && !PyLong_CheckExact(item)) { return false; }
    few_[i] = PyFloat_AsDouble(item);
    if (few_[i] == -1 && PyErr_Occurred() != nullptr) { throw nb::python_error(); }
  }
  data_ = few_.data();
  return true;
}

/// Doubles one behind the other, where they can be read in place.
bool Numbers::take_buffer(nb::handle given) {
  if (PyObject_CheckBuffer(given.ptr()) == 0) { return false; }
  if (PyObject_GetBuffer(given.ptr(), &buffer_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();  // laid out otherwise: numpy makes a copy
    buffer_.obj = nullptr;
    return false;
  }
  const bool aligned = reinterpret_cast<std::uintptr_t>(buffer_.buf) % alignof(double) == 0;
  if (buffer_.format == nullptr || std::strcmp(buffer_.format, "d") != 0 || !aligned) {
    PyBuffer_Release(&buffer_);
    buffer_.obj = nullptr;
    return false;
  }
  data_ = static_cast<const double*>(buffer_.buf);
  return true;
}

void Numbers::find_extent(std::initializer_list<std::size_t> row, const char* what) {
  const std::vector<std::size_t> shape(buffer_.shape, buffer_.shape + buffer_.ndim);
  const std::vector<std::size_t> wanted(row);
  extent_.single = shape.size() == wanted.size();
  const bool has_rows = extent_.single || shape.size() == wanted.size() + 1;
  if (!has_rows || !std::equal(wanted.rbegin(), wanted.rend(), shape.rbegin())) {
    std::vector<std::size_t> many = wanted;
    const std::string one_text = wanted.empty() ? "a number" : shape_text(wanted);
    std::string many_text = "(n";
    for (const std::size_t length : many) { many_text += fmt::format(", {}", length); }
    refuse(fmt::format("{}: shape {}", what, shape_text(shape)),
           fmt::format("give {} or {}{})", one_text, many_text, many.empty() ? "," : ""));
  }
  extent_.count = extent_.single ? 1 : shape[0];
}

Extent common(std::initializer_list<std::pair<Extent, const char*>> parts) {
  Extent all;
  const char* first_name = "";
  for (const auto& [extent, name] : parts) {
    all.single = all.single && extent.single;
    if (extent.count == 1) { continue; }
    if (all.count != 1 && all.count != extent.count) {
      refuse(fmt::format("{} {} and {} {}", all.count, first_name, extent.count, name),
             "the numbers must be equal, or one of them 1");
    }
    all.count = extent.count;
    first_name = name;
  }
  return all;
}

}  // namespace polhode::python
