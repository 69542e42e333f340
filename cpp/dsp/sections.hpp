// Energies of a signal in the bands of recursive filters, which run over it forwards and backwards:
// so they do not delay.
#pragma once

#include <span>

#include "base/buffer.hpp"
#include "base/view.hpp"

namespace metalmom::dsp {

// Up to eight filters of the same number of second-order sections.
class SectionGroup {
 public:
  static constexpr Index lanes = 8;

  // `sections`: of each filter in turn, of each section b0, b1, b2, 1, a1, a2.
  SectionGroup(std::span<const double> sections, Index n_sections);

  Index n_filters() const { return n_filters_; }
  Index n_sections() const { return n_sections_; }
  const double* coefficients() const { return coefficients_.data(); }
  Index state_size() const { return 2 * n_sections_ * lanes; }
  // The states of the sections after an endless input of the constant values[lane].
  void settle(const double* values, double* state) const;

 private:
  Index n_filters_, n_sections_;
  Buffer<double> coefficients_, at_rest_;
};

// Frames may begin between two samples: frame t begins at sample round(t * hop).
struct FrameGrid {
  Index length = 0, n_frames = 0;
  double hop = 0;
};

// out[filter * grid.n_frames + t] = factor * energy of frame t; beyond its end the filtered signal
// counts as zero. Both runs, forwards and backwards, begin with settled states on a signal that is
// continued at both ends by `edge` samples, rotated by half a turn about the end sample. edge < n.
template <class T>
void band_energies(const SectionGroup& group, const T* y, Index n, Index edge,
                   const FrameGrid& grid, double factor, T* out);

}  // namespace metalmom::dsp
