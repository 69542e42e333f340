// Several kernels on the same audio as one GPU task: one upload, one submission a piece, all
// results. Each may cut the audio into frames of its own.
#pragma once

#include <memory>
#include <vector>

#include "gpu/run/run.hpp"

namespace metalmom::gpu {

class JoinedTask final : public Task {
 public:
  // All parts read the same array. `held` of their pieces says which of its samples are on the
  // device.
  void add(std::unique_ptr<Task> part);

  std::span<const HostArray> inputs() const override { return parts_[0]->inputs(); }
  std::span<const HostArray> outputs() const override { return outputs_; }
  // As many units as the part with the most has. Other parts do the units that lie in the same
  // time.
  Index units() const override { return units_; }
  Region input_region(const Piece& piece, std::size_t i) const override;
  Region output_region(const Piece& piece, std::size_t i) const override;
  std::size_t carry_bytes(Index n_clips) const override;
  void record(Session& session, const Piece& piece, const Slices& slices) const override;

  std::vector<const BatchAnswer*> answers() const override;

 private:
  struct Place {
    std::size_t part, output;
  };
  Piece part_of(const Piece& piece, const Task& part) const;

  std::vector<std::unique_ptr<Task>> parts_;
  std::vector<HostArray> outputs_;
  std::vector<Place> places_;  // of each output
  Index units_ = 0;
};

}  // namespace metalmom::gpu
