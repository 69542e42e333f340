// What the cost model makes of the rates of a machine that is easy to calculate with.
#include <gtest/gtest.h>

#include "dispatch/cost_model.hpp"

namespace metalmom::test {

namespace {

using dispatch::Load;
using dispatch::Rates;

// CPU: 1 ms per 100 flops on one thread, each further one half as good; GPU: 10 times that, and
// 1000 bytes a millisecond each way.
Rates easy_rates() {
  Rates rates;
  rates.cpu_flops = 100;
  rates.cpu_bytes = 1e9;
  rates.cpu_start_ms = 0.5;
  rates.cpu_parallel_start_ms = 2;
  rates.cpu_thread_gain = 0.5;
  rates.cpu_memory = 1e6;
  rates.gpu_flops = 1000;
  rates.device.upload = rates.device.download = 1000;
  rates.device.copy = 1e9;
  rates.gpu_start_ms = 1;
  rates.gpu_piece_ms = 4;
  rates.gpu_stream_ms = 10;
  rates.gpu_piece_bytes = 2000;
  return rates;
}

Load load(Index frames, double flops, double in_bytes, double out_bytes) {
  return {{frames, flops, 0}, in_bytes, out_bytes};
}

}  // namespace

TEST(CostModel, CpuUsesThreadsFromSomeFramesOn) {
  const Rates rates = easy_rates();
  EXPECT_DOUBLE_EQ(dispatch::predict_cpu_ms(rates, load(1000, 600, 0, 0), 1), 0.5 + 6);
  EXPECT_DOUBLE_EQ(dispatch::predict_cpu_ms(rates, load(1000, 600, 0, 0), 3), 2 + 6 / 2.0);
  EXPECT_DOUBLE_EQ(dispatch::predict_cpu_ms(rates, load(10, 600, 0, 0), 3), 0.5 + 6);
}

TEST(CostModel, GpuTakesWhatWasMeasuredForNothingAndForAPiece) {
  const Rates rates = easy_rates();
  EXPECT_DOUBLE_EQ(dispatch::predict_gpu_ms(rates, load(1, 0, 1, 0)), 1 + 3 / 2000.0);
  EXPECT_DOUBLE_EQ(dispatch::predict_gpu_ms(rates, load(1, 0, 1500, 500)), 4);
  EXPECT_DOUBLE_EQ(dispatch::predict_gpu_ms(rates, load(1, 3000, 1500, 500)), 4 + 3);
}

TEST(CostModel, FourPiecesTakeWhatWasMeasuredForThem) {
  const Rates rates = easy_rates();
  EXPECT_DOUBLE_EQ(dispatch::predict_gpu_ms(rates, load(1, 0, 6000, 2000)), 10);
  EXPECT_DOUBLE_EQ(dispatch::predict_gpu_ms(rates, load(1, 0, 3000, 2000)), 4 + 6 / 2.0);
}

TEST(CostModel, BeyondThemTheSlowestStageCounts) {
  Rates rates = easy_rates();
  rates.device.submit_ms = 0;
  // Of 32,000 bytes three quarters come after the first 8000.
  EXPECT_DOUBLE_EQ(dispatch::predict_gpu_ms(rates, load(1, 0, 24000, 8000)), 10 + 0.75 * 24);
  EXPECT_DOUBLE_EQ(dispatch::predict_gpu_ms(rates, load(1, 0, 8000, 24000)), 10 + 0.75 * 24);
  EXPECT_DOUBLE_EQ(dispatch::predict_gpu_ms(rates, load(1, 40000, 24000, 8000)),
                   10 + 0.25 * 40 + 0.75 * 40);
}

TEST(CostModel, WhatNoCacheHoldsCostsBothSides) {
  Rates rates = easy_rates();
  rates.device.upload = rates.device.download = 1e9;
  rates.device.submit_ms = 0;
  EXPECT_DOUBLE_EQ(dispatch::predict_cpu_ms(rates, load(1000, 600, 6e6, 6e6), 1), 0.5 + 6 + 4);
  EXPECT_NEAR(dispatch::predict_gpu_ms(rates, load(1, 0, 6e6, 6e6)), 10 + 4, 1e-2);
}

}  // namespace metalmom::test
