// Onset strength of a stream: the flux of a frame needs the levels of the frame `lag` before it, so
// these stay from run to run.
#pragma once

#include <memory>

#include "base/buffer.hpp"
#include "ops/rhythm/onset_strength.hpp"
#include "stream/feature.hpp"

namespace metalmom::stream {

template <class T>
class OnsetFeature final : public Feature<T> {
 public:
  // `plan` is that of one run, as in FrameFeature. Its top_db is infinite, because a stream does
  // not know its loudest level.
  OnsetFeature(const ops::OnsetStrength::Plan& plan, const ops::BandInputs<T>& in);
  ~OnsetFeature() override;

  ops::Consumer<T>& consumer() override;
  ops::FramePlan& frames() override { return plan_.frames; }

  // The result begins with `shift` frames of silence, which are known at once. If it is trimmed, it
  // has as many frames as the signal.
  Index known(const Progress& progress) const override;
  void open(std::span<const Sink> sinks, Index begin, Index end) override;
  void store(const Run& run, std::span<const Sink> sinks, Index begin, Index end) override;

 private:
  class Levels;

  // The flux of `count` frames of a run from `first` on, to frame `at` of the sink and those after
  // it.
  void store_rows(Index channel, const Run& run, Index first, Index count, const Sink& sink,
                  Index at);

  ops::OnsetStrength::Plan plan_;
  std::unique_ptr<Levels> levels_;
  Buffer<T> rows_, flux_;
};

}  // namespace metalmom::stream
