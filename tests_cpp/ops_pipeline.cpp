// Consumers that share the values of blocks get what each gets alone, to the bit: whatever else reads
// beside them, for any number of threads, however signals are divided into waves.
#include "ops/core/pipeline.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

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
    auto mfcc = framed(Cepstrum::Params{});
    add<Cepstrum>(mfcc, mel);
    mfcc.n_mfcc = 7;
    mfcc.top_db = 3;  // most levels are raised
    add<Cepstrum>(mfcc, mel);
    mfcc.amin = 1;
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
