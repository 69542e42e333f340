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

  std::size_t n_shared() const override { return whole_.n_shared(); }
  std::size_t shared_bytes(std::size_t i, std::size_t most) const override {
    return whole_.shared_bytes(i, most);
  }
  void record_first(Session& session, std::span<const Slice> shared) const override {
    whole_.record_first(session, shared);
  }
  std::size_t answer_bytes(std::size_t i) const override { return whole_.answer_bytes(i); }
  void take_answers(std::span<const std::byte* const> answers) const override {
    whole_.take_answers(answers);
  }
  int rounds(std::size_t i) const override { return whole_.rounds(i); }
  void record_round(Session& session, std::size_t i, const Slice& shared, int round) const override {
    whole_.record_round(session, i, shared, round);
  }
  void merge(std::size_t i, std::span<const Slice> shared, Answers all, int round) const override {
    whole_.merge(i, shared, all, round);
  }

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
