#include "base/cache.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <numeric>
#include <thread>
#include <vector>

#include "base/buffer.hpp"
#include "dsp/fft.hpp"
#include "dsp/frame_transform.hpp"

namespace metalmom {
namespace {

struct Text {
  std::size_t n_bytes;
  std::size_t bytes() const { return n_bytes; }
};

std::shared_ptr<const Text> text(std::size_t bytes) {
  return std::make_shared<const Text>(Text{bytes});
}

constexpr std::size_t mebi = std::size_t{1} << 20;

TEST(Cache, KeepsWhatItMade) {
  release_cached_values();
  Cache<int, Text> cache{"build text"};
  int made = 0;
  const auto get = [&](int key) { return cache.get(key, [&] { return ++made, text(10); }); };
  const auto first = get(1);
  EXPECT_EQ(get(1), first);
  EXPECT_NE(get(2), first);
  EXPECT_EQ(made, 2);
  EXPECT_GT(cached_bytes(), 20U);
  EXPECT_GT(release_cached_values(), 20U);
  EXPECT_EQ(cached_bytes(), 0U);
  EXPECT_NE(get(1), first);  // which lives on here
  release_cached_values();
}

TEST(Cache, AllTogetherAreBoundedByBytes) {
  release_cached_values();
  Cache<int, Text> a{"build text"}, b{"build text"};
  std::weak_ptr<const Text> oldest = a.get(-1, [] { return text(mebi); });
  std::weak_ptr<const Text> used = b.get(-1, [] { return text(mebi); });
  for (int i = 0; i < 200; ++i) {
    (i % 2 ? a : b).get(i, [] { return text(mebi); });
    b.get(-1, [] { return text(mebi); });
    EXPECT_LE(cached_bytes(), most_cached_bytes);
  }
  EXPECT_GT(cached_bytes(), most_cached_bytes - 2 * mebi);
  EXPECT_TRUE(oldest.expired());
  EXPECT_FALSE(used.expired()) << "what was used last stays, whichever cache it is in";
  release_cached_values();
}

TEST(Cache, WhatIsLargerThanTheBoundIsNotKept) {
  release_cached_values();
  Cache<int, Text> cache{"build text"};
  cache.get(1, [] { return text(mebi); });
  const std::size_t before = cached_bytes();
  EXPECT_EQ(cache.get(2, [] { return text(most_cached_bytes); })->n_bytes, most_cached_bytes);
  EXPECT_EQ(cached_bytes(), before);
  release_cached_values();
}

TEST(Cache, ThreadsShareIt) {
  release_cached_values();
  Cache<int, Text> cache{"build text"};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&cache, t] {
      for (int i = 0; i < 500; ++i) {
        const std::size_t bytes = mebi * static_cast<std::size_t>(1 + (i * 7 + t) % 13);
        EXPECT_EQ(cache.get((i * 7 + t) % 13, [&] { return text(bytes); })->n_bytes, bytes);
        if (i % 100 == t) release_cached_values();
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_LE(cached_bytes(), most_cached_bytes);
  release_cached_values();
}

// Bytes that live in the heap, mapped ones included; sanitizers have heaps of their own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t heap_bytes() {
  return 0;
}
#else
std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
#endif

// FFTW does not say what its plans hold, so this looks at the heap as well.
TEST(Cache, LargeTransformsStayWithinTheBound) {
  const auto transform = [](Index n_fft) {
    const std::vector<double> window(static_cast<std::size_t>(n_fft), 1.0);
    EXPECT_EQ(dsp::frame_transform<double>(n_fft, window)->n_bins(), n_fft / 2 + 1);
  };
  release_cached_values();
  transform(999);
  const std::size_t before = heap_bytes();
  for (Index n_fft = 300'000; n_fft < 324'000; n_fft += 1'000) transform(n_fft);  // 250 MiB
  EXPECT_LE(cached_bytes(), most_cached_bytes);
  EXPECT_GT(cached_bytes(), most_cached_bytes / 2);
  EXPECT_LE(heap_bytes(), before + most_cached_bytes + 8 * mebi);
  release_cached_values();
  EXPECT_LE(heap_bytes(), before + mebi / 2);
}

// FFTW's planner remembers every size that it has planned, if nobody tells it to forget.
TEST(Cache, NoSizeOfTransformIsRememberedForEver) {
  const auto transform = [](Index first, Index last) {
    for (Index size = first; size < last; ++size) dsp::real_fft<double>(size);
    release_cached_values();
    return heap_bytes();
  };
  const std::size_t before = transform(500, 800);
  EXPECT_LE(transform(800, 2'000), before + mebi / 4);
}

}  // namespace
}  // namespace metalmom
