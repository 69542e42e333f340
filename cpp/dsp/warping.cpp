#include "dsp/warping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error_parts.hpp"
#include "base/interrupt.hpp"
#include "dsp/simd/select.hpp"

namespace metalmom::dsp {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index strip = 8;  // rows at a time, as the kernel takes them

bool is_classic(std::span<const WarpStep> steps) {
  constexpr WarpStep classic[] = {{1, 1, 1, 0}, {0, 1, 1, 0}, {1, 0, 1, 0}};
  return std::equal(steps.begin(), steps.end(), std::begin(classic), std::end(classic),
                    [](const WarpStep& a, const WarpStep& b) {
                      return a.rows == b.rows && a.cols == b.cols && a.weight == b.weight &&
                             a.penalty == b.penalty;
                    });
}

void require_numbers(const double* cost, Index stride, Index count, Index n_cols) {
  for (Index r = 0; r < count; ++r) {
    bool numbers = true;
    for (Index m = 0; m < n_cols; ++m) numbers &= cost[r * stride + m] == cost[r * stride + m];
    if (!numbers) throw ArgumentError({.name = "C", .rule = "NaN in places", .verb = "is"});
  }
}

// Accumulates rows one by one, with any steps. A ring holds the last rows; each has room before its
// first column for steps that would begin outside.
class RowByRow {
 public:
  RowByRow(const WarpRule& rule, Index n_cols)
      : rule_(rule),
        n_cols_(n_cols),
        margin_(rule.reach_cols()),
        depth_(rule.reach_rows() + 1),
        rows_(static_cast<std::size_t>(depth_ * (margin_ + n_cols))),
        above_(static_cast<std::size_t>(depth_)),
        steps_(rule.steps.begin(), rule.steps.end()) {
    std::fill(rows_.begin(), rows_.end(), infinity);
    std::stable_partition(steps_.begin(), steps_.end(),
                          [](const WarpStep& step) { return step.rows > 0; });
  }

  double* row(Index n) { return rows_.data() + n % depth_ * (margin_ + n_cols_) + margin_; }

  void advance(Index n, const double* cost, double* total) {
    double* const now = row(n);
    std::fill_n(now, n_cols_, infinity);
    if (n == 0) std::copy_n(cost, rule_.subsequence ? n_cols_ : 1, now);
    for (Index back = 0; back < depth_; ++back)
      above_[static_cast<std::size_t>(back)] = row(n - back + depth_);
    simd::kernels().decisions().warp_row(steps_.data(), std::ssize(steps_), cost, above_.data(),
                                         n_cols_, now);
    std::copy_n(now, n_cols_, total);
  }

 private:
  const WarpRule& rule_;
  Index n_cols_, margin_, depth_;
  Buffer<double> rows_;
  std::vector<const double*> above_;
  std::vector<WarpStep> steps_;
};

// The step that leads into a cell; of equally good ones the first, -1 if none does. Paths may start
// in row `start`.
Index step_into(const WarpRule& rule, const double* total, Index n_cols, Index start, Index n,
                Index m, double cost) {
  double best = n == start && (m == 0 || rule.subsequence) ? cost : infinity;
  Index chosen = -1;
  for (Index s = 0; s < std::ssize(rule.steps); ++s) {
    const WarpStep& step = rule.steps[static_cast<std::size_t>(s)];
    if (step.rows > n || step.cols > m) continue;
    const double through =
        total[(n - step.rows) * n_cols + m - step.cols] + (step.weight * cost + step.penalty);
    if (through < best) {
      best = through;
      chosen = s;
    }
  }
  return chosen;
}

}  // namespace

Index WarpRule::reach_rows() const {
  Index reach = 0;
  for (const WarpStep& step : steps) reach = std::max(reach, step.rows);
  return reach;
}

Index WarpRule::reach_cols() const {
  Index reach = 0;
  for (const WarpStep& step : steps) reach = std::max(reach, step.cols);
  return reach;
}

WarpCosts::WarpCosts(Metric metric, const Frames& x, const Frames& y)
    : n_rows_(x.n),
      n_cols_(y.n),
      metric_(metric),
      x_(x),
      y_(y),
      x_norms_(norms(x, false)),
      packed_(y) {}

double WarpCosts::at(Index n, Index m) const {
  if (given_) return given_[n * n_cols_ + m];
  return distance(metric_, x_.frame(n), x_norms_.data()[n], y_.frame(m), packed_->norms()[m],
                  x_.n_features);
}

const double* WarpCosts::rows(Index first, Index count, const WarpRule& rule, Index first_row,
                              Buffer<double>& scratch, Index& stride) const {
  check_interrupt();
  const bool banded = rule.lower > -n_rows_ - first_row || rule.upper < n_cols_;
  stride = given_ ? n_cols_ : packed_->stride();
  if (given_ && !banded) {
    require_numbers(given_ + first * n_cols_, stride, count, n_cols_);
    return given_ + first * n_cols_;
  }
  if (scratch.size() == 0) scratch = Buffer<double>(static_cast<std::size_t>(strip * stride));
  if (given_)
    std::copy_n(given_ + first * n_cols_, count * stride, scratch.data());
  else
    packed_->distances(metric_, x_.slice(first, count), x_norms_.data() + first, 0,
                       stride / PackedFrames::lanes, scratch.data(), stride);
  require_numbers(scratch.data(), stride, count, n_cols_);
  for (Index r = 0; banded && r < count; ++r) {
    const Index n = first_row + first + r;
    double* const row = scratch.data() + r * stride;
    std::fill(row, row + std::clamp<Index>(n + rule.lower + 1, 0, n_cols_), infinity);
    std::fill(row + std::clamp<Index>(n + rule.upper, 0, n_cols_), row + n_cols_, infinity);
  }
  return scratch.data();
}

void accumulate_costs(const WarpCosts& costs, const WarpRule& rule, Index first_row,
                      const double* before, double* total) {
  const Index n_cols = costs.n_cols(), n_rows = costs.n_rows();
  Buffer<double> scratch;
  Index stride = 0;
  if (is_classic(rule.steps) && n_rows >= strip) {
    // A row above the first one: the costs with which a path may enter the first row.
    Buffer<double> start(static_cast<std::size_t>(n_cols));
    std::fill(start.begin(), start.end(), rule.subsequence ? 0 : infinity);
    for (Index done = 0; done < n_rows; done += strip) {
      // The last strip may compute some rows of the strip before it a second time.
      const Index first = std::min(done, n_rows - strip);
      const bool at_start = first_row + first == 0;
      const double* const above = at_start    ? start.data()
                                  : first > 0 ? total + (first - 1) * n_cols
                                              : before;
      const double* const cost = costs.rows(first, strip, rule, first_row, scratch, stride);
      simd::kernels().decisions().warp_eight_rows(cost, stride, above, at_start ? 0 : infinity,
                                                  n_cols, total + first * n_cols, n_cols);
    }
    return;
  }
  RowByRow rows(rule, n_cols);
  const Index n_before = std::min(first_row, rule.reach_rows());
  for (Index i = 0; i < n_before; ++i)
    std::copy_n(before + i * n_cols, n_cols, rows.row(first_row - n_before + i));
  for (Index n = 0; n < n_rows; ++n)
    rows.advance(first_row + n, costs.rows(n, 1, rule, first_row, scratch, stride),
                 total + n * n_cols);
}

Index warp_path(const WarpCosts& costs, const WarpRule& rule, Index first_row, const double* total,
                Index end, Index* path) {
  const Index start = -first_row, reached = first_row == 0 ? 0 : rule.reach_rows();
  Index n = costs.n_rows() - 1, m = end, count = 0;
  while (true) {
    path[2 * count] = n;
    path[2 * count + 1] = m;
    ++count;
    if (n < reached || (n == start && (m == 0 || rule.subsequence))) return count;
    const Index chosen = step_into(rule, total, costs.n_cols(), start, n, m, costs.at(n, m));
    if (chosen < 0) return count;
    n -= rule.steps[static_cast<std::size_t>(chosen)].rows;
    m -= rule.steps[static_cast<std::size_t>(chosen)].cols;
  }
}

void warp_steps(const WarpCosts& costs, const WarpRule& rule, const double* total, Index first_code,
                std::int32_t* steps) {
  const Index n_cols = costs.n_cols();
  Buffer<double> scratch;
  Index stride = 0;
  for (Index n = 0; n < costs.n_rows(); ++n) {
    const double* const cost = costs.rows(n, 1, rule, 0, scratch, stride);
    for (Index m = 0; m < n_cols; ++m) {
      const Index chosen = step_into(rule, total, n_cols, 0, n, m, cost[m]);
      steps[n * n_cols + m] = static_cast<std::int32_t>(chosen < 0 ? 0 : first_code + chosen);
    }
  }
}

}  // namespace metalmom::dsp
