#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/workers.hpp"
#include "io/parallel_decoder.hpp"

namespace metalmom::io {
namespace {

constexpr Index total = 1'000'000;

// Frame i is i. After a seek the samples come `late` frames too late, as if the format could not
// be entered exactly; reading across `damage` throws. There may be fewer frames than it says.
class Ramp final : public Decoder {
 public:
  Ramp(Index late, Index damage, std::shared_ptr<std::atomic<int>> seeks, Index end)
      : Decoder("ramp", {44100, 1}),
        late_(late),
        damage_(damage),
        end_(end),
        seeks_(std::move(seeks)) {}

  std::optional<Index> frames() const override { return total; }
  Index count_frames() override { return total; }
  void seek(Index frame) override {
    ++*seeks_;
    position_ = frame;
    shift_ = frame > 0 ? late_ : 0;
  }
  Index read(void* into, Index count) override {
    const Index got = std::clamp<Index>(end_ - position_, 0, count);
    if (position_ < damage_ && damage_ < position_ + got) throw AudioError("ramp is damaged");
    for (Index i = 0; i < got; ++i)
      static_cast<float*>(into)[i] = static_cast<float>(position_ + i - shift_);
    position_ += got;
    return got;
  }
  std::unique_ptr<Decoder> clone() override {
    return std::make_unique<Ramp>(late_, damage_, seeks_, end_);
  }

 private:
  Index late_, damage_, end_, position_ = 0, shift_ = 0;
  std::shared_ptr<std::atomic<int>> seeks_;
};

struct Outcome {
  std::vector<float> samples;
  int seeks = 0;
};

Outcome decode(Index late, Index damage, Index start, Index count, int threads, Index end = total) {
  ThreadsScope scope(threads);
  auto seeks = std::make_shared<std::atomic<int>>(0);
  auto ramp = std::make_unique<Ramp>(late, damage, seeks, end);
  if (start > 0) ramp->seek(start);
  const auto decoder = decode_in_parallel(std::move(ramp), SampleType::float32, start, count);
  Outcome outcome;
  while (static_cast<Index>(outcome.samples.size()) < count) {
    std::vector<float> block(10'000);
    const Index wanted =
        std::min<Index>(10'000, count - static_cast<Index>(outcome.samples.size()));
    const Index got = decoder->read(block.data(), wanted);
    outcome.samples.insert(outcome.samples.end(), block.begin(), block.begin() + got);
    if (got < wanted) break;
  }
  outcome.seeks = *seeks;
  return outcome;
}

TEST(ParallelDecoder, PutsPartsTogetherInOrder) {
  for (const Index start : {Index{0}, Index{12'345}}) {
    const auto one = decode(0, -1, start, total - start, 1);
    const auto four = decode(0, -1, start, total - start, 4);
    EXPECT_EQ(four.samples, one.samples);
    EXPECT_GT(four.seeks, one.seeks + 4) << "nothing was decoded in parts";
  }
}

TEST(ParallelDecoder, LeavesShortExcerptsAlone) {
  EXPECT_EQ(decode(0, -1, 0, 200'000, 4).seeks, 0);
}

TEST(ParallelDecoder, ReadsInOrderWhatCannotBeEnteredExactly) {
  EXPECT_EQ(decode(7, -1, 0, total, 4).samples, decode(7, -1, 0, total, 1).samples);
}

// Within a part, and within what a decoder reads beyond its part.
TEST(ParallelDecoder, EndsWhereTheFramesDo) {
  for (const Index end : {Index{300'000}, Index{1 << 17} + 100}) {
    const auto one = decode(0, -1, 0, total, 1, end);
    EXPECT_EQ(static_cast<Index>(one.samples.size()), end);
    EXPECT_EQ(decode(0, -1, 0, total, 4, end).samples, one.samples);
  }
}

TEST(ParallelDecoder, ThrowsWhereTheDamageIsInOrder) {
  EXPECT_THROW(decode(0, 704'321, 0, total, 1), AudioError);
  EXPECT_THROW(decode(0, 704'321, 0, total, 4), AudioError);
  EXPECT_EQ(decode(0, 704'321, 0, 600'000, 4).samples.size(), 600'000u);
}

}  // namespace
}  // namespace metalmom::io
