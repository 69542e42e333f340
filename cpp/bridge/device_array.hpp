// metalmom's DeviceArray: an array in a device's memory, with the shape it has in Python.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error_parts.hpp"
#include "bridge/arrays.hpp"
#include "bridge/params.hpp"
#include "dispatch/setting.hpp"
#include "gpu/device.hpp"
#include "gpu/run/array.hpp"
#include "ops/op.hpp"

namespace metalmom::bridge {

struct DeviceArray {
  gpu::DeviceData data;
  Shape lying;              // the shape in memory
  bool is_complex = false;  // complex64, else float32
  bool swapped = false;     // in Python the last two axes are exchanged, as in stft's result
  bool finite = true;

  Shape shape() const {
    Shape shown = lying;
    if (swapped) std::swap(shown.end()[-1], shown.end()[-2]);
    return shown;
  }
  py::ssize_t size() const {
    py::ssize_t product = 1;
    for (const auto n : lying) product *= n;
    return product;
  }
  std::size_t item_bytes() const { return is_complex ? 8 : 4; }
  // Exchanges the last two axes without moving values. Where one of them has length 1, or there
  // are no values, memory lies the same either way and only the shape changes.
  void exchange_axes() {
    py::ssize_t &rows = lying.end()[-2], &cols = lying.end()[-1];
    if (rows == 1 || cols == 1 || size() == 0)
      std::swap(rows, cols);
    else
      swapped = !swapped;
  }
};

// The device that calls from this thread use where they use one.
inline gpu::Device& chosen_device() {
  return gpu::open_device(dispatch::current_setting()->device);
}

inline bool is_device_array(const py::handle& object) {
  return object && py::isinstance<DeviceArray>(object);
}

// Views of device arrays have no data: they tell a plan the shapes.
template <class T>
[[gnu::noinline]] View<const T> view_of_device(const DeviceArray& array, int core,
                                               std::string_view name) {
  constexpr bool wants_complex = !std::is_floating_point_v<T>;
  const auto ndim = static_cast<int>(array.lying.size());
  if (array.is_complex != wants_complex)
    throw_parameter(std::string(name) + ".dtype", array.is_complex ? "complex64" : "float32",
                    wants_complex ? "complex" : "real");
  if (array.swapped)
    throw DeviceRefusal(
        Declined::order, "",
        {.name = std::string(name),
         .rule = "in memory in an order of its last two axes that the kernel does not read",
         .verb = "lies"});
  if (ndim < core)
    throw_parameter(std::string(name) + ".ndim", to_text(static_cast<double>(ndim)),
                    "at least " + std::to_string(core));
  if (name == "y" && !array.finite) ops::refuse_infinite();
  View<const T> view{nullptr, 1, 1, 1};
  for (int i = 0; i < ndim - core; ++i) view.batch *= array.lying[static_cast<std::size_t>(i)];
  if (core == 2) view.rows = array.lying.end()[-2];
  if (core >= 1) view.cols = array.lying.end()[-1];
  return view;
}

// A result's array, on the device of the inputs.
template <class T>
[[gnu::noinline]] DeviceArray allocate_on_device(const View<T>& view, int core, const Shape& lead,
                                                 const gpu::DeviceData& input) {
  DeviceArray array;
  array.lying = lead;
  if (core == 2) array.lying.push_back(view.rows);
  if (core >= 1) array.lying.push_back(view.cols);
  array.is_complex = !std::is_floating_point_v<T>;
  array.data =
      gpu::make_array(*input.device, static_cast<std::size_t>(view.size()) * array.item_bytes());
  return array;
}

// The arrays of inputs on a device.
struct DeviceArrays {
  std::vector<gpu::DeviceData> data;
  Shape lead;
  bool has_values = false;

  void add(const DeviceArray& array, std::string_view name, int core, bool must_be_finite);
};

// The argument, which must be a DeviceArray; null if it is not given and need not be.
const DeviceArray* device_argument(Arguments& arguments, std::string_view name, bool is_needed);

// Inputs of an op whose arrays are on a device.
template <class In>
struct DeviceInputs {
  In in;
  DeviceArrays arrays;
  std::vector<py::object> keep;
};

// Whether all arrays of an op must be finite, not its audio alone.
template <class In>
inline constexpr bool needs_finite = requires { requires In::all_finite; };

template <class In>
DeviceInputs<In> read_device_inputs(Arguments& arguments) {
  DeviceInputs<In> result;
  for_each_field<In>([&](const auto& each) {
    using V = typename std::decay_t<decltype(each)>::Value;
    if constexpr (requires { each.core; }) {
      const DeviceArray* const array = device_argument(arguments, each.name, !each.optional);
      if (!array) return;
      result.in.*each.member =
          view_of_device<typename ViewElement<V>::type>(*array, each.core, each.name);
      result.arrays.add(*array, each.name, each.core, needs_finite<In>);
    } else {
      read_other(arguments, each, result.in, result.keep);
    }
  });
  return result;
}

}  // namespace metalmom::bridge
