// Device arrays in other libraries' hands, and theirs in ours: DLPack and the CUDA array interface.
#include <pybind11/stl.h>

#include <algorithm>

#include "base/error_parts.hpp"
#include "bridge/bindings.hpp"
#include "bridge/device_array.hpp"
#include "bridge/dlpack.hpp"
#include "bridge/gil.hpp"
#include "bridge/params.hpp"
#include "gpu/sharing.hpp"
#include "trace/trace.hpp"

namespace metalmom::bridge {

namespace {

using Stream = std::optional<gpu::CudaStream>;

[[noreturn]] void refuse_export(const DeviceArray& array, const std::string& reason) {
  throw py::buffer_error("a DeviceArray on " + gpu::info(*array.data.device).name +
                         " cannot be handed over in its memory, since " + reason +
                         ": pass .numpy()");
}

[[noreturn]] void refuse_copy(const gpu::NotShareable& error) {
  throw py::buffer_error("y cannot be copied on the device, since " + std::string(error.what()) +
                         ": pass it as a NumPy array");
}

dlpack::Device named(const gpu::RuntimeDevice& device) {
  const bool is_hip = device.runtime == gpu::Runtime::hip;
  return {is_hip ? dlpack::DeviceKind::rocm : dlpack::DeviceKind::cuda, device.ordinal};
}

gpu::RuntimeDevice device_of(const DeviceArray& array) {
  try {
    return gpu::runtime_device(*array.data.device);
  } catch (const gpu::NotShareable& error) {
    refuse_export(array, error.what());
  }
}

py::tuple dlpack_device(const DeviceArray& array) {
  const dlpack::Device device = named(device_of(array));
  return py::make_tuple(static_cast<int>(device.kind), device.ordinal);
}

// A tensor that was handed over, and what it points to. Whoever took it deletes it, on any thread
// and without Python's lock.
struct Export {
  gpu::ExportedArray memory;
  std::vector<std::int64_t> shape, strides;
  dlpack::Managed managed{};

  Export(const DeviceArray& array, Stream stream) : memory(array.data, stream) {
    const Shape shown = array.shape();
    shape.assign(shown.begin(), shown.end());
    strides.resize(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
      strides[i] = step;
      step *= array.lying[i];
    }
    if (array.swapped) std::swap(strides.end()[-1], strides.end()[-2]);
    const auto code = array.is_complex ? dlpack::TypeCode::complex : dlpack::TypeCode::floating;
    const auto bits = static_cast<std::uint8_t>(8 * array.item_bytes());
    managed.tensor = {memory.address(),
                      named(memory.device()),
                      static_cast<std::int32_t>(shape.size()),
                      {code, bits, 1},
                      shape.data(),
                      strides.data(),
                      0};
    managed.owner = this;
    managed.deleter = [](dlpack::Managed* self) { delete static_cast<Export*>(self->owner); };
  }
};

Stream stream_from(const py::object& stream, const gpu::RuntimeDevice& device) {
  if (stream.is_none()) return device.default_stream();
  const auto number = scalar_from<std::int64_t>(stream, "stream", any_integer);
  if (number == -1) return {};  // whoever asks does not say
  if (device.runtime == gpu::Runtime::hip && (number < 0 || number == 1 || number == 2))
    throw_parameter("stream", std::to_string(number), "None, -1, 0 or a stream's address");
  if (device.runtime == gpu::Runtime::cuda && number <= 0)
    throw_parameter("stream", std::to_string(number), "None, -1, 1, 2 or a stream's address");
  return static_cast<gpu::CudaStream>(number);
}

py::capsule to_dlpack(const DeviceArray& array, const py::object& stream, const py::object&,
                      const py::object& dl_device, const py::object& copy) {
  static constexpr trace::Site site{"dlpack", trace::Category::bridge};
  const trace::Span span(site);
  const py::tuple here = dlpack_device(array);
  if (!dl_device.is_none() && !here.equal(dl_device))
    refuse_export(array,
                  "device " + text_of(dl_device) + " is asked for and it is on " + text_of(here));
  if (!copy.is_none() && scalar_from<bool>(copy, "copy", any_number))
    refuse_export(array, "a copy is asked for, which the taker can make");
  const Stream asked = stream_from(stream, device_of(array));
  std::unique_ptr<Export> exported;
  try {
    const GilReleased unlocked;
    exported = std::make_unique<Export>(array, asked);
  } catch (const gpu::NotShareable& error) {
    refuse_export(array, error.what());
  }
  py::capsule capsule(&exported->managed, dlpack::Managed::name, [](PyObject* self) {
    if (!PyCapsule_IsValid(self, dlpack::Managed::name)) return;  // somebody took it
    auto* managed =
        static_cast<dlpack::Managed*>(PyCapsule_GetPointer(self, dlpack::Managed::name));
    managed->deleter(managed);
  });
  exported.release();
  return capsule;
}

// An array of somebody else.
struct Foreign {
  const std::byte* data = nullptr;
  Shape shape, strides;  // in elements; no strides: as C orders
  bool is_complex = false;
};

bool lies_in_order(const Shape& shape, const Shape& strides) {
  py::ssize_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

DeviceArray copied(Foreign from, Stream stream) {
  static constexpr trace::Site site{"to_device", trace::Category::bridge};
  const trace::Span span(site);
  DeviceArray result;
  result.is_complex = from.is_complex;
  result.lying = std::move(from.shape);
  if (std::ranges::any_of(result.lying, [](py::ssize_t n) { return n < 0; }) ||
      (!from.strides.empty() && from.strides.size() != result.lying.size()))
    throw ArgumentError(
        {.name = "y", .rule = "have a size and a stride for each axis", .verb = "must"});
  py::ssize_t bytes = result.item_bytes();
  for (const py::ssize_t n : result.lying)
    if (__builtin_mul_overflow(bytes, n, &bytes))
      throw ArgumentError({.name = "y.shape", .rule = "fit in memory", .verb = "must"});
  // In order, or with the last two axes exchanged, as stft leaves spectra.
  if (!from.strides.empty() && result.size() > 0 && !lies_in_order(result.lying, from.strides)) {
    const bool has_two = result.lying.size() > 1;
    if (has_two) {
      std::swap(result.lying.end()[-1], result.lying.end()[-2]);
      std::swap(from.strides.end()[-1], from.strides.end()[-2]);
    }
    if (!has_two || !lies_in_order(result.lying, from.strides))
      throw ArgumentError(
          {.name = "y", .rule = "lie in one piece, as y.contiguous() does", .verb = "must"});
    result.swapped = true;
  }
  try {
    const GilReleased unlocked;
    result.data =
        gpu::copy_from_cuda(chosen_device(), from.data, static_cast<std::size_t>(bytes), stream);
  } catch (const gpu::NotShareable& error) {
    refuse_copy(error);
  }
  return result;
}

const dlpack::Tensor& tensor_in(const py::object& capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), dlpack::Managed::name))
    return capsule.cast<py::capsule>().get_pointer<dlpack::Managed>()->tensor;
  if (!PyCapsule_IsValid(capsule.ptr(), dlpack::VersionedManaged::name))
    throw py::type_error("y.__dlpack__() must be a capsule with a tensor that nobody has taken");
  const auto* managed = capsule.cast<py::capsule>().get_pointer<dlpack::VersionedManaged>();
  if (managed->major != dlpack::VersionedManaged::known_major)  // its tensor may lie elsewhere
    throw py::buffer_error("y.__dlpack__() has version " + std::to_string(managed->major) +
                           " of DLPack, and 1 is understood: pass y as a NumPy array");
  return managed->tensor;
}

// As many axes as arrays of other libraries have at most, with a size each.
bool has_axes(const dlpack::Tensor& tensor) {
  return tensor.ndim == 0 || (tensor.ndim > 0 && tensor.ndim <= 64 && tensor.shape);
}

// The capsule stays its giver's, who deletes the tensor with it: the copy is in the stream's order.
DeviceArray from_dlpack(const py::object& capsule, Stream stream) {
  const dlpack::Tensor& tensor = tensor_in(capsule);
  if (!has_axes(tensor))
    throw ArgumentError(
        {.name = "y", .rule = "have a size for each of at most 64 axes", .verb = "must"});
  const auto [code, bits, lanes] = tensor.dtype;
  Foreign from;
  from.is_complex = code == dlpack::TypeCode::complex;
  if (lanes != 1 || bits != (from.is_complex ? 64 : 32) ||
      (!from.is_complex && code != dlpack::TypeCode::floating))
    throw ArgumentError({.name = "y.dtype", .rule = "float32 or complex64"});
  from.data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  from.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  if (tensor.strides) from.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  return copied(std::move(from), stream);
}

// Of the CUDA array interface: an address, a shape, strides in bytes or None, a type as NumPy
// writes it.
DeviceArray from_cuda_array(std::uintptr_t address, Shape shape, const py::object& strides,
                            const std::string& type, Stream stream) {
  if (type != "<f4" && type != "<c8")
    throw ArgumentError({.name = "y.dtype", .value = type, .rule = "float32 or complex64"});
  Foreign from{reinterpret_cast<const std::byte*>(address), std::move(shape), {}, type == "<c8"};
  const py::ssize_t item = from.is_complex ? 8 : 4;
  if (!strides.is_none())
    for (const auto bytes : strides.cast<Shape>()) {
      if (bytes % item)
        throw ArgumentError(
            {.name = "y", .rule = "lie in one piece, value by value", .verb = "must"});
      from.strides.push_back(bytes / item);
    }
  return copied(std::move(from), stream);
}

}  // namespace

void bind_sharing(py::module_& module) {
  py::object(module.attr("DeviceArray"))
      .cast<py::class_<DeviceArray>>()
      .def("__dlpack__", &to_dlpack, py::kw_only(), py::arg("stream") = py::none(),
           py::arg("max_version") = py::none(), py::arg("dl_device") = py::none(),
           py::arg("copy") = py::none())
      .def("__dlpack_device__", &dlpack_device);
  module.def("from_dlpack", &from_dlpack);
  module.def("from_cuda_array", &from_cuda_array);
  // The stream that copies what comes without one; raises BufferError where there is no CUDA.
  module.def("copying_stream", [] {
    try {
      return gpu::copying_stream(chosen_device());
    } catch (const gpu::NotShareable& error) {
      refuse_copy(error);
    }
  });
}

}  // namespace metalmom::bridge
