#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dsp/agglomerate.hpp"
#include "dsp/line_filter.hpp"
#include "dsp/neighbors.hpp"
#include "dsp/simd/select.hpp"
#include "dsp_support.hpp"

namespace metalmom::dsp {
namespace {

class Structure : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { simd::select(GetParam()); }
  void TearDown() override { simd::select(simd::available().front()); }
};

INSTANTIATE_TEST_SUITE_P(Available, Structure, testing::ValuesIn(simd::available()),
                         [](const auto& set) { return std::string(set.param); });

// More frames than a tile of distances has columns.
TEST_P(Structure, LinksAreThoseOfSortedDistances) {
  const Index n = 4200, n_features = 3, n_rows = 5, first = 4000;
  const auto data = test::noise<double>(n * n_features, 5);
  const Frames frames{data.data(), n, n_features};
  const PackedFrames packed(frames, true);
  for (const bool nearest : {true, false}) {
    const LinkRule rule{.n_neighbors = 90, .keep = 80, .width = 3, .nearest = nearest};
    const auto room = static_cast<std::size_t>(most_links(rule, n));
    std::vector<std::int32_t> indices(static_cast<std::size_t>(n_rows) * room);
    std::vector<double> lengths(indices.size());
    std::vector<Index> counts(static_cast<std::size_t>(n_rows));
    find_links(rule, Metric::euclidean, frames.slice(first, n_rows), first, packed, indices.data(),
               lengths.data(), counts.data());
    for (Index i = first; i < first + n_rows; ++i) {
      std::vector<std::pair<double, Index>> all;
      for (Index j = 0; j < n; ++j)
        if (j != i)
          all.emplace_back(distance(Metric::euclidean, frames.frame(i), 1, frames.frame(j), 1, 3),
                           j);
      std::sort(all.begin(), all.end());
      all.resize(90);
      std::erase_if(all, [&](const auto& each) { return std::abs(each.second - i) < 3; });
      const auto by_index = [](const auto& a, const auto& b) { return a.second < b.second; };
      if (!nearest) std::sort(all.begin(), all.end(), by_index);
      all.resize(std::min<std::size_t>(all.size(), 80));
      std::sort(all.begin(), all.end(), by_index);
      const auto row = static_cast<std::size_t>(i - first);
      ASSERT_EQ(counts[row], std::ssize(all));
      for (std::size_t l = 0; l < all.size(); ++l) {
        EXPECT_EQ(indices[row * room + l], all[l].second);
        EXPECT_EQ(lengths[row * room + l], all[l].first);
      }
    }
  }
}

// Most frames are alike, so that a sample of the distances says nothing of where the nearest are.
TEST_P(Structure, LinksAreFoundWhereSamplesMislead) {
  const Index n = 2000;
  for (const bool rare_is_near : {true, false}) {
    std::vector<double> distances(static_cast<std::size_t>(n), rare_is_near ? 5 : 1);
    for (const std::size_t rare : {3, 700, 1501}) distances[rare] = rare_is_near ? 1 : 5;
    const LinkRule rule{.n_neighbors = 4, .keep = 4};
    std::vector<std::int32_t> indices(4);
    EXPECT_EQ(links_of(rule, 700, distances.data(), n, indices.data(), nullptr), 4);
    EXPECT_EQ(indices, rare_is_near ? (std::vector<std::int32_t>{0, 1, 3, 1501})
                                    : (std::vector<std::int32_t>{0, 1, 2, 4}));
  }
}

TEST_P(Structure, EqualFramesLinkTheEarliest) {
  const std::vector<double> same(40, 1.0);
  const Frames frames{same.data(), 20, 2};
  const LinkRule rule{.n_neighbors = 4, .keep = 4};
  std::vector<std::int32_t> indices(4);
  Index count = 0;
  find_links(rule, Metric::cityblock, frames.slice(2, 1), 2, PackedFrames(frames, true),
             indices.data(), nullptr, &count);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(indices, (std::vector<std::int32_t>{0, 1, 3, 4}));
}

template <class T>
void expect_largest_convolution() {
  const Index n_rows = 7, n_cols = 70, sizes[] = {5, 8}, before = 4, stride = 128 + 16;
  const Index offsets[] = {2, 0};
  const auto image = test::noise<T>((n_rows + 20) * stride, 1);
  std::vector<std::vector<double>> weights;
  std::vector<LineKernel<T>> kernels;
  for (const Index size : sizes) {
    // Two diagonals, and a corner beside them.
    auto& kernel = weights.emplace_back(static_cast<std::size_t>(size * size), 0.0);
    for (Index i = 0; i < size; ++i)
      for (Index j = std::max<Index>(0, i - 1); j <= i; ++j)
        kernel[static_cast<std::size_t>(i * size + j)] = 1.0 / static_cast<double>(1 + i + j);
    kernel[static_cast<std::size_t>(size - 1)] = 0.25;
    kernels.emplace_back(kernel.data(), size);
  }
  std::vector<T> out(static_cast<std::size_t>(n_rows * n_cols));
  filter_lines<T>(kernels, offsets, image.data(), stride, 0, n_rows, n_rows, n_cols, out.data());
  for (Index y = 0; y < n_rows; ++y)
    for (Index x = 0; x < n_cols; ++x) {
      double largest = -1e300;
      for (std::size_t k = 0; k < 2; ++k) {
        double sum = 0;
        for (Index i = 0; i < sizes[k]; ++i)
          for (Index j = 0; j < sizes[k]; ++j)
            sum += weights[k][static_cast<std::size_t>(i * sizes[k] + j)] *
                   static_cast<double>(
                       image.data()[(y + offsets[k] + i) * stride + x + offsets[k] + j]);
        largest = std::max(largest, sum);
      }
      EXPECT_NEAR(static_cast<double>(out[static_cast<std::size_t>(y * n_cols + x)]), largest,
                  before * static_cast<double>(std::numeric_limits<T>::epsilon()));
    }
}

TEST_P(Structure, LinesAreTheLargestConvolution) {
  expect_largest_convolution<float>();
  expect_largest_convolution<double>();
}

// Values one by one and sums over all: the same bits, over a border of rows computed together.
template <class T>
void expect_sparse_like_dense() {
  const Index n_rows = sparse_line_rows + 9, n_cols = 100, sizes[] = {5, 18}, stride = 128 + 18;
  const std::vector<Index> offsets = {3, 0};
  const Index image_rows = n_rows + 18;
  auto image = test::noise<T>(image_rows * stride, 3);
  for (std::size_t i = 0; i < image.size(); ++i)
    if (i % 11 != 0) image.data()[i] = 0;
  std::vector<LineKernel<T>> kernels;
  for (const Index size : sizes) {
    auto weights = test::noise<double>(size * size, 8);
    for (Index i = 0; i < size * size; ++i)
      if (std::abs(i / size - i % size) > 2 || i / size == 1) weights.data()[i] = 0;
    kernels.emplace_back(weights.data(), size);
  }
  const auto n = static_cast<std::size_t>(n_rows * n_cols);
  std::vector<T> dense(n), sparse(n);
  filter_lines<T>(kernels, offsets, image.data(), stride, 0, n_rows, n_rows, n_cols, dense.data());
  SparseImage<T> values;
  ASSERT_TRUE(find_values(image.data(), image_rows, stride, values));
  filter_lines<T>(kernels, offsets, values, stride, 0, n_rows, n_cols, sparse.data());
  EXPECT_EQ(dense, sparse);
  image.data()[7] = std::numeric_limits<T>::infinity();
  EXPECT_FALSE(find_values(image.data(), image_rows, stride, values));
  EXPECT_FALSE(find_values(test::noise<T>(100).data(), 10, 10, values));
}

TEST_P(Structure, FewValuesAreFilteredLikeMany) {
  expect_sparse_like_dense<float>();
  expect_sparse_like_dense<double>();
}

TEST_P(Structure, DistancesOfPairsAreThoseOfRows) {
  const Index n = 45, n_features = 70;
  const auto data = test::noise<double>(n * n_features, 5);
  const Frames frames{data.data(), n, n_features};
  const PackedFrames packed(frames, true);
  for (const Metric metric : {Metric::euclidean, Metric::cityblock, Metric::cosine}) {
    std::vector<double> rows(static_cast<std::size_t>(n * packed.stride())), pairs(rows.size());
    packed.distances(metric, frames, packed.norms(), 0, packed.stride() / 16, rows.data(),
                     packed.stride());
    for (const Index first : {0, 16, 32})
      packed.symmetric_distances(metric, frames, first, std::min<Index>(16, n - first),
                                 pairs.data());
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(i * packed.stride() + j);
        // Sums of 70 squares, each rounded once or twice.
        EXPECT_NEAR(rows[at], pairs[at], 1e-14 * rows[at]) << i << " and " << j;
      }
  }
}

TEST_P(Structure, WeightedRowsAreSums) {
  const Index stride = 300;
  const auto rows = test::noise<double>(6 * stride, 2);
  const std::int32_t which[] = {4, 0, 4};
  const double weights[] = {0.5, 2, -1};
  for (const Index width : {1, 7, 64, 131}) {
    std::vector<double> out(static_cast<std::size_t>(width));
    simd::kernels().double_structure.weighted_rows(rows.data(), stride, which, weights, 3, width,
                                                   out.data());
    for (Index c = 0; c < width; ++c)
      EXPECT_NEAR(out[static_cast<std::size_t>(c)],
                  2 * rows.data()[c] - 0.5 * rows.data()[4 * stride + c], 1e-15);
  }
}

TEST(Agglomerate, MergesWhatIsAlike) {
  const std::vector<double> data = {0, 0.1, 5, 5.1, 5.2, 9, 9.3};
  std::vector<Index> starts(3);
  agglomerate({data.data(), 7, 1}, 3, starts.data());
  EXPECT_EQ(starts, (std::vector<Index>{0, 2, 5}));
  starts.resize(7);
  agglomerate({data.data(), 7, 1}, 7, starts.data());
  EXPECT_EQ(starts, (std::vector<Index>{0, 1, 2, 3, 4, 5, 6}));
}

// A single outlier costs less to keep apart than two large halves cost to merge.
TEST(Agglomerate, WeighsSegmentsByTheirSize) {
  std::vector<double> data(20, 0.0);
  std::fill(data.begin() + 10, data.end(), 1.0);
  data.back() = 1.8;
  std::vector<Index> starts(2);
  agglomerate({data.data(), 20, 1}, 2, starts.data());
  EXPECT_EQ(starts, (std::vector<Index>{0, 10}));
}

}  // namespace
}  // namespace metalmom::dsp
