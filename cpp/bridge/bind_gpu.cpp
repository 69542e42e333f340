// Backends and devices: settings, what Vulkan sees, arrays on a device.
#include <pybind11/stl.h>

#include <atomic>

#include "bridge/bindings.hpp"
#include "bridge/device_array.hpp"
#include "bridge/gil.hpp"
#include "dispatch/choice.hpp"
#include "ops/op.hpp"
#include "trace/trace.hpp"

namespace metalmom::bridge {

namespace {

using SettingPtr = std::shared_ptr<const dispatch::Setting>;

// A backend setting as a Python object. The empty one stands for "no scope".
struct SettingHandle {
  SettingPtr setting;
};

constexpr const char* type_names[] = {"other", "integrated", "discrete", "virtual", "cpu"};

SettingHandle make_setting(const std::string& name,
                           const std::map<std::string, Index>& min_frames) {
  dispatch::Setting setting = dispatch::parse_setting(name);
  setting.min_frames.insert(min_frames.begin(), min_frames.end());
  return {std::make_shared<const dispatch::Setting>(std::move(setting))};
}

py::dict describe(const gpu::DeviceInfo& info) {
  py::dict dict;
  dict["index"] = info.index;
  dict["name"] = info.name;
  dict["uuid"] = info.uuid;
  dict["type"] = type_names[static_cast<std::size_t>(info.type)];
  dict["driver"] = info.driver;
  dict["api_version"] = info.api_version;
  dict["memory"] = info.memory;
  dict["memory_used"] = info.memory_used;
  dict["memory_kept"] = info.memory_kept;
  dict["max_storage_buffer"] = info.limits.storage_range;
  dict["shared_memory"] = info.limits.shared_memory;
  dict["timeline_semaphores"] = info.timeline_semaphores;
  dict["unusable"] = info.unusable;
  return dict;
}

py::list devices() {
  const auto found = [] {
    const GilReleased unlocked;
    return gpu::devices();
  }();
  py::list list;
  for (const auto& each : found) list.append(describe(each));
  return list;
}

py::dict rates_dict(bool again) {
  const dispatch::Rates rates = [&] {
    const GilReleased unlocked;
    return again ? dispatch::calibrate(chosen_device()) : dispatch::rates_of(chosen_device());
  }();
  py::dict dict;
  dict["measured"] = rates.measured;
  dict["cpu_gflops_per_thread"] = rates.cpu_flops * 1e-6;
  dict["cpu_parallel_start_us"] = rates.cpu_parallel_start_ms * 1e3;
  dict["cpu_thread_gain"] = rates.cpu_thread_gain;
  dict["cpu_memory_gb_per_s"] = rates.cpu_memory * 1e-6;
  dict["gpu_start_us"] = rates.gpu_start_ms * 1e3;
  dict["gpu_piece_us"] = rates.gpu_piece_ms * 1e3;
  dict["gpu_stream_us"] = rates.gpu_stream_ms * 1e3;
  dict["gpu_gflops"] = rates.gpu_flops * 1e-6;
  dict["submit_us"] = rates.device.submit_ms * 1e3;
  dict["upload_gb_per_s"] = rates.device.upload * 1e-6;
  dict["download_gb_per_s"] = rates.device.download * 1e-6;
  dict["upload_bus_gb_per_s"] = rates.device.upload_bus * 1e-6;
  dict["download_bus_gb_per_s"] = rates.device.download_bus * 1e-6;
  dict["copy_gb_per_s"] = rates.device.copy * 1e-6;
  dict["took_ms"] = rates.took_ms;
  return dict;
}

py::dict memory_dict() {
  const gpu::MemoryUse use = gpu::memory_use(chosen_device());
  py::dict dict;
  dict["live"] = use.live;
  dict["reserved"] = use.reserved;
  dict["driver_allocations"] = use.driver_allocations;
  return dict;
}

// Checked at upload and noted in the DeviceArray: later checks need not read the device.
bool all_finite(std::span<const float> values) {
  try {
    ops::require_finite<float>(values);
    return true;
  } catch (const ParameterError&) {
    return false;
  }
}

DeviceArray to_device(const py::array& host) {
  static constexpr trace::Site site{"to_device", trace::Category::bridge};
  trace::Span span(site);
  span.arg("uploaded_bytes", host.nbytes());
  DeviceArray result;
  result.is_complex = host.dtype().kind() == 'c';
  result.lying.assign(host.shape(), host.shape() + host.ndim());
  const auto bytes = static_cast<std::size_t>(host.nbytes());
  const void* data = host.data();
  const GilReleased unlocked;
  std::atomic<bool> finite{true};
  result.data = gpu::copy_to_device(chosen_device(), data, bytes, [&](std::span<const float> part) {
    if (finite && !all_finite(part)) finite = false;
  });
  result.finite = finite;
  return result;
}

py::array to_host(const DeviceArray& array) {
  static constexpr trace::Site site{"numpy", trace::Category::bridge};
  trace::Span span(site);
  py::array host(py::dtype(array.is_complex ? "c8" : "f4"), array.lying);
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

DeviceArray swap_axes(DeviceArray array, int first, int second) {
  const auto ndim = static_cast<int>(array.lying.size());
  const int a = first < 0 ? first + ndim : first, b = second < 0 ? second + ndim : second;
  if (ndim < 2 || a + b != 2 * ndim - 3 || std::max(a, b) != ndim - 1)
    throw DeviceError("of a device array only the last two axes can be swapped");
  array.exchange_axes();
  return array;
}

// NumPy's reshape: the sizes one by one or as a tuple; -1 stands for what remains.
DeviceArray reshape(DeviceArray array, const py::args& sizes) {
  if (array.swapped) throw DeviceError("a transposed device array cannot be reshaped");
  const bool is_one = sizes.size() == 1 && py::isinstance<py::sequence>(sizes[0]);
  const py::object given = is_one ? py::object(sizes[0]) : py::object(sizes);
  Shape shape;
  for (const auto& size : given) shape.push_back(scalar_from<Index>(size, "shape", any_number));
  const py::ssize_t count = array.size();
  py::ssize_t known = 1;
  for (const auto n : shape) known *= n < 0 ? 1 : n;
  for (auto& n : shape)
    if (n < 0) n = known ? count / known : 0, known *= n;
  if (known != count) throw DeviceError("reshape must keep the number of elements");
  array.lying = std::move(shape);
  return array;
}

// Shows complex numbers as pairs of real ones, or pairs as complex numbers.
DeviceArray view_as(DeviceArray array, const py::object& dtype) {
  const bool to_complex = py::dtype::from_args(dtype).kind() == 'c';
  if (to_complex == array.is_complex) return array;
  if (array.lying.empty()) throw DeviceError("a view of another size needs an axis");
  py::ssize_t& last = array.lying.back();
  if (array.swapped || (to_complex && last % 2))
    throw DeviceError("a view needs pairs that lie side by side");
  last = to_complex ? last / 2 : 2 * last;
  array.is_complex = to_complex;
  return array;
}

// astype(), which can only keep the type: device arrays are float32 or complex64.
py::object as_type(const py::object& self, const py::object& dtype, bool /*copy*/) {
  if (!py::object(self.attr("dtype")).equal(py::dtype::from_args(dtype)))
    throw DeviceError("a device array stays float32 or complex64: use .numpy()");
  return self;
}

// Pickles the array through host memory, in the order it has in memory.
py::tuple reduce(const DeviceArray& array) {
  DeviceArray lying = array;
  lying.swapped = false;
  return py::make_tuple(py::module_::import("metalmom._backend").attr("uploaded"),
                        py::make_tuple(to_host(lying), array.swapped));
}

constexpr const char* device_array_doc = R"(An array in a device's memory; `to_device` makes one.

Functions that have a GPU kernel take it and answer with another. ``numpy()`` brings it back. It
pickles through the host: whoever loads it has it on the device that `backend` names there.

Attributes
----------
shape : tuple of int
dtype : np.dtype
    float32 or complex64.
ndim, size, nbytes : int
device : int
    The index of its device in `devices`.
)";

void bind_device_array(py::module_& module) {
  py::class_<DeviceArray> bound(module, "DeviceArray", device_array_doc);
  bound.attr("__module__") = "metalmom";
  bound
      .def_property_readonly("shape",
                             [](const DeviceArray& a) { return py::tuple(py::cast(a.shape())); })
      .def_property_readonly("ndim", [](const DeviceArray& a) { return a.lying.size(); })
      .def_property_readonly(
          "dtype", [](const DeviceArray& a) { return py::dtype(a.is_complex ? "c8" : "f4"); })
      .def_property_readonly("nbytes", [](const DeviceArray& a) { return a.data.memory->bytes; })
      .def_property_readonly("device",
                             [](const DeviceArray& a) { return gpu::info(*a.data.device).index; })
      .def_readonly("swapped", &DeviceArray::swapped)
      .def("__len__", [](const DeviceArray& a) { return a.shape().at(0); })
      .def("numpy", &to_host)
      .def("__reduce__", &reduce)
      .def("swapaxes", &swap_axes)
      .def_property_readonly("size", &DeviceArray::size)
      .def("reshape", &reshape)
      .def("view", &view_as)
      .def("astype", &as_type, py::arg("dtype"), py::arg("copy") = true)
      .def(
          "__array__",
          [](const DeviceArray& a, const py::object& dtype, const py::object&) -> py::object {
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

}  // namespace

void bind_gpu(py::module_& module) {
  py::class_<SettingHandle>(module, "Setting");
  module.def("make_setting", &make_setting);
  module.def("no_setting", [] { return SettingHandle{}; });
  module.def("backend_name", [] { return dispatch::setting_name(*dispatch::current_setting()); });
  module.def("backend_devices",
             [] { return dispatch::device_indices(*dispatch::current_setting()); });
  module.def("set_default_setting", [](const SettingHandle& handle) {
    return SettingHandle{dispatch::set_default_setting(handle.setting)};
  });
  module.def("set_scoped_setting", [](const SettingHandle& handle) {
    return SettingHandle{dispatch::set_scoped_setting(handle.setting)};
  });

  module.def("devices", &devices);
  module.def("no_device_reason", &gpu::no_device_reason);
  module.attr("gpu_built") = gpu::built;
  module.def("open_device", [] { return describe(gpu::info(chosen_device())); });
  module.def("finish_device_work", &gpu::finish_all_work, py::call_guard<GilReleased>());
  module.def("device_rates", &rates_dict, py::arg("again") = false);
  module.def("device_memory", &memory_dict);
  module.def("take_validation_messages", &gpu::take_validation_messages);
  module.def("validation_active", &gpu::validation_active);
  module.def("to_device", &to_device);
  bind_device_array(module);

  // For tests: a software device under "auto", a small memory, a device that fails.
  module.def("let_automatic_take_software", &dispatch::let_automatic_take_software);
  module.def("set_device_memory_limit",
             [](std::size_t bytes) { gpu::set_memory_limit(chosen_device(), bytes); });
  module.def("age_kept_memory", &gpu::age_kept_memory);
  module.def("lose_device", [] { gpu::lose_device(chosen_device()); });
  module.def("fail_device_allocations",
             [](int count) { gpu::fail_allocations(chosen_device(), count); });
}

}  // namespace metalmom::bridge
