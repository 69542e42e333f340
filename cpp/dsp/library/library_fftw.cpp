// FFTW behind RealFft. FFTW_ESTIMATE: measuring gains at most 3 % and costs 150 ms of planning.
#include <fftw3.h>
#include <pthread.h>

#include <limits>
#include <mutex>
#include <new>

#include "base/buffer.hpp"
#include "base/counters.hpp"
#include "base/error.hpp"
#include "dsp/library/library_fft.hpp"

namespace metalmom::dsp {
namespace {

template <class T>
struct Fftw;

template <>
struct Fftw<float> {
  using Plan = fftwf_plan;
  using Bin = fftwf_complex;
  static constexpr auto plan_forward = fftwf_plan_dft_r2c_1d;
  static constexpr auto plan_inverse = fftwf_plan_dft_c2r_1d;
  static constexpr auto forward = fftwf_execute_dft_r2c;
  static constexpr auto inverse = fftwf_execute_dft_c2r;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto forget = fftwf_forget_wisdom;
};

template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  using Bin = fftw_complex;
  static constexpr auto plan_forward = fftw_plan_dft_r2c_1d;
  static constexpr auto plan_inverse = fftw_plan_dft_c2r_1d;
  static constexpr auto forward = fftw_execute_dft_r2c;
  static constexpr auto inverse = fftw_execute_dft_c2r;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto forget = fftw_forget_wisdom;
};

// Sizes whose plans the planner may remember.
constexpr int most_remembered = 256;

// FFTW's planner is one for the process and precision, and not thread-safe (execution is). A fork
// waits until nobody plans, because a child could not use a planner that stopped in the middle.
std::mutex& planner_mutex() {
  static std::mutex mutex;
  static const int registered =
      pthread_atfork([] { planner_mutex().lock(); }, [] { planner_mutex().unlock(); },
                     [] { planner_mutex().unlock(); });
  (void)registered;
  return mutex;
}

template <class T>
class FftwReal final : public RealFft<T> {
 public:
  explicit FftwReal(Index size) : RealFft<T>(size) {
    require(size <= std::numeric_limits<int>::max(), "size", size, "below 2147483648");
    // A plan depends on the alignment of its arrays only, which all later calls share.
    const Buffer<T> real(static_cast<std::size_t>(size));
    const Buffer<std::complex<T>> bins(static_cast<std::size_t>(this->n_bins()));
    const auto n = static_cast<int>(size);
    const std::lock_guard lock(planner_mutex());
    forward_ = Fftw<T>::plan_forward(n, real.data(), bin(bins.data()), FFTW_ESTIMATE);
    inverse_ = Fftw<T>::plan_inverse(n, bin(bins.data()), real.data(), FFTW_ESTIMATE);
    if (!forward_ || !inverse_) {
      destroy();
      throw std::bad_alloc();
    }
    ++counters().plan_builds;
    forget_wisdom();
  }

  ~FftwReal() override {
    const std::lock_guard lock(planner_mutex());
    destroy();
  }

  FftwReal(const FftwReal&) = delete;

  void forward(const T* in, std::complex<T>* out) const override {
    Fftw<T>::forward(forward_, const_cast<T*>(in), bin(out));  // r2c preserves its input
  }

  void inverse(std::complex<T>* in, T* out) const override {
    Fftw<T>::inverse(inverse_, bin(in), out);
    const T scale = T(1) / static_cast<T>(this->size());
    for (Index i = 0; i < this->size(); ++i) out[i] *= scale;
  }

  // An estimate, since FFTW does not tell: 16 KiB for both plans together, and per sample 8 to 30
  // bytes in double precision, more for sizes with large prime factors.
  std::size_t bytes() const override {
    return (std::size_t{1} << 14) + 3 * sizeof(T) * static_cast<std::size_t>(this->size());
  }

 private:
  static auto bin(std::complex<T>* p) { return reinterpret_cast<typename Fftw<T>::Bin*>(p); }
  // The planner keeps its decision for every size it has seen, about 400 bytes each, which would
  // grow without bound. With FFTW_ESTIMATE it decides again as quickly.
  static void forget_wisdom() {
    static int remembered = 0;
    if (++remembered < most_remembered) return;
    Fftw<T>::forget();
    remembered = 0;
  }
  void destroy() {
    if (forward_) Fftw<T>::destroy(forward_);
    if (inverse_) Fftw<T>::destroy(inverse_);
  }

  typename Fftw<T>::Plan forward_ = nullptr;
  typename Fftw<T>::Plan inverse_ = nullptr;
};

}  // namespace

template <class T>
std::shared_ptr<const RealFft<T>> make_library_fft(Index size) {
  return std::make_shared<FftwReal<T>>(size);
}

template std::shared_ptr<const RealFft<float>> make_library_fft(Index);
template std::shared_ptr<const RealFft<double>> make_library_fft(Index);

std::string_view fft_library() {
  return fftw_version;
}

}  // namespace metalmom::dsp
