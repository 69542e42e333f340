#include "dsp/neighbors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "dsp/simd/select.hpp"

namespace metalmom::dsp {
namespace {

// distances at a time: those of a tile of rows fit the cache
constexpr Index columns_at_once = 4096;
constexpr Index rows_at_once = 8;

struct Neighbor {
  double distance;
  std::int32_t index;
};

// The value of rank `count` (from 1) of more than `count` values. A histogram finds the few values
// among which it is; `values` is used up.
double smallest_but(std::vector<double>& values, std::size_t count) {
  constexpr std::size_t n_bins = 512;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double least = *low, scale = (n_bins - 1) / (*high - least);
  const auto rank = static_cast<std::ptrdiff_t>(count) - 1;
  if (!std::isfinite(scale) || !std::isfinite(*high)) {
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return values[count - 1];
  }
  const auto bin_of = [&](double value) {
    return static_cast<std::size_t>((value - least) * scale);
  };
  std::array<std::size_t, n_bins> counts{};
  for (const double value : values) ++counts[bin_of(value)];
  std::size_t bin = 0, below = 0;
  while (below + counts[bin] < count) below += counts[bin++];
  std::erase_if(values, [&](double value) { return bin_of(value) != bin; });
  const auto place = values.begin() + (rank - static_cast<std::ptrdiff_t>(below));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

// Drops all but the `count` nearest, and keeps their order. Returns the distance of the farthest of
// them, the limit for further candidates.
double keep_nearest(std::vector<Neighbor>& found, std::size_t count, std::vector<double>& scratch) {
  if (found.size() <= count) return std::numeric_limits<double>::infinity();
  scratch.clear();
  for (const Neighbor& each : found) scratch.push_back(each.distance);
  const double limit = smallest_but(scratch, count);
  std::size_t nearer = 0;
  for (const Neighbor& each : found) nearer += each.distance < limit;
  std::size_t ties = count - nearer;
  std::erase_if(found, [&](const Neighbor& each) {
    if (each.distance == limit && ties > 0) {
      --ties;
      return false;
    }
    return !(each.distance < limit);
  });
  return limit;
}

// Collects the nearest of a stream of distances, in ascending order of index.
class Nearest {
 public:
  void start(Index count) {
    count_ = static_cast<std::size_t>(count);
    found_.clear();
    limit_ = std::numeric_limits<double>::infinity();
  }
  void look_at(const double* distances, Index first, Index last, Index skip) {
    if (first == 0) {
      limit_ = likely_limit(distances, last);
      collect(distances, first, last, skip);
      if (found_.size() >= count_) return;
      // the limit was too low: fewer than count_ distances are below it
      start(static_cast<Index>(count_));
    }
    collect(distances, first, last, skip);
  }
  std::vector<Neighbor>& finish() {
    keep_nearest(found_, count_, scratch_);
    return found_;
  }
  std::vector<double>& scratch() { return scratch_; }

 private:
  // so many candidates beyond twice the count are collected before the farthest are dropped
  static constexpr std::size_t patience = 2048;
  static constexpr Index sampled = 8;  // every eighth distance is looked at to guess a limit

  // A limit that somewhat more than count_ of the distances are probably below, from every eighth
  // of them.
  double likely_limit(const double* distances, Index n) {
    const Index rank = static_cast<Index>(count_) * 5 / (4 * sampled) + 4;
    if (n / sampled <= 2 * rank) return limit_;
    scratch_.clear();
    for (Index j = 0; j + sampled <= n; j += sampled) scratch_.push_back(distances[j]);
    std::nth_element(scratch_.begin(), scratch_.begin() + rank, scratch_.end());
    return scratch_[static_cast<std::size_t>(rank)];
  }
  void collect(const double* distances, Index first, Index last, Index skip) {
    std::array<std::int32_t, 512> places;
    for (Index at = first; at < last; at += std::ssize(places)) {
      const double* const values = distances + (at - first);
      const Index count = simd::kernels().decisions().places_below(
          values, std::min(std::ssize(places), last - at), limit_, places.data());
      for (Index k = 0; k < count; ++k) {
        const std::int32_t place = places[static_cast<std::size_t>(k)];
        const Index j = at + place;
        if (j != skip) found_.push_back({values[place], static_cast<std::int32_t>(j)});
      }
      if (found_.size() >= 2 * count_ + patience) limit_ = keep_nearest(found_, count_, scratch_);
    }
  }

  std::size_t count_ = 0;
  double limit_ = 0;
  std::vector<Neighbor> found_;
  std::vector<double> scratch_;
};

Index write_links(const LinkRule& rule, Index i, Nearest& nearest, std::int32_t* indices,
                  double* lengths) {
  std::vector<Neighbor>& found = nearest.finish();
  std::erase_if(found, [&](const Neighbor& each) {
    return std::abs(each.index - i) < rule.width || (rule.nearest && each.distance == 0);
  });
  const auto keep = static_cast<std::size_t>(rule.keep);
  if (rule.nearest)
    keep_nearest(found, keep, nearest.scratch());
  else
    found.resize(std::min(found.size(), keep));
  if (rule.self_links) {
    const auto place = std::find_if(found.begin(), found.end(),
                                    [&](const Neighbor& each) { return each.index > i; });
    found.insert(place, {0, static_cast<std::int32_t>(i)});
  }
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
  return write_links(rule, i, nearest, indices, lengths);
}

void find_links(const LinkRule& rule, Metric metric, const Frames& frames, Index first,
                const PackedFrames& others, std::int32_t* indices, double* lengths, Index* counts) {
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
      counts[row] = write_links(rule, first + row, nearest[static_cast<std::size_t>(r)],
                                indices + row * room, lengths ? lengths + row * room : nullptr);
    }
  }
}

}  // namespace metalmom::dsp
