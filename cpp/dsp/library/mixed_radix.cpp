#include "dsp/library/mixed_radix.hpp"

#include <vector>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "base/workspace.hpp"
#include "dsp/library/complex_fft.hpp"

namespace metalmom::dsp {
namespace {

// Even sizes: a complex transform of half the size, Z = DFT(x[2n] + i x[2n + 1]), and its split.
template <class T>
class EvenFft final : public RealFft<T> {
 public:
  explicit EvenFft(Index size) : RealFft<T>(size), fft_(size / 2) {
    for (Index k = 0; k <= size / 2; ++k) roots_.push_back(root<T>(k, size));
    ++counters().plan_builds;
  }

  void forward(const T* in, std::complex<T>* out) const override {
    const Index m = fft_.size();
    const Lent<Complex<T>> work(fft_.work_size());
    Complex<T>* z = work;
    for (Index n = 0; n < m; ++n) z[n] = {in[2 * n], in[2 * n + 1]};
    z = fft_.run(z);
    for (Index k = 0; k <= m; ++k) {
      const Complex<T> a = z[k % m], b = conj(z[(m - k) % m]);
      const Complex<T> bin = T(0.5) * (a + b + roots_[k] * times_minus_i(a - b));
      out[k] = {bin.re, bin.im};
    }
  }

  void inverse(std::complex<T>* in, T* out) const override {
    const Index m = fft_.size();
    const T scale = T(1) / static_cast<T>(this->size());
    in[0].imag(0);
    in[m].imag(0);
    const Lent<Complex<T>> work(fft_.work_size());
    Complex<T>* z = work;
    for (Index k = 0; k < m; ++k) {
      const Complex<T> a = {in[k].real(), in[k].imag()};
      const Complex<T> b = {in[m - k].real(), -in[m - k].imag()};
      // The conjugate of E + i O: the inverse is computed as the conjugate of a forward transform.
      z[k] = scale * (conj(a + b) + times_minus_i(conj(conj(roots_[k]) * (a - b))));
    }
    z = fft_.run(z);
    for (Index n = 0; n < m; ++n) {
      out[2 * n] = z[n].re;
      out[2 * n + 1] = -z[n].im;
    }
  }

  std::size_t bytes() const override { return fft_.bytes() + roots_.size() * sizeof(roots_[0]); }

 private:
  ComplexFft<T> fft_;
  std::vector<Complex<T>> roots_;
};

// Odd sizes as complex transforms with imaginary parts of zero.
template <class T>
class OddFft final : public RealFft<T> {
 public:
  explicit OddFft(Index size) : RealFft<T>(size), fft_(size) { ++counters().plan_builds; }

  void forward(const T* in, std::complex<T>* out) const override {
    const Lent<Complex<T>> work(fft_.work_size());
    Complex<T>* z = work;
    for (Index n = 0; n < fft_.size(); ++n) z[n] = {in[n], T(0)};
    z = fft_.run(z);
    for (Index k = 0; k < this->n_bins(); ++k) out[k] = {z[k].re, z[k].im};
  }

  void inverse(std::complex<T>* in, T* out) const override {
    const Index n = fft_.size();
    const T scale = T(1) / static_cast<T>(n);
    const Lent<Complex<T>> work(fft_.work_size());
    Complex<T>* z = work;
    z[0] = {in[0].real(), T(0)};
    for (Index k = 1; k < this->n_bins(); ++k) {
      z[k] = {in[k].real(), -in[k].imag()};
      z[n - k] = conj(z[k]);
    }
    z = fft_.run(z);
    for (Index i = 0; i < n; ++i) out[i] = scale * z[i].re;
  }

  std::size_t bytes() const override { return fft_.bytes(); }

 private:
  ComplexFft<T> fft_;
};

}  // namespace

template <class T>
std::shared_ptr<const RealFft<T>> make_mixed_radix_fft(Index size) {
  require(size <= Index(1) << 40, "size", size, "at most 2**40");
  if (size % 2 == 0) return std::make_shared<const EvenFft<T>>(size);
  return std::make_shared<const OddFft<T>>(size);
}

template std::shared_ptr<const RealFft<float>> make_mixed_radix_fft(Index);
template std::shared_ptr<const RealFft<double>> make_mixed_radix_fft(Index);

}  // namespace metalmom::dsp
