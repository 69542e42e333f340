#include "stream/pcen_stream.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/stage.hpp"

namespace metalmom::stream {

PcenStream::PcenStream(const dsp::PcenParams& params, Index max_size, Index channels, Index n_bands,
                       std::span<const double> state, SharedTurns turns)
    : params_(params),
      max_size_(max_size),
      channels_(channels),
      n_bands_(n_bands),
      first_state_(state.begin(), state.end()),
      turns_(std::move(turns)),
      state_(static_cast<std::size_t>(channels * n_bands)),
      energies_(state_.size() * frames_at_once),
      smoothed_(state_.size() * frames_at_once),
      maxima_(max_size > 1 ? state_.size() * frames_at_once : 0) {
  check(params);
  const auto n_state = std::ssize(first_state_);
  require(n_state == 1 || n_state == std::ssize(state_), "zi.size", n_state,
          "1 or the number of rows, " + std::to_string(state_.size()));
  clear();
}

void PcenStream::reset() {
  turns_->change();
  clear();
  turns_->done_anew();
}

void PcenStream::clear() {
  position_ = 0;
  ended_ = false;
  if (first_state_.size() == 1)
    std::ranges::fill(state_, first_state_[0]);
  else
    std::ranges::copy(first_state_, state_.begin());
}

// Beyond the edges the filter would read mirrored neighbours, which change no maximum.
void PcenStream::take_maxima_of_bands(Index count) {
  for (Index row = 0; row < channels_ * n_bands_; ++row) {
    const Index band = row % n_bands_;
    const Index first = std::max<Index>(band - max_size_ / 2, 0);
    const Index last = std::min(band - max_size_ / 2 + max_size_, n_bands_);
    double* const maxima = maxima_.data() + row * count;
    const double* const others = energies_.data() + (row - band) * count;
    std::copy_n(others + first * count, count, maxima);
    for (Index other = first + 1; other < last; ++other)
      for (Index i = 0; i < count; ++i) maxima[i] = std::max(maxima[i], others[other * count + i]);
  }
}

template <class T>
void PcenStream::process(const Source& from, Index count, bool last, const Sink& to) {
  turns_->require_open(ended_);
  turns_->change();
  const Index n_rows = channels_ * n_bands_;
  for (Index first = 0; first < count; first += frames_at_once) {
    check_interrupt();
    const Index here = std::min(frames_at_once, count - first);
    for (Index row = 0; row < n_rows; ++row)
      for (Index i = 0; i < here; ++i)
        energies_[static_cast<std::size_t>(row * here + i)] =
            *from.at<T>(row / n_bands_, row % n_bands_, first + i);
    const Stage stage("smoothing");
    const bool filtered = max_size_ > 1;
    if (filtered) take_maxima_of_bands(here);
    dsp::smooth_energies<double>(filtered ? maxima_.data() : energies_.data(), n_rows, here,
                                 params_.b, state_.data(), smoothed_.data());
    dsp::compress_energy<double>(params_, energies_.data(), smoothed_.data(), n_rows * here,
                                 smoothed_.data());
    for (Index row = 0; row < n_rows; ++row)
      for (Index i = 0; i < here; ++i)
        *to.at<double>(row / n_bands_, row % n_bands_, first + i) =
            smoothed_[static_cast<std::size_t>(row * here + i)];
  }
  position_ += count;
  ended_ = last;
  turns_->done_block(count, last);
}

template void PcenStream::process<float>(const Source&, Index, bool, const Sink&);
template void PcenStream::process<double>(const Source&, Index, bool, const Sink&);

}  // namespace metalmom::stream
