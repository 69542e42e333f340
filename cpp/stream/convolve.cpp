#include "stream/convolve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>

#include "base/buffer.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/fft.hpp"
#include "stream/block_spectra.hpp"

namespace metalmom::stream {

namespace {

using dsp::simd::group_values;

constexpr Index smallest = 128, largest = 8192;  // blocks that the own transforms cover
constexpr Index blocks_at_once = 512;            // whose spectra are held

Index ceil_div(Index a, Index b) {
  return (a + b - 1) / b;
}

// Nanoseconds of a block of this length: transforms, and products of bins in cache.
double block_cost(Index block, Index n_taps) {
  const auto size = static_cast<double>(block);
  return 0.05 * 2 * size * std::log2(2 * size) + 100 +
         0.04 * size * static_cast<double>(ceil_div(n_taps, block)) + 0.4 * size;
}

Index cheapest_block(Index n_out, Index n_taps) {
  Index best = smallest;
  double least = INFINITY;
  for (Index block = smallest; block <= largest; block *= 2) {
    const double cost = block_cost(block, n_taps) * static_cast<double>(ceil_div(n_out, block));
    if (cost < least) best = block, least = cost;
  }
  return best;
}

template <class T>
class Direct {
 public:
  static void run(const T* x, Index n, const T* h, Index n_taps, Index first, Index count, T* out) {
    const auto& kernels = dsp::simd::partition_kernels<T>();
    constexpr Index step = 1 << 13;
    parallel_for(ceil_div(count, step), 1, [&](Index begin, Index end) {
      const Lent<T> samples(n_taps + step + 16), zeros(step + 16), y(step);
      std::fill_n(zeros.data(), step + 16, T(0));
      for (Index part = begin; part < end; ++part) {
        const Index at = first + part * step, here = std::min(step, count - part * step);
        // Samples at - n_taps + 1 .. at + here, silence beyond the ends.
        for (Index i = 0; i < n_taps + here + 15; ++i) {
          const Index from = at - (n_taps - 1) + i;
          samples[i] = from >= 0 && from < n ? x[from] : T(0);
        }
        kernels.direct(samples + (n_taps - 1), h, n_taps, zeros, here, y);
        std::copy_n(y.data(), here, out + part * step);
      }
    });
  }
};

// One product of two spectra as long as the result.
template <class T>
void by_one_transform(const T* x, Index n, const T* h, Index n_taps, Index first, Index count,
                      T* out) {
  const auto fft = dsp::real_fft<T>(dsp::next_fast_size(n + n_taps - 1));
  const Index size = fft->size(), n_bins = fft->n_bins();
  const Buffer<T> samples(static_cast<std::size_t>(size));
  const Buffer<std::complex<T>> a(static_cast<std::size_t>(n_bins)),
      b(static_cast<std::size_t>(n_bins));
  const auto spectrum = [&](const T* values, Index length, std::complex<T>* bins) {
    std::copy_n(values, length, samples.data());
    std::fill_n(samples.data() + length, size - length, T(0));
    fft->forward(samples.data(), bins);
  };
  spectrum(x, n, a.data());
  spectrum(h, n_taps, b.data());
  for (std::size_t k = 0; k < a.size(); ++k)
    a[k] = {a[k].real() * b[k].real() - a[k].imag() * b[k].imag(),
            a[k].real() * b[k].imag() + a[k].imag() * b[k].real()};
  fft->inverse(a.data(), samples.data());
  std::copy_n(samples.data() + first, count, out);
}

// Blocks of L samples, partitions of L taps.
template <class T>
class ByBlocks {
 public:
  ByBlocks(Index block, const T* h, Index n_taps)
      : blocks_(block),
        size_(block),
        n_parts_(ceil_div(n_taps, block)),
        h_(static_cast<std::size_t>(n_groups() * n_parts_ * group_values)),
        h_half_(static_cast<std::size_t>(n_parts_)) {
    parallel_for(n_parts_, 4, [&](Index begin, Index end) {
      const Lent<T> padded(2 * size_);
      for (Index k = begin; k < end; ++k) {
        std::fill_n(padded.data(), 2 * size_, T(0));
        std::copy_n(h + k * size_, std::min(size_, n_taps - k * size_), padded.data());
        h_half_[static_cast<std::size_t>(k)] =
            blocks_.forward(padded, h_.data() + k * group_values, n_parts_ * group_values);
      }
    });
  }

  void run(const T* x, Index n, Index first, Index count, T* out) const {
    const Index n_blocks = ceil_div(count, size_);
    const Index most = std::min(n_blocks, std::max(blocks_at_once, 2 * n_parts_));
    // An odd number of cache lines between groups: blocks are written across them.
    const Index times = (most + n_parts_ - 1) | 1;
    const Buffer<T> spectra(static_cast<std::size_t>(n_groups() * times * group_values)),
        half(static_cast<std::size_t>(times)),
        sums(static_cast<std::size_t>(n_groups() * most * group_values));
    for (Index done = 0; done < n_blocks; done += most) {
      const Index here = std::min(most, n_blocks - done), before = n_parts_ - 1;
      parallel_for(before + here, 4, [&](Index begin, Index end) {
        const Lent<T> samples(2 * size_);
        for (Index t = begin; t < end; ++t)
          half[static_cast<std::size_t>(t)] =
              blocks_.forward(samples_of(x, n, first + (done + t - before) * size_, samples),
                              spectra.data() + t * group_values, times * group_values);
      });
      parallel_for(n_groups(), 8, [&](Index begin, Index end) {
        for (Index g = begin; g < end; ++g)
          kernels_.multiply_times(spectra.data() + g * times * group_values,
                                  h_.data() + g * n_parts_ * group_values, n_parts_, here,
                                  sums.data() + g * group_values, n_groups() * group_values);
      });
      parallel_for(here, 4, [&](Index begin, Index end) {
        const Lent<T> last(size_);
        for (Index t = begin; t < end; ++t) {
          T product = 0;
          for (Index k = 0; k < n_parts_; ++k)
            product += half[static_cast<std::size_t>(before + t - k)] *
                       h_half_[static_cast<std::size_t>(k)];
          const Index at = (done + t) * size_, length = std::min(size_, count - at);
          T* const y = length == size_ ? out + at : last.data();
          std::fill_n(y, size_, T(0));
          blocks_.add_inverse(sums.data() + t * n_groups() * group_values, product, y);
          if (length < size_) std::copy_n(y, length, out + at);
        }
      });
    }
  }

 private:
  Index n_groups() const { return blocks_.n_groups(); }

  // The samples [at - L, at + L), where they lie or with silence beyond the ends.
  const T* samples_of(const T* x, Index n, Index at, T* memory) const {
    const Index begin = at - size_, end = at + size_;
    if (begin >= 0 && end <= n) return x + begin;
    const Index from = std::clamp<Index>(begin, 0, n), to = std::clamp<Index>(end, from, n);
    std::fill_n(memory, 2 * size_, T(0));
    std::copy(x + from, x + to, memory + (from - begin));
    return memory;
  }

  const BlockSpectra<T> blocks_;
  const Index size_, n_parts_;
  const Buffer<T> h_, h_half_;
  const dsp::simd::PartitionKernels<T>& kernels_ = dsp::simd::partition_kernels<T>();
};

}  // namespace

ConvolvePlan plan_convolve(Index n_samples, Index n_taps, ConvolveMethod asked) {
  const Index n_out = n_samples + n_taps - 1;
  const Index block = cheapest_block(n_out, n_taps);
  switch (asked) {
    case ConvolveMethod::direct:
      return {asked, "direct", 0};
    case ConvolveMethod::fft:
      return {asked, "fft", 0};
    case ConvolveMethod::overlap_save: {
      const auto needed = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(n_taps)));
      return {asked, "overlap_save", std::max(needed, smallest)};  // one partition
    }
    case ConvolveMethod::partitioned:
      return {asked, "partitioned", block};
    case ConvolveMethod::automatic:
      break;
  }
  const double of_blocks =
      block_cost(block, n_taps) * static_cast<double>(ceil_div(n_out, block) + 2) + 2000;
  const double direct = 0.02 * static_cast<double>(n_taps) * static_cast<double>(n_out);
  if (direct <= of_blocks) return {ConvolveMethod::direct, "direct", 0};
  return {ConvolveMethod::partitioned, "partitioned", block};
}

template <class T>
void convolve(const ConvolvePlan& plan, const View<const T>& x, const View<const T>& h, Index first,
              const View<T>& out) {
  // The shorter one has the taps.
  const bool swapped = h.cols > x.cols;
  const View<const T>&signal = swapped ? h : x, &taps = swapped ? x : h;
  for (Index b = 0; b < out.batch; ++b) {
    const T* const samples = signal.row(signal.batch > 1 ? b : 0);
    const T* const response = taps.row(taps.batch > 1 ? b : 0);
    T* const y = out.row(b);
    if (plan.method == ConvolveMethod::direct)
      Direct<T>::run(samples, signal.cols, response, taps.cols, first, out.cols, y);
    else if (plan.method == ConvolveMethod::fft)
      by_one_transform(samples, signal.cols, response, taps.cols, first, out.cols, y);
    else
      ByBlocks<T>(plan.block, response, taps.cols).run(samples, signal.cols, first, out.cols, y);
  }
}

template void convolve(const ConvolvePlan&, const View<const float>&, const View<const float>&,
                       Index, const View<float>&);
template void convolve(const ConvolvePlan&, const View<const double>&, const View<const double>&,
                       Index, const View<double>&);

}  // namespace metalmom::stream
