// metalmom's DeviceArray: an array in a device's memory, with the shape it has in Python.
#pragma once

#include <utility>
#include <vector>

#include "bridge/arrays.hpp"
#include "dispatch/setting.hpp"
#include "gpu/device.hpp"
#include "gpu/run/array.hpp"

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

// An array for a result, whose batch axes are `lead`.
inline DeviceArray array_on_device(const ops::Result& result, const Shape& lead,
                                   gpu::Device& device) {
  DeviceArray array;
  array.lying = lead;
  if (result.core == 2) array.lying.push_back(result.rows);
  if (result.core >= 1) array.lying.push_back(result.cols);
  if (result.frames_first) array.exchange_axes();
  array.is_complex = result.element == ops::Element::complex64;
  array.data = gpu::make_array(device, static_cast<std::size_t>(array.size()) * array.item_bytes());
  return array;
}

// The device that calls from this thread use where they use one.
inline gpu::Device& chosen_device() {
  return gpu::open_device(dispatch::current_setting()->device);
}

inline bool is_device_array(const py::handle& object) {
  return object && py::isinstance<DeviceArray>(object);
}

}  // namespace metalmom::bridge
