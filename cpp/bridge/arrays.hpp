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
#include "ops/op.hpp"

namespace metalmom::bridge {

namespace py = pybind11;

// A value as an error shows it: an array of more than a few elements by its type and shape.
inline std::string text_of(const py::handle& value) {
  return py::module_::import("metalmom.util.exceptions").attr("shown")(value).cast<std::string>();
}

// Throws what is said of an argument that NumPy makes no array of.
[[noreturn]] void refuse_as_array(const py::handle& object, std::string_view name);

const py::dtype& dtype_of(ops::Element element);

// C-contiguous, and with elements where the processor may load them: a view of bytes from an odd
// place on is contiguous, too.
inline constexpr int as_view =
    int{py::array::c_style} | int{py::detail::npy_api::NPY_ARRAY_ALIGNED_};

inline bool is_view(const py::handle& object, const py::dtype& dtype) {
  const auto& api = py::detail::npy_api::get();
  if (!api.PyArray_Check_(object.ptr())) return false;
  const auto* const array = py::detail::array_proxy(object.ptr());
  return (array->flags & as_view) == as_view &&
         (array->descr == dtype.ptr() || api.PyArray_EquivTypes_(array->descr, dtype.ptr()));
}

template <class T>
bool is_view(const py::handle& object) {
  return is_view(object, dtype_of(ops::element_of<T>()));
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

// An uninitialised array. NumPy allocates: it asks for huge pages, which fresh large outputs need.
// `strides`, in bytes; null: side by side, the last axis fastest.
py::array new_array(const py::dtype& dtype, int axes, const py::ssize_t* shape,
                    const py::ssize_t* strides = nullptr);

// An array for a result, whose batch axes are `lead`, in the order in which users see it.
py::array array_for(const ops::Result& result, const Shape& lead);

// An array the caller gave for a result. The glue offers only what fits; anything else is refused
// here, before it is written.
py::array given_for(const ops::Result& result, const py::handle& given, std::string_view name);

}  // namespace metalmom::bridge
