// Products of a constant matrix with spectra: mel and chroma filters, DCT matrices. Sixteen frames
// at a time in lane layout, so that every weight is loaded once and used on 16 frames.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "base/view.hpp"
#include "dsp/bases.hpp"
#include "dsp/simd/kernels.hpp"
#include "dsp/simd/one_frame.hpp"

namespace metalmom::dsp {

// A matrix (n_bands, n_bins), analysed once. Its structure decides the loops of the product.
class Basis {
 public:
  enum class Structure {
    // Each bin feeds at most two neighbouring bands and these rise with the bins, as overlapping
    // triangles do: one pass over the bins, two multiply-adds per bin.
    overlapping,
    sparse,  // a range of non-zero bins per band
    dense,
  };

  // Bins in which a band has weights: [first, last), weights[offset + bin - first].
  struct Row {
    Index first, last, offset;
  };

  // Structure::overlapping: bins [first, last) feed `band` with falling[bin] and band + 1 with
  // rising[bin]. Segments follow one another in both.
  using Segment = simd::Segment;

  template <class T>
  struct Weights {
    Buffer<T> rows;             // sparse: of each row's range
    Buffer<T> falling, rising;  // overlapping
    Buffer<T> slopes;           // the same as simd::OneFrameKernels reads them
    Buffer<T> columns;          // dense: (n_bins, column_size()), bands next to one another

    std::size_t bytes() const {
      return (rows.size() + falling.size() + rising.size() + slopes.size() + columns.size()) *
             sizeof(T);
    }
  };

  // From a dense row-major matrix, with its values as its own dtype rounded them.
  Basis(const double* dense, Index n_bands, Index n_bins);
  explicit Basis(const DenseMatrix& matrix)
      : Basis(matrix.values.data(), matrix.rows, matrix.cols) {}

  Index n_bands() const { return static_cast<Index>(rows_.size()); }
  Index n_bins() const { return n_bins_; }
  Index column_size() const { return simd::padded_bands(n_bands()); }
  std::size_t bytes() const;
  Structure structure() const { return structure_; }
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Segment>& segments() const { return segments_; }
  const std::vector<simd::SlopePair>& slope_pairs() const { return slope_pairs_; }
  template <class T>
  const Weights<T>& weights() const;

 private:
  void find_segments(const double* dense);
  template <class T>
  void fill(const double* dense, Weights<T>& weights) const;

  Index n_bins_;
  Structure structure_ = Structure::sparse;
  std::vector<Row> rows_;
  std::vector<Segment> segments_;
  std::vector<simd::SlopePair>
      slope_pairs_;  // the same, one for each band, as one frame's kernel has them
  Weights<float> single_;
  Weights<double> double_;
};

// out[band * out_stride + i] = sum over bins of weight(band, bin) * lanes[bin * 16 + i], for
// i < count <= 16. `lanes`: n_bins * 16 values, aligned to 64 bytes, unused lanes finite.
template <class T>
void apply_bands(const Basis& basis, const T* lanes, Index count, T* out, Index out_stride);

// The same of one frame, with one value a bin; bitwise what a lane gives.
template <class T>
void apply_bands_to_one(const Basis& basis, const T* bins, T* out, Index out_stride);

// Brings a stored spectrogram into lane layout: values[bin * bin_stride + i * frame_stride] for
// i < count <= 16; lanes from count on are zero.
template <class T>
void load_lanes(const T* values, Index n_bins, Index bin_stride, Index frame_stride, Index count,
                T* lanes);

// The way back: rows[i * stride + bin] = lanes[bin * 16 + i] for i < count <= 16.
template <class T>
void store_rows(const T* lanes, Index n_bins, Index count, T* rows, Index stride);

}  // namespace metalmom::dsp
