// A call that is ready to run: an op with its plan and arrays, its type erased, so that calls of
// different ops can be put together.
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>

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

class Call {
 public:
  virtual ~Call() = default;

  virtual std::string_view name() const = 0;
  virtual ops::Cost cost() const = 0;
  virtual Audio audio() const = 0;

  // As a part of a pipeline, in the precision of its audio; null where no consumer does it.
  virtual std::unique_ptr<ops::Consumer<float>> single_consumer() const { return nullptr; }
  virtual std::unique_ptr<ops::Consumer<double>> wide_consumer() const { return nullptr; }

  // Whether its result decides what a later call does with the same frames.
  virtual bool is_followed() const { return false; }

  virtual bool has_kernel() const { return false; }
  // As a part of one GPU task; null where there is no kernel. Why a device cannot do it, or null.
  virtual std::unique_ptr<gpu::Task> task() const { return nullptr; }
  virtual const char* declines(const gpu::Limits&) const { return "no GPU kernel"; }

  // After it ran as a part of a pipeline or a task: throws if its results show that an argument was wrong.
  virtual void check_results() const {}

  // By itself, on whatever side the dispatcher chooses.
  virtual void run() const = 0;
};

template <class Op, class T>
class OpCall final : public Call {
 public:
  OpCall(const typename Op::Plan& plan, const typename Op::template In<T>& in,
         const typename Op::template Out<T>& out)
      : plan_(plan), in_(in), out_(out) {}

  std::string_view name() const override { return Op::name; }
  ops::Cost cost() const override { return Op::cost(plan_); }

  Audio audio() const override {
    if constexpr (std::is_same_v<T, float>)
      return {ops::audio_of<T>(in_), {}};
    else
      return {{}, ops::audio_of<T>(in_)};
  }

  std::unique_ptr<ops::Consumer<float>> single_consumer() const override {
    return consumer<float>();
  }
  std::unique_ptr<ops::Consumer<double>> wide_consumer() const override {
    return consumer<double>();
  }

  bool is_followed() const override {
    return requires { requires Op::is_followed; };
  }

  bool has_kernel() const override { return on_gpu; }
  std::unique_ptr<gpu::Task> task() const override {
    if constexpr (on_gpu) return std::make_unique<gpu::KernelTask<Op>>(plan_, in_, out_);
    return nullptr;
  }
  const char* declines(const gpu::Limits& limits) const override {
    if constexpr (on_gpu) return gpu::Kernel<Op>::supports(plan_, limits);
    return Call::declines(limits);
  }

  void check_results() const override { dispatch::check_results<Op, T>(plan_, out_); }

  void run() const override { dispatch::run<Op, T>(plan_, in_, out_); }

 private:
  static constexpr bool on_gpu = dispatch::has_kernel<Op> && std::is_same_v<T, float>;

  template <class S>
  std::unique_ptr<ops::Consumer<S>> consumer() const {
    if constexpr (ops::FrameOperation<Op> && std::is_same_v<S, T>)
      if (Op::reads_frames(plan_)) return Op::consumer(plan_, in_, out_);
    return nullptr;
  }

  const typename Op::Plan& plan_;
  const typename Op::template In<T>& in_;
  const typename Op::template Out<T>& out_;
};

}  // namespace metalmom::graph
