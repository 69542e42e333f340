// A call: an op bound to its arguments, with its type erased, so that calls of different ops can be
// put together.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "dispatch/dispatch.hpp"
#include "gpu/kernel.hpp"
#include "ops/core/consumer.hpp"
#include "ops/op.hpp"

namespace metalmom::graph {

// The samples of a call that must be finite; both empty where it has none.
struct Audio {
  std::span<const float> single;
  std::span<const double> wide;
};

// What keeps an array alive.
using Owner = std::shared_ptr<const void>;

class Call {
 public:
  Call() = default;
  Call(const Call&) = delete;  // its consumers and tasks refer to its members
  virtual ~Call() = default;

  virtual std::string_view name() const = 0;
  virtual ops::Cost cost() const = 0;
  virtual Audio audio() const = 0;

  // The same arguments with other audio, `count` samples of the same type and batch. Null if it
  // reads none.
  virtual std::unique_ptr<Call> of_audio(const void* samples, Index count) const = 0;

  // Before it runs, in this order: its plan, by which parameters and shapes are found to be right;
  // what must hold of the values of its inputs, where they are on the host; and the memory of its
  // results.
  virtual void make_plan() = 0;
  virtual void check_values() = 0;
  virtual void make_results(const ops::ResultMemory& memory) = 0;
  // The same with memory of its own.
  void own_results() {
    make_results(
        [&](const ops::Result& each) { return memory_.emplace_back(each.bytes()).data(); });
  }

  // As a part of a pipeline, in the precision of its audio; null where no consumer does it.
  virtual std::unique_ptr<ops::Consumer<float>> single_consumer() const { return nullptr; }
  virtual std::unique_ptr<ops::Consumer<double>> wide_consumer() const { return nullptr; }

  // Whether its result decides what a later call does with the same frames.
  virtual bool is_followed() const { return false; }
  // The owner of a followed call's audio. A session owns what it notes of audio: without an owner
  // it notes nothing.
  const Owner& audio_owner() const { return audio_owner_; }
  void own_audio(Owner owner) { audio_owner_ = std::move(owner); }

  virtual bool has_kernel() const { return false; }
  // As a part of one GPU task; null where there is no kernel. Why a device cannot do it.
  virtual std::unique_ptr<gpu::Task> task() const { return nullptr; }
  virtual gpu::Reason declines(const gpu::Limits&) const { return "no GPU kernel"; }

  // After it ran as a part of a pipeline or a task: throws if its results show that an argument was
  // wrong.
  virtual void check_results() const {}

  // By itself, on whatever side the dispatcher chooses.
  virtual void run() const = 0;

  // Of arrays on a device, where it has a kernel: whether its results are a few numbers on the
  // host.
  virtual bool answers_on_host() const { return false; }
  // Submits it, with the arrays of its inputs and of its results on the device.
  virtual void run_resident(std::span<const gpu::DeviceData>,
                            std::span<const gpu::DeviceData>) const {
    throw DeviceError("no GPU kernel");
  }

 private:
  std::vector<Buffer<std::byte>> memory_;
  Owner audio_owner_;
};

template <class Op, class T = float>
class Bound final : public Call {
 public:
  using Params = typename Op::Params;
  using Plan = typename Op::Plan;
  using In = typename Op::template In<T>;
  using Out = typename Op::template Out<T>;

  // What `in` looks at must outlive this.
  Bound(const Params& params, In in) : params_(params), in_(std::move(in)) {}

  const In& in() const { return in_; }
  const Plan& plan() const { return plan_; }
  const Out& out() const { return out_; }

  std::string_view name() const override { return Op::name; }
  ops::Cost cost() const override { return Op::cost(plan_); }

  Audio audio() const override {
    if constexpr (std::is_same_v<T, float>)
      return {ops::audio_of<T>(in_), {}};
    else
      return {{}, ops::audio_of<T>(in_)};
  }

  std::unique_ptr<Call> of_audio(const void* samples, Index count) const override {
    if constexpr (ops::reads_audio<In>) {
      In in = in_;
      View<const T>& y = *ops::audio_view<T>(in);
      y.data = static_cast<const T*>(samples);
      y.cols = count;
      return std::make_unique<Bound>(params_, std::move(in));
    }
    return nullptr;
  }

  void make_plan() override { plan_ = Op::plan(params_, in_); }
  void check_values() override { ops::check_values<Op, T>(plan_, in_); }
  void make_results(const ops::ResultMemory& memory) override {
    out_ = Op::template outputs<T>(plan_);
    ops::make_results(out_, memory);
  }

  std::unique_ptr<ops::Consumer<float>> single_consumer() const override {
    return consumer<float>();
  }
  std::unique_ptr<ops::Consumer<double>> wide_consumer() const override {
    return consumer<double>();
  }

  bool is_followed() const override {
    return requires {
      requires Op::is_followed;
    };
  }

  bool has_kernel() const override { return on_gpu; }
  std::unique_ptr<gpu::Task> task() const override {
    if constexpr (on_gpu) return std::make_unique<gpu::KernelTask<Op>>(plan_, in_, out_);
    return nullptr;
  }
  gpu::Reason declines(const gpu::Limits& limits) const override {
    if constexpr (on_gpu) return gpu::Kernel<Op>::supports(plan_, limits);
    return Call::declines(limits);
  }

  void check_results() const override { dispatch::check_results<Op, T>(plan_, out_); }

  void run() const override { dispatch::run<Op, T>(plan_, in_, out_); }

  bool answers_on_host() const override { return gpu::AnswersForBatch<Op>; }
  void run_resident(std::span<const gpu::DeviceData> inputs,
                    std::span<const gpu::DeviceData> outputs) const override {
    if constexpr (on_gpu) dispatch::run_resident<Op>(plan_, in_, out_, inputs, outputs);
  }

 private:
  static constexpr bool on_gpu = dispatch::has_kernel<Op> && std::is_same_v<T, float>;

  template <class S>
  std::unique_ptr<ops::Consumer<S>> consumer() const {
    if constexpr (ops::FrameOperation<Op> && std::is_same_v<S, T>)
      if (Op::reads_frames(plan_)) return Op::consumer(plan_, in_, out_);
    return nullptr;
  }

  Params params_;
  In in_;
  Plan plan_;
  Out out_;
};

// A call with memory of its own for its results, checked and not yet run: what runs ops without
// Python.
template <class Op, class T = float>
std::unique_ptr<Bound<Op, T>> bind(const typename Op::Params& params,
                                   typename Op::template In<T> in) {
  auto call = std::make_unique<Bound<Op, T>>(params, std::move(in));
  call->make_plan();
  call->check_values();
  call->own_results();
  return call;
}

}  // namespace metalmom::graph
