#include "dsp/bands.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "dsp/dct.hpp"
#include "dsp/frame_transform.hpp"
#include "dsp/simd/select.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

using Structure = Basis::Structure;
using Matrix = std::vector<double>;

// Triangles whose centres are `centers`, each reaching to its neighbours' centres.
Matrix triangles(const std::vector<double>& centers, Index n_bins) {
  Matrix dense;
  for (std::size_t band = 1; band + 1 < centers.size(); ++band)
    for (Index bin = 0; bin < n_bins; ++bin) {
      const double x = static_cast<double>(bin);
      const double up = (x - centers[band - 1]) / (centers[band] - centers[band - 1]);
      const double down = (centers[band + 1] - x) / (centers[band + 1] - centers[band]);
      dense.push_back(std::max(0.0, std::min(up, down)));
    }
  return dense;
}

// A frame by itself has the bits of any lane, with every instruction set.
template <class T>
void expect_one_is_a_lane(const Basis& basis, const T* lanes) {
  const Index n_bands = basis.n_bands(), n_bins = basis.n_bins();
  for (const auto set : simd::available()) {
    simd::select(set);
    std::vector<T> out(static_cast<std::size_t>(n_bands * block_frames)), one(out.size());
    apply_bands(basis, lanes, block_frames, out.data(), block_frames);
    for (Index i = 0; i < block_frames; ++i) {
      const Buffer<T> bins(static_cast<std::size_t>(n_bins));
      for (Index bin = 0; bin < n_bins; ++bin) bins[bin] = lanes[bin * block_frames + i];
      apply_bands_to_one(basis, bins.data(), one.data() + i, block_frames);
    }
    ASSERT_EQ(std::memcmp(out.data(), one.data(), out.size() * sizeof(T)), 0) << set;
  }
  simd::select(simd::available().front());
}

template <class T>
void expect_product(const Matrix& dense, Index n_bands, Index n_bins, Structure structure) {
  const Basis basis(dense.data(), n_bands, n_bins);
  ASSERT_EQ(basis.structure(), structure);
  ASSERT_EQ(basis.n_bands(), n_bands);
  const auto lanes = test::noise<T>(n_bins * block_frames);
  expect_one_is_a_lane(basis, lanes.data());
  for (const Index count : {1, 5, 16}) {
    const Index stride = 21;
    std::vector<T> out(static_cast<std::size_t>(n_bands * stride), T(77));
    apply_bands(basis, lanes.data(), count, out.data(), stride);
    for (Index band = 0; band < n_bands; ++band)
      for (Index i = 0; i < stride; ++i) {
        const T got = out[static_cast<std::size_t>(band * stride + i)];
        if (i >= count) {
          ASSERT_EQ(got, T(77)) << "written beyond the block";
          continue;
        }
        double expected = 0, scale = 1e-30;
        for (Index bin = 0; bin < n_bins; ++bin) {
          const double term = dense[static_cast<std::size_t>(band * n_bins + bin)] *
                              static_cast<double>(lanes.data()[bin * block_frames + i]);
          expected += term;
          scale += std::abs(term);
        }
        ASSERT_NEAR(got, expected, scale * (std::is_same_v<T, float> ? 1e-6 : 1e-15))
            << band << ", frame " << i;
      }
  }
}

template <class T>
class Bands : public testing::Test {};
TYPED_TEST_SUITE(Bands, test::Precisions);

TYPED_TEST(Bands, OverlappingTriangles) {
  std::vector<double> centers;
  for (int i = 0; i < 42; ++i) centers.push_back(2 + 0.3 * i + 0.11 * i * i);
  expect_product<TypeParam>(triangles(centers, 257), 40, 257, Structure::overlapping);
}

// Filters narrower than a bin leave bands without weights, anywhere.
TYPED_TEST(Bands, EmptyBands) {
  expect_product<TypeParam>(triangles({0.1, 0.2, 0.3, 0.9, 3, 5.5, 5.6, 5.7, 9, 14}, 20), 8, 20,
                            Structure::overlapping);
  expect_product<TypeParam>(Matrix(3 * 8, 0.0), 3, 8, Structure::overlapping);
}

TYPED_TEST(Bands, RectanglesSideBySide) {
  Matrix dense(4 * 32, 0.0);
  for (std::size_t bin = 0; bin < 32; ++bin) dense[bin / 8 * 32 + bin] = 0.5;
  expect_product<TypeParam>(dense, 4, 32, Structure::overlapping);
}

TYPED_TEST(Bands, Dense) {
  for (const Index n_bins : {129, 1030})
    for (const Index n_bands : {1, 12, 13, 20, 37, 70}) {
      const auto values = test::noise<double>(n_bands * n_bins);
      expect_product<TypeParam>(Matrix(values.begin(), values.end()), n_bands, n_bins,
                                n_bands == 1 ? Structure::overlapping : Structure::dense);
    }
}

// Rows in no order, with holes.
TYPED_TEST(Bands, Sparse) {
  Matrix dense(5 * 64, 0.0);
  for (std::size_t bin = 40; bin < 50; ++bin) dense[bin] = 1.5;
  for (std::size_t bin = 3; bin < 60; bin += 7) dense[2 * 64 + bin] = -0.25;
  dense[4 * 64 + 63] = 2;
  expect_product<TypeParam>(dense, 5, 64, Structure::sparse);
}

TYPED_TEST(Bands, LoadsStoredSpectrogramsInEitherOrder) {
  const Index n_bins = 37, n_frames = 11;
  const auto values = test::noise<TypeParam>(n_bins * n_frames);
  const Buffer<TypeParam> by_bin(n_bins * block_frames), by_frame(n_bins * block_frames);
  load_lanes(values.data(), n_bins, n_frames, Index(1), n_frames, by_bin.data());
  load_lanes(values.data(), n_bins, Index(1), n_bins, n_frames, by_frame.data());
  for (Index bin = 0; bin < n_bins; ++bin)
    for (Index i = 0; i < block_frames; ++i) {
      const auto at = static_cast<std::size_t>(bin * block_frames + i);
      const bool used = i < n_frames;
      ASSERT_EQ(by_bin[at], used ? values.data()[bin * n_frames + i] : 0);
      ASSERT_EQ(by_frame[at], used ? values.data()[i * n_bins + bin] : 0);
    }
}

// Expected values: scipy.fft.dct([1, -2, 4, 0.5, 3], type, norm).
TEST(Dct, MatricesAreScipys) {
  const double x[] = {1, -2, 4, 0.5, 3};
  const auto transformed = [&](int type, DctNorm norm) {
    const auto matrix = dct_matrix(type, norm, 5, 5);
    Matrix out(5, 0.0);
    for (std::size_t k = 0; k < 5; ++k)
      for (std::size_t i = 0; i < 5; ++i) out[k] += matrix[k * 5 + i] * x[i];
    return out;
  };
  const auto expect = [&](int type, DctNorm norm, const Matrix& expected) {
    const Matrix got = transformed(type, norm);
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(got[k], expected[k], 1e-13) << type << k;
  };
  expect(1, DctNorm::backward, {9.0, -5.535533905932738, -4.0, 1.5355339059327378, 15.0});
  expect(1, DctNorm::ortho,
         {2.6642135623730954, -2.25, -0.8284271247461901, 0.25, 4.164213562373096});
  expect(1, DctNorm::forward, {1.125, -0.6919417382415922, -0.5, 0.19194173824159222, 1.875});
  expect(2, DctNorm::backward,
         {13.0, -6.743152326642979, -0.6008130618755787, 2.4041415723058757, 12.89918693812442});
  expect(2, DctNorm::ortho,
         {2.906888370749727, -2.1323719961655527, -0.1899937723506504, 0.7602563185984954,
          4.079081068876661});
  expect(3, DctNorm::backward,
         {6.109797108361123, -9.62843544671431, -1.0, -3.0240403957842155, 12.542678734137404});
  expect(3, DctNorm::ortho,
         {2.0630733198762945, -2.9137928020686807, -0.18524193653371834, -0.8252997092203973,
          4.097329105446292});
  expect(4, DctNorm::backward,
         {5.460802123910117, -8.212210400308987, 3.5355339059327378, 5.325983931262049,
          12.820808697913488});
  expect(4, DctNorm::ortho,
         {1.7268572563041005, -2.5969289489499534, 1.118033988749895, 1.6842240004245739,
          4.0542956930704275});
}

}  // namespace
}  // namespace metalmom::dsp
