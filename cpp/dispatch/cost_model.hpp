// What a call would take on each side, from a few constants of the machine. They are measured once
// and kept on disk; METALMOM_CALIBRATE=0 uses typical ones instead.
#pragma once

#include <cstdint>

#include "base/view.hpp"
#include "gpu/run/calibration.hpp"
#include "ops/op.hpp"

namespace metalmom::gpu {
class Device;
}

namespace metalmom::dispatch {

// Speeds per millisecond, and times, as far as predictions need them.
struct Rates {
  double cpu_flops = 3e7;  // of one thread in fused frame ops (a mel spectrogram)
  double cpu_bytes = 8e6;  // of one thread
  double cpu_start_ms = 0.004;
  double cpu_parallel_start_ms = 0.05;  // from the start of a call until all threads are at work
  double cpu_thread_gain = 0.8;         // what each further thread adds to the first one's rate
  double cpu_memory = 3e7;  // bytes that all threads together read or write outside of their caches
  gpu::DeviceRates device;
  double gpu_flops = 1e9;
  // What a call takes from host memory to host memory: one of a second of audio; one of
  // `gpu_piece_bytes`, which goes through the device in one piece; and one of four times as much.
  double gpu_start_ms = 0.1, gpu_piece_ms = 0.5, gpu_stream_ms = 1, gpu_piece_bytes = 3.3e6;
  bool measured = false;
  double took_ms = 0;  // how long these measurements took
};

// What has to be known of a call: its arithmetic, and its arrays.
struct Load {
  ops::Cost cost;
  double in_bytes = 0, out_bytes = 0;  // bytes that would cross the bus to a device and back
  Index calls = 1;  // of which it consists: one for each clip where lengths differ
};

double predict_cpu_ms(const Rates& rates, const Load& load, int threads);
double predict_gpu_ms(const Rates& rates, const Load& load);

// The constants of this machine and device, measured when they are not known yet (at most 0.1 s).
Rates rates_of(gpu::Device& device);
// Measures again and stores.
Rates calibrate(gpu::Device& device);
// The CPU side of a prediction with typical rates, for a choice before any device was opened.
double rough_cpu_ms(const Load& load, int threads);

}  // namespace metalmom::dispatch
