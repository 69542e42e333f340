// Octaves of one signal, signals of one batch and numbers of threads do not touch each other.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/workers.hpp"
#include "dsp_support.hpp"
#include "ops/cqt/all.hpp"
#include "ops_support.hpp"

namespace metalmom::ops {
namespace {

using Values = std::vector<std::complex<float>>;

class Octaves : public testing::Test {
 protected:
  void SetUp() override {
    if (!METALMOM_IO_BUILT) GTEST_SKIP() << "built without what resamples";
  }
};

// Two octaves of two bins each, the lower one at half the rate.
std::shared_ptr<const dsp::OctaveBank> bank(bool synthesis) {
  auto made = std::make_shared<dsp::OctaveBank>();
  made->n_bins = 4;
  made->synthesis = synthesis;
  const auto dense = dsp::test::noise<double>(4 * 32);
  const auto filters = synthesis ? std::make_shared<const dsp::Basis>(dense.data(), 32, 4)
                                 : std::make_shared<const dsp::Basis>(dense.data(), 4, 32);
  made->octaves = {{0, 8, 2, {filters}}, {1, 4, 0, {filters}}};
  if (synthesis) std::swap(made->octaves[0], made->octaves[1]);
  return made;
}

TEST_F(Octaves, PlansTheFramesThatAllOctavesHave) {
  const std::vector<float> y(101);
  const ConstantQ::In<float> in{{y.data(), 1, 1, 101}, bank(false)};
  const auto plan = ConstantQ::plan({}, in);
  EXPECT_EQ(plan.lengths, (std::vector<Index>{101, 51}));
  EXPECT_EQ(plan.n_frames, 13);  // 1 + 101 / 8 and 1 + 51 / 4 are both 13
  EXPECT_EQ(plan.n_bins, 4);
  EXPECT_THROW(ConstantQ::plan({}, ConstantQ::In<float>{in.y, bank(true)}), ParameterError);
  const std::vector<float> none;
  const ConstantQ::In<float> empty{{none.data(), 1, 1, 0}, bank(false)};
  EXPECT_EQ(results<ConstantQ>({}, empty), Values(4));
  EXPECT_THROW(ConstantQ::plan({.pad_mode = dsp::PadMode::reflect}, empty), ParameterError);
}

TEST_F(Octaves, ABatchIsItsSignalsAlone) {
  const Index n = 3001;
  const auto y = dsp::test::noise<float>(3 * n);
  const auto filters = bank(false);
  Values expected;
  for (Index b = 0; b < 3; ++b) {
    const auto alone =
        results<ConstantQ>({}, ConstantQ::In<float>{{y.data() + b * n, 1, 1, n}, filters});
    expected.insert(expected.end(), alone.begin(), alone.end());
  }
  for (const int threads : {1, 3}) {
    const ThreadsScope scope(threads);
    EXPECT_EQ(results<ConstantQ>({}, ConstantQ::In<float>{{y.data(), 3, 1, n}, filters}), expected)
        << threads << " threads";
  }
}

TEST_F(Octaves, TheInverseOfABatchIsThatOfItsSignals) {
  const Index frames = 200;
  const auto parts = dsp::test::noise<float>(2 * 2 * frames * 4);
  const auto* C = reinterpret_cast<const std::complex<float>*>(parts.data());
  const auto filters = bank(true);
  for (const Index length : {0, 1000, 3000}) {
    ConstantQInverse::Params params;
    params.length = length;
    std::vector<float> expected;
    for (Index b = 0; b < 2; ++b) {
      const auto alone = results<ConstantQInverse>(
          params, ConstantQInverse::In<float>{{C + b * frames * 4, 1, frames, 4}, filters});
      ASSERT_EQ(alone.size(), static_cast<std::size_t>(length ? length : 8 * (frames - 1)));
      expected.insert(expected.end(), alone.begin(), alone.end());
    }
    for (const int threads : {1, 3}) {
      const ThreadsScope scope(threads);
      EXPECT_EQ(results<ConstantQInverse>(params,
                                          ConstantQInverse::In<float>{{C, 2, frames, 4}, filters}),
                expected);
    }
  }
}

TEST_F(Octaves, TheInverseAddsOctavesAtTheRateOfTheSignal) {
  const Index frames = 50;
  const auto parts = dsp::test::noise<float>(2 * frames * 4);
  const auto* C = reinterpret_cast<const std::complex<float>*>(parts.data());
  const auto run = [&](std::vector<dsp::Octave> octaves) {
    auto some = std::make_shared<dsp::OctaveBank>(*bank(true));
    some->octaves = std::move(octaves);
    return results<ConstantQInverse>({}, ConstantQInverse::In<float>{{C, 1, frames, 4}, some});
  };
  const auto octaves = bank(true)->octaves;
  const auto both = run(octaves), low = run({octaves[0]}), high = run({octaves[1]});
  ASSERT_EQ(both.size(), low.size());
  ASSERT_EQ(both.size(), high.size());
  for (std::size_t i = 0; i < both.size(); ++i) ASSERT_FLOAT_EQ(both[i], low[i] + high[i]) << i;
  EXPECT_NE(low, std::vector<float>(low.size()));
}

}  // namespace
}  // namespace metalmom::ops
