// Complex transforms of any size.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "base/view.hpp"

namespace metalmom::dsp {

// A complex number whose product is four multiplications; std::complex also looks for infinities.
template <class T>
struct Complex {
  T re = 0, im = 0;

  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend Complex operator*(T a, Complex b) { return {a * b.re, a * b.im}; }
};

template <class T>
Complex<T> conj(Complex<T> a) {
  return {a.re, -a.im};
}
template <class T>
Complex<T> times_minus_i(Complex<T> a) {
  return {a.im, -a.re};
}

// exp(-2 pi i index / length), rounded once.
template <class T>
Complex<T> root(Index index, Index length);

// A forward transform, unscaled. Immutable; the inverse of z is conj(transform(conj(z))) / size.
template <class T>
class ComplexFft {
 public:
  explicit ComplexFft(Index size);

  Index size() const { return size_; }
  // Values of working memory: twice the size; more for Bluestein's algorithm.
  Index work_size() const;
  // What its tables take.
  std::size_t bytes() const;
  // Transforms the first `size` values of `work` and returns where in `work` the result lies.
  Complex<T>* run(Complex<T>* work) const;

 private:
  struct Pass {
    int radix;
    Index stride, rest;
    // where the twiddles begin: for each p < rest those of the outputs 1 .. radix - 1
    Index twiddles;
    Index roots;  // where exp(-2 pi i k / radix) begin
  };

  void plan_passes();
  void plan_chirp();
  Complex<T>* run_passes(Complex<T>* work) const;
  Complex<T>* run_chirp(Complex<T>* work) const;
  template <int radix>
  void run_pass(const Pass& pass, const Complex<T>* in, Complex<T>* out) const;

  Index size_;
  std::vector<Pass> passes_;
  std::vector<Complex<T>> twiddles_;
  // For Bluestein's algorithm: a convolution with the chirp exp(i pi n^2 / size) by a transform of
  // a power of two.
  std::unique_ptr<ComplexFft> convolution_;
  std::vector<Complex<T>> chirp_, chirp_spectrum_;
};

}  // namespace metalmom::dsp
