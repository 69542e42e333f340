// What a stream promises to those who must not wait: after the first run its calls allocate
// nothing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <vector>

#include "dsp/bases.hpp"
#include "ops/spectral/all.hpp"
#include "stream/convolver.hpp"
#include "stream/frame_feature.hpp"
#include "stream/frame_stream.hpp"
#include "stream/inverse_stream.hpp"
#include "stream/onset_feature.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

// Allocations of this thread while a guard lives.
constinit thread_local long* counted = nullptr;

void count() {
  if (counted) ++*counted;
}

}  // namespace

// Of the whole test program: what the C library and C++ allocate by goes through here.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  count();
  return __libc_calloc(n, size);
}
void* realloc(void* old, std::size_t size) {
  count();
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
}

namespace metalmom {
namespace {

class Guard {
 public:
  Guard() { counted = &allocations_; }
  ~Guard() { counted = nullptr; }
  long allocations() const { return allocations_; }

 private:
  long allocations_ = 0;
};

std::vector<float> samples(Index n) {
  std::vector<float> y(static_cast<std::size_t>(n));
  unsigned state = 1;
  for (float& each : y)
    each = static_cast<float>((state = state * 1664525 + 1013904223) >> 8) / 8e6F - 1;
  return y;
}

// Block lengths that add up to n: around the sizes of hops, frames and partitions.
std::vector<Index> cuts(Index n) {
  std::vector<Index> sizes;
  for (std::size_t i = 0; n > 0; ++i) {
    constexpr Index some[] = {1, 0, 63, 64, 65, 7, 512, 509, 2048, 4096, 10007};
    sizes.push_back(std::min(n, some[i % std::size(some)]));
    n -= sizes.back();
  }
  return sizes;
}

TEST(Guard, SeesAllocations) {
  const Guard guard;
  const std::vector<int> values(100, 1);
  Buffer<float> buffer(64);
  void* const memory = std::malloc(10);
  std::free(memory);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 100);
  EXPECT_GE(guard.allocations(), 3);
}

// A stream of all features, and what it reads and writes.
class AllFeatures {
 public:
  static constexpr Index n_fft = 1024, hop = 256, n_bins = n_fft / 2 + 1;

  explicit AllFeatures(dsp::PadMode mode)
      : window_(n_fft, 0.5),
        freq_(n_bins),
        bands_{0, 100, 2, 100, 513, 5},
        samples_(static_cast<std::size_t>(stream::window_samples({n_fft, hop}))) {
    std::iota(freq_.begin(), freq_.end(), 0.0);
    std::vector<double> matrix(40 * n_bins, 0.0);
    for (Index band = 0; band < 40; ++band)
      for (Index bin = band * 12; bin < band * 12 + 20; ++bin) matrix[band * n_bins + bin] = 1;
    basis_ = std::make_shared<const dsp::Basis>(matrix.data(), 40, n_bins);
    const View<const float> y{samples_.data(), 1, 1, static_cast<Index>(samples_.size())};
    const ops::BandInputs<float> banded{y, window_, basis_};
    const ops::FrameParams frames{n_fft, hop, false};
    add<ops::Stft>(frames, {y, window_});
    add<ops::FilterbankSpectrogram>({frames, 2.0}, banded);
    ops::Cepstrum::Params cepstrum;
    static_cast<ops::FrameParams&>(cepstrum) = frames;
    cepstrum.top_db = INFINITY;
    add<ops::Cepstrum>(cepstrum, banded);
    ops::ChromaSpectrogram::Params chroma;
    static_cast<ops::FrameParams&>(chroma) = frames;
    add<ops::ChromaSpectrogram>(chroma, banded);
    add<ops::Rms>(frames, {y});
    ops::ZeroCrossingRate::Params crossings;
    static_cast<ops::FrameParams&>(crossings) = frames;
    add<ops::ZeroCrossingRate>(crossings, {y});
    ops::OnsetStrength::Params onset;
    static_cast<ops::FrameParams&>(onset) = frames;
    onset.top_db = INFINITY;
    onset.aggregate = dsp::FluxAggregate::median;
    features_.push_back(std::make_unique<stream::OnsetFeature<float>>(
        ops::OnsetStrength::plan(onset, banded), banded));
    for (const auto shape :
         {dsp::Shape::centroid, dsp::Shape::bandwidth, dsp::Shape::rolloff, dsp::Shape::flatness}) {
      ops::SpectralShape::Params params;
      static_cast<ops::FrameParams&>(params) = frames;
      params.shape = shape;
      ops::SpectralShape::In<float> in;
      in.y = y;
      in.window = window_;
      in.freq = freq_;
      add<ops::SpectralShape>(params, in);
    }
    ops::SpectralContrast::Params contrast;
    static_cast<ops::FrameParams&>(contrast) = frames;
    ops::SpectralContrast::In<float> in;
    in.y = y;
    in.window = window_;
    in.bands = bands_;
    add<ops::SpectralContrast>(contrast, in);
    // Every output of every feature goes to the same place: nobody looks at it.
    const std::size_t n = features_.size();
    out_.resize(static_cast<std::size_t>(2 * n_bins * 4096));
    sinks_.assign(n, {{out_.data(), 0, 1, 2 * n_bins}, {out_.data(), 0, 1, 2 * n_bins}});
    for (const auto& each : sinks_) spans_.emplace_back(each);
    stream_ = std::make_unique<stream::FrameStream<float>>(
        ops::FrameParams{n_fft, hop, true, mode}, 1, samples_.data(), std::move(features_));
  }

  void run(const std::vector<float>& y, const std::vector<Index>& sizes) {
    const float* at = y.data();
    for (const Index size : sizes) {
      stream_->process({at, size, size, false}, spans_);
      at += size;
    }
    stream_->process({at, 0, 0, true}, spans_);
    stream_->reset();
  }

 private:
  template <class Op>
  void add(const typename Op::Params& params, const typename Op::template In<float>& in) {
    features_.push_back(
        std::make_unique<stream::FrameFeature<Op, float>>(Op::plan(params, in), in));
  }

  std::vector<double> window_, freq_, bands_;
  std::vector<float> samples_;
  std::shared_ptr<const dsp::Basis> basis_;
  std::vector<std::unique_ptr<stream::Feature<float>>> features_;
  std::vector<double> out_;
  std::vector<std::vector<stream::Sink>> sinks_;
  std::vector<std::span<const stream::Sink>> spans_;
  std::unique_ptr<stream::FrameStream<float>> stream_;
};

TEST(StreamRealTime, FeaturesAllocateNothing) {
  const auto y = samples(100000);
  const auto sizes = cuts(100000);
  for (const auto mode : {dsp::PadMode::constant, dsp::PadMode::reflect}) {
    AllFeatures features(mode);
    features.run(y, {100000});
    const Guard guard;
    features.run(y, sizes);
    EXPECT_EQ(guard.allocations(), 0);
  }
}

TEST(StreamRealTime, ConvolversAllocateNothing) {
  const auto y = samples(100000), h = samples(20000);
  std::vector<float> out(y.size());
  for (const auto method : {stream::ConvolverMethod::partitioned, stream::ConvolverMethod::uniform,
                            stream::ConvolverMethod::fft,
                            stream::ConvolverMethod::direct}) {
    const Index taps = method == stream::ConvolverMethod::direct ? 300 : 20000;
    stream::Convolver<float> convolver(stream::plan_partitions(taps, 0, 64, method),
                                       {h.data(), 1, 1, taps}, 1);
    const auto run = [&](const std::vector<Index>& sizes) {
      Index at = 0;
      for (const Index size : sizes) {
        convolver.process(y.data() + at, size, size, out.data() + at, size);
        at += size;
      }
      convolver.reset();
    };
    run({100000});
    const auto sizes = cuts(100000);
    const Guard guard;
    run(sizes);
    EXPECT_EQ(guard.allocations(), 0);
  }
}

TEST(StreamRealTime, InverseAllocatesNothing) {
  constexpr Index n_fft = 512, n_bins = 257, n_frames = 300;
  const std::vector<double> window(n_fft, 1.0);
  stream::InverseStream<float> inverse({n_fft, 128, true, 0}, window, 1);
  const std::vector<std::complex<float>> spectra(n_bins * n_frames);
  std::vector<float> out(n_fft + 128 * n_frames);
  const auto run = [&](const std::vector<Index>& sizes) {
    Index at = 0;
    for (const Index size : sizes) {
      const bool last = at + size == n_frames;
      inverse.process({spectra.data() + at * n_bins, 1, size, n_bins}, last, out.data(),
                      static_cast<Index>(out.size()));
      at += size;
    }
    inverse.reset();
  };
  run({n_frames});
  const std::vector<Index> sizes{1, 2, 30, 0, 17, 50, 200};
  const Guard guard;
  run(sizes);
  EXPECT_EQ(guard.allocations(), 0);
}

}  // namespace
}  // namespace metalmom

#endif
