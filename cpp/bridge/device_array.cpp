#include "bridge/device_array.hpp"

namespace metalmom::bridge {

namespace {

std::string index_text(const gpu::DeviceData& data) {
  return std::to_string(gpu::info(*data.device).index);
}

}  // namespace

const DeviceArray* device_argument(Arguments& arguments, std::string_view name, bool is_needed) {
  const py::handle given = is_needed ? arguments.need(name) : arguments.find(name);
  if (!given || given.is_none()) return nullptr;
  if (!is_device_array(given))
    throw DeviceRefusal(Declined::side, "",
                        {.name = std::string(name),
                         .rule = "on the device too",
                         .hint = ": use to_device, or .numpy() of the others"});
  return &given.cast<const DeviceArray&>();
}

void DeviceArrays::add(const DeviceArray& array, std::string_view name, int core, bool must_be_finite) {
  if (must_be_finite && !array.finite)
    throw ArgumentError({.name = std::string(name), .rule = "finite everywhere"});
  if (data.empty())
    lead.assign(array.lying.begin(), array.lying.end() - core);
  else if (array.data.device != data[0].device)
    throw DeviceRefusal(Declined::device, "",
                        {.name = std::string(name),
                         .rule = "on gpu:" + index_text(array.data) +
                                 ", other arrays of the call on gpu:" + index_text(data[0]),
                         .verb = "is",
                         .hint = ": they must be on one device"});
  data.push_back(array.data);
  has_values |= array.size() > 0;
}

}  // namespace metalmom::bridge
