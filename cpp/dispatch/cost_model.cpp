#include "dispatch/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/workers.hpp"

namespace metalmom::dispatch {

namespace {

// Streamed pieces, as gpu/run.cpp cuts them; a later piece's submission hides behind others.
constexpr double piece_bytes = 4 << 20;
constexpr double hidden_submit = 0.2;

double work_ms(const ops::Cost& cost, double flops_rate, double bytes_rate) {
  return std::max(cost.flops / flops_rate, cost.bytes / bytes_rate);
}

}  // namespace

double predict_cpu_ms(const Rates& rates, const Load& load, int threads) {
  // The engine goes parallel above some 64 frames.
  const double used = load.cost.frames >= 64 ? threads : 1;
  return rates.cpu_start_ms + work_ms(load.cost, rates.cpu_flops, rates.cpu_bytes) / used;
}

double predict_gpu_ms(const Rates& rates, const Load& load) {
  const double up = load.in_bytes / rates.device.upload;
  const double down = load.out_bytes / rates.device.download;
  const double kernel = work_ms(load.cost, rates.gpu_flops, rates.device.copy);
  const double pieces = std::max(1.0, std::ceil((load.in_bytes + load.out_bytes) / piece_bytes));
  // The first piece goes through the stages one after another, the others beside each other.
  return rates.device.submit_ms * (1 + hidden_submit * (pieces - 1)) +
         (up + kernel + down) / pieces + std::max({up, kernel, down}) * (pieces - 1) / pieces;
}

double rough_cpu_ms(const Load& load, int threads) {
  return predict_cpu_ms({}, load, threads);
}

}  // namespace metalmom::dispatch
