// Real Fourier transforms of any size behind one small interface. What computes them is chosen at
// build time (METALMOM_FFT: FFTW, or the project's own mixed radix) and, for powers of two, at run
// time by the instruction set (dsp/simd).
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <string_view>

#include "base/view.hpp"

namespace metalmom::dsp {

// A plan: immutable, usable by any number of threads at once. Pointers are aligned to 64 bytes
// and do not overlap.
template <class T>
class RealFft {
 public:
  virtual ~RealFft() = default;
  // size real values -> size / 2 + 1 bins, unscaled.
  virtual void forward(const T* in, std::complex<T>* out) const = 0;
  // The inverse, scaled by 1 / size; imaginary parts of bin 0 (and of size / 2 for even sizes)
  // count as zero. Destroys its input.
  virtual void inverse(std::complex<T>* in, T* out) const = 0;
  // What the plan holds, at least roughly.
  virtual std::size_t bytes() const = 0;

  Index size() const { return size_; }
  Index n_bins() const { return size_ / 2 + 1; }

 protected:
  explicit RealFft(Index size) : size_(size) {}

 private:
  Index size_;
};

// The plan of a size >= 1, from a bounded cache.
template <class T>
std::shared_ptr<const RealFft<T>> real_fft(Index size);

// The smallest size >= n without prime factors above 5: zero padding to it keeps transforms fast.
Index next_fast_size(Index n);

// "fftw-3.3.10-sse2-avx" or the like, or "own": what transforms the sizes that the SIMD kernels do
// not cover.
std::string_view fft_library();

}  // namespace metalmom::dsp
