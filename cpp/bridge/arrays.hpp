// NumPy arrays in as views, results out as arrays that NumPy allocated and the engine fills.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "base/view.hpp"
#include "bridge/gil.hpp"

namespace metalmom::bridge {

namespace py = pybind11;

// A value as an error shows it: an array of more than a few elements by its type and shape.
inline std::string text_of(const py::handle& value) {
  return py::module_::import("metalmom.util.exceptions").attr("shown")(value).cast<std::string>();
}

// Throws what is said of an argument that NumPy makes no array of.
[[noreturn]] void refuse_as_array(const py::handle& object, std::string_view name);

// C-contiguous, and with elements where the processor may load them: a view of bytes from an odd
// place on is contiguous, too.
inline constexpr int as_view =
    int{py::array::c_style} | int{py::detail::npy_api::NPY_ARRAY_ALIGNED_};

template <class T>
bool is_view(const py::handle& object) {
  return py::array_t<T, py::array::c_style>::check_(object) &&
         (py::reinterpret_borrow<py::array>(object).flags() & as_view) == as_view;
}

// An array that `is_view` is taken as it is; anything else is converted once, and counted.
template <class T>
py::array_t<T> contiguous(const py::handle& object, std::string_view name) {
  if (is_view<T>(object)) return py::reinterpret_borrow<py::array_t<T>>(object);
  auto converted =
      bear_exit([&] { return py::array_t<T, as_view | py::array::forcecast>::ensure(object); });
  if (!converted) {
    PyErr_Clear();
    refuse_as_array(object, name);
  }
  counters().copied_bytes += static_cast<std::uint64_t>(converted.nbytes());
  return converted;
}

using Shape = std::vector<py::ssize_t>;

// The view of an array whose last `core` axes are one item; the axes before them are the batch.
template <class T>
View<const T> view_of(const py::array_t<T>& array, int core, std::string_view name) {
  if (array.ndim() < core)
    throw_parameter(std::string(name) + ".ndim", to_text(static_cast<double>(array.ndim())),
                    "at least " + std::to_string(core));
  const auto lead = array.ndim() - core;
  View<const T> view{array.data(), 1, 1, 1};
  for (py::ssize_t i = 0; i < lead; ++i) view.batch *= array.shape(i);
  if (core == 2) view.rows = array.shape(lead);
  if (core >= 1) view.cols = array.shape(array.ndim() - 1);
  return view;
}

// An uninitialised array of the batch axes `lead` and the core axes of `view`, which is pointed at
// it. NumPy allocates: it asks for huge pages, which fresh large outputs need.
template <class T>
py::array_t<T> allocate_for(View<T>& view, int core, const Shape& lead) {
  Shape shape = lead;
  if (core == 2) shape.push_back(view.rows);
  if (core >= 1) shape.push_back(view.cols);
  py::array_t<T> array(shape);
  counters().output_bytes += static_cast<std::uint64_t>(array.nbytes());
  view.data = array.mutable_data();
  return array;
}

// An array the caller gave for a result. The glue offers only what fits; anything else is refused
// here, before it is written.
template <class T>
py::array_t<T> use_given(View<T>& view, const py::handle& given, std::string_view name) {
  const bool fits =
      is_view<T>(given) && py::reinterpret_borrow<py::array>(given).size() == view.size();
  if (!fits)
    throw_parameter(
        name, text_of(py::type::of(given)),
        "a contiguous array of the result's type and " + std::to_string(view.size()) + " elements");
  auto array = py::reinterpret_borrow<py::array_t<T>>(given);
  view.data = array.mutable_data();
  return array;
}

}  // namespace metalmom::bridge
