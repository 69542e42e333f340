// Arrays in a device's memory, as Python sees them.
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <atomic>
#include <complex>

#include "base/error_parts.hpp"
#include "bridge/bindings.hpp"
#include "bridge/device_array.hpp"
#include "bridge/gil.hpp"
#include "bridge/public_call.hpp"
#include "ops/op.hpp"
#include "trace/trace.hpp"

namespace metalmom::bridge {

namespace {

// On the device of `beside`, if there is one, else on the one that `backend` names.
DeviceArray to_device(const py::array& host, const DeviceArray* beside) {
  static constexpr trace::Site site{"to_device", trace::Category::bridge};
  trace::Span span(site);
  span.arg("uploaded_bytes", host.nbytes());
  DeviceArray result;
  result.is_complex = host.dtype().kind() == 'c';
  result.lying.assign(host.shape(), host.shape() + host.ndim());
  const auto bytes = static_cast<std::size_t>(host.nbytes());
  const void* data = host.data();
  const GilReleased unlocked;
  gpu::Device& device = beside ? *beside->data.device : chosen_device();
  std::atomic<bool> finite{true};
  result.data = gpu::copy_to_device(device, data, bytes, [&](std::span<const float> part) {
    if (finite && !ops::all_finite(part)) finite = false;
  });
  result.finite = finite;
  return result;
}

py::dtype device_dtype(const DeviceArray& array) {
  return array.is_complex ? py::dtype::of<std::complex<float>>() : py::dtype::of<float>();
}

py::array to_host(const DeviceArray& array) {
  static constexpr trace::Site site{"numpy", trace::Category::bridge};
  trace::Span span(site);
  py::array host(device_dtype(array), array.lying);
  span.arg("downloaded_bytes", host.nbytes());
  span.arg("output_bytes", host.nbytes());
  void* target = host.mutable_data();
  {
    const GilReleased unlocked;
    gpu::copy_to_host(array.data, target);
  }
  if (array.swapped) return host.attr("swapaxes")(-1, -2);
  return host;
}

// What `device_array.py` has looked at: arrays of the same values, which nothing moves.
DeviceArray exchange_axes(DeviceArray array) {
  array.exchange_axes();
  return array;
}

DeviceArray shape_as(DeviceArray array, Shape shape) {
  const py::ssize_t values = array.size();
  array.lying = std::move(shape);
  array.swapped = false;
  if (array.size() != values) throw std::logic_error("a view must have the values of its array");
  return array;
}

// Pairs of real numbers that lie side by side are complex ones, and the other way round.
DeviceArray view_pairs(DeviceArray array) {
  py::ssize_t& last = array.lying.back();
  last = array.is_complex ? 2 * last : last / 2;
  array.is_complex = !array.is_complex;
  return array;
}

// Pickles the array through host memory, in the order it has in memory.
py::tuple reduce(const DeviceArray& array) {
  DeviceArray lying = array;
  lying.swapped = false;
  return py::make_tuple(py::module_::import("metalmom._engine.backend").attr("uploaded"),
                        py::make_tuple(to_host(lying), array.swapped));
}

// The package brings arrays to the host by `numpy()` alone, where that is meant. What NumPy or
// SciPy ask for in its functions would be a download that nobody sees: the function has no kernel,
// then.
constexpr const char* unseen = "no step of this function takes a DeviceArray: pass .numpy()";

constexpr const char* device_array_doc = R"(An array in a device's memory; `to_device` makes one.

Functions that have a GPU kernel take it and answer with another. ``numpy()`` brings it back, and
so do NumPy's functions, through ``__array__``. Operators, comparisons, indices, iteration and truth
are a TypeError. No function writes into it, so a copy of it is the array itself. It pickles through
the host: whoever loads it has it on the device that `backend` names there.

Attributes
----------
shape : tuple of int
dtype : np.dtype
    float32 or complex64.
ndim, size, nbytes : int
device : int
    The index of its device in `devices`.
)";

}  // namespace

void refuse_as_array(const py::handle& object, std::string_view name) {
  ErrorParts parts{std::string(name), text_of(object), "an array of numbers"};
  if (is_device_array(object)) throw DeviceRefusal(Declined::array, "", std::move(parts));
  throw ArgumentError(std::move(parts));
}

void bind_device_array(py::module_& module) {
  module.def("to_device", &to_device, py::arg("host"), py::arg("beside") = nullptr);
  py::class_<DeviceArray> bound(module, "DeviceArray", device_array_doc);
  bound.attr("__module__") = "metalmom";
  module.def("device_to_host", &to_host);
  module.def("device_exchange_axes", &exchange_axes);
  module.def("device_shape_as", &shape_as);
  module.def("device_view_pairs", &view_pairs);
  bound
      .def_property_readonly("shape",
                             [](const DeviceArray& a) { return py::tuple(py::cast(a.shape())); })
      .def_property_readonly("ndim", [](const DeviceArray& a) { return a.lying.size(); })
      .def_property_readonly("dtype", &device_dtype)
      .def_property_readonly("nbytes", [](const DeviceArray& a) { return a.data.memory->bytes; })
      .def_property_readonly("device",
                             [](const DeviceArray& a) { return gpu::info(*a.data.device).index; })
      .def_readonly("swapped", &DeviceArray::swapped)
      .def("__len__",
           [](const DeviceArray& a) {
             if (a.lying.empty()) throw py::type_error("len() of a DeviceArray without axes");
             return a.shape()[0];
           })
      .def("__reduce__", &reduce)
      .def("__copy__", [](const py::object& self) { return self; })
      .def("__deepcopy__", [](const py::object& self, const py::dict&) { return self; })
      .def_property_readonly("size", &DeviceArray::size)
      .def(
          "__array__",
          [](const DeviceArray& a, const py::object& dtype, const py::object& copy) -> py::object {
            if (copy.is(py::bool_(false)))
              throw py::value_error(
                  "a DeviceArray comes to the host as a copy: copy=False cannot be");
            if (in_public_call()) throw DeviceRefusal(Declined::array, "", {.name = unseen});
            const py::array host = to_host(a);
            return dtype.is_none() ? py::object(host) : host.attr("astype")(dtype);
          },
          py::arg("dtype") = py::none(), py::arg("copy") = py::none())
      .def("__repr__", [](const DeviceArray& a) {
        return "DeviceArray(shape=" + text_of(py::tuple(py::cast(a.shape()))) +
               ", dtype=" + (a.is_complex ? "complex64" : "float32") +
               ", device='gpu:" + std::to_string(gpu::info(*a.data.device).index) + "')";
      });
}

}  // namespace metalmom::bridge
