// DLPack, by which array libraries hand memory to each other without a copy: a DeviceArray's memory
// is Vulkan's own, so it is refused as the protocol wants it, with a BufferError that says what to
// do.
#pragma once

#include <string>

#include "bridge/device_array.hpp"

namespace metalmom::bridge {

[[noreturn]] inline void dlpack_device(const DeviceArray& array) {
  throw py::buffer_error("the array's memory on " + gpu::info(*array.data.device).name +
                         " is Vulkan's own, which no other library reads: pass .numpy()");
}

[[noreturn]] inline void dlpack(const DeviceArray& array, const py::kwargs&) {
  dlpack_device(array);
}

}  // namespace metalmom::bridge
