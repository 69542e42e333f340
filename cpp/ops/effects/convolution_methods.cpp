#include "ops/effects/convolution_methods.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>

#include "base/buffer.hpp"
#include "base/ceil_div.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/block_transform.hpp"
#include "dsp/convolution_costs.hpp"
#include "dsp/fft.hpp"

namespace metalmom::ops {

namespace {

using dsp::simd::group_values;

constexpr Index largest = 16384;                   // block: its spans fit the L1 cache
constexpr Index spectra_at_once = Index{1} << 22;  // values in memory, about
constexpr Index run_blocks = 8;                    // blocks that one worker adds

// Nanoseconds of a block of this length, measured on one core with AVX-512: both transforms, and a
// product for each partition, whose spectra leave the first cache when they are long.
double block_cost(Index block, Index n_taps) {
  const auto size = static_cast<double>(block);
  const double of_value = block < 2048 ? 0.045 : 0.085;
  return 100 + 1.3 * size + of_value * size * static_cast<double>(ceil_div(n_taps, block));
}

Index cheapest_block(Index n_out, Index n_taps) {
  Index best = dsp::smallest_block;
  double least = INFINITY;
  for (Index block = dsp::smallest_block; block <= largest; block *= 2) {
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
        // The samples from at - n_taps + 1 to at + here; silence beyond the signal's ends.
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

// Blocks of L samples on the grid of the signal, partitions of L taps: with X the spectra of the
// blocks and H those of the partitions, block t of the sum over k of X[t - k] H[k] is 2 L samples
// from t L on.
template <class T>
class ByBlocks {
 public:
  ByBlocks(Index block, const T* h, Index n_taps)
      : blocks_(block),
        size_(block),
        n_parts_(ceil_div(n_taps, block)),
        h_(n_groups() * n_parts_ * group_values) {
    parallel_for(n_parts_, 4, [&](Index begin, Index end) {
      const Lent<T> padded(size_), work(blocks_.work_size());
      for (Index k = begin; k < end; ++k)
        blocks_.forward(part_of(h, n_taps, k, padded), work, h_ + k * group_values,
                        n_parts_ * group_values);
    });
  }

  void run(const T* x, Index n, Index first, Index count, T* out) const {
    // The second half of the block before the first one is part of the result.
    const Index begin = std::max<Index>(first / size_ - 1, 0), end = ceil_div(first + count, size_);
    const Index before = n_parts_ - 1, from = std::max<Index>(begin - before, 0);
    const Index most = std::min(end - from, std::max(spectra_at_once / (2 * size_), 2 * n_parts_));
    // An odd number of cache lines, so that the same group of many spectra fits into a cache.
    const Index row = 2 * size_ + 9 * static_cast<Index>(alignment / sizeof(T));
    const bool at_once = most == end - from;
    const Lent<T> spectra((before + most) * row), kept(at_once ? 0 : before * row), rest(size_);
    std::fill_n(spectra.data(), before * row, T(0));
    std::fill_n(rest.data(), size_, T(0));
    T* const now = spectra + before * row;
    for (Index done = from; done < end; done += most) {
      const Index here = std::min(most, end - done);
      const Index there = std::clamp<Index>(ceil_div(n, size_) - done, 0, here);  // not silent
      if (done > from) std::copy_n(kept.data(), before * row, spectra.data());
      parallel_for(there, 4, [&](Index some, Index last) {
        const Lent<T> padded(size_), work(blocks_.work_size());
        for (Index t = some; t < last; ++t)
          blocks_.forward(part_of(x, n, done + t, padded), work, now + t * row, group_values);
      });
      std::fill_n(now + there * row, (here - there) * row, T(0));
      if (done + here < end) std::copy_n(spectra + here * row, before * row, kept.data());
      parallel_for(n_groups(), 32, [&](Index some, Index last) {
        for (Index g = some; g < last; ++g)
          kernels_.multiply_times(h_ + g * n_parts_ * group_values, n_parts_, before + here,
                                  spectra + g * group_values, row);
      });
      // Blocks before `begin` were needed for the sums of later ones; they are not part of the
      // result.
      const Index heard = std::max(begin, done);
      add_blocks(now + (heard - done) * row, row, heard, done + here - heard, first, count, rest,
                 out);
    }
  }

 private:
  Index n_groups() const { return blocks_.n_groups(); }

  // Adds the blocks [t, t + n_blocks) to samples [first, first + count) of the result. `rest` has
  // the second half of the block before them, and afterwards that of the last of them.
  void add_blocks(const T* spectra, Index row, Index t, Index n_blocks, Index first, Index count,
                  T* rest, T* out) const {
    const Index n_runs = ceil_div(n_blocks, run_blocks);
    const Lent<T> rests(n_runs * size_);  // second halves that reach into the next run
    parallel_for(n_runs, 1, [&](Index some, Index last) {
      const Lent<T> work(blocks_.work_size()), border(2 * size_);
      for (Index run = some; run < last; ++run) {
        const Index end = std::min(n_blocks, (run + 1) * run_blocks);
        T* high = border + size_;
        std::fill_n(high, size_, T(0));
        for (Index i = run * run_blocks; i < end; ++i) {
          // A block that lies within `out` as a whole is added there, otherwise by way of `border`.
          const Index at = (t + i) * size_ - first;
          const bool whole = at >= 0 && at + size_ <= count;
          T* const low = whole ? out + at : border.data();
          if (low != high) std::copy_n(high, size_, low);
          high = i + 1 == end                                 ? rests + run * size_
                 : at + size_ >= 0 && at + 2 * size_ <= count ? out + at + size_
                                                              : border + size_;
          std::fill_n(high, size_, T(0));
          blocks_.add_inverse(spectra + i * row, group_values, work, low, high);
          if (!whole) copy_part(low, at, count, out);
        }
      }
    });
    for (Index run = 0; run < n_runs; ++run) {
      add_part(rest, (t + run * run_blocks) * size_ - first, count, out);
      std::copy_n(rests + run * size_, size_, rest);
    }
  }

  // Writes, or adds, the part of a block that lies within `out`.
  void copy_part(const T* block, Index at, Index count, T* out) const {
    const Index begin = std::max<Index>(at, 0), end = std::min(at + size_, count);
    if (begin < end) std::copy(block + (begin - at), block + (end - at), out + begin);
  }
  void add_part(const T* block, Index at, Index count, T* out) const {
    const Index begin = std::max<Index>(at, 0), end = std::min(at + size_, count);
    for (Index i = begin; i < end; ++i) out[i] += block[i - at];
  }

  // Block t of a signal: in the signal, or copied with silence beyond its end.
  const T* part_of(const T* x, Index n, Index t, T* memory) const {
    const Index begin = t * size_, length = std::min(size_, n - begin);
    if (length == size_) return x + begin;
    std::copy_n(x + begin, length, memory);
    std::fill(memory + length, memory + size_, T(0));
    return memory;
  }

  const dsp::BlockTransform<T> blocks_;
  const Index size_, n_parts_;
  const Lent<T> h_;
  const dsp::simd::PartitionKernels<T>& kernels_ = dsp::simd::partition_kernels<T>();
};

}  // namespace

ConvolvePlan plan_convolve(Index n_samples, Index n_taps, ConvolveMethod asked) {
  const Index n_out = n_samples + n_taps - 1;
  const Index block = cheapest_block(n_out, n_taps);
  const double of_blocks =
      block_cost(block, n_taps) * static_cast<double>(ceil_div(n_out, block) + 2) + 2000;
  const double direct =
      dsp::ns_of_direct_tap * static_cast<double>(n_taps) * static_cast<double>(n_out);
  ConvolvePlan plan{asked, "partitioned", block, direct * 1e-3, of_blocks * 1e-3};
  if (asked == ConvolveMethod::automatic)
    plan.method = direct <= of_blocks ? ConvolveMethod::direct : ConvolveMethod::partitioned;
  if (plan.method == ConvolveMethod::partitioned) return plan;
  plan.block = 0;
  plan.name = plan.method == ConvolveMethod::direct ? "direct" : "fft";
  if (plan.method == ConvolveMethod::overlap_save) {
    const auto needed = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(n_taps)));
    plan.name = "overlap_save";
    plan.block = std::max(needed, dsp::smallest_block);  // the whole response in one partition
  }
  return plan;
}

template <class T>
void convolve_rows(const ConvolvePlan& plan, const View<const T>& x, const View<const T>& h,
                   Index first, const View<T>& out) {
  // Convolution commutes: the shorter one is taken as the taps.
  const bool swapped = h.cols > x.cols;
  const View<const T>&signal = swapped ? h : x, &taps = swapped ? x : h;
  const auto samples = [&](Index b) { return signal.row(signal.batch > 1 ? b : 0); };
  for (Index b = 0; b < out.batch; ++b) {
    const T* const response = taps.row(taps.batch > 1 ? b : 0);
    if (plan.method == ConvolveMethod::direct) {
      Direct<T>::run(samples(b), signal.cols, response, taps.cols, first, out.cols, out.row(b));
    } else if (plan.method == ConvolveMethod::fft) {
      by_one_transform(samples(b), signal.cols, response, taps.cols, first, out.cols, out.row(b));
    } else {
      // Signals with the same response follow one another, so its spectra are made once.
      const ByBlocks<T> blocks(plan.block, response, taps.cols);
      const Index last = taps.batch > 1 ? b : out.batch - 1;
      for (; b <= last; ++b) blocks.run(samples(b), signal.cols, first, out.cols, out.row(b));
      --b;
    }
  }
}

template void convolve_rows(const ConvolvePlan&, const View<const float>&, const View<const float>&,
                            Index, const View<float>&);
template void convolve_rows(const ConvolvePlan&, const View<const double>&,
                            const View<const double>&, Index, const View<double>&);

}  // namespace metalmom::ops
