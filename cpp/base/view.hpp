// Views of memory that somebody else owns: NumPy in the bridge, a buffer in the tools.
#pragma once

#include <complex>
#include <span>
#include <type_traits>

#include "base/index.hpp"

namespace metalmom {

// A contiguous block (batch, rows, cols), the last axis fastest. A batch of signals has one row
// each; a spectrogram is (batch, frames, bins); band features are (batch, bands, frames).
template <class T>
struct View {
  T* data = nullptr;
  Index batch = 0, rows = 0, cols = 0;

  Index size() const { return batch * rows * cols; }
  T* row(Index b, Index r = 0) const { return data + (b * rows + r) * cols; }
  std::span<T> flat() const { return {data, static_cast<std::size_t>(size())}; }
  View slice(Index first, Index count) const { return {row(first), count, rows, cols}; }
  operator View<const T>() const requires(!std::is_const_v<T>) { return {data, batch, rows, cols}; }
};

// A spectrogram as it lies in memory: (batch, bins, frames), or with `frames_first` (batch, frames,
// bins).
template <class T>
struct Spectrogram : View<T> {
  bool frames_first = false;

  Index n_bins() const { return frames_first ? this->cols : this->rows; }
  Index n_frames() const { return frames_first ? this->rows : this->cols; }
  Index bin_stride() const { return frames_first ? 1 : this->cols; }
  Index frame_stride() const { return frames_first ? this->cols : 1; }
};

}  // namespace metalmom
