// Devices: what Vulkan sees.
#include <pybind11/stl.h>

#include "bridge/bindings.hpp"
#include "bridge/device_array.hpp"
#include "bridge/gil.hpp"
#include "dispatch/choice.hpp"
#include "dispatch/cost_model.hpp"
#include "gpu/testing.hpp"
#include "gpu/vk/validation.hpp"

namespace metalmom::bridge {

namespace {

py::dict describe(const gpu::DeviceInfo& info) {
  py::dict dict;
  dict["index"] = info.index;
  dict["name"] = info.name;
  const gpu::Hardware hardware = gpu::hardware(info.index);
  dict["vendor"] = hardware.vendor;
  dict["uuid"] = info.uuid;
  dict["type"] = EnumNames<gpu::DeviceType>::value[static_cast<std::size_t>(info.type)];
  dict["driver"] = info.driver;
  dict["api_version"] = info.api_version;
  dict["memory"] = info.memory;
  dict["memory_used"] = info.memory_used;
  dict["memory_kept"] = info.memory_kept;
  dict["units"] = hardware.units ? py::object(py::int_(hardware.units)) : py::none();
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
  const gpu::MemoryUse use = [] {
    const GilReleased unlocked;  // it waits for the device
    return gpu::memory_use(chosen_device());
  }();
  py::dict dict;
  dict["live"] = use.live;
  dict["reserved"] = use.reserved;
  dict["driver_allocations"] = use.driver_allocations;
  return dict;
}

}  // namespace

void bind_gpu(py::module_& module) {
  module.def("devices", &devices);
  module.def("no_device_reason", &gpu::no_device_reason);
  module.def("open_device", [] {
    const gpu::DeviceInfo info = [] {
      const GilReleased unlocked;
      return gpu::info(chosen_device());
    }();
    return describe(info);
  });
  module.def("device_is_open", &gpu::any_opened);
  module.def("finish_device_work", &gpu::finish_all_work, py::call_guard<GilReleased>());
  module.def("save_pipelines", &gpu::save_pipelines, py::call_guard<GilReleased>());
  module.def("device_rates", &rates_dict, py::arg("again") = false);
  module.def("device_memory", &memory_dict);
  module.def("take_validation_messages", &gpu::take_validation_messages);
  module.def("validation_active", &gpu::validation_active);

  // For tests: a software device under "auto", a small memory, a device that fails or stands still.
  module.def("let_automatic_take_software", &dispatch::let_automatic_take_software);
  module.def(
      "set_device_memory_limit",
      [](std::size_t bytes) { gpu::set_memory_limit(chosen_device(), bytes); },
      py::call_guard<GilReleased>());
  module.def("age_kept_memory", &gpu::age_kept_memory, py::call_guard<GilReleased>());
  module.def("lose_device", [] { gpu::lose_device(chosen_device()); });
  module.def(
      "fail_device_allocations", [](int count) { gpu::fail_allocations(chosen_device(), count); },
      py::call_guard<GilReleased>());
  py::class_<gpu::Stall>(module, "DeviceStall")
      .def(
          "await_waiter",
          [](gpu::Stall& stall) { return stall.await_waiters(1, std::chrono::seconds(20)); },
          py::call_guard<GilReleased>());
  module.def("stall_devices", [] { return std::make_unique<gpu::Stall>(); });
}

}  // namespace metalmom::bridge
