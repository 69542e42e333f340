#include "dsp/rate/polyphase.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

std::vector<float> resampled(const Buffer<float>& y, double to_rate, Index room) {
  std::vector<float> out(static_cast<std::size_t>(room), -1.0F);
  try {
    const Index made = resample_signal(y.data(), static_cast<Index>(y.size()), 1, to_rate,
                                       Quality::high, out.data(), room);
    out.push_back(static_cast<float>(made));
  } catch (const AudioError&) {
    out.clear();  // a build without libsoxr
  }
  return out;
}

// Room for less than the result takes its beginning, and for more ends in zeros. A result larger
// than what one call gives is put together.
TEST(Resample, FillsTheRoomThereIs) {
  const auto y = test::noise<float>(3000);
  auto whole = resampled(y, 400, 1'200'000);
  if (whole.empty()) GTEST_SKIP() << "no libsoxr";
  EXPECT_EQ(whole.back(), 1'200'000.0F);
  auto less = resampled(y, 400, 1000);
  EXPECT_EQ(less.back(), 1000.0F);
  EXPECT_TRUE(std::equal(less.begin(), less.end() - 1, whole.begin()));
  const auto more = resampled(y, 2, 7000);
  EXPECT_EQ(more.back(), 6000.0F);
  EXPECT_EQ(more[6500], 0.0F);
}

TEST(Resample, RefusesRatiosBeyondLibsoxr) {
  const auto refusal = [](double from, double to) -> std::string {
    try {
      require_rates(from, to, "target_sr", "orig_sr=");
    } catch (const ParameterError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(1, 32768), "");
  EXPECT_EQ(refusal(32768, 1), "");
  EXPECT_EQ(refusal(1, 32769), "target_sr=32769 must be within a factor of 32768 of orig_sr=1");
  EXPECT_EQ(refusal(9e15, 16000),
            "target_sr=16000 must be within a factor of 32768 of orig_sr=9e+15");
}

// Tests of the kernel compare its sums with libsoxr's results.
TEST(Polyphase, IsMeasuredWhereOneDescribesTheChange) {
  if (resampled(test::noise<float>(10), 2, 20).empty()) GTEST_SKIP() << "no libsoxr";
  const auto halving = polyphase(44100, 22050, Quality::high);
  ASSERT_TRUE(halving);
  EXPECT_EQ(std::pair(halving->up, halving->down), std::pair(Index(1), Index(2)));
  EXPECT_EQ(halving->n_first, 0);
  // A constant stays what it is, and time may run backwards.
  EXPECT_NEAR(std::accumulate(halving->taps.begin(), halving->taps.end(), 0.0), 1, 1e-6);
  const auto n = static_cast<std::size_t>(halving->n_taps);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(halving->taps[i], halving->taps[n - 1 - i], 1e-7) << i;
  EXPECT_EQ(polyphase(2, 1, Quality::high), halving);
  const auto few = polyphase(22050, 16000, Quality::high);
  ASSERT_TRUE(few);
  EXPECT_EQ(std::pair(few->up, few->down), std::pair(Index(320), Index(441)));
  EXPECT_GT(few->n_first, 0);
  EXPECT_EQ(polyphase(22050, 22051, Quality::high), nullptr);
  EXPECT_EQ(polyphase(22050, 16000.5, Quality::high), nullptr);
  EXPECT_EQ(polyphase(44100, 8000, Quality::high), nullptr);
}

}  // namespace
}  // namespace metalmom::dsp
