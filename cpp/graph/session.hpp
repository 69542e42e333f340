// What calls of one wave leave for those of the next.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/memory_use.hpp"
#include "dispatch/choice.hpp"
#include "gpu/run/run.hpp"
#include "graph/call.hpp"
#include "ops/core/pipeline.hpp"

namespace metalmom::graph {

// What is shared with later runs where a call's result decides what a later one does with the same
// frames (chroma on an estimated tuning): the powers of these frames, or the audio on a device, and
// that it was found to be finite. Audio is told by its address, and whatever is noted of it owns it, so that
// no other audio comes to lie there. Its values must stay as they are. Changed by one thread at a time.
class Session {
 public:
  // In what follows `owner` is that of the audio where later calls read it again, else null: then nothing new
  // is noted.

  // The kept powers for a consumer's frames: filled, to be filled, or none. Bounded: powers that leave the
  // processor's cache cost more than a transform.
  ops::KeptPowers<float> powers_of(const ops::Consumer<float>& consumer,
                                   const std::shared_ptr<const dsp::FrameTransform<float>>& transform,
                                   const Owner& owner);

  // The audio on a device: there already, or to be taken there; else null.
  gpu::KeptAudio* on_device(const View<const float>& y, const Owner& owner);

  // What "auto" chose for the first wave that later ones follow: they stay on its side.
  std::optional<dispatch::Decision> decision;

  bool is_finite(std::span<const std::byte> audio) const {
    return finite_.contains({audio.data(), audio.size()});
  }
  void note_finite(std::span<const std::byte> audio, const Owner& owner) {
    if (owner) finite_.try_emplace({audio.data(), audio.size()}, owner);
  }

 private:
  static constexpr Index most_values = Index{2} << 20;

  struct Kept {
    Owner owner;
    const float* y;
    ops::FramePlan frames;
    std::shared_ptr<const dsp::FrameTransform<float>> transform;
    Buffer<float> squares;
    NotedMemory noted{squares.size() * sizeof(float)};
  };
  std::vector<std::unique_ptr<Kept>> kept_;
  Index values_ = 0;
  struct OnDevice {
    Owner owner;
    gpu::KeptAudio audio = {};
  };
  std::map<std::pair<const std::byte*, std::size_t>, Owner> finite_;
  std::map<std::tuple<const float*, Index, Index>, OnDevice> on_device_;
};

}  // namespace metalmom::graph
