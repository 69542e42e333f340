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
};

// Throws DeviceError when the device fails, or cannot hold even the smallest piece; ParameterError
// when the input whose samples are `unchecked` is not finite.
void run_streamed(Device& device, const Task& task, std::span<const float> unchecked = {});

// The same on device arrays, which hold the whole of the task's arrays in their order: submits and
// returns; later work on the device follows it.
void run_resident(Device& device, const Task& task, std::span<const DeviceData> inputs,
                  std::span<const DeviceData> outputs);

template <class Op>
class KernelTask final : public Task {
 public:
  using K = Kernel<Op>;
  KernelTask(const typename Op::Plan& plan, const typename Op::template In<float>& in,
             const typename Op::template Out<float>& out)
      : plan_(plan), in_(in), inputs_(K::inputs(in)), outputs_(K::outputs(out)) {}

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

 private:
  const typename Op::Plan& plan_;
  const typename Op::template In<float>& in_;
  decltype(K::inputs(in_)) inputs_;
  decltype(K::outputs(std::declval<const typename Op::template Out<float>&>())) outputs_;
};

}  // namespace metalmom::gpu
