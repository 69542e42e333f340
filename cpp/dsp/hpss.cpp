#include "dsp/hpss.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/ceil_div.hpp"
#include "base/stage.hpp"
#include "dsp/bands.hpp"
#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

namespace {

constexpr Index n_lanes = simd::n_lanes;

// Masks for any power, value by value. The kernels have the usual powers 1 and 2.
template <class T>
T soft_mask(T x, T other, T power, T silent) {
  const T most = std::max(x, other);
  if (most < std::numeric_limits<T>::min()) return silent;
  const T a = std::pow(x / most, power), b = std::pow(other / most, power);
  return a / (a + b);
}

}  // namespace

template <class T>
void hpss_masks(const HpssParams& params, const T* harmonic, const T* percussive, Index n,
                T* mask_harmonic, T* mask_percussive) {
  const auto margin_h = static_cast<T>(params.margin_harmonic);
  const auto margin_p = static_cast<T>(params.margin_percussive);
  const auto power = static_cast<T>(params.power);
  // Without margins the two masks add up to one, also in silence.
  const T silent = params.margin_harmonic == 1 && params.margin_percussive == 1 ? T(0.5) : T(0);
  if (power == 1 || power == 2) {
    simd::median_kernels<T>().masks(harmonic, percussive, n, margin_h, margin_p, silent, power == 2,
                                    mask_harmonic, mask_percussive);
  } else if (std::isinf(power)) {
    for (Index i = 0; i < n; ++i) {
      mask_harmonic[i] = harmonic[i] > percussive[i] * margin_h ? T(1) : T(0);
      mask_percussive[i] = percussive[i] > harmonic[i] * margin_p ? T(1) : T(0);
    }
  } else {
    for (Index i = 0; i < n; ++i) {
      mask_harmonic[i] = soft_mask(harmonic[i], percussive[i] * margin_h, power, silent);
      mask_percussive[i] = soft_mask(percussive[i], harmonic[i] * margin_p, power, silent);
    }
  }
}

template void hpss_masks(const HpssParams&, const float*, const float*, Index, float*, float*);
template void hpss_masks(const HpssParams&, const double*, const double*, Index, double*, double*);

template <class T>
void pair_magnitudes(const T* pairs, Index n, T* magnitudes) {
  simd::median_kernels<T>().magnitudes(pairs, n, magnitudes);
}

template void pair_magnitudes(const float*, Index, float*);
template void pair_magnitudes(const double*, Index, double*);

template <class T>
void scale_pairs(const T* pairs, const T* factors, Index n, T* out) {
  simd::median_kernels<T>().scale_pairs(pairs, factors, n, out);
}

template void scale_pairs(const float*, const float*, Index, float*);
template void scale_pairs(const double*, const double*, Index, double*);

Index reflected(Index i, Index n) {
  const Index period = 2 * n;
  const Index phase = ((i % period) + period) % period;
  return phase < n ? phase : period - 1 - phase;
}

namespace {

// Values from one row to the next. Not a multiple of 256: rows a multiple of 4 KiB apart share a
// set of the cache.
Index row_pitch(Index n_cols) {
  const Index pitch = round_up(n_cols, n_lanes);
  return pitch % 256 == 0 ? pitch + n_lanes : pitch;
}

}  // namespace

template <class T>
CrossMedians<T>::CrossMedians(Index n_rows, Index n_cols, Index row_size, Index column_size,
                              bool keep_pairs)
    : n_rows_(n_rows),
      n_cols_(n_cols),
      row_size_(row_size),
      column_size_(column_size),
      pitch_(row_pitch(n_cols)),
      keep_pairs_(keep_pairs),
      magnitudes_((block_rows + row_size - 1) * pitch_),
      pairs_(keep_pairs ? (block_rows + row_size - 1) * 2 * n_cols : 0),
      lanes_((n_cols + column_size - 1) * n_lanes),
      lane_medians_(n_cols * n_lanes),
      window_(std::max(row_size, column_size) * n_lanes),
      down_(block_rows * pitch_),
      across_(block_rows * pitch_) {
  // The last columns fill up a vector. Their medians are taken and never read, but must be numbers.
  std::fill_n(magnitudes_.data(), (block_rows + row_size - 1) * pitch_, T(0));
}

// Moves the rows that the block shares with the one before to its beginning. Returns how many.
template <class T>
Index CrossMedians<T>::keep_rows(Index first) {
  const Index kept = first == next_ ? row_size_ - 1 : 0;
  next_ = first + block_rows;
  if (kept == 0) return 0;
  const auto move = [&](T* data, Index width) {
    std::memmove(data, data + block_rows * width,
                 static_cast<std::size_t>(kept * width) * sizeof(T));
  };
  move(magnitudes_.data(), pitch_);
  if (keep_pairs_) move(pairs_.data(), 2 * n_cols_);
  return kept;
}

template <class T>
void CrossMedians<T>::take_medians(Index count) {
  const Stage stage("medians");
  const auto& kernels = simd::median_kernels<T>();
  T* const window = window_.data();
  T* const rows = magnitudes_.data();
  for (Index col = 0; col < n_cols_; col += n_lanes)
    kernels.medians(rows + col, pitch_, row_size_, count, window, down_.data() + col, pitch_);

  // Across the columns: the rows of the block become lanes.
  T* const lanes = lanes_.data();
  const Index before = column_size_ / 2;
  load_lanes(rows + row_size_ / 2 * pitch_, n_cols_, 1, pitch_, count, lanes + before * n_lanes);
  for (Index i = 0; i < n_cols_ + column_size_ - 1; ++i)
    if (i < before || i >= before + n_cols_)
      std::copy_n(lanes + (before + reflected(i - before, n_cols_)) * n_lanes, n_lanes,
                  lanes + i * n_lanes);
  kernels.medians(lanes, n_lanes, column_size_, n_cols_, window, lane_medians_.data(), n_lanes);
  store_rows(lane_medians_.data(), n_cols_, count, across_.data(), pitch_);
}

template class CrossMedians<float>;
template class CrossMedians<double>;

}  // namespace metalmom::dsp
