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
  operator View<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data, batch, rows, cols};
  }
};

}  // namespace metalmom
