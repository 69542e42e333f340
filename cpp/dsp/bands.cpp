#include "dsp/bands.hpp"

#include <algorithm>

#include "base/ceil_div.hpp"
#include "base/workspace.hpp"
#include "dsp/simd/lane_kernels.hpp"
#include "dsp/simd/one_frame.hpp"

namespace metalmom::dsp {

Basis::Basis(const double* dense, Index n_bands, Index n_bins) : n_bins_(n_bins) {
  Index weights = 0;
  for (Index band = 0; band < n_bands; ++band) {
    const double* row = dense + band * n_bins;
    Index first = 0, last = n_bins;
    while (first < last && row[first] == 0) ++first;
    while (last > first && row[last - 1] == 0) --last;
    rows_.push_back({first, last, weights});
    weights += last - first;
  }
  find_segments(dense);
  // Where at least half of the weights would be read anyhow, the dense product is faster: it keeps
  // several bands' sums in registers.
  if (structure_ == Structure::sparse && 2 * weights > n_bands * n_bins)
    structure_ = Structure::dense;
  fill(dense, single_);
  fill(dense, double_);
}

std::size_t Basis::bytes() const {
  return rows_.size() * sizeof(Row) + segments_.size() * sizeof(Segment) +
         slope_pairs_.size() * sizeof(simd::SlopePair) + single_.bytes() + double_.bytes();
}

// The structure is overlapping if every bin has weights in bands {b, b + 1} at most, and b never
// falls from bin to bin.
void Basis::find_segments(const double* dense) {
  Index band = -1;  // -1: before the first band, whose rising slope belongs to segment -1
  Index first = 0, used = 0;
  for (Index bin = 0; bin < n_bins_; ++bin) {
    Index low = n_bands(), high = -1;
    for (Index b = 0; b < n_bands(); ++b)
      if (dense[b * n_bins_ + bin] != 0) low = std::min(low, b), high = b;
    if (high < 0) continue;
    used = bin + 1;
    if (high - low > 1 || low < band) {
      segments_.clear();
      return;
    }
    // A bin with one band b is on its falling slope if segment b has begun, else on its rising
    // slope, which is segment b - 1.
    const Index wanted = high > low || low == band ? low : low - 1;
    if (wanted != band) {
      segments_.push_back({first, bin, band});
      first = bin;
      band = wanted;
    }
  }
  segments_.push_back({first, used, band});
  structure_ = Structure::overlapping;
  slope_pairs_.resize(static_cast<std::size_t>(n_bands() + 1));
  for (const Segment& each : segments_) {
    const auto count = static_cast<int>(each.last - each.first);
    slope_pairs_[static_cast<std::size_t>(each.band + 1)] = {static_cast<int>(each.first),
                                                             count / 2 * 2, count % 2};
  }
}

template <class T>
void Basis::fill(const double* dense, Weights<T>& weights) const {
  const auto weight = [&](Index band, Index bin) {
    return band >= 0 && band < n_bands() ? static_cast<T>(dense[band * n_bins_ + bin]) : T(0);
  };
  if (structure_ == Structure::overlapping) {
    weights.falling = Buffer<T>(static_cast<std::size_t>(n_bins_));
    weights.rising = Buffer<T>(static_cast<std::size_t>(n_bins_));
    std::size_t n_slopes = 0;  // four for every two bins, where one is missing, too
    for (const simd::SlopePair& each : slope_pairs_)
      n_slopes += static_cast<std::size_t>(2 * each.even + 4 * each.odd);
    weights.slopes = Buffer<T>(n_slopes);
    weights.slopes.zero();
    Index at = -4;
    for (const Segment& segment : segments_)
      for (Index bin = segment.first; bin < segment.last; ++bin) {
        const Index odd = (bin - segment.first) % 2;
        if (odd == 0) at += 4;
        weights.slopes[at + odd] = weights.falling[bin] = weight(segment.band, bin);
        weights.slopes[at + 2 + odd] = weights.rising[bin] = weight(segment.band + 1, bin);
      }
    return;
  }
  if (structure_ == Structure::dense) {
    const Index steps = ceil_div(n_bins_, simd::sums_at_once);
    weights.columns =
        Buffer<T>(static_cast<std::size_t>(steps * simd::sums_at_once * column_size()));
    weights.columns.zero();
    for (Index bin = 0; bin < n_bins_; ++bin)
      for (Index band = 0; band < n_bands(); ++band)
        weights.columns[bin * column_size() + band] = weight(band, bin);
    return;
  }
  const Index size =
      rows_.empty() ? 0 : rows_.back().offset + rows_.back().last - rows_.back().first;
  weights.rows = Buffer<T>(static_cast<std::size_t>(size));
  for (Index band = 0; band < n_bands(); ++band) {
    const Row& row = rows_[static_cast<std::size_t>(band)];
    for (Index bin = row.first; bin < row.last; ++bin)
      weights.rows.data()[row.offset + bin - row.first] = weight(band, bin);
  }
}

template <>
const Basis::Weights<float>& Basis::weights() const {
  return single_;
}
template <>
const Basis::Weights<double>& Basis::weights() const {
  return double_;
}

template <class T>
void apply_bands(const Basis& basis, const T* lanes, Index count, T* out, Index out_stride) {
  const auto& kernels = simd::lane_kernels<T>();
  const auto& weights = basis.weights<T>();
  const simd::BandOutput<T> to{out, out_stride, count};
  switch (basis.structure()) {
    case Basis::Structure::overlapping:
      kernels.overlapping(basis.segments().data(), static_cast<Index>(basis.segments().size()),
                          weights.falling.data(), weights.rising.data(), lanes, basis.n_bands(),
                          to);
      break;
    case Basis::Structure::dense:
      kernels.dense(weights.columns.data(), basis.n_bands(), basis.n_bins(), lanes, to);
      break;
    case Basis::Structure::sparse:
      for (Index band = 0; band < basis.n_bands(); ++band) {
        const Basis::Row& row = basis.rows()[static_cast<std::size_t>(band)];
        kernels.row(weights.rows.data() + row.offset, row.last - row.first,
                    lanes + row.first * simd::n_lanes,
                    {out + band * out_stride, out_stride, count});
      }
      break;
  }
}

template <class T>
void apply_bands_to_one(const Basis& basis, const T* bins, T* out, Index out_stride) {
  const auto& kernels = simd::one_frame_kernels<T>();
  const auto& weights = basis.weights<T>();
  switch (basis.structure()) {
    case Basis::Structure::overlapping:
      kernels.overlapping(basis.slope_pairs().data(), weights.slopes.data(), bins, basis.n_bands(),
                          out, out_stride);
      break;
    case Basis::Structure::dense: {
      const Lent<T> memory(simd::dense_memory(basis.n_bands()));
      kernels.dense(weights.columns.data(), basis.n_bands(), basis.n_bins(), bins, memory, out,
                    out_stride);
      break;
    }
    case Basis::Structure::sparse:
      for (Index band = 0; band < basis.n_bands(); ++band) {
        const Basis::Row& row = basis.rows()[static_cast<std::size_t>(band)];
        out[band * out_stride] =
            kernels.row(weights.rows.data() + row.offset, row.last - row.first, bins + row.first);
      }
      break;
  }
}

template void apply_bands_to_one(const Basis&, const float*, float*, Index);
template void apply_bands_to_one(const Basis&, const double*, double*, Index);

template <class T>
void load_lanes(const T* values, Index n_bins, Index bin_stride, Index frame_stride, Index count,
                T* lanes) {
  if (bin_stride == 1) {
    simd::lane_kernels<T>().from_rows(values, frame_stride, count, n_bins, lanes);
    return;
  }
  for (Index bin = 0; bin < n_bins; ++bin) {
    T* lane = lanes + bin * simd::n_lanes;
    for (Index i = 0; i < count; ++i) lane[i] = values[bin * bin_stride + i * frame_stride];
    std::fill(lane + count, lane + simd::n_lanes, T(0));
  }
}

template <class T>
void store_rows(const T* lanes, Index n_bins, Index count, T* rows, Index stride) {
  simd::lane_kernels<T>().to_rows(lanes, n_bins, count, rows, stride);
}

template void store_rows(const float*, Index, Index, float*, Index);
template void store_rows(const double*, Index, Index, double*, Index);
template void apply_bands(const Basis&, const float*, Index, float*, Index);
template void apply_bands(const Basis&, const double*, Index, double*, Index);
template void load_lanes(const float*, Index, Index, Index, Index, float*);
template void load_lanes(const double*, Index, Index, Index, Index, double*);

}  // namespace metalmom::dsp
