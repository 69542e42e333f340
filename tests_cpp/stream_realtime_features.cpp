// Streams of frames do not wait for anybody (stream_realtime.cpp).
#include <numeric>
#include <vector>

#include "dsp/bases.hpp"
#include "ops/core/stft.hpp"
#include "ops/spectral/all.hpp"
#include "realtime_guard.hpp"
#include "stream/frame_feature.hpp"
#include "stream/frame_stream.hpp"
#include "stream/onset_feature.hpp"

#ifdef METALMOM_REALTIME_GUARD

namespace metalmom {
namespace {

using test::cuts, test::expect_real_time, test::samples;

// A stream of all features, and what it reads and writes.
template <class T>
class AllFeatures {
 public:
  static constexpr Index n_fft = 1024, hop = 256, n_bins = n_fft / 2 + 1;

  AllFeatures(dsp::PadMode mode, Index channels)
      : window_(n_fft, 0.5),
        freq_(n_bins),
        bands_{0, 100, 2, 100, 513, 5},
        samples_(static_cast<std::size_t>(channels * stream::window_samples({n_fft, hop}))) {
    std::iota(freq_.begin(), freq_.end(), 0.0);
    std::vector<double> matrix(40 * n_bins, 0.0);
    for (Index band = 0; band < 40; ++band)
      for (Index bin = band * 12; bin < band * 12 + 20; ++bin) matrix[band * n_bins + bin] = 1;
    basis_ = std::make_shared<const dsp::Basis>(matrix.data(), 40, n_bins);
    const View<const T> y{samples_.data(), channels, 1, stream::window_samples({n_fft, hop})};
    const ops::BandInputs<T> banded{y, window_, basis_};
    const ops::FrameParams frames{n_fft, hop, false};
    add<ops::Stft>(frames, {y, window_});
    add<ops::FilterbankSpectrogram>({frames, 2.0}, banded);
    ops::LogBandParams logarithms;
    static_cast<ops::FrameParams&>(logarithms) = frames;
    logarithms.amin = 1;
    add<ops::LogBands>(logarithms, banded);
    logarithms.remove_mean = true;
    add<ops::LogBandsByFrame>(logarithms, banded);
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
    for (const auto aggregate : {dsp::FluxAggregate::mean, dsp::FluxAggregate::median}) {
      onset.aggregate = aggregate;
      features_.push_back(std::make_unique<stream::OnsetFeature<T>>(
          ops::OnsetStrength::plan(onset, banded), banded));
    }
    for (const auto shape :
         {dsp::Shape::centroid, dsp::Shape::bandwidth, dsp::Shape::rolloff, dsp::Shape::flatness}) {
      ops::SpectralShape::Params params;
      static_cast<ops::FrameParams&>(params) = frames;
      params.shape = shape;
      typename ops::SpectralShape::template In<T> in;
      in.y = y;
      in.window = window_;
      in.freq = freq_;
      add<ops::SpectralShape>(params, in);
    }
    ops::SpectralContrast::Params contrast;
    static_cast<ops::FrameParams&>(contrast) = frames;
    typename ops::SpectralContrast::template In<T> in;
    in.y = y;
    in.window = window_;
    in.bands = bands_;
    add<ops::SpectralContrast>(contrast, in);
    // Every output of every feature goes to the same place: nobody looks at it.
    const std::size_t n = features_.size();
    out_.resize(static_cast<std::size_t>(2 * n_bins * 4096));
    sinks_.assign(n, {{out_.data(), 0, 1, 2 * n_bins}, {out_.data(), 0, 1, 2 * n_bins}});
    for (const auto& each : sinks_) spans_.emplace_back(each);
    stream_ = std::make_unique<stream::FrameStream<T>>(
        ops::FrameParams{n_fft, hop, true, mode}, channels, samples_.data(), std::move(features_));
  }

  // Of every channel the same samples.
  void run(const std::vector<T>& y, const std::vector<Index>& sizes) {
    const T* at = y.data();
    for (const Index size : sizes) {
      stream_->process({at, 0, size, false}, spans_);
      at += size;
    }
    stream_->process({at, 0, 0, true}, spans_);
    stream_->reset();
  }

 private:
  template <class Op>
  void add(const typename Op::Params& params, const typename Op::template In<T>& in) {
    features_.push_back(std::make_unique<stream::FrameFeature<Op, T>>(Op::plan(params, in), in));
  }

  std::vector<double> window_, freq_, bands_;
  std::vector<T> samples_;
  std::shared_ptr<const dsp::Basis> basis_;
  std::vector<std::unique_ptr<stream::Feature<T>>> features_;
  std::vector<double> out_;
  std::vector<std::vector<stream::Sink>> sinks_;
  std::vector<std::span<const stream::Sink>> spans_;
  std::unique_ptr<stream::FrameStream<T>> stream_;
};

template <class T>
void expect_features(dsp::PadMode mode, Index channels) {
  const auto y = samples<T>(50000);
  const auto sizes = cuts(50000);
  AllFeatures<T> features(mode, channels);
  expect_real_time([&] { features.run(y, {50000}); }, [&] { features.run(y, sizes); });
}

TEST(StreamRealTime, Features) {
  for (const auto mode : {dsp::PadMode::constant, dsp::PadMode::reflect}) {
    expect_features<float>(mode, 1);
    expect_features<double>(mode, 2);
  }
}

}  // namespace
}  // namespace metalmom

#endif
