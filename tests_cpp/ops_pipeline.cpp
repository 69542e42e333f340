// Consumers that share the values of blocks get what each gets alone, to the bit: whatever else
// reads beside them, for any number of threads, however signals are divided into waves.
#include "ops/core/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>

#include "base/workers.hpp"
#include "dsp_support.hpp"
#include "ops/all.hpp"

namespace metalmom::ops {
namespace {

using dsp::test::hann;
using dsp::test::noise;

std::shared_ptr<const dsp::Basis> triangles(Index n_bands, Index n_bins) {
  std::vector<double> dense(static_cast<std::size_t>(n_bands * n_bins));
  const double width = static_cast<double>(n_bins) / static_cast<double>(n_bands + 1);
  for (Index band = 0; band < n_bands; ++band)
    for (Index bin = 0; bin < n_bins; ++bin) {
      const double distance = static_cast<double>(bin) / width - static_cast<double>(band + 1);
      dense[static_cast<std::size_t>(band * n_bins + bin)] = std::max(0.0, 1 - std::abs(distance));
    }
  return std::make_shared<const dsp::Basis>(dense.data(), n_bands, n_bins);
}

// A call with its plan and two results: alone, and beside others.
template <class T>
struct Call {
  std::function<void()> run_alone;
  std::function<std::unique_ptr<Consumer<T>>()> consumer;
  std::function<bool()> same;
};

template <class Op, class T>
Call<T> call(const typename Op::Params& params, const typename Op::template In<T>& in) {
  struct State {
    typename Op::template In<T> in;
    typename Op::Plan plan;
    typename Op::template Out<T> alone, together;
    std::vector<std::vector<std::byte>> memory;
  };
  auto state = std::make_shared<State>();
  state->in = in;
  state->plan = Op::plan(params, state->in);
  state->alone = state->together = Op::template outputs<T>(state->plan);
  using Out = typename Op::template Out<T>;
  state->memory.reserve(8);
  for (Out* out : {&state->alone, &state->together})
    for_each_field<Out>([&](const auto& each) {
      auto& view = out->*each.member;
      using Value = std::remove_pointer_t<decltype(view.data)>;
      state->memory.emplace_back(static_cast<std::size_t>(view.size()) * sizeof(Value));
      view.data = reinterpret_cast<Value*>(state->memory.back().data());
    });
  return {[=] { Op::run_cpu(state->plan, state->in, state->alone); },
          [=] { return Op::consumer(state->plan, state->in, state->together); },
          [=] {
            const auto half = state->memory.size() / 2;
            for (std::size_t i = 0; i < half; ++i)
              if (state->memory[i] != state->memory[half + i]) return false;
            return true;
          }};
}

template <class T>
class Calls {
 public:
  Calls(Index batch, Index samples, Index n_fft)
      : y_(noise<T>(batch * samples)),
        window_(hann(n_fft)),
        mel_(triangles(40, n_fft / 2 + 1)),
        other_(triangles(12, n_fft / 2 + 1)) {
    const View<const T> y{y_.data(), batch, 1, samples};
    for (Index i = 0; i <= n_fft / 2; ++i) freq_.push_back(static_cast<double>(i));
    const BandInputs<T> mel{y, window_, mel_}, other{y, window_, other_};
    const auto framed = [&](auto params) {
      params.n_fft = n_fft;
      params.hop_length = n_fft / 4;
      return params;
    };
    add<FilterbankSpectrogram>(framed(SpectrogramParams{}), mel);
    auto magnitude = framed(SpectrogramParams{});
    magnitude.power = 1;
    add<FilterbankSpectrogram>(magnitude, mel);
    add<FilterbankSpectrogram>(framed(SpectrogramParams{}), other);
    add<ChromaSpectrogram>(framed(ChromaSpectrogram::Params{}), other);
    auto logarithms = framed(LogBandParams{});
    logarithms.amin = 1e-6;
    add<LogBands>(logarithms, mel);
    add<LogBandsByFrame>(logarithms, mel);
    logarithms.logarithm = false;
    add<LogBands>(logarithms, other);
    auto mfcc = framed(Cepstrum::Params{});
    add<Cepstrum>(mfcc, mel);
    mfcc.n_mfcc = 7;
    mfcc.top_db = 3;  // most levels are raised
    add<Cepstrum>(mfcc, mel);
    mfcc.amin = 1;
    add<Cepstrum>(mfcc, mel);
    mfcc.floor = 20;
    add<Cepstrum>(mfcc, mel);
    add<OnsetStrength>(framed(OnsetStrength::Params{}), mel);
    auto median = framed(OnsetStrength::Params{});
    median.aggregate = dsp::FluxAggregate::median;
    median.lag = 2;
    add<OnsetStrength>(median, mel);
    for (const auto shape :
         {dsp::Shape::centroid, dsp::Shape::bandwidth, dsp::Shape::rolloff, dsp::Shape::flatness}) {
      auto params = framed(SpectralShape::Params{});
      params.shape = shape;
      typename SpectralShape::In<T> in;
      in.y = y, in.window = window_, in.freq = freq_;
      add<SpectralShape>(params, in);
    }
    typename SpectralContrast::In<T> contrast;
    contrast.y = y, contrast.window = window_, contrast.bands = bands_;
    add<SpectralContrast>(framed(FrameParams{}), contrast);
    add<TuningEstimate>(framed(TuningEstimate::Params{}), {y, window_});
    add<Stft>(framed(FrameParams{}), {y, window_});
    for (const auto& each : calls_) each.run_alone();
  }

  void expect_same_together(std::size_t begin, std::size_t step, const char* what) {
    std::vector<std::unique_ptr<Consumer<T>>> consumers;
    std::vector<Consumer<T>*> pointers;
    for (std::size_t i = begin; i < calls_.size(); i += step) {
      consumers.push_back(calls_[i].consumer());
      pointers.push_back(consumers.back().get());
      EXPECT_TRUE(Pipeline<T>::fits(*pointers[0], *pointers.back())) << i;
    }
    Transforms transforms;
    const Pipeline<T> pipeline(pointers, transforms);
    run_pipelines(std::span(&pipeline, 1));
    for (std::size_t i = begin; i < calls_.size(); i += step)
      EXPECT_TRUE(calls_[i].same()) << what << ", call " << i;
  }

 private:
  template <class Op>
  void add(const typename Op::Params& params, const typename Op::template In<T>& in) {
    calls_.push_back(call<Op, T>(params, in));
  }

  Buffer<T> y_;
  std::vector<double> window_, freq_;
  std::shared_ptr<const dsp::Basis> mel_, other_;
  std::vector<double> bands_ = {0, 20, 2, 20, 90, 4};
  std::vector<Call<T>> calls_;
};

template <class T>
void expect_shared_values_are_those_alone(Index batch, Index samples, Index n_fft) {
  Calls<T> calls(batch, samples, n_fft);
  for (const int threads : {1, 3}) {
    const ThreadsScope scope(threads);
    calls.expect_same_together(0, 1, "all");
    calls.expect_same_together(0, 2, "even");
    calls.expect_same_together(1, 2, "odd");
    calls.expect_same_together(2, 3, "every third");
  }
}

TEST(Pipeline, SharedValuesAreThoseAlone) {
  expect_shared_values_are_those_alone<float>(1, 20'000, 512);
  expect_shared_values_are_those_alone<float>(3, 5'003, 256);
  expect_shared_values_are_those_alone<double>(2, 6'000, 512);
  expect_shared_values_are_those_alone<float>(2, 4'000, 300);  // transformed in lanes
}

// Levels of 300 signals do not fit into one wave.
TEST(Pipeline, WavesChangeNothing) {
  expect_shared_values_are_those_alone<float>(300, 30'000, 256);
}

// The definition, of frames whose ends lie beyond the signal, too.
template <class T>
void expect_prepared_frames(Index n_fft, Index frame_length, double power, bool center) {
  const Index n_samples = 5'003, n_bins = n_fft / 2 + 1;
  auto y = noise<T>(n_samples);
  for (T& sample : y) sample += T(3);
  const auto window = hann(n_fft);
  const auto basis = triangles(10, n_bins);
  LogBandParams params;
  params.n_fft = n_fft, params.hop_length = 100, params.center = center, params.power = power;
  params.frame_length = frame_length, params.remove_mean = true, params.preemphasis = 0.9;
  params.amin = 1e-7, params.offset = 1e-8, params.scale = 2, params.shift = -1;
  const BandInputs<T> in{{y.data(), 1, 1, n_samples}, window, basis};
  const auto plan = LogBandsByFrame::plan(params, in);
  auto out = LogBandsByFrame::outputs<T>(plan);
  EXPECT_EQ(out.bands.rows,
            dsp::count_frames(n_samples, 100, frame_length, center ? n_fft / 2 : 0));
  Buffer<T> found(static_cast<std::size_t>(out.bands.size()));
  out.bands.data = found.data();
  LogBandsByFrame::run_cpu(plan, in, out);
  for (const Index frame : {Index(0), Index(17), out.bands.rows - 1}) {
    const Index first = frame * 100 - (center ? n_fft / 2 : 0);
    std::vector<double> raw, prepared(static_cast<std::size_t>(n_fft));
    for (Index i = first; i < first + frame_length; ++i)
      raw.push_back(i >= 0 && i < n_samples ? static_cast<double>(y.data()[i]) : 0.0);
    const double mean =
        std::accumulate(raw.begin(), raw.end(), 0.0) / static_cast<double>(frame_length);
    for (std::size_t i = 0; i < raw.size(); ++i)
      prepared[i] = (raw[i] - mean - 0.9 * (raw[i ? i - 1 : 0] - mean)) * window[i];
    const auto bins = dsp::test::naive_dft(prepared.data(), n_fft);
    std::vector<double> powers;
    for (const auto& bin : bins) powers.push_back(std::pow(std::abs(bin), power));
    powers.resize(static_cast<std::size_t>(16 * n_bins));  // spread over lanes
    for (Index bin = n_bins - 1; bin >= 0; --bin)
      powers[static_cast<std::size_t>(16 * bin)] = powers[static_cast<std::size_t>(bin)];
    std::vector<double> bands(10);
    dsp::apply_bands<double>(*basis, powers.data(), 1, bands.data(), 1);
    for (Index band = 0; band < 10; ++band)
      EXPECT_NEAR(out.bands.row(0, frame)[band],
                  2 * std::log(std::max(bands[static_cast<std::size_t>(band)], 1e-7) + 1e-8) - 1,
                  sizeof(T) == 4 ? 1e-5 : 1e-9)
          << frame << ", " << band;
  }
}

TEST(Pipeline, FramesArePrepared) {
  for (const bool center : {false, true})
    for (const double power : {2.0, 1.0}) {
      expect_prepared_frames<float>(512, 400, power, center);
      expect_prepared_frames<double>(512, 400, power, center);
      expect_prepared_frames<float>(400, 400, power, center);  // transformed in lanes
      expect_prepared_frames<float>(122, 7, power, center);    // by the library
    }
}

// A signal of one frame has its values side by side, and not in lanes.
TEST(Pipeline, AFrameAloneIsThatOfALane) {
  const Index n = 400;
  const auto y = noise<float>(n + 160);
  const auto window = hann(512);
  LogBandParams params;
  params.n_fft = 512, params.hop_length = 160, params.center = false, params.amin = 1e-9;
  params.frame_length = n, params.remove_mean = true, params.preemphasis = 0.97;
  const auto bands_of = [&](Index samples) {
    const BandInputs<float> in{{y.data(), 1, 1, samples}, window, triangles(23, 257)};
    const auto plan = LogBandsByFrame::plan(params, in);
    auto out = LogBandsByFrame::outputs<float>(plan);
    std::vector<float> found(static_cast<std::size_t>(out.bands.size()));
    out.bands.data = found.data();
    LogBandsByFrame::run_cpu(plan, in, out);
    return found;
  };
  auto two = bands_of(n + 160);
  two.resize(23);
  EXPECT_EQ(bands_of(n), two);
}

// Levels end below the loudest of each signal, whose last frame is nobody's.
TEST(Pipeline, LevelsEndBelowTheLoudest) {
  const Index n = 9'000;
  auto y = noise<float>(2 * n);
  for (Index i = 0; i < n; ++i) y[n + i] *= 0.01f;
  for (Index i = n - 200; i < n; ++i) y[i] *= 100.0f;  // the last frame is the loudest
  const auto window = hann(400);
  const BandInputs<float> in{{y.data(), 2, 1, n}, window, triangles(20, 201)};
  const auto levels_of = [&](double range, bool drop_last) {
    LogBandParams params;
    params.n_fft = 400, params.hop_length = 100, params.amin = 1e-9;
    params.range = range, params.drop_last = drop_last;
    const auto plan = LogBands::plan(params, in);
    auto out = LogBands::outputs<float>(plan);
    std::vector<float> found(static_cast<std::size_t>(out.bands.size()));
    out.bands.data = found.data();
    LogBands::run_cpu(plan, in, out);
    return std::pair(out.bands.cols, found);
  };
  const auto [n_frames, all] = levels_of(std::numeric_limits<double>::infinity(), false);
  const auto [n_kept, kept] = levels_of(1.5, true);
  ASSERT_EQ(n_kept, n_frames - 1);
  for (Index signal = 0; signal < 2; ++signal) {
    std::vector<float> expected;
    for (Index band = 0; band < 20; ++band) {
      const auto row = all.begin() + (signal * 20 + band) * n_frames;
      expected.insert(expected.end(), row, row + n_kept);
    }
    const float floor = *std::ranges::max_element(expected) - 1.5f;
    EXPECT_LT(*std::ranges::min_element(expected), floor);
    for (float& value : expected) value = std::max(value, floor);
    const auto first = kept.begin() + signal * 20 * n_kept;
    EXPECT_TRUE(std::ranges::equal(expected, std::span(first, expected.size()))) << signal;
  }
}

TEST(Pipeline, OtherStepsDoNotFit) {
  const auto y = noise<float>(9'000);
  const auto window = hann(512);
  const BandInputs<float> in{{y.data(), 1, 1, 9'000}, window, triangles(23, 257)};
  std::vector<std::unique_ptr<LogBandPlan>> plans;
  const auto keep = [&](std::optional<Index> frame_length, bool remove_mean, double preemphasis,
                        bool drop_last = false) {
    LogBandParams params;
    params.n_fft = 512, params.amin = 1, params.drop_last = drop_last;
    params.frame_length = frame_length, params.remove_mean = remove_mean;
    params.preemphasis = preemphasis;
    plans.push_back(std::make_unique<LogBandPlan>(LogBands::plan(params, in)));
    return LogBands::consumer<float>(*plans.back(), in, {});
  };
  const auto one = keep({}, false, 0);
  EXPECT_TRUE(Pipeline<float>::fits(*one, *keep(512, false, 0)));
  EXPECT_FALSE(Pipeline<float>::fits(*one, *keep(511, false, 0)));
  EXPECT_FALSE(Pipeline<float>::fits(*one, *keep({}, true, 0)));
  EXPECT_FALSE(Pipeline<float>::fits(*one, *keep({}, false, 0.5)));
  EXPECT_FALSE(Pipeline<float>::fits(*one, *keep({}, false, 0, true)));
}

TEST(Pipeline, OtherFramesDoNotFit) {
  const auto y = noise<float>(9'000);
  const auto window = hann(512), narrow = hann(400);
  const View<const float> all{y.data(), 1, 1, 9'000}, part{y.data(), 1, 1, 8'000};
  const FrameParams params{512, 128};
  std::vector<std::unique_ptr<FramePlan>> plans;
  const auto keep = [&](const FrameParams& p, const View<const float>& signal,
                        const std::vector<double>& w) {
    plans.push_back(std::make_unique<FramePlan>(Stft::plan<float>(p, {signal, w})));
    return Stft::consumer<float>(*plans.back(), {signal, w}, {});
  };
  const auto one = keep(params, all, window);
  EXPECT_TRUE(Pipeline<float>::fits(*one, *keep(params, all, window)));
  EXPECT_FALSE(Pipeline<float>::fits(*one, *keep(params, part, window)));
  EXPECT_FALSE(Pipeline<float>::fits(*one, *keep(params, all, narrow)));
  EXPECT_FALSE(Pipeline<float>::fits(*one, *keep({512, 129}, all, window)));
  EXPECT_FALSE(Pipeline<float>::fits(*one, *keep({512, 128, false}, all, window)));
  EXPECT_FALSE(
      Pipeline<float>::fits(*one, *keep({512, 128, true, dsp::PadMode::reflect}, all, window)));
}

}  // namespace
}  // namespace metalmom::ops
