// Calls that run together, from several threads at once: each has its own result, to the bit.
#include "graph/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "base/cache.hpp"
#include "base/workers.hpp"
#include "dsp_support.hpp"
#include "graph/call.hpp"
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

// The params of an op of frames, framed as here.
template <class Op>
typename Op::Params params_of() {
  typename Op::Params params;
  params.n_fft = n_fft;
  params.hop_length = n_fft / 4;
  return params;
}

// Bands, cepstra, a tuning and, without frames that are shared, the pitch of one signal.
class Features {
 public:
  Features(const View<const float>& y, const std::vector<double>& window,
           const std::shared_ptr<const dsp::Basis>& bands, const Owner& owner = nullptr)
      : bands_(bind<ops::FilterbankSpectrogram>(params_of<ops::FilterbankSpectrogram>(),
                                                {y, window, bands})),
        cepstra_(bind<ops::Cepstrum>(five_coefficients(), {y, window, bands})),
        tuning_(bind<ops::TuningEstimate>(params_of<ops::TuningEstimate>(), {y, window})),
        pitch_(bind<ops::Yin>(short_periods(), {y})) {
    tuning_->own_audio(owner);
  }

  std::vector<Node> run(Session& session, bool watched = true) const {
    const Call* const calls[] = {bands_.get(), cepstra_.get(), tuning_.get(), pitch_.get()};
    return run_together(calls, session, watched);
  }
  void run_alone() const {
    bands_->run();
    cepstra_->run();
    tuning_->run();
    pitch_->run();
  }
  bool equals(const Features& other) const {
    return same(bands_->out().bands, other.bands_->out().bands) &&
           same(cepstra_->out().cepstra, other.cepstra_->out().cepstra) &&
           same(tuning_->out().tuning, other.tuning_->out().tuning) &&
           same(pitch_->out().f0, other.pitch_->out().f0);
  }

 private:
  static ops::Cepstrum::Params five_coefficients() {
    auto params = params_of<ops::Cepstrum>();
    params.n_mfcc = 5;
    return params;
  }
  static ops::Yin::Params short_periods() {
    auto params = params_of<ops::Yin>();
    params.min_period = 20;
    params.max_period = 200;
    return params;
  }
  template <class T>
  static bool same(const View<T>& a, const View<T>& b) {
    return std::ranges::equal(std::as_bytes(a.flat()), std::as_bytes(b.flat()));
  }

  std::unique_ptr<Bound<ops::FilterbankSpectrogram>> bands_;
  std::unique_ptr<Bound<ops::Cepstrum>> cepstra_;
  std::unique_ptr<Bound<ops::TuningEstimate>> tuning_;
  std::unique_ptr<Bound<ops::Yin>> pitch_;
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
        EXPECT_TRUE(together.equals(alone));
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
  EXPECT_EQ(errors(bad), 4);
}

// A value that two read has its time once, and what nobody computes has none.
TEST(Graph, WatchedCallsHaveTheirOwnTimes) {
  const auto spent = [](const Node& node, ops::Spending on) {
    return node.spent[static_cast<std::size_t>(on)];
  };
  const Buffer<float> samples = noise<float>(n_samples);
  const std::vector<double> window = hann(n_fft);
  const Features features({samples.data(), 1, 1, n_samples}, window, basis());
  Session session;
  const auto nodes = features.run(session);
  const Node &bands = nodes[0], &cepstra = nodes[1], &tuning = nodes[2];
  for (const Node* node : {&bands, &cepstra, &tuning})
    EXPECT_GT(spent(*node, ops::Spending::own), 0);
  for (const auto on : {ops::Spending::frames, ops::Spending::bands}) {
    const auto having =
        std::ranges::count_if(nodes, [&](const Node& node) { return spent(node, on) > 0; });
    EXPECT_EQ(having, 1);
  }
  EXPECT_GT(spent(bands, ops::Spending::bands), 0);
  EXPECT_GT(spent(cepstra, ops::Spending::levels), 0);
  EXPECT_EQ(spent(bands, ops::Spending::levels), 0);
  EXPECT_EQ(spent(tuning, ops::Spending::levels), 0);

  Session other;
  for (const Node& node : features.run(other, false))
    EXPECT_EQ(std::ranges::count(node.spent, 0), std::ssize(node.spent));
}

// Another array may come to lie where audio was that a session knows.
TEST(Graph, ASessionHoldsTheAudioThatItKnows) {
  const std::vector<double> window = hann(n_fft);
  auto session = std::make_unique<Session>();
  std::weak_ptr<const void> known;
  {
    const auto samples = std::make_shared<Buffer<float>>(noise<float>(n_samples));
    known = samples;
    const Features features({samples->data(), 1, 1, n_samples}, window, basis(), samples);
    for (const Node& node : features.run(*session)) EXPECT_FALSE(node.error);
  }
  EXPECT_FALSE(known.expired());
  session.reset();
  EXPECT_TRUE(known.expired());
}

// Of audio that it cannot own, a session knows nothing, whatever lies there next.
TEST(Graph, AudioWithoutAnOwnerIsNotKnown) {
  const std::vector<double> window = hann(n_fft);
  Buffer<float> samples = noise<float>(n_samples);
  const auto bands = basis();
  Session session;
  const auto run = [&] {
    const View<const float> y{samples.data(), 1, 1, n_samples};
    const Features together(y, window, bands), alone(y, window, bands);
    for (const Node& node : together.run(session)) EXPECT_FALSE(node.error);
    alone.run_alone();
    EXPECT_TRUE(together.equals(alone));
  };
  run();
  std::ranges::reverse(samples);
  run();
}

// Devices divide a batch by its clips.
TEST(Graph, AudioOnADeviceIsOfOneBatch) {
  const auto owned = std::make_shared<Buffer<float>>(noise<float>(2 * n_samples));
  const float* const samples = owned->data();
  Session session;
  const auto* two = session.on_device({samples, 2, 1, n_samples}, owned);
  EXPECT_EQ(session.on_device({samples, 2, 1, n_samples}, owned), two);
  EXPECT_NE(session.on_device({samples, 1, 1, 2 * n_samples}, owned), two);
}

}  // namespace
}  // namespace metalmom::graph
