#include "dsp/neighbors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace metalmom::dsp {
namespace {

constexpr Index columns_at_once = 4096;  // of distances, for which a tile of rows fits the cache
constexpr Index rows_at_once = 8;

struct Neighbor {
  double distance;
  std::int32_t index;

  bool operator<(const Neighbor& other) const {
    return distance < other.distance || (distance == other.distance && index < other.index);
  }
};

// The nearest of a stream of distances, in ascending order of index.
class Nearest {
 public:
  void start(Index count) {
    count_ = static_cast<std::size_t>(count);
    found_.clear();
    limit_ = std::numeric_limits<double>::infinity();
  }
  void look_at(const double* distances, Index first, Index last, Index skip) {
    for (Index j = first; j < last; ++j) {
      const double distance = distances[j - first];
      if (distance >= limit_ || j == skip) continue;
      found_.push_back({distance, static_cast<std::int32_t>(j)});
      if (found_.size() >= 2 * count_ + 16) keep_best();
    }
  }
  std::vector<Neighbor>& finish() {
    keep_best();
    return found_;
  }

 private:
  void keep_best() {
    if (found_.size() <= count_) return;
    const auto end = found_.begin() + static_cast<std::ptrdiff_t>(count_);
    std::nth_element(found_.begin(), end - 1, found_.end());
    found_.erase(end, found_.end());
    limit_ = found_.back().distance;
  }

  std::size_t count_ = 0;
  double limit_ = 0;
  std::vector<Neighbor> found_;
};

bool earlier(const Neighbor& a, const Neighbor& b) {
  return a.index < b.index;
}

Index write_links(const LinkRule& rule, Index i, std::vector<Neighbor>& found,
                  std::int32_t* indices, double* lengths) {
  std::erase_if(found, [&](const Neighbor& each) {
    return std::abs(each.index - i) < rule.width || (rule.nearest && each.distance == 0);
  });
  const auto keep = std::min(found.size(), static_cast<std::size_t>(rule.keep));
  if (!rule.nearest) std::sort(found.begin(), found.end(), earlier);
  if (rule.nearest && keep > 0 && keep < found.size())
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(keep) - 1,
                     found.end());
  found.resize(keep);
  if (rule.self_links) found.push_back({0, static_cast<std::int32_t>(i)});
  if (rule.nearest || rule.self_links) std::sort(found.begin(), found.end(), earlier);
  for (std::size_t n = 0; n < found.size(); ++n) {
    indices[n] = found[n].index;
    if (lengths) lengths[n] = found[n].distance;
  }
  return std::ssize(found);
}

}  // namespace

Index most_links(const LinkRule& rule, Index n_others) {
  return std::min({rule.keep, rule.n_neighbors, n_others}) + (rule.self_links ? 1 : 0);
}

Index links_of(const LinkRule& rule, Index i, const double* distances, Index n_others,
               std::int32_t* indices, double* lengths) {
  Nearest nearest;
  nearest.start(rule.n_neighbors);
  nearest.look_at(distances, 0, n_others, rule.same ? i : -1);
  return write_links(rule, i, nearest.finish(), indices, lengths);
}

void find_links(const LinkRule& rule, Metric metric, const Frames& frames, Index first,
                const PackedFrames& others, std::int32_t* indices, double* lengths,
                Index* counts) {
  const Index room = most_links(rule, others.n());
  const Index width = std::min(columns_at_once, others.stride());
  const Buffer<double> tile(static_cast<std::size_t>(rows_at_once * width));
  const Buffer<double> frame_norms = norms(frames, true);
  std::vector<Nearest> nearest(static_cast<std::size_t>(rows_at_once));
  for (Index done = 0; done < frames.n; done += rows_at_once) {
    const Index rows = std::min(rows_at_once, frames.n - done);
    for (Nearest& each : nearest) each.start(rule.n_neighbors);
    for (Index column = 0; column < others.n(); column += width) {
      const Index last = std::min(column + width, others.n());
      const Index n_blocks = (last - column + PackedFrames::lanes - 1) / PackedFrames::lanes;
      others.distances(metric, frames.slice(done, rows), frame_norms.data() + done,
                       column / PackedFrames::lanes, n_blocks, tile.data(), width);
      for (Index r = 0; r < rows; ++r)
        nearest[static_cast<std::size_t>(r)].look_at(tile.data() + r * width, column, last,
                                                     rule.same ? first + done + r : -1);
    }
    for (Index r = 0; r < rows; ++r) {
      const Index row = done + r;
      counts[row] =
          write_links(rule, first + row, nearest[static_cast<std::size_t>(r)].finish(),
                      indices + row * room, lengths ? lengths + row * room : nullptr);
    }
  }
}

}  // namespace metalmom::dsp
