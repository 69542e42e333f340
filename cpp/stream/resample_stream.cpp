#include "stream/resample_stream.hpp"

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "base/error_parts.hpp"
#include "base/interrupt.hpp"
#include "base/stage.hpp"
#include "ops/op.hpp"

namespace metalmom::stream {

namespace {

constexpr Index step = 1 << 10;  // samples that libsoxr is given at a time

}  // namespace

template <class T>
ResampleStream<T>::ResampleStream(double from_rate, double to_rate, dsp::Quality quality, bool fix,
                                  Index channels, SharedTurns turns)
    : from_rate_(from_rate),
      to_rate_(to_rate),
      quality_(quality),
      fix_(fix),
      channels_(channels),
      turns_(std::move(turns)) {
  dsp::require_rates(from_rate, to_rate, "target_sr", "orig_sr=");
  clear();
}

template <class T>
void ResampleStream<T>::reset() {
  turns_->change();
  clear();
  turns_->done_anew();
}

template <class T>
void ResampleStream<T>::clear() {
  resamplers_.clear();
  for (Index b = 0; b < channels_ && !copies(); ++b)
    resamplers_.emplace_back(from_rate_, to_rate_, quality_);
  position_ = given_ = 0;
  ended_ = false;
}

// A sample of the result lies between samples of the signal, or half a sample beyond.
template <class T>
Index ResampleStream<T>::most(Index count, bool last) const {
  turns_->require_open(ended_);
  if (copies()) return count;
  const Index whole = dsp::resampled_length(position_ + count, from_rate_, to_rate_);
  return std::max<Index>(whole - given_ + (last && fix_ ? 0 : 1), 0);
}

template <class T>
Index ResampleStream<T>::pull(std::size_t channel, const T* in, Index count, bool last, T* out,
                              Index room) {
  if (copies()) return std::copy_n(in, count, out) - out;
  const Stage stage(stage::resample);
  auto& resampler = resamplers_[channel];
  Index made = 0;
  for (Index used = 0; used < count;) {
    check_interrupt();
    const auto progress =
        resampler.process(in + used, std::min(step, count - used), out + made, room - made);
    used += progress.used;
    made += progress.made;
  }
  while (last && made < room) {
    check_interrupt();
    const Index rest = resampler.flush(out + made, std::min(room - made, step));
    if (rest == 0) break;
    made += rest;
  }
  if (last && fix_) std::fill(out + made, out + room, T(0));
  return last && fix_ ? room : made;
}

template <class T>
Index ResampleStream<T>::process(const T* in, Index stride, Index count, bool last, T* out,
                                 Index out_stride) {
  const Index room = most(count, last);
  for (Index b = 0; b < channels_; ++b) {
    ops::require_finite(std::span(in + b * stride, static_cast<std::size_t>(count)));
    // A whole signal is scaled; here the samples to come are not known.
    if (dsp::scale_of(in + b * stride, count, quality_) != 1)
      throw ArgumentError(
          {.name = "y", .rule = "below 2^110 in a stream, as libsoxr computes in float32"});
  }
  turns_->change();
  Index made = 0;
  for (Index b = 0; b < channels_; ++b)
    made =
        pull(static_cast<std::size_t>(b), in + b * stride, count, last, out + b * out_stride, room);
  position_ += count;
  given_ += made;
  ended_ = last;
  turns_->done_block(count, last);
  return made;
}

template class ResampleStream<float>;
template class ResampleStream<double>;

}  // namespace metalmom::stream
