#include "dsp/bands.hpp"

#include <algorithm>

#include "dsp/frame_transform.hpp"

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
  // A register-blocked product wins once most of the matrix would be touched anyhow.
  if (structure_ == Structure::sparse && 2 * weights > n_bands * n_bins)
    structure_ = Structure::dense;
  fill(dense, single_);
  fill(dense, double_);
}

// Overlapping when the bands of consecutive bins are {b, b + 1} with b never falling.
void Basis::find_segments(const double* dense) {
  Index band = -1;  // before the first band: its rising slope belongs to segment -1
  Index first = 0;
  for (Index bin = 0; bin < n_bins_; ++bin) {
    Index low = n_bands(), high = -1;
    for (Index b = 0; b < n_bands(); ++b)
      if (dense[b * n_bins_ + bin] != 0) low = std::min(low, b), high = b;
    if (high < 0) continue;
    if (high - low > 1 || low < band) {
      segments_.clear();
      return;
    }
    // A bin of one band b lies on its falling slope only if the segment is already there.
    const Index wanted = high > low || low == band ? low : low - 1;
    if (wanted != band) {
      segments_.push_back({first, bin, band});
      first = bin;
      band = wanted;
    }
  }
  segments_.push_back({first, n_bins_, band});
  structure_ = Structure::overlapping;
}

template <class T>
void Basis::fill(const double* dense, Weights<T>& weights) const {
  const auto weight = [&](Index band, Index bin) {
    return band >= 0 && band < n_bands() ? static_cast<T>(dense[band * n_bins_ + bin]) : T(0);
  };
  if (structure_ == Structure::overlapping) {
    weights.falling = Buffer<T>(static_cast<std::size_t>(n_bins_));
    weights.rising = Buffer<T>(static_cast<std::size_t>(n_bins_));
    for (const Segment& segment : segments_)
      for (Index bin = segment.first; bin < segment.last; ++bin) {
        weights.falling.data()[bin] = weight(segment.band, bin);
        weights.rising.data()[bin] = weight(segment.band + 1, bin);
      }
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

namespace {

template <class T>
struct Sums {
  T lane[block_frames] = {};
  void add(T weight, const T* values) {
    for (Index i = 0; i < block_frames; ++i) lane[i] += weight * values[i];
  }
  void store(Index count, T* out) const { std::copy_n(lane, count, out); }
};

template <class T>
void apply_overlapping(const Basis& basis, const T* lanes, Index count, T* out, Index stride) {
  const auto& weights = basis.weights<T>();
  Sums<T> current, next;
  Index band = -1;
  for (const Basis::Segment& segment : basis.segments()) {
    while (band < segment.band) {
      if (band >= 0) current.store(count, out + band * stride);
      current = next;
      next = {};
      ++band;
    }
    for (Index bin = segment.first; bin < segment.last; ++bin) {
      current.add(weights.falling.data()[bin], lanes + bin * block_frames);
      next.add(weights.rising.data()[bin], lanes + bin * block_frames);
    }
  }
  for (; band < basis.n_bands(); ++band) {
    if (band >= 0) current.store(count, out + band * stride);
    current = next;
    next = {};
  }
}

template <class T>
void apply_rows(const Basis& basis, const T* lanes, Index count, T* out, Index stride) {
  const T* weights = basis.weights<T>().rows.data();
  for (const Basis::Row& row : basis.rows()) {
    Sums<T> sums;
    for (Index bin = row.first; bin < row.last; ++bin)
      sums.add(weights[row.offset + bin - row.first], lanes + bin * block_frames);
    sums.store(count, out);
    out += stride;
  }
}

}  // namespace

template <class T>
void apply_bands(const Basis& basis, const T* lanes, Index count, T* out, Index out_stride) {
  if (basis.structure() == Basis::Structure::overlapping)
    apply_overlapping(basis, lanes, count, out, out_stride);
  else
    apply_rows(basis, lanes, count, out, out_stride);
}

template <class T>
void load_lanes(const T* values, Index n_bins, Index bin_stride, Index frame_stride, Index count,
                T* lanes) {
  for (Index bin = 0; bin < n_bins; ++bin) {
    for (Index i = 0; i < count; ++i)
      lanes[bin * block_frames + i] = values[bin * bin_stride + i * frame_stride];
    std::fill(lanes + bin * block_frames + count, lanes + (bin + 1) * block_frames, T(0));
  }
}

template void apply_bands(const Basis&, const float*, Index, float*, Index);
template void apply_bands(const Basis&, const double*, Index, double*, Index);
template void load_lanes(const float*, Index, Index, Index, Index, float*);
template void load_lanes(const double*, Index, Index, Index, Index, double*);

}  // namespace metalmom::dsp
