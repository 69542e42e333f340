// Several kernels on the same audio as one GPU task: one upload, one submission a piece, all
// results. Each may cut the audio into frames of its own.
#pragma once

#include <memory>
#include <vector>

#include "gpu/run.hpp"

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
  std::size_t scratch_bytes(const Piece& piece) const override;
  std::size_t carry_bytes(Index n_clips) const override;
  void record(Session& session, const Piece& piece, const Slices& slices) const override;

  std::size_t n_shared() const override { return sharing_.size(); }
  std::size_t shared_bytes(std::size_t i, std::size_t most) const override;
  void record_first(Session& session, std::span<const Slice> shared) const override;
  void record_last(Session& session, std::span<const Slice> shared) const override;
  std::size_t answer_bytes(std::size_t i) const override;
  void take_answers(std::span<const std::byte* const> answers) const override;
  int rounds(std::size_t i) const override { return sharing_[i]->rounds(0); }
  void record_round(Session& session, std::size_t i, const Slice& shared, int round) const override {
    sharing_[i]->record_round(session, 0, shared, round);
  }
  void merge(std::size_t i, std::span<const Slice> shared, Answers all, int round) const override {
    sharing_[i]->merge(0, shared, all, round);
  }

 private:
  struct Place {
    std::size_t part, output;
  };
  Piece part_of(const Piece& piece, const Task& part) const;

  std::vector<std::unique_ptr<Task>> parts_;
  std::vector<HostArray> outputs_;
  std::vector<Place> places_;         // of each output
  std::vector<const Task*> sharing_;  // the parts that answer for the whole batch
  Index units_ = 0;
};

}  // namespace metalmom::gpu
