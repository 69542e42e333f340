// Some clips of a task's batch as a task: what one of several devices takes of it.
#pragma once

#include <vector>

#include "gpu/run.hpp"

namespace metalmom::gpu {

class ClipRange final : public Task {
 public:
  ClipRange(const Task& whole, Index first, Index n_clips);

  std::span<const HostArray> inputs() const override { return inputs_; }
  std::span<const HostArray> outputs() const override { return outputs_; }
  Index units() const override { return whole_.units(); }
  Region input_region(const Piece& piece, std::size_t i) const override {
    return whole_.input_region(in_whole(piece), i);
  }
  Region output_region(const Piece& piece, std::size_t i) const override {
    return whole_.output_region(in_whole(piece), i);
  }
  std::size_t scratch_bytes(const Piece& piece) const override {
    return whole_.scratch_bytes(in_whole(piece));
  }
  std::size_t carry_bytes(Index n_clips) const override { return whole_.carry_bytes(n_clips); }
  // Kernels find what they have for each clip (a reference level) by its place in the whole batch.
  void record(Session& session, const Piece& piece, const Slices& slices) const override {
    whole_.record(session, in_whole(piece), slices);
  }

  std::vector<const BatchAnswer*> answers() const override { return whole_.answers(); }

 private:
  Piece in_whole(Piece piece) const {
    piece.clip += first_;
    return piece;
  }

  const Task& whole_;
  const Index first_;
  std::vector<HostArray> inputs_, outputs_;
};

}  // namespace metalmom::gpu
