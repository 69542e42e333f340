#include "dsp/sections.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/ceil_div.hpp"
#include "base/interrupt.hpp"
#include "base/workspace.hpp"
#include "dsp/simd/select.hpp"
#include "dsp/simd/tonal.hpp"

namespace metalmom::dsp {
namespace {

constexpr Index lanes = SectionGroup::lanes;
static_assert(lanes == simd::section_lanes);

// Samples from one kept state to the next: so many samples of eight filters fit the first-level
// cache.
constexpr Index chunk = 512;

// Samples [first, first + count) of a signal that is continued at both ends; its own first sample
// is number 0.
template <class T>
void copy_continued(const T* y, Index n, Index first, Index count, double* out) {
  Index at = first;
  const Index last = first + count;
  for (; at < std::min<Index>(last, 0); ++at) *out++ = static_cast<double>(T(2 * y[0] - y[-at]));
  const Index inside = std::max(std::min(last, n) - at, Index(0));
  out = std::copy_n(y + at, inside, out);
  for (at += inside; at < last; ++at)
    *out++ = static_cast<double>(T(2 * y[n - 1] - y[2 * (n - 1) - at]));
}

// Sums of squares from given samples to the signal's end. The energy of a frame is the difference
// of two. Samples are added from the end of the signal, as filtering backwards yields them.
class TailSums {
 public:
  TailSums(const FrameGrid& grid, Index n) {
    for (Index t = 0; t < grid.n_frames; ++t) {
      const auto start = static_cast<Index>(std::nearbyint(static_cast<double>(t) * grid.hop));
      starts_.push_back(std::min(start, n));
      ends_.push_back(std::min(start + grid.length, n));
    }
    borders_ = starts_;
    borders_.insert(borders_.end(), ends_.begin(), ends_.end());
    std::sort(borders_.begin(), borders_.end());
    borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
    sums_.resize(borders_.size() * lanes);
    next_ = std::ssize(borders_) - 1;
  }

  // Adds the samples [first, first + count). Calls must go backwards, each ending where the last
  // began.
  void add(const double* values, Index first, Index count) {
    const auto& kernels = simd::kernels().tonal().sections;
    Index end = first + count;
    for (; next_ >= 0 && borders_[static_cast<std::size_t>(next_)] >= first; --next_) {
      const Index border = borders_[static_cast<std::size_t>(next_)];
      if (border < end) {
        kernels.add_squares(values + (border - first) * lanes, end - border, running_);
        end = border;
      }
      std::copy_n(running_, lanes, sums_.data() + next_ * lanes);
    }
    kernels.add_squares(values, end - first, running_);
  }

  double between_borders(Index t, Index lane) const {
    return at(starts_[static_cast<std::size_t>(t)], lane) -
           at(ends_[static_cast<std::size_t>(t)], lane);
  }

 private:
  double at(Index border, Index lane) const {
    const Index i = std::lower_bound(borders_.begin(), borders_.end(), border) - borders_.begin();
    return sums_[static_cast<std::size_t>(i * lanes + lane)];
  }

  std::vector<Index> starts_, ends_, borders_;
  std::vector<double> sums_;
  double running_[lanes] = {};
  Index next_ = 0;
};

}  // namespace

SectionGroup::SectionGroup(std::span<const double> sections, Index n_sections)
    : n_filters_(std::ssize(sections) / (6 * n_sections)),
      n_sections_(n_sections),
      coefficients_(static_cast<std::size_t>(5 * n_sections * lanes)),
      at_rest_(static_cast<std::size_t>(state_size())) {
  constexpr Index kept[] = {0, 1, 2, 4, 5};  // without a0, which is 1
  for (Index lane = 0; lane < lanes; ++lane) {
    double x = 1;
    for (Index s = 0; s < n_sections; ++s) {
      // Lanes without a filter repeat the last filter.
      const double* const from =
          sections.data() + (std::min(lane, n_filters_ - 1) * n_sections + s) * 6;
      for (Index i = 0; i < 5; ++i)
        coefficients_.data()[(5 * s + i) * lanes + lane] = from[kept[i]];
      const double y = x * (from[0] + from[1] + from[2]) / (1 + from[4] + from[5]);
      at_rest_.data()[2 * s * lanes + lane] = y - from[0] * x;
      at_rest_.data()[(2 * s + 1) * lanes + lane] = from[2] * x - from[5] * y;
      x = y;
    }
  }
}

void SectionGroup::settle(const double* values, double* state) const {
  for (Index i = 0; i < state_size(); ++i) state[i] = at_rest_.data()[i] * values[i % lanes];
}

template <class T>
void band_energies(const SectionGroup& group, const T* y, Index n, Index edge,
                   const FrameGrid& grid, double factor, T* out) {
  const auto& kernels = simd::kernels().tonal().sections;
  const Index length = n + 2 * edge, n_chunks = ceil_div(length, chunk);
  const Index state_size = group.state_size();
  const Lent<double> states((n_chunks + 1) * state_size), values(chunk * lanes), x(chunk);
  const simd::Sections sections{group.coefficients(), states + n_chunks * state_size,
                                group.n_sections()};
  const auto run_forward = [&](Index c) {
    const Index first = c * chunk, count = std::min(chunk, length - first);
    copy_continued(y, n, first - edge, count, x.data());
    kernels.forward(sections, x, count, values);
    return count;
  };

  // A first run forwards keeps the state at each chunk's beginning; on the way back each chunk is
  // filtered again from its state. That takes less time than storing all samples of eight filters.
  copy_continued(y, n, -edge, 1, x.data());
  double ends[lanes];
  std::fill_n(ends, lanes, x[0]);
  group.settle(ends, sections.state);
  for (Index c = 0; c < n_chunks; ++c) {
    check_interrupt();
    std::copy_n(sections.state, state_size, states + c * state_size);
    const Index count = run_forward(c);
    std::copy_n(values + (count - 1) * lanes, lanes, ends);
  }
  const Lent<double> back(state_size);
  group.settle(ends, back);
  TailSums sums(grid, n);
  for (Index c = n_chunks; c-- > 0;) {
    check_interrupt();
    std::copy_n(states + c * state_size, state_size, sections.state);
    const Index count = run_forward(c);
    kernels.backward({group.coefficients(), back, group.n_sections()}, values, count);
    const Index first = std::max<Index>(c * chunk - edge, 0);
    const Index last = std::min(c * chunk + count - edge, n);
    if (first < last) sums.add(values + (first + edge - c * chunk) * lanes, first, last - first);
  }
  for (Index filter = 0; filter < group.n_filters(); ++filter)
    for (Index t = 0; t < grid.n_frames; ++t)
      out[filter * grid.n_frames + t] = static_cast<T>(factor * sums.between_borders(t, filter));
}

template void band_energies(const SectionGroup&, const float*, Index, Index, const FrameGrid&,
                            double, float*);
template void band_energies(const SectionGroup&, const double*, Index, Index, const FrameGrid&,
                            double, double*);

}  // namespace metalmom::dsp
