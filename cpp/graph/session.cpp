#include "graph/session.hpp"

namespace metalmom::graph {

ops::KeptPowers<float> Session::powers_of(
    const ops::Consumer<float>& consumer,
    const std::shared_ptr<const dsp::FrameTransform<float>>& transform, const Owner& owner) {
  const auto& frames = consumer.frames();
  for (const auto& each : kept_)
    if (each->y == consumer.y().data && each->frames.batch == frames.batch &&
        each->frames.n_samples == frames.n_samples && each->frames.params == frames.params &&
        each->transform == transform)
      return {each->squares.data(), true};
  const Index values = consumer.blocks().total() * dsp::block_frames * frames.n_bins;
  if (!owner || values_ + values > most_values) return {};
  auto made = std::make_unique<Kept>(owner, consumer.y().data, frames, transform,
                                     Buffer<float>(static_cast<std::size_t>(values)));
  kept_.push_back(std::move(made));
  values_ += values;
  return {kept_.back()->squares.data(), false};
}

gpu::KeptAudio* Session::on_device(const View<const float>& y, const Owner& owner) {
  const std::tuple key{y.data, y.batch, y.cols};
  if (owner) return &on_device_.try_emplace(key, owner).first->second.audio;
  const auto found = on_device_.find(key);
  return found != on_device_.end() && found->second.audio.filled ? &found->second.audio : nullptr;
}

}  // namespace metalmom::graph
