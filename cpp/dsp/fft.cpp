#include "dsp/fft.hpp"

#include <algorithm>
#include <utility>

#include "base/buffer.hpp"
#include "base/cache.hpp"
#include "base/error.hpp"
#include "base/workspace.hpp"
#include "dsp/library/library_fft.hpp"
#include "dsp/simd/fft_table.hpp"
#include "dsp/simd/select.hpp"

namespace metalmom::dsp {
namespace {

// A power of two: the kernels of windowed frames, with a window of ones.
template <class T>
class KernelFft final : public RealFft<T> {
 public:
  KernelFft(Index size, const simd::FrameKernels<T, T>& kernels)
      : RealFft<T>(size),
        kernels_(kernels),
        table_(simd::fft_table<T>(size / 2, kernels.width)),
        halves_(static_cast<std::size_t>(size)),
        scale_(static_cast<std::size_t>(size)) {
    std::fill(halves_.begin(), halves_.end(), T(0.5));
    std::fill(scale_.begin(), scale_.end(), T(1) / static_cast<T>(size));
  }

  void forward(const T* in, std::complex<T>* out) const override {
    const Lent<T> work(work_size());
    kernels_.spectrum(table_->data(), in, halves_.data(), work, reinterpret_cast<T*>(out));
  }
  void inverse(std::complex<T>* in, T* out) const override {
    const Lent<T> work(work_size());
    kernels_.inverse(table_->data(), reinterpret_cast<const T*>(in), scale_.data(), work, out);
  }
  std::size_t bytes() const override {
    return (table_->size() + halves_.size() + scale_.size()) * sizeof(T);
  }

 private:
  Index work_size() const { return simd::work_size(this->size() / 2, kernels_.width); }

  simd::FrameKernels<T, T> kernels_;
  std::shared_ptr<const Buffer<T>> table_;
  Buffer<T> halves_, scale_;
};

}  // namespace

template <class T>
std::shared_ptr<const RealFft<T>> real_fft(Index size) {
  using Key = std::pair<const simd::Kernels*, Index>;
  static Cache<Key, RealFft<T>> plans{"build FFT"};
  require(size >= 1, "size", size, "positive");
  const simd::Kernels& kernels = simd::kernels();
  return plans.get(Key{&kernels, size}, [&]() -> std::shared_ptr<const RealFft<T>> {
    const auto own = simd::frame_kernels<T, T>(kernels, size);
    if (own.width == 0) return make_library_fft<T>(size);
    return std::make_shared<const KernelFft<T>>(size, own);
  });
}

Index next_fast_size(Index n) {
  Index best = 1;
  while (best < n) best *= 2;
  for (Index fives = 1; fives < best; fives *= 5)
    for (Index odd = fives; odd < best; odd *= 3) {
      Index size = odd;
      while (size < n) size *= 2;
      best = std::min(best, size);
    }
  return best;
}

template std::shared_ptr<const RealFft<float>> real_fft(Index);
template std::shared_ptr<const RealFft<double>> real_fft(Index);

}  // namespace metalmom::dsp
