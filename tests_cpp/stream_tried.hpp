// Streams of several kinds that a test can take by the same four calls.
#pragma once

#include <cmath>
#include <complex>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "base/interrupt.hpp"
#include "dsp/bases.hpp"
#include "ops/spectral/all.hpp"
#include "stream/fading_convolver.hpp"
#include "stream/frame_feature.hpp"
#include "stream/frame_stream.hpp"
#include "stream/inverse_stream.hpp"
#include "stream/onset_feature.hpp"
#include "stream/pcen_stream.hpp"
#include "stream/peak_stream.hpp"
#include "stream/resample_stream.hpp"

namespace metalmom::stream::test {

using Values = std::vector<float>;

inline Values noise(Index n, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> level(-1, 1);
  Values values(static_cast<std::size_t>(n));
  for (float& each : values) each = level(random);
  return values;
}

// A signal and how it is cut: blocks of a frame and less, and far beyond 4096 samples.
inline constexpr Index n_samples = 20000;
inline constexpr Index sizes[] = {300, 9000, 700, 10000};
inline constexpr int n_calls = std::ssize(sizes);

inline Index begin_of(int call) {
  Index begin = 0;
  for (int i = 0; i < call; ++i) begin += sizes[i];
  return begin;
}

// A stream in a test: what its calls give, the last of which ends the signal.
class Tried {
 public:
  virtual ~Tried() = default;
  virtual Values call(int number) = 0;
  virtual void reset() = 0;
};

// Two features of two channels, one of which remembers frames.
class Frames final : public Tried {
 public:
  Frames() : window_(n_fft, 0.5), samples_(2 * window_samples({n_fft, hop})) {
    std::vector<double> matrix(20 * n_bins, 0.0);
    for (Index band = 0; band < 20; ++band)
      for (Index bin = band * 12; bin < band * 12 + 17; ++bin) matrix[band * n_bins + bin] = 1;
    const auto basis = std::make_shared<const dsp::Basis>(matrix.data(), 20, n_bins);
    const View<const float> y{samples_.data(), 2, 1, window_samples({n_fft, hop})};
    const ops::FrameParams frames{n_fft, hop, false};
    std::vector<std::unique_ptr<Feature<float>>> features;
    features.push_back(std::make_unique<FrameFeature<ops::Rms, float>>(
        ops::Rms::plan(frames, ops::Rms::In<float>{y}), ops::Rms::In<float>{y}));
    ops::OnsetStrength::Params onset;
    static_cast<ops::FrameParams&>(onset) = frames;
    onset.top_db = INFINITY;
    const ops::BandInputs<float> banded{y, window_, basis};
    features.push_back(
        std::make_unique<OnsetFeature<float>>(ops::OnsetStrength::plan(onset, banded), banded));
    stream_.emplace(ops::FrameParams{n_fft, hop, true, dsp::PadMode::reflect}, 2, samples_.data(),
                    std::move(features));
  }

  Values call(int number) override {
    const bool last = number + 1 == n_calls;
    const FrameStream<float>::Input input{y_.data() + begin_of(number), n_samples, sizes[number],
                                          last};
    Values out;
    std::vector<std::vector<Sink>> sinks;
    std::vector<Index> starts;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto [begin, end] = stream_->ready(input, i);
      starts.push_back(std::ssize(out));
      out.resize(out.size() + static_cast<std::size_t>(2 * (end - begin)));
      sinks.push_back({{nullptr, end - begin, 0, 1}});
    }
    for (std::size_t i = 0; i < 2; ++i) sinks[i][0].data = out.data() + starts[i];
    const std::vector<std::span<const Sink>> spans{sinks[0], sinks[1]};
    stream_->process(input, spans);
    return out;
  }
  void reset() override { stream_->reset(); }

 private:
  static constexpr Index n_fft = 512, hop = 128, n_bins = n_fft / 2 + 1;

  const Values y_ = noise(2 * n_samples);
  std::vector<double> window_;
  Buffer<float> samples_;
  std::optional<FrameStream<float>> stream_;
};

class Inverse final : public Tried {
 public:
  Values call(int number) override {
    constexpr Index counts[] = {1, 40, 3, 50};
    const bool last = number + 1 == n_calls;
    const Index frames = counts[number], count = stream_.ready(frames, last);
    Values out(static_cast<std::size_t>(2 * count));
    stream_.process({spectra_.data() + 257 * 10 * number, 2, frames, 257}, last, out.data(), count);
    return out;
  }
  void reset() override { stream_.reset(); }

 private:
  const std::vector<std::complex<float>> spectra_ = [] {
    const Values values = noise(2 * 257 * 200);
    std::vector<std::complex<float>> made;
    for (std::size_t i = 0; i < values.size(); i += 2) made.emplace_back(values[i], values[i + 1]);
    return made;
  }();
  InverseStream<float> stream_{{512, 128, true, 0}, std::vector<double>(512, 1.0), 2};
};

class Resampled final : public Tried {
 public:
  Values call(int number) override {
    const bool last = number + 1 == n_calls;
    const Index room = stream_.most(sizes[number], last);
    Values out(static_cast<std::size_t>(2 * room));
    stream_.process(y_.data() + begin_of(number), n_samples, sizes[number], last, out.data(), room);
    return out;
  }
  void reset() override { stream_.reset(); }

 private:
  const Values y_ = noise(2 * n_samples);
  ResampleStream<float> stream_{22050, 16000, dsp::Quality::high, true, 2};
};

// The last call gives the tail, too.
class Convolved final : public Tried {
 public:
  Values call(int number) override {
    const bool last = number + 1 == n_calls;
    const Index count = sizes[number] + (last ? stream_.tail(sizes[number]) : 0);
    Values out(static_cast<std::size_t>(count));
    stream_.process(y_.data() + begin_of(number), n_samples, sizes[number], out.data(), count);
    if (last) stream_.end(out.data() + sizes[number], count);
    return out;
  }
  void reset() override { stream_.reset(); }

 private:
  static std::unique_ptr<Convolver<float>> made(const Values& h) {
    const Index taps = std::ssize(h);
    const auto plan = plan_partitions(taps, 0, 64, PartitionMethod::partitioned);
    return std::make_unique<Convolver<float>>(plan, View<const float>{h.data(), 1, 1, taps}, 1);
  }

  const Values y_ = noise(n_samples);
  FadingConvolver<float> stream_{made(noise(3000, 2))};
};

class Energies final : public Tried {
 public:
  Values call(int number) override {
    const bool last = number + 1 == n_calls;
    const Index frames = sizes[number] / 10;
    std::vector<double> out(static_cast<std::size_t>(10 * frames));
    stream_.process<float>({y_.data() + begin_of(number), 0, frames, 1}, frames, last,
                           {out.data(), 0, frames, 1});
    return {out.begin(), out.end()};
  }
  void reset() override { stream_.reset(); }

 private:
  const Values y_ = [] {
    Values energies = noise(n_samples);
    for (float& each : energies) each *= each;
    return energies;
  }();
  const double state_ = 0.5;
  PcenStream stream_{{.power = 0.5}, 3, 1, 10, {&state_, 1}};
};

class Peaks final : public Tried {
 public:
  Values call(int number) override {
    Values found;
    stream_.process({y_.data() + begin_of(number), static_cast<std::size_t>(sizes[number])},
                    number + 1 == n_calls, [&](Index n) {
                      if (n % 16 == 0) check_interrupt();
                      found.push_back(static_cast<float>(n));
                    });
    return found;
  }
  void reset() override { stream_.reset(); }

 private:
  const Values y_ = noise(n_samples);
  PeakStream<float> stream_{{3, 4, 10, 11, 0.1, 2}};
};

}  // namespace metalmom::stream::test
