#include "dsp/frames.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace metalmom::dsp {
namespace {

// One frame over the whole padded signal is numpy.pad's result.
std::vector<double> padded(std::vector<double> y, Index pad, PadMode mode) {
  const auto n = static_cast<Index>(y.size());
  FrameSource<double> source{y.data(), n, 1, n + 2 * pad, pad, mode};
  std::vector<double> out(static_cast<std::size_t>(n + 2 * pad));
  gather_frame(source, 0, out.data());
  return out;
}

using Values = std::vector<double>;

// Expected values: numpy.pad([1, 2, 3], 7, mode) and so on.
TEST(Frames, PadsLikeNumpy) {
  EXPECT_EQ(padded({1, 2, 3}, 2, PadMode::constant), (Values{0, 0, 1, 2, 3, 0, 0}));
  EXPECT_EQ(padded({1, 2, 3}, 2, PadMode::edge), (Values{1, 1, 1, 2, 3, 3, 3}));
  EXPECT_EQ(padded({4, 2, 6}, 2, PadMode::linear_ramp), (Values{0, 2, 4, 2, 6, 3, 0}));
  EXPECT_EQ(padded({1, 2, 3, 4, 5}, 3, PadMode::reflect),
            (Values{4, 3, 2, 1, 2, 3, 4, 5, 4, 3, 2}));
  EXPECT_EQ(padded({1, 2, 3, 4, 5}, 3, PadMode::symmetric),
            (Values{3, 2, 1, 1, 2, 3, 4, 5, 5, 4, 3}));
}

TEST(Frames, ReflectsShortSignalsAgainAndAgain) {
  EXPECT_EQ(padded({1, 2, 3}, 7, PadMode::reflect),
            (Values{2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2}));
  EXPECT_EQ(padded({1, 2}, 3, PadMode::reflect), (Values{2, 1, 2, 1, 2, 1, 2, 1}));
  EXPECT_EQ(padded({5}, 3, PadMode::reflect), (Values{5, 5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(padded({1, 2, 3}, 7, PadMode::symmetric),
            (Values{1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3}));
  EXPECT_EQ(padded({5}, 3, PadMode::symmetric), (Values{5, 5, 5, 5, 5, 5, 5}));
}

TEST(Frames, CountsFrames) {
  EXPECT_EQ(count_frames(10, 3, 4, 0), 3);
  EXPECT_EQ(count_frames(4, 3, 4, 0), 1);
  EXPECT_EQ(count_frames(3, 3, 4, 0), 0);
  EXPECT_EQ(count_frames(10, 3, 4, 2), 4);
  EXPECT_EQ(count_frames(1, 512, 2049, 1024), 1);
}

// Every frame equals the same cut of the padded signal, whatever the edges.
TEST(Frames, FramesAreCutsOfThePaddedSignal) {
  const Values y = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  for (const PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::linear_ramp}) {
    const Index n_fft = 6, hop = 2, pad = 3, n = 11;
    const Values whole = padded(y, pad, mode);
    const FrameSource<double> source{y.data(), n, hop, n_fft, pad, mode};
    for (Index frame = 0; frame < count_frames(n, hop, n_fft, pad); ++frame) {
      Values got(6);
      gather_frame(source, frame, got.data());
      EXPECT_EQ(got, Values(whole.begin() + frame * hop, whole.begin() + frame * hop + n_fft));
      if (const double* in_place = frame_in_place(source, frame)) {
        EXPECT_EQ(got, Values(in_place, in_place + n_fft));
      }
    }
    EXPECT_EQ(frame_in_place(source, 0), nullptr);
    EXPECT_EQ(frame_in_place(source, 2), y.data() + 1);
  }
}

}  // namespace
}  // namespace metalmom::dsp
