#include "stream/inverse_stream.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/stage.hpp"

namespace metalmom::stream {

namespace {

// stands for the number of frames before the end is known
constexpr Index endless = Index{1} << 40;

// Samples that must wait although all their frames are there, since they may belong to the padding
// at the end, which is dropped.
Index held_back(const ops::Istft::Params& params) {
  return std::max<Index>(params.hop_length - (params.n_fft - params.start()), 0);
}

}  // namespace

template <class T>
InverseStream<T>::InverseStream(const ops::Istft::Params& params, std::span<const double> window,
                                Index channels, SharedTurns turns)
    : params_(params),
      channels_(channels),
      row_(params.n_fft + dsp::block_frames * params.hop_length + held_back(params)),
      turns_(std::move(turns)),
      transform_(dsp::frame_transform<T>(params.n_fft, window)),
      sums_(window, params.n_fft, params.hop_length, endless),
      overlaps_(static_cast<std::size_t>(channels * row_)) {
  clear();
}

template <class T>
void InverseStream<T>::reset() {
  turns_->change();
  clear();
  turns_->done_anew();
}

template <class T>
void InverseStream<T>::clear() {
  frames_ = given_ = 0;
  ended_ = false;
  sums_.end_after(endless);
  overlaps_.zero();
}

// The length of the signal if it had so many frames; and the samples to which no later frame will
// be added.
template <class T>
Index InverseStream<T>::length(Index frames) const {
  return frames > 0 ? params_.n_fft + params_.hop_length * (frames - 1) - start() : 0;
}

template <class T>
Index InverseStream<T>::settled(Index frames) const {
  return std::min(frames * params_.hop_length, length(frames));
}

template <class T>
Index InverseStream<T>::ready(Index n_frames, bool last) const {
  turns_->require_open(ended_);
  const Index frames = frames_ + n_frames;
  const Index end = last ? length(frames) : settled(frames);
  return std::max<Index>(end - std::max(given_, start()), 0);
}

template <class T>
void InverseStream<T>::process(const View<const std::complex<T>>& spectra, bool last, T* out,
                               Index stride) {
  turns_->require_open(ended_);
  require(!last || length(frames_ + spectra.rows) > start(), "stft_matrix.shape[-1]",
          frames_ + spectra.rows, "enough frames for one sample");
  turns_->change();
  const OwnWorkspace::Scope scope(workspace_);
  const auto give = [&](Index end) {
    const Index begin = std::clamp(start(), given_, std::max(given_, end));
    const Index passed = std::max<Index>(end - given_, 0);
    for (Index b = 0; b < channels_; ++b) {
      T* const sums = overlaps_.data() + b * row_;
      if (begin < end) {
        sums_.divide(begin, end, sums + (begin - given_));
        std::copy(sums + (begin - given_), sums + (end - given_), out + b * stride);
      }
      std::copy(sums + passed, sums + row_, sums);
      std::fill(sums + row_ - passed, sums + row_, T(0));
    }
    out += std::max<Index>(end - begin, 0);
    given_ += passed;
  };
  for (Index i = 0; i < spectra.rows; i += dsp::block_frames) {
    check_interrupt();
    const Index count = std::min(dsp::block_frames, spectra.rows - i);
    const Stage stage(stage::inverse);
    for (Index b = 0; b < channels_; ++b)
      transform_->overlap_add(spectra.row(b, i), count, frames_ * params_.hop_length - given_,
                              params_.hop_length, row_, overlaps_.data() + b * row_);
    frames_ += count;
    give(settled(frames_));
  }
  if (last) {
    sums_.end_after(frames_);
    give(length(frames_));
    ended_ = true;
  }
  turns_->done_block(spectra.rows, last);
}

template class InverseStream<float>;
template class InverseStream<double>;

}  // namespace metalmom::stream
