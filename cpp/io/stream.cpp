#include "io/stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/error_parts.hpp"
#include "base/finite.hpp"
#include "base/interrupt.hpp"
#include "base/workers.hpp"
#include "io/mix.hpp"
#include "io/parallel_decoder.hpp"
#include "io/sites.hpp"

namespace metalmom::io {

namespace {

// Seconds to frames, towards zero.
Index frames_of(double seconds, int rate, std::string_view name) {
  const double frames = std::trunc(seconds * rate);
  require(std::abs(frames) < 0x1p62, name, seconds, "a finite number of seconds");
  return static_cast<Index>(frames);
}

Index start_of(Decoder& decoder, double offset) {
  const Index frames = frames_of(offset, decoder.format().rate, "offset");
  if (offset >= 0) return frames;
  const Index start = decoder.count_frames() + frames;
  if (start < 0)
    throw AudioError("offset=" + to_text(offset) + " must be within " + decoder.name());
  return start;
}

}  // namespace

template <class T>
Stream<T>::Stream(std::unique_ptr<Decoder> decoder, const Request& request)
    : decoder_(std::move(decoder)), channels_(format().channels), whole_(request.whole) {
  constexpr bool is_real = std::is_floating_point_v<T>;
  to_rate_ = request.rate.value_or(format().rate);
  require(to_rate_ > 0 && std::isfinite(to_rate_), "sr", to_rate_, "a positive number");
  const bool resample = to_rate_ != format().rate;
  if (resample) dsp::require_rates(format().rate, to_rate_, "sr", "the file's own rate, ");
  if (!is_real && (request.mono || request.rate))
    throw ArgumentError({.name = "dtype", .rule = "float32 or float64 to mix or resample audio"});
  mix_ = request.mono && channels_ > 1;
  check_finite_ = request.mono || request.rate;
  width_ = resample || mix_ ? 1 : channels_;
  rows_ = resample && !mix_ ? channels_ : 1;

  const Index start = start_of(*decoder_, request.offset);
  if (start > 0) decoder_->seek(start);
  if (const auto frames = decoder_->frames()) total_ = *frames - start;
  left_ = total_.value_or(std::numeric_limits<Index>::max());
  if (request.duration) {
    const Index wanted = frames_of(*request.duration, format().rate, "duration");
    if (wanted >= 0) left_ = std::min(left_, wanted);
    if (total_) total_ = left_;
  }
  if (total_ && request.all_at_once)
    decoder_ = decode_in_parallel(std::move(decoder_), sample_type_of<T>(), start, left_);
  if constexpr (is_real) {
    for (int row = 0; resample && row < rows_; ++row)
      resamplers_.emplace_back(format().rate, to_rate_, request.quality);
    if (mix_ || resample) frames_ = Buffer<T>(static_cast<std::size_t>(block * channels_));
    if (resample) input_ = Buffer<T>(static_cast<std::size_t>(block * rows_));
  }
}

template <class T>
std::optional<Index> Stream<T>::length() const {
  if (!total_) return std::nullopt;
  return samples_of(*total_);
}

template <class T>
Index Stream<T>::length_so_far() const {
  return samples_of(decoded_);
}

template <class T>
Index Stream<T>::samples_of(Index frames) const {
  return resamplers_.empty() ? frames : dsp::resampled_length(frames, format().rate, to_rate_);
}

template <class T>
Index Stream<T>::read(T* out, Index stride, Index count) {
  if (resamplers_.empty()) return read_native(out, count);
  const Index made = fill_up(out, stride, count, read_resampled(out, stride, count));
  resampled_ += made;
  return made;
}

// Zeros up to the length of the whole, where the resamplers have given less at the end.
template <class T>
Index Stream<T>::fill_up(T* out, Index stride, Index count, Index made) {
  if (!whole_ || made == count) return made;
  const Index length = std::min(count, length_so_far() - resampled_);
  for (Index row = 0; row < rows_ && made < length; ++row)
    std::fill(out + row * stride + made, out + row * stride + length, T(0));
  return length;
}

template <class T>
Index Stream<T>::decode(T* frames, Index count) {
  check_interrupt();
  trace::Span span(sites::decode);
  const Index wanted = std::min(count, left_);
  const Index got = wanted > 0 ? decoder_->read(frames, wanted) : 0;
  ended_ = got < count;
  left_ -= got;
  decoded_ += got;
  span.arg("samples", got);
  span.arg("channels", channels_);
  span.arg("rate", format().rate);
  span.arg("bytes", got * channels_ * static_cast<Index>(sizeof(T)));
  if constexpr (std::is_floating_point_v<T>) {
    if (check_finite_ && !all_finite(frames, got * channels_))
      throw ParameterError(decoder_->name() + " is not finite everywhere");
  }
  return got;
}

// Mixes or splits decoded frames.
template <class T>
void Stream<T>::arrange(Index count, T* out, Index stride) {
  if constexpr (std::is_floating_point_v<T>) {
    trace::Span span(sites::mix);
    span.arg("samples", count);
    span.arg("channels", channels_);
    if (mix_)
      mix_to_mono(frames_.data(), count, channels_, out);
    else
      split_channels(frames_.data(), count, channels_, out, stride);
  }
}

template <class T>
Index Stream<T>::read_native(T* out, Index count) {
  Index made = 0;
  while (made < count && !ended_) {
    const Index wanted = std::min(block, count - made);
    if (mix_) {
      const Index got = decode(frames_.data(), wanted);
      arrange(got, out + made, 0);
      made += got;
    } else {
      made += decode(out + made * width_, wanted);
    }
  }
  return made;
}

template <class T>
void Stream<T>::refill() {
  const bool as_decoded = channels_ == 1;
  const Index got = decode(as_decoded ? input_.data() : frames_.data(), block);
  if (!as_decoded) arrange(got, input_.data(), block);
  first_ = 0;
  last_ = got;
}

template <class T>
Index Stream<T>::read_resampled(T* out, Index stride, Index count) {
  if constexpr (!std::is_floating_point_v<T>) return 0;
  Index made = 0;
  while (made < count) {
    if (first_ == last_ && !ended_) refill();
    const bool flushing = first_ == last_;
    trace::Span span(sites::resample);
    // All rows have the same length, so all resamplers take and give the same number of samples.
    typename dsp::Resampler<T>::Progress step{};
    parallel_for(rows_, 1, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        auto& resampler = resamplers_[static_cast<std::size_t>(row)];
        T* to = out + row * stride + made;
        const auto progress =
            flushing ? typename dsp::Resampler<T>::Progress{0, resampler.flush(to, count - made)}
                     : resampler.process(input_.data() + row * block + first_, last_ - first_, to,
                                         count - made);
        if (row == 0) step = progress;
      }
    });
    span.arg("samples", step.made);
    span.arg("channels", rows_);
    span.arg("rate", to_rate_);
    first_ += step.used;
    made += step.made;
    if (flushing && ended_ && step.made == 0) break;
  }
  return made;
}

template class Stream<float>;
template class Stream<double>;
template class Stream<std::int16_t>;
template class Stream<std::int32_t>;

}  // namespace metalmom::io
