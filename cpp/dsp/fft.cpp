#include "dsp/fft.hpp"

#include "base/cache.hpp"
#include "base/error.hpp"
#include "dsp/fft_library.hpp"

namespace metalmom::dsp {

template <class T>
std::shared_ptr<const RealFft<T>> real_fft(Index size) {
  static Cache<Index, RealFft<T>> plans(64);
  require(size >= 1, "size", size, "positive");
  return plans.get(size, [size] { return make_library_fft<T>(size); });
}

Index next_fast_size(Index n) {
  Index best = 1;
  while (best < n) best *= 2;
  for (Index fives = 1; fives < best; fives *= 5)
    for (Index odd = fives; odd < best; odd *= 3) {
      Index size = odd;
      while (size < n) size *= 2;
      best = size < best ? size : best;
    }
  return best;
}

template std::shared_ptr<const RealFft<float>> real_fft(Index);
template std::shared_ptr<const RealFft<double>> real_fft(Index);

}  // namespace metalmom::dsp
