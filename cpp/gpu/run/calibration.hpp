// How fast a device is, for the choice of a backend and for the trace's bounds.
#pragma once

namespace metalmom::gpu {

class Device;

// Bytes per millisecond, and milliseconds.
struct DeviceRates {
  double submit_ms = 0;  // from a submission to having seen it done, with nothing to do
  double upload = 0;     // of a long array from the host, through staging, several threads
  double download = 0;
  double upload_bus = 0;  // what the copies inside take by themselves, at best
  double download_bus = 0;
  double copy = 0;  // device memory read and written by a kernel
};

// On memory and sessions that are warm: what a first call costs beyond is not in the rates.
DeviceRates measure(Device& device);

}  // namespace metalmom::gpu
