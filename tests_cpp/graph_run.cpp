// Calls that run together, from several threads at once: each has its own result, to the bit.
#include "graph/run.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "base/cache.hpp"
#include "base/workers.hpp"
#include "dsp_support.hpp"
#include "ops/all.hpp"

namespace metalmom::graph {
namespace {

using dsp::test::hann;
using dsp::test::noise;

constexpr Index n_fft = 512, n_bands = 20, n_samples = 6000;

std::shared_ptr<const dsp::Basis> basis() {
  const Buffer<double> dense = noise<double>(n_bands * (n_fft / 2 + 1));
  return std::make_shared<const dsp::Basis>(dense.data(), n_bands, n_fft / 2 + 1);
}

// Bands, cepstra and a tuning of one signal.
class Features {
 public:
  Features(const View<const float>& y, const std::vector<double>& window,
           const std::shared_ptr<const dsp::Basis>& bands) {
    ops::SpectrogramParams framed;
    framed.n_fft = n_fft;
    framed.hop_length = n_fft / 4;
    add<ops::FilterbankSpectrogram>(framed, {y, window, bands});
    ops::Cepstrum::Params cepstrum;
    cepstrum.n_fft = n_fft;
    cepstrum.hop_length = n_fft / 4;
    cepstrum.n_mfcc = 5;
    add<ops::Cepstrum>(cepstrum, {y, window, bands});
    ops::TuningEstimate::Params tuning;
    tuning.n_fft = n_fft;
    tuning.hop_length = n_fft / 4;
    add<ops::TuningEstimate>(tuning, {y, window});
  }

  std::vector<Node> run(Session& session) const {
    std::vector<const Call*> calls;
    for (const auto& each : calls_) calls.push_back(each.get());
    return run_together(calls, session, true);
  }
  void run_alone() const {
    for (const auto& each : calls_) each->run();
  }
  const std::vector<std::vector<std::byte>>& results() const { return memory_; }

 private:
  template <class Op>
  void add(const typename Op::Params& params, const typename Op::template In<float>& in) {
    struct State {
      typename Op::template In<float> in;
      typename Op::Plan plan;
      typename Op::template Out<float> out;
    };
    auto state = std::make_shared<State>();
    state->in = in;
    state->plan = Op::plan(params, state->in);
    state->out = Op::template outputs<float>(state->plan);
    for_each_field<typename Op::template Out<float>>([&](const auto& each) {
      auto& view = state->out.*each.member;
      using Value = std::remove_pointer_t<decltype(view.data)>;
      memory_.emplace_back(static_cast<std::size_t>(view.size()) * sizeof(Value));
      view.data = reinterpret_cast<Value*>(memory_.back().data());
    });
    states_.push_back(state);
    calls_.push_back(
        std::make_unique<OpCall<Op, float>>(state->plan, state->in, state->out));
  }

  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::shared_ptr<void>> states_;
  std::vector<std::unique_ptr<Call>> calls_;
};

TEST(Graph, ThreadsRunGraphsBesideEachOther) {
  const ThreadsScope scope(2);
  const Buffer<float> samples = noise<float>(2 * n_samples);
  const View<const float> y{samples.data(), 2, 1, n_samples};
  const std::vector<double> window = hann(n_fft);
  const auto bands = basis();
  const Features alone(y, window, bands);
  alone.run_alone();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      const ThreadsScope two(2);
      for (int round = 0; round < 5; ++round) {
        const Features together(y, window, bands);
        Session session;
        for (const Node& node : together.run(session)) EXPECT_FALSE(node.error);
        EXPECT_TRUE(together.results() == alone.results());
        if (round == 2) release_cached_values();
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST(Graph, AudioThatIsNotFiniteIsItsCallsErrorAlone) {
  const Buffer<float> good = noise<float>(n_samples), bad = noise<float>(n_samples);
  bad[100] = std::numeric_limits<float>::infinity();
  const std::vector<double> window = hann(n_fft);
  Session session;
  const auto errors = [&](const Buffer<float>& samples) {
    const Features features({samples.data(), 1, 1, n_samples}, window, basis());
    int count = 0;
    for (const Node& node : features.run(session)) count += node.error != nullptr;
    return count;
  };
  EXPECT_EQ(errors(good), 0);
  EXPECT_EQ(errors(bad), 3);
}

}  // namespace
}  // namespace metalmom::graph
