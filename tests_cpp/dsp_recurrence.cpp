#include "dsp/recurrence.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "dsp/simd/select.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

class Recurrence : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, Recurrence, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

template <class T>
std::vector<T> similarities(Index size) {
  std::vector<T> sim;
  for (const T value : test::noise<T>(size, 9)) sim.push_back(std::max(value, T(0)));
  return sim;
}

// The definition, cell by cell.
template <class T>
std::vector<T> naive_scores(const std::vector<T>& sim, Index n_rows, Index n_cols,
                            const GapRule& rule) {
  std::vector<T> score(sim);
  const auto at = [&](Index i, Index j) { return static_cast<std::size_t>(i * n_cols + j); };
  for (Index i = 1; i < n_rows; ++i)
    for (Index j = 1; j < n_cols; ++j) {
      double linked = -1e300, after_gap = -1e300;
      for (const auto& [rows, cols] : {std::pair<Index, Index>{1, 1}, {1, 2}, {2, 1}}) {
        if (rows > i || cols > j || (!rule.knight_moves && rows + cols > 2)) continue;
        const std::size_t from = at(i - rows, j - cols);
        const double value = static_cast<double>(score[from]);
        linked = std::max(linked, value);
        after_gap = std::max(after_gap, value - (sim[from] > 0 ? rule.onset : rule.extend));
      }
      score[at(i, j)] = sim[at(i, j)] > 0
                            ? static_cast<T>(linked + static_cast<double>(sim[at(i, j)]))
                            : static_cast<T>(std::max(0.0, after_gap));
    }
  return score;
}

template <class T>
void expect_definition() {
  for (const Index n_rows : {1, 2, 3, 20})
    for (const Index n_cols : {1, 2, 3, 9, 40})
      for (const bool knight_moves : {true, false}) {
        const GapRule rule{0.3, 0.1, knight_moves};
        const auto sim = similarities<T>(n_rows * n_cols);
        std::vector<T> score(sim.size());
        recurrence_scores(sim.data(), n_rows, n_cols, rule, score.data());
        EXPECT_EQ(score, naive_scores(sim, n_rows, n_cols, rule)) << n_rows << " x " << n_cols;
      }
}

TEST_P(Recurrence, ScoresAreThoseOfTheDefinition) {
  expect_definition<float>();
  expect_definition<double>();
}

TEST_P(Recurrence, ThePathGoesThroughItsMoves) {
  const Index n_rows = 50, n_cols = 60;
  const auto sim = similarities<double>(n_rows * n_cols);
  std::vector<double> score(sim.size());
  std::vector<Index> path(100);
  recurrence_scores(sim.data(), n_rows, n_cols, {}, score.data());
  const Index length = recurrence_path(sim.data(), score.data(), n_rows, n_cols, {}, path.data());
  ASSERT_GT(length, 10);
  for (std::size_t i = 2; i < static_cast<std::size_t>(2 * length); i += 2) {
    const Index rows = path[i] - path[i - 2], cols = path[i + 1] - path[i - 1];
    EXPECT_TRUE(rows >= 1 && cols >= 1 && rows + cols <= 3);
  }
  const auto end = static_cast<std::size_t>(2 * length - 2);
  EXPECT_EQ(score[static_cast<std::size_t>(path[end] * n_cols + path[end + 1])],
            *std::max_element(score.begin(), score.end()));
}

// A knight's move from the left edge: two rows down, one column on.
TEST(RecurrencePath, ReachesTheLeftEdgeByTwoRows) {
  std::vector<double> sim(20, 0.0), score(20);
  sim[0] = 9;          // (0, 0)
  sim[2 * 4 + 1] = 1;  // (2, 1)
  std::vector<Index> path(10);
  recurrence_scores(sim.data(), 5, 4, {}, score.data());
  ASSERT_EQ(recurrence_path(sim.data(), score.data(), 5, 4, {}, path.data()), 2);
  path.resize(4);
  EXPECT_EQ(path, (std::vector<Index>{0, 0, 2, 1}));
}

}  // namespace
}  // namespace metalmom::dsp
