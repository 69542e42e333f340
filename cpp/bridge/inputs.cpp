#include "bridge/inputs.hpp"

#include "base/error_parts.hpp"
#include "ops/op.hpp"

namespace metalmom::bridge {

namespace {

std::string index_text(const gpu::DeviceData& data) {
  return std::to_string(gpu::info(*data.device).index);
}

bool is_wide(const py::handle& object) {
  if (!py::isinstance<py::array>(object)) return false;
  const auto dtype = py::reinterpret_borrow<py::array>(object).dtype();
  return dtype.itemsize() > (dtype.kind() == 'c' ? 8 : 4);
}

}  // namespace

Precision precision_of(const py::kwargs& kwargs, std::span<const std::string_view> named) {
  auto precision = Precision::single;
  for (const std::string_view name : named) {
    const py::handle array =
        name.empty() ? nullptr : PyDict_GetItemString(kwargs.ptr(), name.data());
    if (is_device_array(array)) return Precision::on_device;
    if (array && is_wide(array)) precision = Precision::wide;
  }
  return precision;
}

View<const std::byte> CallArrays::add_on_device(const py::handle& given, std::string_view name,
                                                int core, bool wants_complex, bool must_be_finite) {
  if (!is_device_array(given))
    throw DeviceRefusal(Declined::side, "",
                        {.name = std::string(name),
                         .rule = "on the device too",
                         .hint = ": use to_device, or .numpy() of the others"});
  const auto& array = given.cast<const DeviceArray&>();
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
  if (must_be_finite && !array.finite)
    throw ArgumentError({.name = std::string(name), .rule = "finite everywhere"});
  if (on_device.empty())
    lead.assign(array.lying.begin(), array.lying.end() - core);
  else if (array.data.device != on_device[0].device)
    throw DeviceRefusal(Declined::device, "",
                        {.name = std::string(name),
                         .rule = "on gpu:" + index_text(array.data) +
                                 ", other arrays of the call on gpu:" + index_text(on_device[0]),
                         .verb = "is",
                         .hint = ": they must be on one device"});
  on_device.push_back(array.data);
  has_values |= array.size() > 0;
  View<const std::byte> shape{nullptr, 1, 1, 1};
  for (int i = 0; i < ndim - core; ++i) shape.batch *= array.lying[static_cast<std::size_t>(i)];
  if (core == 2) shape.rows = array.lying.end()[-2];
  if (core >= 1) shape.cols = array.lying.end()[-1];
  return shape;
}

bool has_frames_first(const py::handle& array) {
  if (is_device_array(array)) return array.cast<const DeviceArray&>().swapped;
  const auto is_contiguous = [](const py::handle& each) {
    return (py::reinterpret_borrow<py::array>(each).flags() & py::array::c_style) != 0;
  };
  return py::isinstance<py::array>(array) && !is_contiguous(array) &&
         py::reinterpret_borrow<py::array>(array).ndim() > 1 &&
         is_contiguous(array.attr("swapaxes")(-1, -2));
}

void CallArrays::find_out(Arguments& arguments) {
  if (are_on_device()) return;  // where a call makes its own results
  if (const py::handle given = arguments.find("out"); given && !given.is_none())
    out = py::reinterpret_borrow<py::object>(given);
}

}  // namespace metalmom::bridge
