// Runs calls together: those that read the same frames of the same audio share its transforms and
// whatever follows from them, and the blocks of all signals lie side by side in one parallel work. A
// call's result is bitwise what it is alone.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "graph/call.hpp"
#include "ops/core/pipeline.hpp"

namespace metalmom::graph {

// What a call was in a run.
struct Node {
  int pipeline = -1;       // those with the same number were fed by the same transforms; -1: by itself
  const char* side = "";   // "CPU" or "GPU"; empty: by itself, wherever the dispatcher put it
  std::string reads;       // of a run that is watched, the value of a block that it read: "levels
                           // of 128 bands" ...
  std::exception_ptr error;  // why it has no result (its audio is not finite, say)
};

// What is shared with later runs where a call's result decides what a later one does with the same
// frames (chroma on an estimated tuning): the powers of these frames, and that the audio was found to
// be finite. The audio must live, and stay as it is, as long as this. Changed by one thread at a time.
class Session {
 public:
  // The kept powers for a consumer's frames: filled, to be filled where `call` is one that others
  // follow, or none. Bounded: powers that leave the processor's cache cost more than a transform.
  ops::KeptPowers<float> powers_of(
      const ops::Consumer<float>& consumer,
      const std::shared_ptr<const dsp::FrameTransform<float>>& transform, bool is_followed);

  bool is_finite(std::span<const std::byte> audio) const {
    return finite_.contains({audio.data(), audio.size()});
  }
  void note_finite(std::span<const std::byte> audio) { finite_.emplace(audio.data(), audio.size()); }

 private:
  static constexpr Index most_values = Index{2} << 20;

  struct Kept {
    const float* y;
    ops::FramePlan frames;
    std::shared_ptr<const dsp::FrameTransform<float>> transform;
    Buffer<float> squares;
  };
  std::vector<std::unique_ptr<Kept>> kept_;
  Index values_ = 0;
  std::set<std::pair<const std::byte*, std::size_t>> finite_;
};

// One call's error is that call's alone: the others have their results. `watched`: nodes say what
// was read, too.
std::vector<Node> run_together(std::span<const Call* const> calls, Session& session, bool watched);

}  // namespace metalmom::graph
