#include "stream/fading_convolver.hpp"

#include <algorithm>
#include <utility>

#include "base/interrupt.hpp"

namespace metalmom::stream {

namespace {

constexpr Index at_once = 1024;           // samples that are mixed together
constexpr Index between_looks = 1 << 14;  // samples
// Of a tail, before the worker is waited for: a block of the smallest partitions that it works on.
constexpr Index settled_samples = 128;

}  // namespace

template <class T>
FadingConvolver<T>::FadingConvolver(Made first, SharedTurns turns)
    : turns_(std::move(turns)),
      now_(std::move(first)),
      gains_(at_once),
      of_now_(static_cast<std::size_t>(now_->channels() * at_once)),
      of_old_(static_cast<std::size_t>(now_->channels() * at_once)),
      silence_(at_once) {
  silence_.zero();
}

template <class T>
void FadingConvolver<T>::require_rung_out() const {
  turns_->require_whole();
  if (rings_)
    throw ParameterError("set_response() must wait until the response before has rung out");
}

template <class T>
typename FadingConvolver<T>::Made FadingConvolver<T>::set_response(Made next, Index crossfade) {
  require_rung_out();
  turns_->change();
  fade_ = crossfade;
  old_tail_ = tail();
  Made unused = std::exchange(old_, std::exchange(now_, std::move(next)));
  rings_ = true;
  if (fade_ + old_tail_ == 0) leave_old();
  turns_->done();
  return unused;
}

template <class T>
void FadingConvolver<T>::leave_old() {
  missed_before_ += old_->missed_blocks();
  rings_ = false;
}

template <class T>
Index FadingConvolver<T>::tail(Index count) const {
  const Index own = now_->n_taps() - 1, taken = now_->position() + count;
  return rings_ ? std::max(own, std::min(taken, fade_) + old_tail_ - taken) : own;
}

template <class T>
Index FadingConvolver<T>::missed_blocks() const {
  return missed_before_ + (rings_ ? old_->missed_blocks() : 0) + now_->missed_blocks();
}

template <class T>
void FadingConvolver<T>::process(const T* in, Index in_stride, Index count, T* out,
                                 Index out_stride) {
  turns_->require_open(ended_);
  now_->check(in, in_stride, count);
  if (rings_) old_->check(in, in_stride, count);
  turns_->change();
  convolve(in, in_stride, count, out, out_stride);
  position_ += count;
  turns_->done_block(count, false);
}

template <class T>
void FadingConvolver<T>::end(T* out, Index out_stride) {
  turns_->require_open(ended_);
  turns_->change();
  const Index count = tail();
  for (Index done = 0; done < count; done += settled_samples) {
    settle();
    convolve(silence_.data(), 0, std::min(settled_samples, count - done), out + done, out_stride);
  }
  if (rings_) leave_old();  // its tail was shorter than the rest of the fade
  ended_ = true;
  turns_->done_block(0, true);
}

// The old one is left at the same sample however the signal is cut: what it still gives then is
// rounding, which must not depend on that.
template <class T>
void FadingConvolver<T>::convolve(const T* in, Index in_stride, Index count, T* out,
                                  Index out_stride) {
  while (rings_ && count > 0) {
    check_interrupt();
    const Index left = fade_ + old_tail_ - now_->position();
    const Index step = std::min({count, left, at_once});
    mix(in, in_stride, step, out, out_stride);
    in += step;
    out += step;
    count -= step;
    if (step == left) leave_old();
  }
  for (Index done = 0; done < count; done += between_looks) {
    check_interrupt();
    now_->process(in + done, in_stride, std::min(between_looks, count - done), out + done,
                  out_stride);
  }
}

// What both make of their shares of at most `at_once` samples.
template <class T>
void FadingConvolver<T>::mix(const T* in, Index in_stride, Index count, T* out, Index out_stride) {
  const Index position = now_->position(), channels = now_->channels();
  for (Index i = 0; i < count; ++i) {
    const double share = static_cast<double>(position + i + 1) / static_cast<double>(fade_ + 1);
    gains_.data()[i] = static_cast<T>(std::min(share, 1.0));
  }
  for (Index b = 0; b < channels; ++b) {
    const T *const from = in + b * in_stride, *const gains = gains_.data();
    T *const given = of_now_.data() + b * at_once, *const rest = of_old_.data() + b * at_once;
    for (Index i = 0; i < count; ++i) {
      given[i] = from[i] * gains[i];
      rest[i] = from[i] * (1 - gains[i]);
    }
  }
  now_->process(of_now_.data(), at_once, count, of_now_.data(), at_once);
  old_->process(of_old_.data(), at_once, count, of_old_.data(), at_once);
  for (Index b = 0; b < channels; ++b) {
    const T *const one = of_now_.data() + b * at_once, *const other = of_old_.data() + b * at_once;
    for (Index i = 0; i < count; ++i) out[b * out_stride + i] = one[i] + other[i];
  }
}

template <class T>
void FadingConvolver<T>::reset() {
  turns_->change();
  now_->reset();
  rings_ = ended_ = false;
  position_ = missed_before_ = 0;
  turns_->done_anew();
}

template <class T>
void FadingConvolver<T>::warm_up(Index count) {
  turns_->require_whole();
  if (position_ > 0 || ended_)
    throw ParameterError("warmup() must come before the first block, or after reset()");
  const bool rings = rings_;
  const Index missed = missed_before_;
  turns_->change();
  for (Index done = 0; done < count; done += at_once)
    convolve(silence_.data(), 0, std::min(at_once, count - done), of_now_.data(), at_once);
  if (rings) old_->reset();
  reset();
  rings_ = rings;
  missed_before_ = missed;
}

template <class T>
void FadingConvolver<T>::settle() {
  now_->settle();
  if (rings_) old_->settle();
}

template class FadingConvolver<float>;
template class FadingConvolver<double>;

}  // namespace metalmom::stream
