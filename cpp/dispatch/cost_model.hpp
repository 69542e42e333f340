// What a call would take on each side, from a few constants of the machine. They are measured once
// and kept on disk; METALMOM_CALIBRATE=0 uses typical ones instead.
#pragma once

#include <cstdint>

#include "base/view.hpp"
#include "gpu/calibration.hpp"
#include "ops/op.hpp"

namespace metalmom::gpu {
class Device;
}

namespace metalmom::dispatch {

// Rates per millisecond.
struct Rates {
  double cpu_flops = 3e7;  // of one thread in fused frame ops
  double cpu_bytes = 8e6;  // of one thread
  double cpu_start_ms = 0.004;
  double cpu_parallel_start_ms = 0.05;  // until all threads are at work
  double cpu_thread_gain = 0.8;         // what each further thread adds to the first one's rate
  double cpu_memory = 3e7;              // bytes, of all threads outside their caches
  gpu::DeviceRates device;
  double gpu_flops = 1e9;
  // A call of a second of audio; one of `gpu_piece_bytes`, which goes through in one piece; and one
  // of four times as much.
  double gpu_start_ms = 0.1, gpu_piece_ms = 0.5, gpu_stream_ms = 1, gpu_piece_bytes = 3.3e6;
  bool measured = false;
  double took_ms = 0;  // to measure
};

// What an op's call is made of.
struct Load {
  ops::Cost cost;
  double in_bytes = 0, out_bytes = 0;  // that would cross the bus
};

double predict_cpu_ms(const Rates& rates, const Load& load, int threads);
double predict_gpu_ms(const Rates& rates, const Load& load);

// The constants of this machine and device, measured when they are not known yet (at most 0.1 s).
const Rates& rates_of(gpu::Device& device);
// Measures again and stores.
const Rates& calibrate(gpu::Device& device);
// What the CPU side of a prediction needs before there is any device.
double rough_cpu_ms(const Load& load, int threads);

}  // namespace metalmom::dispatch
