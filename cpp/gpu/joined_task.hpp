// Several kernels on the same frames of the same audio as one GPU task: one upload, one submission a
// piece, all results.
#pragma once

#include <memory>
#include <vector>

#include "gpu/run.hpp"

namespace metalmom::gpu {

class JoinedTask final : public Task {
 public:
  // Every part reads one array, the same for all, cut into the same units.
  void add(std::unique_ptr<Task> part);

  std::span<const HostArray> inputs() const override { return parts_[0]->inputs(); }
  std::span<const HostArray> outputs() const override { return outputs_; }
  Index units() const override { return parts_[0]->units(); }
  Region input_region(const Piece& piece, std::size_t i) const override {
    return parts_[0]->input_region(piece, i);
  }
  Region output_region(const Piece& piece, std::size_t i) const override;
  std::size_t scratch_bytes(const Piece& piece) const override;
  std::size_t carry_bytes(Index n_clips) const override;
  void record(Session& session, const Piece& piece,
              const Slices& slices) const override;

  double in_bytes() const;
  double out_bytes() const;

 private:
  struct Place {
    std::size_t part, output;
  };
  std::vector<std::unique_ptr<Task>> parts_;
  std::vector<HostArray> outputs_;
  std::vector<Place> places_;  // of each output
};

}  // namespace metalmom::gpu
