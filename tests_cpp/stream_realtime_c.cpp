// What programs in C call block by block does not wait for anybody (stream_realtime.cpp).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "c_api/metalmom.h"
#include "realtime_guard.hpp"

#ifdef METALMOM_REALTIME_GUARD

namespace metalmom {
namespace {

using test::cuts, test::expect_real_time, test::samples;

TEST(StreamRealTime, FeaturesOfC) {
  const auto y = samples<float>(50000);
  const auto sizes = cuts(50000);
  std::vector<float> frames(1 << 20);
  for (const char* name : {"stft", "melspectrogram", "mfcc", "chroma_stft", "onset_strength", "rms",
                           "zero_crossing_rate", "spectral_centroid", "spectral_bandwidth",
                           "spectral_rolloff", "spectral_flatness"}) {
    metalmom_features* features = nullptr;
    ASSERT_EQ(metalmom_features_open(name, "hop_length=256", 1, &features), METALMOM_OK);
    const Index room = std::ssize(frames) / metalmom_features_rows(features);
    metalmom_report report{};
    report.size = sizeof report;
    const auto run = [&](const std::vector<Index>& blocks) {
      const float* at = y.data();
      int64_t made = 0;
      for (const Index size : blocks) {
        metalmom_features_process(features, at, size, 0, frames.data(), room, &made);
        metalmom_features_report(features, &report);
        at += size;
      }
      metalmom_features_process(features, at, 0, 1, frames.data(), room, &made);
      metalmom_features_reset(features);
    };
    expect_real_time([] {}, [&] { run(sizes); });  // also at first
    EXPECT_EQ(report.samples, 50000);
    EXPECT_EQ(report.blocks, std::ranges::count_if(sizes, [](Index size) { return size > 0; }));
    metalmom_features_close(features);
  }
}

// Wrong calls are no slower: they throw nothing.
TEST(StreamRealTime, RefusalsOfC) {
  std::vector<float> y(1000), frames(1000);
  metalmom_features* features = nullptr;
  metalmom_convolver* convolver = nullptr;
  ASSERT_EQ(metalmom_features_open("rms", nullptr, 1, &features), METALMOM_OK);
  ASSERT_EQ(metalmom_convolver_open(y.data(), 100, 1, 64, &convolver), METALMOM_OK);
  y[500] = NAN;
  int64_t made = 0;
  const auto wrong = [&] {
    metalmom_features_process(features, y.data(), 1000, 0, frames.data(), 1000, &made);
    metalmom_features_process(features, y.data(), 500, 1, frames.data(), 0, &made);
    metalmom_convolver_process(convolver, y.data(), 1000, frames.data());
  };
  expect_real_time(wrong, wrong);
  EXPECT_EQ(metalmom_features_process(features, y.data(), 1000, 0, frames.data(), 1000, &made),
            METALMOM_BAD_SAMPLES);
  EXPECT_EQ(metalmom_features_process(features, y.data(), 500, 1, frames.data(), 0, &made),
            METALMOM_NO_ROOM);
  EXPECT_EQ(metalmom_features_process(features, y.data(), 500, 1, frames.data(), 1000, &made),
            METALMOM_OK);
  EXPECT_EQ(made, metalmom_features_ready(features, 0, 0) +
                      1);  // of 500 samples a frame; none after the end
  EXPECT_EQ(metalmom_features_process(features, y.data(), 500, 0, frames.data(), 1000, &made),
            METALMOM_ENDED);
  EXPECT_EQ(metalmom_convolver_process(convolver, y.data(), 1000, frames.data()),
            METALMOM_BAD_SAMPLES);
  EXPECT_EQ(metalmom_features_process(features, nullptr, 1, 0, nullptr, 0, &made),
            METALMOM_BAD_ARGUMENT);
  EXPECT_STREQ(metalmom_last_error(), "features and samples must not be NULL");
  EXPECT_EQ(metalmom_features_ready(features, INT64_MAX, 0), 0);
  metalmom_features_close(features);
  metalmom_convolver_close(convolver);
}

TEST(StreamRealTime, WrongOptionsOfC) {
  metalmom_features* features = nullptr;
  // 1,024 channels of 16 frames with this hop are 2^64 + 4,096 samples.
  EXPECT_EQ(metalmom_features_open("rms", "hop_length=1200959900631996", 1024, &features),
            METALMOM_BAD_ARGUMENT);
  EXPECT_STREQ(metalmom_last_error(),
               "hop_length=1200959900631996 must be small enough for 16 frames in memory");
  EXPECT_EQ(metalmom_features_open("rms", "n_fft=512", 1, &features), METALMOM_BAD_ARGUMENT);
  EXPECT_STREQ(metalmom_last_error(), "options='n_fft' must be frame_length of this feature");
  EXPECT_EQ(features, nullptr);
}

TEST(StreamRealTime, ReportOfC) {
  const std::vector<float> y(4800);
  std::vector<float> out(4800);
  metalmom_convolver* convolver = nullptr;
  ASSERT_EQ(metalmom_convolver_open(y.data(), 100, 1, 64, &convolver), METALMOM_OK);
  metalmom_report report{};
  report.size = sizeof report;
  const auto asked = [&] {
    EXPECT_EQ(metalmom_convolver_report(convolver, &report), METALMOM_OK);
    return report;
  };
  metalmom_convolver_process(convolver, y.data(), 4800, out.data());
  metalmom_convolver_process(convolver, y.data(), 0, out.data());
  EXPECT_EQ(asked().blocks, 1);
  EXPECT_EQ(report.budget, 0);  // nobody has said how long it lasts
  EXPECT_EQ(metalmom_convolver_set_rate(convolver, 1e12), METALMOM_OK);
  for (int i = 0; i < 3; ++i) metalmom_convolver_process(convolver, y.data(), 4800, out.data());
  EXPECT_EQ(asked().late, 3);
  EXPECT_EQ(report.samples, 3 * 4800);
  EXPECT_DOUBLE_EQ(report.budget, 4.8e-9);
  EXPECT_DOUBLE_EQ(report.share, report.mean / report.budget);
  EXPECT_TRUE(0 < report.p50 && report.p50 <= report.p99 && report.p99 <= report.worst);
  EXPECT_EQ(std::accumulate(std::begin(report.histogram), std::end(report.histogram), Index{0}), 3);
  metalmom_convolver_reset(convolver);
  EXPECT_EQ(asked().blocks, 0);
  report.size = 8;
  EXPECT_EQ(metalmom_convolver_report(convolver, &report), METALMOM_BAD_ARGUMENT);
  EXPECT_STREQ(metalmom_last_error(),
               "report must not be NULL, and report->size be sizeof(metalmom_report)");
  EXPECT_EQ(metalmom_convolver_set_rate(convolver, 0), METALMOM_BAD_ARGUMENT);
  EXPECT_EQ(metalmom_convolver_report(nullptr, &report), METALMOM_BAD_ARGUMENT);
  metalmom_convolver_close(convolver);
}

TEST(StreamRealTime, ConvolverOfC) {
  const auto y = samples<float>(50000), h = samples<float>(20000);
  const auto sizes = cuts(50000);
  std::vector<float> out(50000);
  metalmom_convolver* convolver = nullptr;
  ASSERT_EQ(metalmom_convolver_open(h.data(), 20000, 1, 128, &convolver), METALMOM_OK);
  const auto run = [&](const std::vector<Index>& blocks) {
    Index at = 0;
    for (const Index size : blocks) {
      metalmom_convolver_process(convolver, y.data() + at, size, out.data() + at);
      at += size;
    }
    metalmom_convolver_reset(convolver);
  };
  expect_real_time([&] { run({50000}); }, [&] { run(sizes); });
  metalmom_convolver_close(convolver);
}

TEST(StreamRealTime, RingOfC) {
  const std::vector<float> y{1, 2, 3, 4, 5, 6};
  std::vector<float> out(6);
  metalmom_ring* ring = nullptr;
  ASSERT_EQ(metalmom_ring_open(2, 2, &ring), METALMOM_OK);
  const auto use = [&] {
    metalmom_ring_write(ring, y.data(), 3);
    metalmom_ring_read(ring, out.data(), 3);
  };
  expect_real_time(use, use);
  EXPECT_EQ(metalmom_ring_write(ring, y.data(), 3), 2);
  EXPECT_EQ(metalmom_ring_read(ring, out.data(), 3), 2);
  EXPECT_EQ(out, (std::vector<float>{1, 3, out[2], 2, 4, out[5]}));
  EXPECT_GE(metalmom_ring_lost(ring), 1);
  metalmom_ring_close(ring);
}

}  // namespace
}  // namespace metalmom

#endif
