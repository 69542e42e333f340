#include "dispatch/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/workers.hpp"
#include "gpu/run/staging.hpp"

namespace metalmom::dispatch {

namespace {

// The share of a submission's time that each further piece adds: the rest hides behind others.
constexpr double hidden_submit = 0.2;

// Arrays of a call that fit the processor's caches; only what is beyond them costs `memory_ms`.
constexpr double cache_bytes = 8e6;

double work_ms(const ops::Cost& cost, double flops_rate, double bytes_rate) {
  return std::max(cost.flops / flops_rate, cost.bytes / bytes_rate);
}

// The time to read signals and write results that do not stay in the processor's caches. Results
// are written to pages that the system must clear first.
double memory_ms(const Rates& rates, const Load& load) {
  return std::max(0.0, load.in_bytes + load.out_bytes - cache_bytes) / rates.cpu_memory;
}

Load share_of(const Load& load, double shares) {
  Load share = load;
  for (double* each : {&share.cost.flops, &share.cost.bytes, &share.in_bytes, &share.out_bytes})
    *each /= shares;
  return share;
}

}  // namespace

double predict_cpu_ms(const Rates& rates, const Load& load, int threads) {
  const double alone = work_ms(load.cost, rates.cpu_flops, rates.cpu_bytes);
  // The engine goes parallel from about 64 frames on (ops::block_grain blocks).
  if (threads == 1 || load.cost.frames < 64)
    return rates.cpu_start_ms + alone + memory_ms(rates, load);
  return rates.cpu_parallel_start_ms + alone / (1 + rates.cpu_thread_gain * (threads - 1)) +
         memory_ms(rates, load);
}

double predict_gpu_ms(const Rates& rates, const Load& load) {
  const auto calls = static_cast<double>(load.calls);
  // Shorter clips share their submissions (gpu/run/run.hpp), as those of a batch do.
  if (load.calls > 1 && load.in_bytes + load.out_bytes > calls * gpu::streamed_piece_bytes) {
    Load one = share_of(load, calls);
    one.calls = 1;
    return predict_gpu_ms(rates, one) * calls;
  }
  const double up = load.in_bytes / rates.device.upload;
  const double down = load.out_bytes / rates.device.download;
  const double kernel = work_ms(load.cost, rates.gpu_flops, rates.device.copy);
  const double bytes = load.in_bytes + load.out_bytes;
  const double pieces = std::max(1.0, std::ceil(bytes / gpu::streamed_piece_bytes));
  // A call is streamed through the device in pieces. What one piece takes and what four take was
  // measured (gpu_piece_ms, gpu_stream_ms); a shorter call takes a share of these, and its kernels
  // on top. From the fifth piece on upload, kernel, download and the host's copies of different
  // pieces run at the same time, so the slowest of them alone counts.
  const double stream_bytes = 4 * rates.gpu_piece_bytes;
  const double first = std::min(1.0, bytes / rates.gpu_piece_bytes);
  const double second = std::clamp(
      (bytes - rates.gpu_piece_bytes) / (stream_bytes - rates.gpu_piece_bytes), 0.0, 1.0);
  const double rest = std::max(0.0, 1 - stream_bytes / bytes);
  return rates.gpu_start_ms + (rates.gpu_piece_ms - rates.gpu_start_ms) * first +
         (rates.gpu_stream_ms - rates.gpu_piece_ms) * second + kernel * (1 - rest) +
         std::max({up, kernel, down, memory_ms(rates, load)}) * rest +
         rates.device.submit_ms * hidden_submit * pieces * rest;
}

double rough_cpu_ms(const Load& load, int threads) {
  return predict_cpu_ms({}, load, threads);
}

}  // namespace metalmom::dispatch
