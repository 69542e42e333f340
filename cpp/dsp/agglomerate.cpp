#include "dsp/agglomerate.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "base/pace.hpp"

namespace metalmom::dsp {
namespace {

constexpr Index none = -1;

// A frame, or two segments that merged: numbered in the order in which they came to be.
struct Segment {
  Index start, size;
  Index left, right;  // neighbours in time
  bool merged = false;
};

class Merging {
 public:
  explicit Merging(const Frames& frames)
      : n_features_(frames.n_features),
        sums_(static_cast<std::size_t>((2 * frames.n - 1) * frames.n_features)) {
    segments_.reserve(static_cast<std::size_t>(2 * frames.n - 1));
    std::copy_n(frames.data, frames.n * n_features_, sums_.data());
    Pace pace;
    for (Index i = 0; i < frames.n; ++i) {
      pace.did(n_features_ + 16);
      segments_.push_back({i, 1, i - 1, i + 1 < frames.n ? i + 1 : none});
      if (i > 0) consider(i, i - 1);
    }
  }

  void merge_best() {
    while (true) {
      const auto [cost, a, b] = queue_.top();
      queue_.pop();
      if (!at(a).merged && !at(b).merged) return merge(a, b);
    }
  }

  std::vector<Index> starts() const {
    std::vector<Index> result;
    for (const Segment& segment : segments_)
      if (!segment.merged) result.push_back(segment.start);
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  using Merge = std::tuple<double, Index, Index>;  // cost, later and earlier segment

  Segment& at(Index i) { return segments_[static_cast<std::size_t>(i)]; }
  double* sum(Index i) const { return sums_.data() + i * n_features_; }

  void consider(Index later, Index earlier) {
    const auto a = static_cast<double>(at(later).size), b = static_cast<double>(at(earlier).size);
    double squares = 0;
    for (Index k = 0; k < n_features_; ++k) {
      const double d = sum(later)[k] / a - sum(earlier)[k] / b;
      squares += d * d;
    }
    queue_.emplace(squares * (a * b / (a + b)), later, earlier);
  }

  void merge(Index a, Index b) {
    if (at(a).start > at(b).start) std::swap(a, b);
    const Index merged = std::ssize(segments_);
    segments_.push_back({at(a).start, at(a).size + at(b).size, at(a).left, at(b).right});
    for (Index k = 0; k < n_features_; ++k) sum(merged)[k] = sum(a)[k] + sum(b)[k];
    at(a).merged = at(b).merged = true;
    if (const Index left = at(merged).left; left != none) {
      at(left).right = merged;
      consider(merged, left);
    }
    if (const Index right = at(merged).right; right != none) {
      at(right).left = merged;
      consider(merged, right);
    }
  }

  Index n_features_;
  Buffer<double> sums_;
  std::vector<Segment> segments_;
  std::priority_queue<Merge, std::vector<Merge>, std::greater<>> queue_;
};

}  // namespace

void agglomerate(const Frames& frames, Index n_segments, Index* starts) {
  Merging merging(frames);
  Pace pace;
  for (Index left = frames.n; left > n_segments; --left) {
    merging.merge_best();
    pace.did(3 * frames.n_features + 64);
  }
  const std::vector<Index> found = merging.starts();
  std::copy(found.begin(), found.end(), starts);
}

}  // namespace metalmom::dsp
