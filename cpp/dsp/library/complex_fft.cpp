#include "dsp/library/complex_fft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace metalmom::dsp {
namespace {

constexpr int largest_radix = 13;

template <class T>
void dft(Complex<T> (&x)[2], const Complex<T>*) {
  const auto a = x[0], b = x[1];
  x[0] = a + b;
  x[1] = a - b;
}

template <class T>
void dft(Complex<T> (&x)[4], const Complex<T>*) {
  const auto ac = x[0] + x[2], a_c = x[0] - x[2], bd = x[1] + x[3];
  const auto b_d = times_minus_i(x[1] - x[3]);
  x[0] = ac + bd;
  x[1] = a_c + b_d;
  x[2] = ac - bd;
  x[3] = a_c - b_d;
}

// Odd radices from the definition. The inputs j and radix - j are taken together, which halves the
// products.
template <class T, int radix>
void dft(Complex<T> (&x)[radix], const Complex<T>* roots) {
  constexpr int half = radix / 2;
  Complex<T> sum[half], difference[half], out[radix];
  out[0] = x[0];
  for (int j = 1; j <= half; ++j) {
    sum[j - 1] = x[j] + x[radix - j];
    difference[j - 1] = times_minus_i(x[j] - x[radix - j]);
    out[0] = out[0] + sum[j - 1];
  }
  for (int k = 1; k <= half; ++k) {
    Complex<T> even = x[0], odd;
    for (int j = 1; j <= half; ++j) {
      const Complex<T> w = roots[j * k % radix];
      even = even + w.re * sum[j - 1];
      odd = odd - w.im * difference[j - 1];
    }
    out[k] = even + odd;
    out[radix - k] = even - odd;
  }
  std::copy_n(out, radix, x);
}

}  // namespace

template <class T>
Complex<T> root(Index index, Index length) {
  const long double angle = -2 * std::numbers::pi_v<long double> *
                            static_cast<long double>(index % length) /
                            static_cast<long double>(length);
  return {static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
}

template <class T>
ComplexFft<T>::ComplexFft(Index size) : size_(size) {
  Index rest = size;
  for (Index factor = 2; factor <= largest_radix; ++factor)
    while (rest % factor == 0) rest /= factor;
  if (rest == 1)
    plan_passes();
  else
    plan_chirp();
}

// Stockham's passes: each reads one buffer and writes the other; after the last one the result is
// in order.
template <class T>
void ComplexFft<T>::plan_passes() {
  Index stride = 1, length = size_;
  while (length > 1) {
    int radix = length % 4 == 0 ? 4 : 2;
    while (length % radix != 0) ++radix;
    const Index rest = length / radix;
    const auto twiddles = static_cast<Index>(twiddles_.size());
    for (Index p = 0; p < rest; ++p)
      for (int k = 1; k < radix; ++k) twiddles_.push_back(root<T>(p * k, length));
    passes_.push_back({radix, stride, rest, twiddles, static_cast<Index>(twiddles_.size())});
    for (int k = 0; k < radix; ++k) twiddles_.push_back(root<T>(k, radix));
    stride *= radix;
    length = rest;
  }
}

// X[k] = c[k] sum of (x[n] c[n]) conj(c[k - n]) with c[n] = exp(-i pi n^2 / size) (Bluestein 1970).
template <class T>
void ComplexFft<T>::plan_chirp() {
  Index padded = 1;
  while (padded < 2 * size_ - 1) padded *= 2;
  convolution_ = std::make_unique<ComplexFft>(padded);
  for (Index n = 0; n < size_; ++n) chirp_.push_back(root<T>(n * n % (2 * size_), 2 * size_));
  std::vector<Complex<T>> work(static_cast<std::size_t>(convolution_->work_size()));
  const T scale = T(1) / static_cast<T>(padded);
  for (Index n = 0; n < size_; ++n) work[n] = work[(padded - n) % padded] = scale * conj(chirp_[n]);
  const Complex<T>* spectrum = convolution_->run(work.data());
  chirp_spectrum_.assign(spectrum, spectrum + padded);
}

template <class T>
Index ComplexFft<T>::work_size() const {
  return convolution_ ? convolution_->work_size() : 2 * size_;
}

template <class T>
std::size_t ComplexFft<T>::bytes() const {
  const std::size_t values = twiddles_.size() + chirp_.size() + chirp_spectrum_.size();
  return values * sizeof(Complex<T>) + (convolution_ ? convolution_->bytes() : 0);
}

template <class T>
Complex<T>* ComplexFft<T>::run(Complex<T>* work) const {
  return convolution_ ? run_chirp(work) : run_passes(work);
}

template <class T>
Complex<T>* ComplexFft<T>::run_chirp(Complex<T>* work) const {
  const Index padded = convolution_->size();
  for (Index n = 0; n < size_; ++n) work[n] = work[n] * chirp_[n];
  std::fill(work + size_, work + padded, Complex<T>{});
  Complex<T>* z = convolution_->run(work);
  // The inverse transform: conjugates before and after a forward one.
  for (Index n = 0; n < padded; ++n) work[n] = conj(z[n] * chirp_spectrum_[n]);
  z = convolution_->run(work);
  for (Index n = 0; n < size_; ++n) z[n] = conj(z[n]) * chirp_[n];
  return z;
}

template <class T>
template <int radix>
void ComplexFft<T>::run_pass(const Pass& pass, const Complex<T>* in, Complex<T>* out) const {
  const Complex<T>* roots = twiddles_.data() + pass.roots;
  const Complex<T>* twiddles = twiddles_.data() + pass.twiddles;
  const Index stride = pass.stride;
  for (Index p = 0; p < pass.rest; ++p, twiddles += radix - 1)
    for (Index q = 0; q < stride; ++q) {
      Complex<T> x[radix];
      for (int j = 0; j < radix; ++j) x[j] = in[q + stride * (p + pass.rest * j)];
      dft(x, roots);
      Complex<T>* to = out + q + stride * radix * p;
      to[0] = x[0];
      for (int k = 1; k < radix; ++k) to[stride * k] = x[k] * twiddles[k - 1];
    }
}

template <class T>
Complex<T>* ComplexFft<T>::run_passes(Complex<T>* work) const {
  Complex<T>*in = work, *out = work + size_;
  for (const Pass& pass : passes_) {
    switch (pass.radix) {
      case 2:
        run_pass<2>(pass, in, out);
        break;
      case 3:
        run_pass<3>(pass, in, out);
        break;
      case 4:
        run_pass<4>(pass, in, out);
        break;
      case 5:
        run_pass<5>(pass, in, out);
        break;
      case 7:
        run_pass<7>(pass, in, out);
        break;
      case 11:
        run_pass<11>(pass, in, out);
        break;
      default:
        run_pass<13>(pass, in, out);
        break;
    }
    std::swap(in, out);
  }
  return in;
}

template Complex<float> root(Index, Index);
template Complex<double> root(Index, Index);
template class ComplexFft<float>;
template class ComplexFft<double>;

}  // namespace metalmom::dsp
