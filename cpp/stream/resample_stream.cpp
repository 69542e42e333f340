#include "stream/resample_stream.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "ops/op.hpp"

namespace metalmom::stream {

namespace {

constexpr Index step = 1 << 12;  // samples that are asked for at a time

}  // namespace

template <class T>
ResampleStream<T>::ResampleStream(double from_rate, double to_rate, dsp::Quality quality, bool fix,
                                  Index channels)
    : from_rate_(from_rate),
      to_rate_(to_rate),
      quality_(quality),
      fix_(fix),
      made_(static_cast<std::size_t>(channels)) {
  dsp::require_rates(from_rate, to_rate, "target_sr", "orig_sr=");
  reset();
}

template <class T>
void ResampleStream<T>::reset() {
  resamplers_.clear();
  for (std::size_t b = 0; b < made_.size(); ++b)
    resamplers_.emplace_back(from_rate_, to_rate_, quality_);
  position_ = given_ = 0;
  ended_ = false;
}

template <class T>
std::span<const T> ResampleStream<T>::made(Index channel) const {
  return made_[static_cast<std::size_t>(channel)];
}

template <class T>
void ResampleStream<T>::pull(std::size_t channel, const T* in, Index count, bool last) {
  auto& out = made_[channel];
  auto& resampler = resamplers_[channel];
  out.clear();
  const auto room = [&] {
    out.resize(out.size() + static_cast<std::size_t>(step));
    return out.data() + out.size() - step;
  };
  for (Index used = 0, made = 0; used < count || made == step;) {
    const auto progress = resampler.process(in + used, count - used, room(), step);
    used += progress.used;
    made = progress.made;
    out.resize(out.size() - static_cast<std::size_t>(step - progress.made));
  }
  for (bool more = last; more;) {
    const Index rest = resampler.flush(room(), step);
    out.resize(out.size() - static_cast<std::size_t>(step - rest));
    more = rest > 0;
  }
}

template <class T>
Index ResampleStream<T>::process(const T* in, Index stride, Index count, bool last) {
  if (ended_) throw ParameterError("the signal has ended: reset() begins another one");
  for (std::size_t b = 0; b < made_.size(); ++b)
    ops::require_finite(
        std::span(in + static_cast<Index>(b) * stride, static_cast<std::size_t>(count)));
  for (std::size_t b = 0; b < made_.size(); ++b)
    pull(b, in + static_cast<Index>(b) * stride, count, last);
  position_ += count;
  const Index whole = dsp::resampled_length(position_, from_rate_, to_rate_);
  if (last)
    for (auto& each : made_) {
      const Index most = whole - given_ + (fix_ ? 0 : 1);
      if (fix_ || std::ssize(each) > most) each.resize(static_cast<std::size_t>(most));
    }
  ended_ = last;
  given_ += std::ssize(made_[0]);
  return std::ssize(made_[0]);
}

template class ResampleStream<float>;
template class ResampleStream<double>;

}  // namespace metalmom::stream
