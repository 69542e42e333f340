// Powers of one frame, its bins side by side.
#include <cmath>

#include "dsp/frame_transform.hpp"
#include "dsp/frame_work.hpp"

namespace metalmom::dsp {

template <class T>
template <class S>
void FrameTransform<T>::power_row(const FrameSource<S>& source, Index frame, float power,
                                  S* row) const {
  if (mixed_) {  // whose kernels know lanes alone
    const Lent<S> lanes(n_bins() * block_frames);
    square_block(source, frame, 1, lanes.data());
    for (Index bin = 0; bin < n_bins(); ++bin) row[bin] = lanes[bin * block_frames];
  } else {
    const Lent<T> work(work_size());
    const Lent<S> gathered(n_fft_);
    square_magnitudes(frame_samples(source, frame, gathered.data()), work, row);
  }
  if (power != 2) raise_row(source, frame, row, power, row);
}

template <class T>
template <class S>
void FrameTransform<T>::raise_row(const FrameSource<S>& source, Index frame, const S* squares,
                                  float power, S* row) const {
  S sum = 0;
  for (Index bin = 0; bin < n_bins(); ++bin) sum += squares[bin];
  for (Index bin = 0; bin < n_bins(); ++bin)
    row[bin] = power == 1 ? std::sqrt(squares[bin])
                          : std::pow(squares[bin], static_cast<S>(power / 2));
  if (holds_squares(sum)) [[likely]]
    return;
  const Lent<S> lanes(n_bins() * block_frames);
  for (Index bin = 0; bin < n_bins(); ++bin) lanes[bin * block_frames] = row[bin];
  raise_scaled(source, frame, power, lanes.data());
  for (Index bin = 0; bin < n_bins(); ++bin) row[bin] = lanes[bin * block_frames];
}

template void FrameTransform<double>::power_row(const FrameSource<double>&, Index, float, double*) const;
template void FrameTransform<double>::power_row(const FrameSource<float>&, Index, float, float*) const;
template void FrameTransform<double>::raise_row(const FrameSource<double>&, Index, const double*, float, double*) const;
template void FrameTransform<double>::raise_row(const FrameSource<float>&, Index, const float*, float, float*) const;
template void FrameTransform<float>::power_row(const FrameSource<float>&, Index, float, float*) const;
template void FrameTransform<float>::raise_row(const FrameSource<float>&, Index, const float*, float, float*) const;

}  // namespace metalmom::dsp
