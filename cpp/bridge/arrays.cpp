#include "bridge/arrays.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace metalmom::bridge {

const py::dtype& dtype_of(ops::Element element) {
  // In the order of Element; never freed, since Python may have ended before.
  static const auto& dtypes = *new std::array{py::dtype::of<bool>(),
                                              py::dtype::of<std::uint16_t>(),
                                              py::dtype::of<std::int32_t>(),
                                              py::dtype::of<std::int64_t>(),
                                              py::dtype::of<float>(),
                                              py::dtype::of<double>(),
                                              py::dtype::of<std::complex<float>>(),
                                              py::dtype::of<std::complex<double>>()};
  return dtypes[static_cast<std::size_t>(element)];
}

py::array new_array(const py::dtype& dtype, int axes, const py::ssize_t* shape,
                    const py::ssize_t* strides) {
  const auto& api = py::detail::npy_api::get();
  auto array = py::reinterpret_steal<py::array>(
      api.PyArray_NewFromDescr_(api.PyArray_Type_, py::object(dtype).release().ptr(), axes, shape,
                                strides, nullptr, 0, nullptr));
  if (!array) throw py::error_already_set();
  return array;
}

py::array array_for(const ops::Result& result, const Shape& lead) {
  Shape shape = lead;
  if (result.core == 2) shape.push_back(result.rows);
  if (result.core >= 1) shape.push_back(result.cols);
  counters().output_bytes += result.bytes();
  const auto& dtype = dtype_of(result.element);
  const auto axes = static_cast<int>(shape.size());
  if (!result.frames_first) return new_array(dtype, axes, shape.data());
  Shape strides(shape.size());
  auto stride = static_cast<py::ssize_t>(result.item_bytes);
  for (std::size_t i = shape.size(); i-- > 0; stride *= std::max<py::ssize_t>(shape[i], 1))
    strides[i] = stride;
  std::swap(shape.end()[-1], shape.end()[-2]);
  std::swap(strides.end()[-1], strides.end()[-2]);
  return new_array(dtype, axes, shape.data(), strides.data());
}

py::array given_for(const ops::Result& result, const py::handle& given, std::string_view name) {
  const Index n_values = result.batch * result.rows * result.cols;
  if (py::isinstance<py::array>(given)) {
    auto array = py::reinterpret_borrow<py::array>(given);
    const py::object lying =
        result.frames_first && array.ndim() > 1 ? array.attr("swapaxes")(-1, -2) : array;
    if (is_view(lying, dtype_of(result.element)) && array.size() == n_values) return array;
  }
  throw_parameter(
      name, text_of(py::type::of(given)),
      "a contiguous array of the result's type and " + std::to_string(n_values) + " elements");
}

}  // namespace metalmom::bridge
