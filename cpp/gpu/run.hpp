// Runs an op's kernel over host arrays, piece by piece with several pieces in flight, or over
// device arrays without any transfer.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/array.hpp"
#include "gpu/kernel.hpp"
#include "gpu/session.hpp"

namespace metalmom::gpu {

class Device;

// A kernel with a plan and its arrays, its type erased: what the engine needs of it.
class Task {
 public:
  virtual ~Task() = default;
  virtual std::span<const HostArray> inputs() const = 0;
  virtual std::span<const HostArray> outputs() const = 0;
  virtual Index units() const = 0;
  virtual Region input_region(const Piece& piece, std::size_t i) const = 0;
  virtual Region output_region(const Piece& piece, std::size_t i) const = 0;
  virtual std::size_t scratch_bytes(const Piece& piece) const = 0;
  virtual std::size_t carry_bytes(Index n_clips) const = 0;
  virtual void record(Session& session, const Piece& piece, const Slices& slices) const = 0;

  Index batch() const { return inputs()[0].batch; }

  // Of kernels that answer for the whole batch: how many there are, and what each shares.
  virtual std::size_t n_shared() const { return 0; }
  virtual std::size_t shared_bytes(std::size_t i, std::size_t most) const { return 0 * i * most; }
  virtual void record_first(Session&, std::span<const Slice>) const {}
  virtual void record_last(Session&, std::span<const Slice>) const {}
  virtual std::size_t answer_bytes(std::size_t i) const { return 0 * i; }
  virtual void take_answers(std::span<const std::byte* const>) const {}
};

// A task's audio, all of it, on a device: kernels take it from there in other parts than it was
// uploaded in, and so do the runs that follow.
struct KeptAudio {
  DeviceData data;
  bool filled = false;  // else the first run that has room for it uploads it
  bool is_read_again = true;  // else it is kept only where that lets kernels take more at once
};

// Throws DeviceError when the device fails, or cannot hold even the smallest piece; ParameterError
// when the input whose samples are `unchecked` is not finite. Of a task with one input, audio may be
// `kept`.
void run_streamed(Device& device, const Task& task, std::span<const float> unchecked = {},
                  KeptAudio* kept = nullptr);

// The same on device arrays, which hold the whole of the task's arrays in their order: submits and
// returns; later work on the device follows it. An answer for the whole batch is waited for.
void run_resident(Device& device, const Task& task, std::span<const DeviceData> inputs,
                  std::span<const DeviceData> outputs);

template <class Op>
class KernelTask final : public Task {
 public:
  using K = Kernel<Op>;
  KernelTask(const typename Op::Plan& plan, const typename Op::template In<float>& in,
             const typename Op::template Out<float>& out)
      : plan_(plan), in_(in), out_(out), inputs_(K::inputs(in)), outputs_(K::outputs(out)) {}

  std::span<const HostArray> inputs() const override { return inputs_; }
  std::span<const HostArray> outputs() const override { return outputs_; }
  Index units() const override { return K::units(plan_); }
  Region input_region(const Piece& piece, std::size_t i) const override {
    return K::input_region(plan_, piece, i);
  }
  Region output_region(const Piece& piece, std::size_t i) const override {
    return K::output_region(plan_, piece, i);
  }
  std::size_t scratch_bytes(const Piece& piece) const override {
    return K::scratch_bytes(plan_, piece);
  }
  std::size_t carry_bytes(Index n_clips) const override { return K::carry_bytes(plan_, n_clips); }
  void record(Session& session, const Piece& piece, const Slices& slices) const override {
    K::record(session, plan_, in_, piece, slices);
  }

  std::size_t n_shared() const override { return answers ? 1 : 0; }
  std::size_t shared_bytes(std::size_t i, std::size_t most) const override {
    if constexpr (answers) return K::shared_bytes(plan_, most);
    return Task::shared_bytes(i, most);
  }
  void record_first(Session& session, std::span<const Slice> shared) const override {
    if constexpr (answers) K::record_first(session, plan_, shared[0]);
  }
  void record_last(Session& session, std::span<const Slice> shared) const override {
    if constexpr (answers) K::record_last(session, plan_, shared[0]);
  }
  std::size_t answer_bytes(std::size_t i) const override {
    if constexpr (answers) return K::answer_bytes(plan_);
    return Task::answer_bytes(i);
  }
  void take_answers(std::span<const std::byte* const> answers_at) const override {
    if constexpr (answers)
      K::take_answer(plan_, out_, {answers_at[0], K::answer_bytes(plan_)});
  }

 private:
  static constexpr bool answers = AnswersForBatch<Op>;

  const typename Op::Plan& plan_;
  const typename Op::template In<float>& in_;
  const typename Op::template Out<float>& out_;
  decltype(K::inputs(in_)) inputs_;
  decltype(K::outputs(std::declval<const typename Op::template Out<float>&>())) outputs_;
};

}  // namespace metalmom::gpu
