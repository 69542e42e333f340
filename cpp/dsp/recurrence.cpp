#include "dsp/recurrence.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "base/buffer.hpp"
#include "base/pace.hpp"
#include "dsp/simd/select.hpp"

namespace metalmom::dsp {
namespace {

constexpr double nowhere = -std::numeric_limits<double>::infinity();
constexpr Index margin = 8;  // values before the first column, of which two are read

// Three rows of scores in double, used in turns: the present one and the two above it.
class Rows {
 public:
  explicit Rows(Index n_cols)
      : stride_(margin + n_cols), values_(static_cast<std::size_t>(6 * stride_)) {
    std::fill(values_.begin(), values_.end(), nowhere);
  }
  simd::ScoreRow row(Index i) const {
    double* const scores = values_.data() + (i + 3) % 3 * 2 * stride_ + margin;
    return {scores, scores + stride_};
  }

 private:
  Index stride_;
  Buffer<double> values_;
};

}  // namespace

template <class T>
void recurrence_scores(const T* sim, Index n_rows, Index n_cols, const GapRule& rule, T* score) {
  const auto& kernels = simd::kernels().decisions();
  const auto kernel = [&] {
    if constexpr (std::is_same_v<T, float>)
      return kernels.float_scores;
    else
      return kernels.double_scores;
  }();
  const Rows rows(n_cols);
  Pace pace;
  for (Index i = 0; i < n_rows; ++i, sim += n_cols, score += n_cols) {
    pace.did(n_cols);
    const simd::ScoreRow now = rows.row(i);
    // In the first row and the first column paths begin: the score is the similarity itself.
    const Index n_edge = i == 0 ? n_cols : 1;
    for (Index j = 0; j < n_edge; ++j) {
      score[j] = sim[j];
      now.scores[j] = sim[j];
      now.after_gap[j] = now.scores[j] - (sim[j] > 0 ? rule.onset : rule.extend);
    }
    kernel(sim, rows.row(i - 1), rows.row(i - 2), n_edge, n_cols, rule.onset, rule.extend,
           rule.knight_moves, now, score);
  }
}

template <class T>
Index recurrence_path(const T* sim, const T* score, Index n_rows, Index n_cols, const GapRule& rule,
                      Index* path) {
  constexpr std::array<std::array<Index, 2>, 3> moves{{{1, 1}, {1, 2}, {2, 1}}};
  const Index top = std::max_element(score, score + n_rows * n_cols) - score;
  Index i = top / n_cols, j = top % n_cols, count = 0;
  while (true) {
    const Index cell = i * n_cols + j;
    const bool edge = i == 0 || j == 0;
    if (edge ? sim[cell] == 0 : !(sim[cell] > 0) && score[cell] == 0) break;
    path[2 * count] = i;
    path[2 * count + 1] = j;
    ++count;
    if (edge) break;
    double best = nowhere;
    std::array<Index, 2> taken{};
    for (const auto& move : moves) {
      if (move[0] > i || move[1] > j || (!rule.knight_moves && move != moves[0])) continue;
      const Index from = (i - move[0]) * n_cols + j - move[1];
      const double gap = sim[cell] > 0 ? 0 : sim[from] > 0 ? rule.onset : rule.extend;
      const double value = static_cast<double>(score[from]) - gap;
      if (value > best) {
        best = value;
        taken = move;
      }
    }
    i -= taken[0];
    j -= taken[1];
  }
  for (Index a = 0, b = count - 1; a < b; ++a, --b)
    std::swap_ranges(path + 2 * a, path + 2 * a + 2, path + 2 * b);
  return count;
}

template void recurrence_scores(const float*, Index, Index, const GapRule&, float*);
template void recurrence_scores(const double*, Index, Index, const GapRule&, double*);
template Index recurrence_path(const float*, const float*, Index, Index, const GapRule&, Index*);
template Index recurrence_path(const double*, const double*, Index, Index, const GapRule&, Index*);

}  // namespace metalmom::dsp
