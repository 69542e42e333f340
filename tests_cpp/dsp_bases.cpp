#include "dsp/bases.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace metalmom::dsp {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// librosa 1.0.0: mel(sr=8000, n_fft=32, n_mels=4), float32 to its last bit.
TEST(MelFilters, AreLibrosas) {
  const auto m = make_mel_filters({.sr = 8000, .n_fft = 32, .n_mels = 4});
  ASSERT_EQ(m.rows, 4);
  ASSERT_EQ(m.cols, 17);
  EXPECT_EQ(m.row(0)[1], static_cast<double>(1.1372918e-03f));
  EXPECT_EQ(m.row(0)[2], static_cast<double>(1.9911719e-03f));
  EXPECT_EQ(m.row(1)[2], static_cast<double>(1.2631023e-04f));
  EXPECT_EQ(m.row(2)[9], static_cast<double>(2.9946235e-04f));
  EXPECT_EQ(m.row(3)[15], static_cast<double>(1.3151296e-04f));
  EXPECT_EQ(m.row(3)[6], 0);
  EXPECT_EQ(m.row(3)[16], 0);
}

TEST(MelFilters, AreUnroundedInDouble) {
  const auto m = make_mel_filters(
      {.sr = 8000, .n_fft = 32, .n_mels = 4, .slaney = false, .rounding = Rounding::to_double});
  EXPECT_NEAR(m.row(0)[1], 0.5332194234132042, 1e-15);
  EXPECT_NEAR(m.row(2)[6], 0.9642545320809138, 1e-15);
  EXPECT_NEAR(m.row(3)[7], 0.24233691723079748, 1e-15);
}

TEST(MelFilters, TakeAnyNormOfARow) {
  MelFilters filters{.sr = 16000, .n_fft = 512, .n_mels = 10, .slaney = false};
  filters.rounding = Rounding::to_double;
  for (const double p : {1.0, 2.0, 3.0, infinity}) {
    filters.norm = Norm{p};
    const auto m = make_mel_filters(filters);
    for (Index band = 0; band < m.rows; ++band) {
      double sum = 0, greatest = 0;
      for (Index bin = 0; bin < m.cols; ++bin) {
        sum += std::pow(m.row(band)[bin], p);
        greatest = std::max(greatest, m.row(band)[bin]);
      }
      EXPECT_NEAR(std::isinf(p) ? greatest : std::pow(sum, 1 / p), 1, 1e-14);
    }
  }
  // The count of non-zeros divides; the least value, 0 in every row, does not.
  filters.norm = std::nullopt;
  const auto plain = make_mel_filters(filters);
  filters.norm = Norm{0};
  const auto counted = make_mel_filters(filters);
  filters.norm = Norm{-infinity};
  EXPECT_EQ(make_mel_filters(filters).values, plain.values);
  const Index count = std::count_if(plain.row(5), plain.row(6), [](double w) { return w > 0; });
  EXPECT_NEAR(counted.row(5)[80] * static_cast<double>(count), plain.row(5)[80], 1e-15);
}

TEST(MelFilters, KnowTheirEmptyOnes) {
  const MelFilters wide{.n_fft = 512, .n_mels = 20}, narrow{.n_fft = 512, .n_mels = 256};
  EXPECT_FALSE(has_empty_filter(wide, make_mel_filters(wide)));
  EXPECT_TRUE(has_empty_filter(narrow, make_mel_filters(narrow)));
  // A first filter without a bin is forgiven where it begins at 0 Hz.
  const MelFilters first{.sr = 8000, .n_fft = 2, .n_mels = 1};
  EXPECT_FALSE(has_empty_filter(first, make_mel_filters(first)));
}

TEST(MelScale, IsLibrosas) {
  const auto slaney = mel_frequencies(6, 100, 8000), htk = mel_frequencies(6, 100, 8000, true);
  EXPECT_NEAR(slaney[1], 683.2752062923329, 1e-12);
  EXPECT_NEAR(slaney[4], 4383.8329055408685, 1e-11);
  EXPECT_NEAR(htk[1], 589.3648903563055, 1e-12);
  EXPECT_NEAR(htk[4], 4698.006454229308, 1e-11);
  for (const bool use_htk : {false, true})
    for (const double hz : {0.0, 440.0, 1000.0, 15000.0})
      EXPECT_NEAR(mel_to_hz(hz_to_mel(hz, use_htk), use_htk), hz, 1e-11);
}

// librosa 1.0.0: chroma(sr=8000, n_fft=8, tuning=0.1, dtype=float64).
TEST(ChromaFilters, AreLibrosas) {
  const auto m =
      make_chroma_filters({.sr = 8000, .n_fft = 8, .tuning = 0.1, .rounding = Rounding::to_double});
  ASSERT_EQ(m.rows, 12);
  ASSERT_EQ(m.cols, 5);
  EXPECT_NEAR(m.row(0)[0], 0.2116523126879446, 1e-14);
  EXPECT_NEAR(m.row(0)[3], 0.020132779446052494, 1e-14);
  EXPECT_NEAR(m.row(6)[4], 0.00899679616771969, 1e-14);
  EXPECT_NEAR(m.row(11)[1], 0.33284137788414353, 1e-14);
}

TEST(ChromaFilters, FollowBaseNormAndWidth) {
  ChromaFilters filters{.n_chroma = 24, .octwidth = std::nullopt, .rounding = Rounding::to_double};
  const auto from_c = make_chroma_filters(filters);
  filters.base_c = false;
  const auto from_a = make_chroma_filters(filters);
  filters.norm = Norm{infinity};
  const auto peaked = make_chroma_filters(filters);
  for (Index bin = 0; bin < from_c.cols; bin += 7) {
    double squares = 0, greatest = 0;
    for (Index c = 0; c < 24; ++c) {
      EXPECT_EQ(from_c.row((c + 18) % 24)[bin], from_a.row(c)[bin]);
      squares += from_a.row(c)[bin] * from_a.row(c)[bin];
      greatest = std::max(greatest, peaked.row(c)[bin]);
    }
    EXPECT_NEAR(squares, 1, 1e-14);
    EXPECT_EQ(greatest, 1);
  }
}

template <class Filters>
std::string refusal(const Filters& filters) {
  try {
    check(filters);
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Filters, RefuseWhatNoFilterBankHas) {
  EXPECT_EQ(refusal(MelFilters{.sr = 0}), "sr=0 must be a number > 0");
  EXPECT_EQ(refusal(MelFilters{.n_fft = 0}), "n_fft=0 must be a positive integer");
  EXPECT_EQ(refusal(MelFilters{.n_mels = -1}), "n_mels=-1 must be non-negative");
  EXPECT_EQ(refusal(MelFilters{.fmax = infinity}), "fmax=inf must be finite");
  EXPECT_EQ(refusal(MelFilters{.norm = Norm{-2}}),
            "norm=-2 must be non-negative, or minus infinity");
  EXPECT_EQ(refusal(ChromaFilters{.n_fft = 1}), "n_fft=1 must be at least 2");
  EXPECT_EQ(refusal(ChromaFilters{.n_chroma = 0}), "n_chroma=0 must be a positive integer");
  EXPECT_EQ(refusal(ChromaFilters{.tuning = std::nan("")}), "tuning=nan must be finite");
  EXPECT_EQ(refusal(MelFilters{}), "accepted");
  EXPECT_EQ(refusal(ChromaFilters{}), "accepted");
}

}  // namespace
}  // namespace metalmom::dsp
