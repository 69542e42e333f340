#include "dsp/rate/resampler.hpp"

#include <soxr.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "base/workspace.hpp"

namespace metalmom::dsp {

namespace {

// libsoxr keeps its whole input in a queue: long inputs are faster in blocks that stay in cache.
constexpr Index block = 1 << 15;
// The most samples that one call may give, however high the rate: calls are interrupted in between.
constexpr Index most_at_once = 16 * block;

unsigned long recipe(Quality quality) {
  constexpr unsigned long recipes[] = {SOXR_QQ, SOXR_LQ, SOXR_MQ, SOXR_HQ, SOXR_VHQ};
  return recipes[static_cast<int>(quality)];
}

void check(soxr_error_t error) {
  if (error) throw AudioError(std::string("resampling failed: ") + error);
}

}  // namespace

void DeleteResampler::operator()(void* resampler) const {
  soxr_delete(static_cast<soxr_t>(resampler));
}

template <class T>
T scale_of(const T* samples, Index count, Quality quality) {
  constexpr T held = 0x1p110;
  if (quality == Quality::very_high) return 1;
  // This loop takes a vector at a time, which a search for the largest does not.
  int beyond = 0;
  for (Index i = 0; i < count; ++i) beyond |= std::abs(samples[i]) >= held;
  if (!beyond) return 1;
  T largest = 0;
  for (Index i = 0; i < count; ++i) largest = std::max(largest, std::abs(samples[i]));
  return std::ldexp(T(1), -std::ilogb(largest));
}

template float scale_of(const float*, Index, Quality);
template double scale_of(const double*, Index, Quality);

template <class T>
Resampler<T>::Resampler(double from_rate, double to_rate, Quality quality, T scale)
    : scale_(scale) {
  const auto type = std::is_same_v<T, float> ? SOXR_FLOAT32_I : SOXR_FLOAT64_I;
  const soxr_io_spec_t samples = soxr_io_spec(type, type);
  const soxr_quality_spec_t spec = soxr_quality_spec(recipe(quality), 0);
  const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
  soxr_error_t error = nullptr;
  resampler_.reset(soxr_create(from_rate, to_rate, 1, &error, &samples, &spec, &runtime));
  check(error);
}

template <class T>
auto Resampler<T>::process(const T* in, Index count, T* out, Index room) -> Progress {
  if (scale_ == 1) return step(in, count, out, room);
  const Lent<T> scaled(count);
  std::transform(in, in + count, scaled.data(), [this](T x) { return x * scale_; });
  return step(scaled, count, out, room);
}

template <class T>
Index Resampler<T>::flush(T* out, Index room) {
  return step(nullptr, 0, out, room).made;
}

template <class T>
auto Resampler<T>::step(const T* in, Index count, T* out, Index room) -> Progress {
  std::size_t used = 0, made = 0;
  check(soxr_process(static_cast<soxr_t>(resampler_.get()), in, static_cast<std::size_t>(count),
                     in ? &used : nullptr, out, static_cast<std::size_t>(room), &made));
  if (scale_ != 1) std::transform(out, out + made, out, [this](T x) { return x / scale_; });
  return {static_cast<Index>(used), static_cast<Index>(made)};
}

template <class T>
Index resample_signal(const T* in, Index count, double from_rate, double to_rate, Quality quality,
                      T* out, Index room) {
  Resampler<T> resampler(from_rate, to_rate, quality, scale_of(in, count, quality));
  Index used = 0, made = 0;
  while (used < count && made < room) {
    check_interrupt();
    const auto step = resampler.process(in + used, std::min(block, count - used), out + made,
                                        std::min(most_at_once, room - made));
    used += step.used;
    made += step.made;
  }
  while (made < room) {
    check_interrupt();
    const Index rest = resampler.flush(out + made, std::min(most_at_once, room - made));
    if (rest == 0) break;
    made += rest;
  }
  std::fill(out + made, out + room, T(0));
  return made;
}

template class Resampler<float>;
template class Resampler<double>;
template Index resample_signal(const float*, Index, double, double, Quality, float*, Index);
template Index resample_signal(const double*, Index, double, double, Quality, double*, Index);

}  // namespace metalmom::dsp
