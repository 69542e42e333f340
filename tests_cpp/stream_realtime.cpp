// What a stream promises to those who must not wait: after the first run its calls allocate
// nothing, lock nothing and ask nothing of the system.
#include <vector>

#include "realtime_guard.hpp"
#include "stream/fading_convolver.hpp"
#include "stream/inverse_stream.hpp"
#include "stream/pcen_stream.hpp"
#include "stream/peak_stream.hpp"
#include "stream/resample_stream.hpp"

#ifdef METALMOM_REALTIME_GUARD

namespace metalmom {
namespace {

using test::AllocationCounter, test::cuts, test::expect_real_time, test::samples;

template <class T>
void expect_convolver(stream::PartitionMethod method, Index channels, Index latency,
                      stream::LateWork late_work) {
  const Index n = 40000, taps = method == stream::PartitionMethod::direct ? 300 : 20000;
  const auto y = samples<T>(n), h = samples<T>(taps);
  std::vector<T> out(static_cast<std::size_t>(channels * n));
  stream::Convolver<T> convolver(stream::plan_partitions(taps, latency, 64, method),
                                 {h.data(), 1, 1, taps}, channels, late_work);
  const auto run = [&](const std::vector<Index>& sizes) {
    const T* at = y.data();
    for (const Index size : sizes) {
      convolver.process(at, 0, size, out.data(), n);
      at += size;
    }
  };
  const auto sizes = cuts(n);
  const auto others = [&] {
    run(sizes);
    convolver.reset();
  };
  if (late_work == stream::LateWork::shared) return expect_real_time([&] { run({n}); }, others);
  // Waking the thread is a system call.
  run({n});
  const AllocationCounter counter;
  others();
  EXPECT_EQ(counter.seen(), 0);
}

TEST(StreamRealTime, Convolvers) {
  using enum stream::PartitionMethod;
  using enum stream::LateWork;
  for (const auto method : {partitioned, uniform, fft, direct, automatic})
    for (const Index latency : {0, 64, 1000}) {
      expect_convolver<float>(method, 1, latency, shared);
      expect_convolver<double>(method, 2, latency, shared);
    }
  expect_convolver<float>(partitioned, 2, 0, by_worker);
}

// A fade, what rings after it, and reset: the old response is neither freed nor its thread ended.
template <class T>
void expect_fade(Index channels, stream::LateWork late_work) {
  const Index n = 40000, taps = 9000;
  const auto y = samples<T>(n), h = samples<T>(taps);
  const auto made = [&] {
    const auto plan = stream::plan_partitions(taps, 0, 64, stream::PartitionMethod::partitioned);
    return std::make_unique<stream::Convolver<T>>(plan, View<const T>{h.data(), 1, 1, taps},
                                                  channels, late_work);
  };
  std::vector<T> out(static_cast<std::size_t>(channels * n));
  stream::FadingConvolver<T> convolver(made());
  const auto sizes = cuts(n);
  const auto run = [&] {
    const T* at = y.data();
    for (const Index size : sizes) {
      convolver.process(at, 0, size, out.data(), n);
      at += size;
    }
    convolver.reset();
  };
  convolver.set_response(made(), 5000);
  const auto fade = [&] {
    run();
    run();
  };
  if (late_work == stream::LateWork::shared) {
    EXPECT_TRUE(test::makes_no_system_call(fade));
  }
  const AllocationCounter counter;
  fade();
  EXPECT_EQ(counter.seen(), 0);
}

TEST(StreamRealTime, AResponseThatHasRungOut) {
  expect_fade<float>(1, stream::LateWork::shared);
  expect_fade<double>(2, stream::LateWork::shared);
  expect_fade<float>(2, stream::LateWork::by_worker);
}

template <class T>
void expect_inverse(Index channels, Index hop, bool center) {
  constexpr Index n_fft = 512, n_bins = 257, n_frames = 300;
  const std::vector<double> window(n_fft, 1.0);
  stream::InverseStream<T> inverse({n_fft, hop, center, 0}, window, channels);
  const std::vector<std::complex<T>> spectra(
      static_cast<std::size_t>(channels * n_bins * n_frames));
  const Index most = n_fft + hop * n_frames;
  std::vector<T> out(static_cast<std::size_t>(channels * most));
  const auto run = [&](const std::vector<Index>& sizes) {
    Index at = 0;
    for (const Index size : sizes) {
      at += size;
      inverse.process({spectra.data(), channels, size, n_bins}, at == n_frames, out.data(), most);
    }
    inverse.reset();
  };
  const std::vector<Index> sizes{1, 2, 30, 0, 17, 50, 200};
  expect_real_time([&] { run({n_frames}); }, [&] { run(sizes); });
}

TEST(StreamRealTime, Inverse) {
  expect_inverse<float>(1, 128, true);
  expect_inverse<double>(2, 300, false);
}

template <class T>
void expect_resampler(double from, double to, dsp::Quality quality) {
  const Index n = 400000;
  const auto y = samples<T>(n);
  const auto room = static_cast<std::size_t>(2 * n * (1 + to / from));
  std::vector<T> out(room);
  stream::ResampleStream<T> resample(from, to, quality, true, 2);
  const auto run = [&](const std::vector<Index>& sizes) {
    const T* at = y.data();
    for (const Index size : sizes) {
      resample.process(at, 0, size, false, out.data(), static_cast<Index>(room / 2));
      at += size;
    }
  };
  const auto sizes = cuts(n);
  expect_real_time([&] { run({n}); }, [&] { run(sizes); });
}

// Of libsoxr, which takes its memory as it needs it: not `reset`, and after more of a warm-up.
TEST(StreamRealTime, Resampler) {
  for (const auto quality : {dsp::Quality::quick, dsp::Quality::low, dsp::Quality::medium,
                             dsp::Quality::high, dsp::Quality::very_high}) {
    expect_resampler<float>(44100, 22050, quality);
    expect_resampler<float>(22050, 16000, quality);
    expect_resampler<double>(16000, 44100, quality);
  }
}

template <class T>
void expect_energies(Index max_size, double power) {
  const Index n_bands = 40, n_frames = 2000;
  const auto S = samples<T>(2 * n_bands * n_frames);
  std::vector<double> out(S.size());
  const double state = 0.5;
  stream::PcenStream pcen({.power = power}, max_size, 2, n_bands, {&state, 1});
  const auto run = [&](const std::vector<Index>& sizes) {
    Index at = 0;
    for (const Index size : sizes) {
      pcen.process<T>({S.data() + at, n_bands * n_frames, n_frames, 1}, size, false,
                      {out.data() + at, n_bands * n_frames, n_frames, 1});
      at += size;
    }
    pcen.reset();
  };
  const auto sizes = cuts(n_frames);
  expect_real_time([&] { run({n_frames}); }, [&] { run(sizes); });
}

TEST(StreamRealTime, Energies) {
  expect_energies<float>(1, 0.5);
  expect_energies<double>(5, 0.3);
}

TEST(StreamRealTime, Peaks) {
  const auto x = samples<float>(20000);
  stream::PeakStream<float> peaks({3, 4, 10, 11, 0.1, 2});
  Index found = 0;
  const auto run = [&](const std::vector<Index>& sizes) {
    const float* at = x.data();
    for (const Index size : sizes) {
      peaks.process({at, static_cast<std::size_t>(size)}, false, [&](Index) { ++found; });
      at += size;
    }
    peaks.reset();
  };
  const auto sizes = cuts(20000);
  expect_real_time([&] { run({20000}); }, [&] { run(sizes); });
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace metalmom

#endif
