// What calls of one wave leave for those of the next.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/memory_use.hpp"
#include "dispatch/choice.hpp"
#include "ops/core/pipeline.hpp"

namespace metalmom::graph {

// What is shared with later runs where a call's result decides what a later one does with the same
// frames (chroma on an estimated tuning): the powers of these frames, or the audio on a device, and
// that it was found to be finite. Audio is told by its address, so what a followed call reads must
// live, and stay as it is, as long as this. Changed by one thread at a time.
class Session {
 public:
  // The kept powers for a consumer's frames: filled, to be filled where `call` is one that others
  // follow, or none. Bounded: powers that leave the processor's cache cost more than a transform.
  ops::KeptPowers<float> powers_of(
      const ops::Consumer<float>& consumer,
      const std::shared_ptr<const dsp::FrameTransform<float>>& transform, bool is_followed);

  // The audio on a device: there already, or to be taken there where `is_followed`; else null.
  gpu::KeptAudio* on_device(const View<const float>& y, bool is_followed);

  // What "auto" chose for the first wave that later ones follow: they stay on its side.
  std::optional<dispatch::Decision> decision;

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
    NotedMemory noted{squares.size() * sizeof(float)};
  };
  std::vector<std::unique_ptr<Kept>> kept_;
  Index values_ = 0;
  std::set<std::pair<const std::byte*, std::size_t>> finite_;
  std::map<std::tuple<const float*, Index, Index>, gpu::KeptAudio> on_device_;
};

}  // namespace metalmom::graph
