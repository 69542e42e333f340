// Harmonic-percussive separation: medians along both axes of a spectrogram (FitzGerald 2010) and
// the masks they make (Driedger, Mueller and Disch 2014).
#pragma once

#include <span>

#include "base/fields.hpp"
#include "base/workspace.hpp"

namespace metalmom::dsp {

struct HpssParams {
  Index kernel_harmonic = 31;    // frames of the median along time
  Index kernel_percussive = 31;  // bins of the median along frequency
  // exponent of the medians in the masks; with infinity the larger median takes all
  double power = 2;
  double margin_harmonic = 1;  // factor of the other median in this mask
  double margin_percussive = 1;

  static constexpr Range at_least_one{1, std::numeric_limits<double>::infinity(), "at least 1"};
  static constexpr auto fields() {
    return field_list(field("kernel_harmonic", &HpssParams::kernel_harmonic, positive_integer),
                      field("kernel_percussive", &HpssParams::kernel_percussive, positive_integer),
                      field("power", &HpssParams::power, strictly_positive),
                      field("margin_harmonic", &HpssParams::margin_harmonic, at_least_one),
                      field("margin_percussive", &HpssParams::margin_percussive, at_least_one));
  }
};

// The two masks of n values, from their medians.
template <class T>
void hpss_masks(const HpssParams& params, const T* harmonic, const T* percussive, Index n,
                T* mask_harmonic, T* mask_percussive);

// For n complex numbers as pairs: their magnitudes, and their products with real factors.
template <class T>
void pair_magnitudes(const T* pairs, Index n, T* magnitudes);
template <class T>
void scale_pairs(const T* pairs, const T* factors, Index n, T* out);

// Where a filter of scipy.ndimage reads for position i of an axis of n values, mode "reflect".
Index reflected(Index i, Index n);

// Sliding medians down the rows and across the columns of a matrix of real magnitudes, 16 rows at
// a time: neither the magnitudes nor the medians ever exist as a whole. Window i of size k covers
// i - k / 2 .. i - k / 2 + k - 1, beyond the ends as `reflected`, and gives its value of rank k
// / 2.
//
// A block keeps the rows around it for the next one, so walk through blocks in order. A block's
// numbers do not depend on where the walk began.
template <class T>
class CrossMedians {
 public:
  static constexpr Index block_rows = 16;

  // `row_size`: length of the window down the rows; `column_size`: across the columns. With
  // `keep_pairs` the complex rows behind the magnitudes can be read as well.
  CrossMedians(Index n_rows, Index n_cols, Index row_size, Index column_size, bool keep_pairs);

  // To be called before another matrix of the same size.
  void restart() { next_ = -1; }

  // Moves to rows [first, first + count), count <= 16. Calls fill(row, magnitudes, pairs) for each
  // row that is not there from the block before; it writes n_cols magnitudes, and pairs if they are
  // kept.
  template <class Fill>
  void advance(Index first, Index count, Fill&& fill) {
    for (Index i = keep_rows(first); i < count + row_size_ - 1; ++i)
      fill(reflected(first - row_size_ / 2 + i, n_rows_), magnitudes_.data() + i * pitch_,
           keep_pairs_ ? pairs_.data() + i * 2 * n_cols_ : nullptr);
    take_medians(count);
  }

  // The results of row first + i of the block, and what they were made of.
  const T* down_rows(Index i) { return down_.data() + i * pitch_; }
  const T* across_columns(Index i) { return across_.data() + i * pitch_; }
  const T* magnitudes(Index i) { return magnitudes_.data() + (i + row_size_ / 2) * pitch_; }
  const T* pairs(Index i) { return pairs_.data() + (i + row_size_ / 2) * 2 * n_cols_; }

 private:
  Index keep_rows(Index first);
  void take_medians(Index count);

  const Index n_rows_, n_cols_, row_size_, column_size_, pitch_;
  const bool keep_pairs_;
  Index next_ = -1;  // the row that follows those kept
  const Lent<T> magnitudes_, pairs_, lanes_, lane_medians_, window_, down_, across_;
};

}  // namespace metalmom::dsp
