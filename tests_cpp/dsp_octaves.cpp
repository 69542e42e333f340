// Filters over frames against their definition, with frames over both edges and in pieces.
#include "dsp/octaves.hpp"

#include <gtest/gtest.h>

#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

constexpr Index n_bins = 3, n_fft = 24, first_bin = 2, all_bins = 7;

std::shared_ptr<const Basis> basis(const Buffer<double>& dense, Index rows, Index cols, Index first,
                                   Index count) {
  std::vector<double> part;
  for (Index r = 0; r < rows; ++r)
    for (Index c = first; c < first + count; ++c) part.push_back(dense.data()[r * cols + c]);
  return std::make_shared<const Basis>(part.data(), rows, count);
}

template <class T>
constexpr double tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-13;

template <class T>
class Octaves : public testing::Test {};
TYPED_TEST_SUITE(Octaves, test::Precisions);

TYPED_TEST(Octaves, AnalysisIsAProductWithEachFrame) {
  using T = TypeParam;
  const auto dense = test::noise<double>(2 * n_bins * n_fft, 3);
  const auto y = test::noise<T>(200);
  for (const Index piece : {n_fft, Index(10)}) {
    OctaveBank bank;
    bank.n_bins = all_bins;
    Octave octave{0, 7, first_bin, {}};
    for (Index first = 0; first < n_fft; first += piece)
      octave.filters.push_back(
          basis(dense, 2 * n_bins, n_fft, first, std::min(piece, n_fft - first)));
    bank.octaves.push_back(octave);
    ASSERT_EQ(bank.n_fft(octave), n_fft);
    ASSERT_EQ(bank.bins_of(octave), n_bins);
    const FrameSource<T> source{y.data(), 200, 7, n_fft, n_fft / 2, PadMode::reflect};
    const Buffer<T> work(static_cast<std::size_t>(bank.work_size()));
    for (const auto& [begin, count] : {std::pair<Index, Index>{0, 16}, {5, 3}, {13, 16}}) {
      std::vector<std::complex<T>> out(static_cast<std::size_t>(count * all_bins), T(77));
      analyse_block(bank, octave, source, begin, count, work.data(), out.data(), all_bins);
      for (Index i = 0; i < count; ++i) {
        std::vector<T> frame(n_fft);
        gather_frame(source, begin + i, frame.data());
        for (Index bin = 0; bin < all_bins; ++bin) {
          std::complex<double> expected = 77;
          if (bin < n_bins) {
            expected = 0;
            for (Index n = 0; n < n_fft; ++n)
              expected += static_cast<double>(frame[static_cast<std::size_t>(n)]) *
                          std::complex(dense.data()[2 * bin * n_fft + n],
                                       dense.data()[(2 * bin + 1) * n_fft + n]);
          }
          const auto got =
              static_cast<std::complex<double>>(out[static_cast<std::size_t>(i * all_bins + bin)]);
          ASSERT_NEAR(std::abs(got - expected), 0, tolerance<T>)
              << "frame " << begin + i << ", bin " << bin;
        }
      }
    }
  }
}

TYPED_TEST(Octaves, SynthesisAddsWhatIsInside) {
  using T = TypeParam;
  const auto dense = test::noise<double>(n_fft * 2 * n_bins, 4);
  OctaveBank bank;
  bank.n_bins = all_bins;
  bank.synthesis = true;
  bank.octaves.push_back({0, 5, first_bin, {basis(dense, n_fft, 2 * n_bins, 0, 2 * n_bins)}});
  const Octave& octave = bank.octaves.front();
  ASSERT_EQ(bank.n_fft(octave), n_fft);
  const Buffer<T> work(static_cast<std::size_t>(bank.work_size()));
  const auto parts = test::noise<T>(2 * all_bins * 16);
  const auto* bins = reinterpret_cast<const std::complex<T>*>(parts.data());
  const Index length = 60, at = -13;
  for (const Index count : {1, 16}) {
    std::vector<T> y(length, T(1));
    synthesise_block(bank, octave, bins + first_bin, all_bins, count, at, length, work.data(),
                     y.data());
    for (Index sample = 0; sample < length; ++sample) {
      double expected = 1;
      for (Index i = 0; i < count; ++i) {
        const Index n = sample - at - i * octave.hop_length;
        if (n < 0 || n >= n_fft) continue;
        for (Index v = 0; v < 2 * n_bins; ++v)
          expected += dense.data()[n * 2 * n_bins + v] *
                      static_cast<double>(parts.data()[2 * (i * all_bins + first_bin) + v]);
      }
      ASSERT_NEAR(y[static_cast<std::size_t>(sample)], expected, tolerance<T>) << sample;
    }
  }
}

}  // namespace
}  // namespace metalmom::dsp
