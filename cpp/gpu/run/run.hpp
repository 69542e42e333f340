// The way of kernels to a device. In its words:
//
//   Task         a kernel with its plan and arrays; or several on the same audio (JoinedTask).
//   Work         a task that is to be run, where its audio stays, and in the end its error.
//   Piece        clips of a task, or units of one clip, whose kernels are recorded together.
//   Part         what one submission does for a piece: it uploads, computes, or both (part.hpp).
//   Submission   parts that go to the device at once. Short works share one; a work that is too
//                large for one has several, in flight at a time (submission.hpp).
//
// Of works whose arrays are on the host, run.cpp plans the submissions, and threads record them,
// wait for them and store results. Where all arrays are on the device there is one submission,
// which transfers nothing and for which nobody waits.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "gpu/kernel.hpp"
#include "gpu/record/session.hpp"
#include "gpu/run/array.hpp"
#include "gpu/run/batch_answer.hpp"

namespace metalmom::gpu {

class Device;

// A kernel with a plan and its arrays, with their types erased: all that a run has to know.
class Task {
 public:
  virtual ~Task() = default;
  virtual std::span<const HostArray> inputs() const = 0;
  virtual std::span<const HostArray> outputs() const = 0;
  virtual Index units() const = 0;
  virtual Region input_region(const Piece& piece, std::size_t i) const = 0;
  virtual Region output_region(const Piece& piece, std::size_t i) const = 0;
  virtual std::size_t carry_bytes(Index n_clips) const = 0;
  virtual void record(Session& session, const Piece& piece, const Slices& slices) const = 0;

  Index batch() const { return inputs()[0].batch; }

  // What its kernels answer for the whole batch; Slices::shared of `record` is in this order.
  virtual std::vector<const BatchAnswer*> answers() const { return {}; }
};

// The audio of a task in a device's memory. Kernels read it in other pieces than those in which it
// was uploaded, and later runs read it again.
struct KeptAudio {
  DeviceData data;            // none if there was no room
  bool filled = false;        // if not, the first run that has room uploads it
  bool is_read_again = true;  // if not, it is kept only if kernels can then take more at once

  void give_up() {
    data = {};
    filled = false;
  }
  // Another device than before computes with it.
  void move_to(const Device& device) {
    if (data.device != &device) give_up();
  }
};

// A device failed in the middle of a run.
struct DeviceFailed : DeviceError {
  using DeviceError::DeviceError;
};

struct Work {
  const Task* task = nullptr;
  // Samples of an input, which must be finite, if nobody has looked.
  std::span<const float> unchecked = {};
  KeptAudio* kept = nullptr;      // where the audio of a task with one input may stay
  std::exception_ptr error = {};  // in the end: a ParameterError of its samples, or DeviceFailed
};

// Runs works on host arrays, whose errors are theirs alone, until the device fails: that is the
// error of all. A device that cannot hold even the smallest piece fails, too.
void run(Device& device, std::span<Work> works);

// Runs one, and throws its error.
inline void run_streamed(Device& device, const Task& task, std::span<const float> unchecked = {}) {
  Work work{&task, unchecked};
  run(device, {&work, 1});
  if (work.error) std::rethrow_exception(work.error);
}

// The same on device arrays that hold all of the task's inputs and outputs. Submits the work and
// returns; later work on the device comes after it. Only an answer for the whole batch is waited
// for.
void run_resident(Device& device, const Task& task, std::span<const DeviceData> inputs,
                  std::span<const DeviceData> outputs);

template <class Op>
class KernelTask final : public Task {
 public:
  using K = Kernel<Op>;
  KernelTask(const typename Op::Plan& plan, const typename Op::template In<float>& in,
             const typename Op::template Out<float>& out)
      : plan_(plan),
        in_(in),
        answer_(plan, out),
        inputs_(K::inputs(in)),
        outputs_(K::outputs(out)) {}

  std::span<const HostArray> inputs() const override { return inputs_; }
  std::span<const HostArray> outputs() const override { return outputs_; }
  Index units() const override { return K::units(plan_); }
  Region input_region(const Piece& piece, std::size_t i) const override {
    return K::input_region(plan_, piece, i);
  }
  Region output_region(const Piece& piece, std::size_t i) const override {
    return K::output_region(plan_, piece, i);
  }
  std::size_t carry_bytes(Index n_clips) const override { return K::carry_bytes(plan_, n_clips); }
  void record(Session& session, const Piece& piece, const Slices& slices) const override {
    K::record(session, plan_, in_, piece, slices);
  }

  std::vector<const BatchAnswer*> answers() const override {
    if constexpr (AnswersForBatch<Op>)
      return {&answer_};
    else
      return {};
  }

 private:
  const typename Op::Plan& plan_;
  const typename Op::template In<float>& in_;
  [[no_unique_address]] KernelAnswer<Op> answer_;
  decltype(K::inputs(in_)) inputs_;
  decltype(K::outputs(std::declval<const typename Op::template Out<float>&>())) outputs_;
};

}  // namespace metalmom::gpu
