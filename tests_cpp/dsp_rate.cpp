#include "dsp/rate/resampler.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace metalmom::dsp
