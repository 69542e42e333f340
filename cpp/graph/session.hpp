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

// What a run leaves for later ones whose calls depend on its results (chroma on an estimated
// tuning): powers of frames, audio on a device, and that audio is finite. Audio is identified by
// its address. Each note owns the audio, so that the address stays valid; its samples must not
// change. One thread at a time. A run that throws ends its session.
class Session {
 public:
  // `owner` is null for audio that no later call reads. Then nothing is noted.

  // The kept powers for a consumer's frames: filled, to be filled, or none. Bounded: powers that
  // leave the processor's cache cost more than a transform.
  ops::KeptPowers<float> powers_of(
      const ops::Consumer<float>& consumer,
      const std::shared_ptr<const dsp::FrameTransform<float>>& transform, const Owner& owner);

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
