#include "dsp/viterbi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "dsp/simd/select.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

struct Decoded {
  std::vector<std::uint16_t> path;
  double value = 0;
};

// The definition, state by state.
Decoded naive(const std::vector<double>& transition, Index n, double threshold,
              const std::vector<double>& log_prob, Index steps,
              const std::vector<double>& initial) {
  std::vector<double> value(initial), next(value);
  std::vector<std::vector<Index>> from;
  for (Index step = 1; step < steps; ++step) {
    from.emplace_back(static_cast<std::size_t>(n), 0);
    for (Index to = 0; to < n; ++to) {
      double best = never;
      for (Index k = 0; k < n; ++k) {
        const double weight = transition[static_cast<std::size_t>(k * n + to)];
        const double sum = value[static_cast<std::size_t>(k)] + weight;
        if (weight >= threshold && sum > best) {
          best = sum;
          from.back()[static_cast<std::size_t>(to)] = k;
        }
      }
      next[static_cast<std::size_t>(to)] =
          log_prob[static_cast<std::size_t>(to * steps + step)] + best;
    }
    value = next;
  }
  Index state = std::max_element(value.begin(), value.end()) - value.begin();
  Decoded result{std::vector<std::uint16_t>(static_cast<std::size_t>(steps)),
                 value[static_cast<std::size_t>(state)]};
  for (Index step = steps - 1; step >= 0; --step) {
    result.path[static_cast<std::size_t>(step)] = static_cast<std::uint16_t>(state);
    if (step > 0) state = from[static_cast<std::size_t>(step - 1)][static_cast<std::size_t>(state)];
  }
  return result;
}

Decoded decoded(const std::vector<double>& transition, Index n, double threshold,
                const std::vector<double>& log_prob, Index steps,
                const std::vector<double>& initial) {
  Decoded result{std::vector<std::uint16_t>(static_cast<std::size_t>(steps)), 0};
  const Transitions transitions(transition, n, threshold);
  result.value = viterbi_path(transitions, log_prob.data(), steps, initial, result.path.data());
  return result;
}

// Whole numbers: many paths tie, and which one is taken is part of the result.
std::vector<double> levels(Index size, std::uint64_t seed, double scale) {
  std::vector<double> values;
  for (const double value : test::noise<double>(size, seed))
    values.push_back(std::floor(value * scale));
  return values;
}

class Viterbi : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, Viterbi, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

TEST_P(Viterbi, IsThePathOfTheDefinition) {
  for (const Index n : {1, 2, 7, 8, 9, 31, 32, 33, 61, 100})
    for (const Index steps : {1, 2, 17}) {
      const auto seed = static_cast<std::uint64_t>(100 * n + steps);
      const auto transition = levels(n * n, seed, 3);
      const auto log_prob = levels(n * steps, seed + 1, 5), initial = levels(n, seed + 2, 5);
      for (const double threshold : {never, -2.0}) {
        const auto expected = naive(transition, n, threshold, log_prob, steps, initial);
        const auto got = decoded(transition, n, threshold, log_prob, steps, initial);
        EXPECT_EQ(got.path, expected.path) << n << " states, " << steps << " steps";
        EXPECT_EQ(got.value, expected.value);
      }
    }
}

TEST_P(Viterbi, ReadsOnlyTransitionsAboveTheLeast) {
  const Index n = 200, steps = 50;
  std::vector<double> transition(static_cast<std::size_t>(n * n), -20);
  for (Index k = 0; k < n; ++k)
    for (Index to = std::max<Index>(0, k - 5); to < std::min(n, k + 6); ++to)
      transition[static_cast<std::size_t>(k * n + to)] = -static_cast<double>(std::abs(k - to));
  const auto log_prob = levels(n * steps, 3, 30), initial = levels(n, 4, 30);
  for (const double threshold : {never, -4.0}) {
    const Transitions transitions(transition, n, threshold);
    const auto& blocks = transitions.blocks();
    EXPECT_LE(blocks.first[blocks.n_states / blocks.width], 42 * 7);
    const auto expected = naive(transition, n, threshold, log_prob, steps, initial);
    EXPECT_EQ(decoded(transition, n, threshold, log_prob, steps, initial).path, expected.path);
  }
}

TEST_P(Viterbi, ListsNothingOfAModelThatStaysOrGoesAnywhereAlike) {
  const Index n = 61, steps = 50;
  std::vector<double> transition(static_cast<std::size_t>(n * n), -4);
  for (Index k = 0; k < n; ++k) transition[static_cast<std::size_t>(k * n + k)] = k % 7 ? -1 : -2;
  const auto log_prob = levels(n * steps, 7, 6), initial = levels(n, 8, 6);
  const Transitions transitions(transition, n, never);
  const auto& blocks = transitions.blocks();
  EXPECT_EQ(blocks.first[blocks.n_states / blocks.width], 0);
  const auto expected = naive(transition, n, never, log_prob, steps, initial);
  EXPECT_EQ(decoded(transition, n, never, log_prob, steps, initial).path, expected.path);
}

// Long enough that the values of all steps are not kept.
TEST(ViterbiMemory, IsTheSamePathWhenComputedTwice) {
  const Index n = 2, steps = 1'100'000;
  const std::vector<double> transition = {-1, -3, -2, -1};
  const auto log_prob = levels(n * steps, 5, 4), initial = levels(n, 6, 4);
  const auto expected = naive(transition, n, never, log_prob, steps, initial);
  const auto got = decoded(transition, n, never, log_prob, steps, initial);
  EXPECT_TRUE(got.path == expected.path);
  EXPECT_EQ(got.value, expected.value);
}

}  // namespace
}  // namespace metalmom::dsp
