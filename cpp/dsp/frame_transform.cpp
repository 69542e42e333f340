#include "dsp/frame_transform.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/cache.hpp"
#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "dsp/frame_work.hpp"

namespace metalmom::dsp {
namespace {

// |X|^power from |X|^2, and the sum of the squares of each lane.
template <class S>
void raise_squares(const S* squares, Index n_bins, float power, S* lanes, S* sums) {
  std::fill_n(sums, block_frames, S(0));
  for (Index i = 0; i < n_bins * block_frames; ++i) {
    sums[i % block_frames] += squares[i];
    lanes[i] = std::pow(squares[i], static_cast<S>(power / 2));
  }
}

// Magnitudes have the order of their bits as integers, of which several are compared at a time.
template <class S>
S largest_magnitude(const S* samples, Index count) {
  using Bits = std::conditional_t<sizeof(S) == 4, std::int32_t, std::int64_t>;
  Bits largest = 0;
  for (Index i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<Bits>(std::abs(samples[i]));
    largest = largest < bits ? bits : largest;
  }
  return std::bit_cast<S>(largest);
}

// Whether no magnitude is above `most`: of loud samples, the first ones say so.
template <class S>
bool none_above(const S* samples, Index count, S most) {
  using Bits = std::conditional_t<sizeof(S) == 4, std::int32_t, std::int64_t>;
  constexpr Index chunk = 64;
  for (Index begin = 0; begin < count; begin += chunk) {
    const Index end = std::min(begin + chunk, count);
    Bits above = 0;
    for (Index i = begin; i < end; ++i) above |= std::abs(samples[i]) <= most ? 0 : 1;
    if (above) return false;
  }
  return true;
}

// Divides samples by 2^exponent, so that the largest is between 1 and 4. False for silence.
template <class S>
bool scale_samples(const S* samples, Index count, S* scaled, int& exponent) {
  const S largest = largest_magnitude(samples, count);
  if (largest == 0) return false;
  // Both powers of two are normal numbers.
  using Limits = std::numeric_limits<S>;
  exponent = std::clamp(std::ilogb(largest), Limits::min_exponent - 1, Limits::max_exponent - 2);
  const S scale = std::ldexp(S(1), -exponent);
  for (Index i = 0; i < count; ++i) scaled[i] = samples[i] * scale;
  return true;
}

}  // namespace

template <class T>
FrameTransform<T>::FrameTransform(Index n_fft, std::span<const double> window)
    : set_(simd::kernels()),
      same_(simd::frame_kernels<T, T>(set_, n_fft)),
      single_(simd::frame_kernels<T, float>(set_, n_fft)),
      n_fft_(n_fft) {
  const auto length = static_cast<Index>(window.size());
  require(length >= 1 && length <= n_fft, "win_length", length, "between 1 and n_fft");
  if (has_kernels())
    table_ = simd::fft_table<T>(n_fft / 2, same_.width);
  else
    fft_ = real_fft<T>(n_fft);
  if (!has_kernels() && simd::mixed_kernels<T, T>(set_).powers)
    mixed_ = simd::mixed_table<T>(n_fft);
  const auto padded = [&](double factor) {
    Buffer<T> values(static_cast<std::size_t>(n_fft));
    values.zero();
    std::transform(window.begin(), window.end(), values.data() + (n_fft - length) / 2,
                   [factor](double value) { return static_cast<T>(value * factor); });
    return values;
  };
  window_ = padded(has_kernels() || (mixed_ && mixed_->plan.packed()) ? 0.5 : 1.0);
  inverse_window_ = padded(has_kernels() ? 1.0 / static_cast<double>(n_fft) : 1.0);
  quiet_same_ = quiet_window<T>(window);
  if constexpr (!std::is_same_v<T, float>) quiet_single_ = quiet_window<float>(window);
}

// By Parseval, the squares of a frame with samples up to m have a sum of n_fft m^2 sum(window^2) at
// most. With m = `most` that is a quarter of what holds_squares asks for, so that no rounding makes
// a quiet frame of one that has its squares. Products with powers of two are exact: magnitudes have
// the bits that scaled samples give. The power is two thirds of the exponents' range, so that
// the square of the least normal number, scaled, is normal.
template <class T>
template <class S>
typename FrameTransform<T>::QuietWindow FrameTransform<T>::quiet_window(
    std::span<const double> window) const {
  constexpr int range = -std::numeric_limits<S>::min_exponent;
  QuietWindow made{Buffer<T>(window_.size()), -1, 2 * range / 3};
  const double energy = std::transform_reduce(window.begin(), window.end(), 0.0, std::plus<>(),
                                              [](double value) { return value * value; });
  made.most = std::min(std::sqrt(static_cast<double>(least_sum_of_squares<S>()) /
                                 (4 * static_cast<double>(n_fft_) * energy)),
                       static_cast<double>(std::numeric_limits<S>::max()));
  const T scale = std::ldexp(T(1), made.exponent);
  for (std::size_t i = 0; i < window_.size(); ++i) {
    made.values[i] = window_[i] * scale;
    if (!std::isfinite(made.values[i])) made.most = -1;
  }
  return made;
}

// Whether frames are surely quiet: none of the samples that they read is above the window's `most`.
// Padding repeats samples up to `pad` from the signal's ends, or goes to zero from there.
template <class T>
template <class S>
bool FrameTransform<T>::are_quiet(const FrameSource<S>& source, Index first, Index count) const {
  if (source.maker) return false;
  const Index begin = first * source.hop_length - source.pad;
  const Index end = begin + (count - 1) * source.hop_length + n_fft_;
  const Index from = end > source.n_samples ? source.n_samples - 1 - source.pad : begin;
  const Index to = begin < 0 ? source.pad + 1 : end;
  const Index low = std::max<Index>(std::min(begin, from), 0);
  const Index high = std::min(std::max(end, to), source.n_samples);
  return none_above(source.y + low, high - low, static_cast<S>(quiet<S>().most));
}

template <class T>
std::size_t FrameTransform<T>::bytes() const {
  const std::size_t quiet = quiet_same_.values.size() + quiet_single_.values.size();
  return (window_.size() + inverse_window_.size() + quiet + (table_ ? table_->size() : 0)) *
             sizeof(T) +
         (mixed_ ? mixed_->bytes() : 0) + (fft_ ? fft_->bytes() : 0);
}

template <class T>
Index FrameTransform<T>::work_size() const {
  if (mixed_) return simd::mixed_work_size(mixed_->plan.points);
  if (has_kernels()) return simd::work_size(n_fft_ / 2, same_.width);
  // The library needs the windowed samples, and behind them room for the bins.
  return 2 * (row_stride(n_fft_) + n_bins());
}

template <class T>
template <class S>
const std::complex<T>* FrameTransform<T>::library_spectrum(const S* samples, const T* window,
                                                           T* work) const {
  check_interrupt();  // of the sizes without kernels some are of millions
  T* const windowed = work;
  for (std::size_t i = 0; i < window_.size(); ++i)
    windowed[i] = static_cast<T>(samples[i]) * window[i];
  auto* const bins = reinterpret_cast<std::complex<T>*>(work + row_stride(n_fft_));
  fft_->forward(windowed, bins);
  return bins;
}

template <class T>
template <class S>
void FrameTransform<T>::square_magnitudes(const S* samples, const T* window, T* work,
                                          S* row) const {
  if (has_kernels()) {
    kernels<S>().power(table_->data(), samples, window, work, row);
    return;
  }
  const std::complex<T>* bins = library_spectrum(samples, window, work);
  for (Index k = 0; k < n_bins(); ++k) {
    const S re = static_cast<S>(bins[k].real()), im = static_cast<S>(bins[k].imag());
    row[k] = re * re + im * im;
  }
}

template <class T>
template <class S>
void FrameTransform<T>::spectrum(const S* samples, T* work, std::complex<S>* bins) const {
  if (has_kernels()) {
    kernels<S>().spectrum(table_->data(), samples, window_.data(), work,
                          reinterpret_cast<S*>(bins));
    return;
  }
  const std::complex<T>* exact = library_spectrum(samples, window_.data(), work);
  std::transform(exact, exact + n_bins(), bins,
                 [](std::complex<T> bin) { return static_cast<std::complex<S>>(bin); });
}

template <class T>
template <class S>
void FrameTransform<T>::power_block(const FrameSource<S>& source, Index first, Index count,
                                    float power, S* lanes) const {
  if (power != 2 && are_quiet(source, first, count)) [[unlikely]] {
    quiet_block(source, first, count, power, lanes);
    return;
  }
  square_block(source, first, count, window_.data(), lanes);
  if (power != 2) raise(source, first, count, lanes, power, lanes);
}

template <class T>
template <class S>
void FrameTransform<T>::quiet_block(const FrameSource<S>& source, Index first, Index count,
                                    float power, S* lanes) const {
  const QuietWindow& window = quiet<S>();
  square_block(source, first, count, window.values.data(), lanes);
  alignas(alignment) S sums[block_frames];
  simd::lane_kernels<S>(set_).square_roots(lanes, n_bins(), std::ldexp(S(1), -window.exponent),
                                           lanes, sums);
  if (power == 1) return;
  for (Index bin = 0; bin < n_bins(); ++bin)
    for (Index i = 0; i < count; ++i)
      lanes[bin * block_frames + i] =
          std::pow(lanes[bin * block_frames + i], static_cast<S>(power));
}

template <class T>
template <class S>
void FrameTransform<T>::square_block(const FrameSource<S>& source, Index first, Index count,
                                     const T* window, S* lanes) const {
  const auto& lane_kernels = simd::lane_kernels<S>(set_);
  const Lent<T> work(work_size());
  if (mixed_) {
    const Lent<S> samples(n_fft_ * block_frames);
    frame_lanes(source, first, count, lane_kernels, samples.data());
    mixed<S>().powers(mixed_->plan, samples, window, count, work, lanes);
  } else {
    const Index stride = row_stride(n_bins());
    const Lent<S> rows(stride * block_frames), gathered(n_fft_);
    for (Index i = 0; i < count; ++i)
      square_magnitudes(frame_samples(source, first + i, gathered.data()), window, work,
                        rows + i * stride);
    lane_kernels.from_rows(rows, stride, count, n_bins(), lanes);
  }
}

template <class T>
template <class S>
void FrameTransform<T>::raise(const FrameSource<S>& source, Index first, Index count,
                              const S* squares, float power, S* lanes) const {
  alignas(alignment) S sums[block_frames];
  if (power == 1)
    simd::lane_kernels<S>(set_).square_roots(squares, n_bins(), S(1), lanes, sums);
  else
    raise_squares(squares, n_bins(), power, lanes, sums);
  std::array<Index, block_frames> poor;
  std::size_t n_poor = 0;
  for (Index i = 0; i < count; ++i)
    if (!holds_squares(sums[i])) [[unlikely]]
      poor[n_poor++] = i;
  if (n_poor == 0) [[likely]]
    return;
  if (are_quiet(source, first, count))
    quiet_block(source, first, count, power, lanes);
  else
    raise_scaled(source, first, std::span(poor).first(n_poor), power, lanes);
}

template <class T>
template <class S>
bool FrameTransform<T>::scaled_squares(const FrameSource<S>& source, Index frame, S* lanes,
                                       int& exponent) const {
  const Lent<S> gathered(n_fft_), scaled(n_fft_);
  if (!scale_samples(frame_samples(source, frame, gathered.data()), n_fft_, scaled.data(),
                     exponent))
    return false;
  square_block(FrameSource<S>{scaled, n_fft_, n_fft_, n_fft_}, 0, 1, window_.data(), lanes);
  return true;
}

// Stores |X|^power of some frames of a block into their lanes, by way of scaled squares. Silence
// stays.
template <class T>
template <class S>
void FrameTransform<T>::raise_scaled(const FrameSource<S>& source, Index first,
                                     std::span<const Index> which, float power, S* lanes) const {
  const Index length = row_stride(n_fft_);
  const Lent<S> gathered(n_fft_), scaled(std::ssize(which) * length);
  std::array<Index, block_frames> lane_of{};
  std::array<S, block_frames> scales{};
  Index count = 0;
  for (const Index lane : which) {
    int exponent;
    if (!scale_samples(frame_samples(source, first + lane, gathered.data()), n_fft_,
                       scaled.data() + count * length, exponent))
      continue;
    lane_of[static_cast<std::size_t>(count)] = lane;
    scales[static_cast<std::size_t>(count++)] = std::ldexp(S(1), exponent);
  }
  if (count == 0) return;
  const Lent<S> squares(n_bins() * block_frames);
  square_block(FrameSource<S>{scaled, count * length, length, n_fft_}, 0, count, window_.data(),
               squares.data());
  for (Index bin = 0; bin < n_bins(); ++bin) {
    S* const magnitudes = squares.data() + bin * block_frames;
    for (Index i = 0; i < block_frames; ++i)
      magnitudes[i] = std::sqrt(magnitudes[i]) * scales[static_cast<std::size_t>(i)];
    for (Index i = 0; i < count; ++i)
      lanes[bin * block_frames + lane_of[static_cast<std::size_t>(i)]] =
          power == 1 ? magnitudes[i] : std::pow(magnitudes[i], static_cast<S>(power));
  }
}

template <class T>
template <class S>
void FrameTransform<T>::spectra(const FrameSource<S>& source, Index first, Index count,
                                std::complex<S>* bins) const {
  if (!mixed_) {
    const Lent<T> work(work_size());
    const Lent<S> gathered(n_fft_);
    for (Index i = 0; i < count; ++i)
      spectrum(frame_samples(source, first + i, gathered.data()), work, bins + i * n_bins());
    return;
  }
  const Lent<S> lanes(n_fft_ * block_frames);
  for (Index i = 0; i < count; i += block_frames) {
    const Index here = std::min(block_frames, count - i);
    frame_lanes(source, first + i, here, simd::lane_kernels<S>(set_), lanes.data());
    spectra_of_lanes(lanes.data(), here, bins + i * n_bins());
  }
}

template <class T>
template <class S>
void FrameTransform<T>::spectra_of(const S* frames, Index stride, Index count,
                                   std::complex<S>* bins) const {
  if (!mixed_) {
    const Lent<T> work(work_size());
    for (Index i = 0; i < count; ++i) spectrum(frames + i * stride, work, bins + i * n_bins());
    return;
  }
  const Lent<S> lanes(n_fft_ * block_frames);
  for (Index i = 0; i < count; i += block_frames) {
    const Index here = std::min(block_frames, count - i);
    simd::lane_kernels<S>(set_).from_rows(frames + i * stride, stride, here, n_fft_, lanes);
    spectra_of_lanes(lanes.data(), here, bins + i * n_bins());
  }
}

template <class T>
template <class S>
void FrameTransform<T>::spectra_of_lanes(const S* lanes, Index count, std::complex<S>* bins) const {
  const Index n_values = 2 * n_bins();
  const Lent<T> work(work_size());
  const Lent<S> out(n_values * block_frames);
  mixed<S>().spectra(mixed_->plan, lanes, window_.data(), count, work, out);
  simd::lane_kernels<S>(set_).to_rows(out, n_values, count, reinterpret_cast<S*>(bins), n_values);
}

template <class T>
template <class S>
void FrameTransform<T>::square_row(const FrameSource<S>& source, Index frame, const T* window,
                                   S* row) const {
  if (mixed_) {  // whose kernels know lanes alone
    const Lent<S> lanes(n_bins() * block_frames);
    square_block(source, frame, 1, window, lanes.data());
    for (Index bin = 0; bin < n_bins(); ++bin) row[bin] = lanes[bin * block_frames];
  } else {
    const Lent<T> work(work_size());
    const Lent<S> gathered(n_fft_);
    square_magnitudes(frame_samples(source, frame, gathered.data()), window, work, row);
  }
}

template <class T>
template <class S>
void FrameTransform<T>::power_row(const FrameSource<S>& source, Index frame, float power,
                                  S* row) const {
  if (power != 2 && are_quiet(source, frame, 1)) [[unlikely]] {
    quiet_row(source, frame, power, row);
    return;
  }
  square_row(source, frame, window_.data(), row);
  if (power != 2) raise_row(source, frame, row, power, row);
}

template <class T>
template <class S>
void FrameTransform<T>::quiet_row(const FrameSource<S>& source, Index frame, float power,
                                  S* row) const {
  const QuietWindow& window = quiet<S>();
  square_row(source, frame, window.values.data(), row);
  const S scale = std::ldexp(S(1), -window.exponent);
  for (Index bin = 0; bin < n_bins(); ++bin) row[bin] = std::sqrt(row[bin]) * scale;
  if (power == 1) return;
  for (Index bin = 0; bin < n_bins(); ++bin) row[bin] = std::pow(row[bin], static_cast<S>(power));
}

template <class T>
template <class S>
void FrameTransform<T>::raise_row(const FrameSource<S>& source, Index frame, const S* squares,
                                  float power, S* row) const {
  S sum = 0;
  for (Index bin = 0; bin < n_bins(); ++bin) sum += squares[bin];
  for (Index bin = 0; bin < n_bins(); ++bin)
    row[bin] =
        power == 1 ? std::sqrt(squares[bin]) : std::pow(squares[bin], static_cast<S>(power / 2));
  if (holds_squares(sum)) [[likely]]
    return;
  if (are_quiet(source, frame, 1)) {
    quiet_row(source, frame, power, row);
    return;
  }
  const Lent<S> lanes(n_bins() * block_frames);
  for (Index bin = 0; bin < n_bins(); ++bin) lanes[bin * block_frames] = row[bin];
  raise_scaled(source, frame, std::array<Index, 1>{0}, power, lanes.data());
  for (Index bin = 0; bin < n_bins(); ++bin) row[bin] = lanes[bin * block_frames];
}

template <class T>
template <class S>
void FrameTransform<T>::overlap_add(const std::complex<S>* bins, Index begin, Index end,
                                    S* out) const {
  const Lent<T> samples(n_fft_);
  if (has_kernels()) {
    const Lent<T> work(work_size());
    kernels<S>().inverse(table_->data(), reinterpret_cast<const S*>(bins), inverse_window_.data(),
                         work, samples);
  } else {
    check_interrupt();
    const Lent<std::complex<T>> copy(n_bins());
    std::transform(bins, bins + n_bins(), copy.data(),
                   [](std::complex<S> bin) { return static_cast<std::complex<T>>(bin); });
    fft_->inverse(copy, samples);
    for (Index i = begin; i < end; ++i) samples[i] *= inverse_window_.data()[i];
  }
  for (Index i = begin; i < end; ++i) out[i - begin] += static_cast<S>(samples[i]);
}

template <class T>
void FrameTransform<T>::inverse_rows(const std::complex<T>* bins, Index count, T* rows,
                                     Index stride) const {
  const auto& lane_kernels = simd::lane_kernels<T>(set_);
  const Index n_values = 2 * n_bins();
  const Lent<T> work(work_size()), lanes(n_values * block_frames), samples(n_fft_ * block_frames);
  lane_kernels.from_rows(reinterpret_cast<const T*>(bins), n_values, count, n_values, lanes);
  simd::mixed_inverse<T>(set_)(mixed_->plan, lanes, inverse_window_.data(), count, work, samples);
  lane_kernels.to_rows(samples, n_fft_, count, rows, stride);
}

template <class T>
template <class S>
void FrameTransform<T>::overlap_add(const std::complex<S>* bins, Index count, Index at, Index hop,
                                    Index length, S* out) const {
  const auto first_inside = [&](Index start) { return std::max<Index>(-start, 0); };
  const auto last_inside = [&](Index start) { return std::min(n_fft_, length - start); };
  if constexpr (std::is_same_v<S, T>)
    if (mixed_) {
      const Index stride = row_stride(n_fft_);
      const Lent<T> rows(stride * block_frames);
      for (Index i = 0; i < count; i += block_frames) {
        const Index here = std::min(block_frames, count - i);
        inverse_rows(bins + i * n_bins(), here, rows, stride);
        const T* row = rows;
        for (Index k = 0; k < here; ++k, row += stride) {
          const Index start = at + (i + k) * hop;
          for (Index n = first_inside(start); n < last_inside(start); ++n) out[start + n] += row[n];
        }
      }
      return;
    }
  for (Index i = 0; i < count; ++i) {
    const Index start = at + i * hop, from = first_inside(start);
    overlap_add(bins + i * n_bins(), from, last_inside(start), out + (start + from));
  }
}

namespace {

// Transforms are looked up in each call: a window is compared as bytes, and copied only to be kept.
struct Asked {
  Index n_fft;
  std::span<const double> window;
};

struct Kept {
  explicit Kept(const Asked& asked)
      : n_fft(asked.n_fft), window(asked.window.begin(), asked.window.end()) {}
  operator Asked() const { return {n_fft, window}; }
  std::size_t bytes() const { return sizeof *this + window.size() * sizeof(double); }

  Index n_fft;
  std::vector<double> window;
};

struct Before {
  using is_transparent = void;
  bool operator()(const Asked& a, const Asked& b) const {
    if (a.n_fft != b.n_fft) return a.n_fft < b.n_fft;
    if (a.window.size() != b.window.size()) return a.window.size() < b.window.size();
    return std::memcmp(a.window.data(), b.window.data(), a.window.size_bytes()) < 0;
  }
};

}  // namespace

template <class T>
std::shared_ptr<const FrameTransform<T>> frame_transform(Index n_fft,
                                                         std::span<const double> window) {
  static Cache<Kept, FrameTransform<T>, Before> transforms{"build transform"};
  return transforms.get(Asked{n_fft, window},
                        [&] { return std::make_shared<const FrameTransform<T>>(n_fft, window); });
}

template void FrameTransform<float>::power_block(const FrameSource<float>&, Index, Index, float,
                                                 float*) const;
template void FrameTransform<float>::raise(const FrameSource<float>&, Index, Index, const float*,
                                           float, float*) const;
template bool FrameTransform<float>::scaled_squares(const FrameSource<float>&, Index, float*,
                                                    int&) const;
template void FrameTransform<float>::power_row(const FrameSource<float>&, Index, float,
                                               float*) const;
template void FrameTransform<float>::raise_row(const FrameSource<float>&, Index, const float*,
                                               float, float*) const;
template void FrameTransform<float>::spectra(const FrameSource<float>&, Index, Index,
                                             std::complex<float>*) const;
template void FrameTransform<float>::spectra_of(const float*, Index, Index,
                                                std::complex<float>*) const;
template void FrameTransform<float>::overlap_add(const std::complex<float>*, Index, Index,
                                                 float*) const;
template void FrameTransform<double>::power_block(const FrameSource<double>&, Index, Index, float,
                                                  double*) const;
template void FrameTransform<double>::raise(const FrameSource<double>&, Index, Index, const double*,
                                            float, double*) const;
template bool FrameTransform<double>::scaled_squares(const FrameSource<double>&, Index, double*,
                                                     int&) const;
template void FrameTransform<double>::power_row(const FrameSource<double>&, Index, float,
                                                double*) const;
template void FrameTransform<double>::raise_row(const FrameSource<double>&, Index, const double*,
                                                float, double*) const;
template void FrameTransform<double>::spectra(const FrameSource<double>&, Index, Index,
                                              std::complex<double>*) const;
template void FrameTransform<double>::spectra_of(const double*, Index, Index,
                                                 std::complex<double>*) const;
template void FrameTransform<double>::overlap_add(const std::complex<double>*, Index, Index,
                                                  double*) const;
template void FrameTransform<double>::power_block(const FrameSource<float>&, Index, Index, float,
                                                  float*) const;
template void FrameTransform<double>::raise(const FrameSource<float>&, Index, Index, const float*,
                                            float, float*) const;
template bool FrameTransform<double>::scaled_squares(const FrameSource<float>&, Index, float*,
                                                     int&) const;
template void FrameTransform<double>::power_row(const FrameSource<float>&, Index, float,
                                                float*) const;
template void FrameTransform<double>::raise_row(const FrameSource<float>&, Index, const float*,
                                                float, float*) const;
template void FrameTransform<double>::spectra(const FrameSource<float>&, Index, Index,
                                              std::complex<float>*) const;
template void FrameTransform<double>::spectra_of(const float*, Index, Index,
                                                 std::complex<float>*) const;
template void FrameTransform<double>::overlap_add(const std::complex<float>*, Index, Index,
                                                  float*) const;
template void FrameTransform<float>::overlap_add(const std::complex<float>*, Index, Index, Index,
                                                 Index, float*) const;
template void FrameTransform<double>::overlap_add(const std::complex<double>*, Index, Index, Index,
                                                  Index, double*) const;

template class FrameTransform<float>;
template class FrameTransform<double>;
template std::shared_ptr<const FrameTransform<float>> frame_transform(Index,
                                                                      std::span<const double>);
template std::shared_ptr<const FrameTransform<double>> frame_transform(Index,
                                                                       std::span<const double>);

}  // namespace metalmom::dsp
