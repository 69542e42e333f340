// An op whose frames do not depend on one another, as a feature of a stream.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "base/fields.hpp"
#include "ops/core/frame_params.hpp"
#include "ops/op.hpp"
#include "stream/feature.hpp"

namespace metalmom::stream {

// The part of an op's plan that describes its frames.
template <class Plan>
ops::FramePlan& frames_of(Plan& plan) {
  if constexpr (std::derived_from<Plan, ops::FramePlan>)
    return plan;
  else
    return plan.frames;
}

template <class Op, class T>
class FrameFeature : public Feature<T> {
 public:
  using In = typename Op::template In<T>;
  using Out = typename Op::template Out<T>;

  // `plan`: that of one run, 16 frames without padding. `in` views the stream's memory, which must
  // outlive this.
  FrameFeature(const typename Op::Plan& plan, const In& in)
      : plan_(plan), in_(in), out_(Op::template outputs<T>(plan_)) {
    ops::make_results(
        out_, [&](const ops::Result& each) { return memory_.emplace_back(each.bytes()).data(); });
    consumer_ = Op::consumer(plan_, in_, out_);
  }
  FrameFeature(const FrameFeature&) = delete;

  ops::Consumer<T>& consumer() override { return *consumer_; }
  ops::FramePlan& frames() override { return frames_of(plan_); }

  void store(const Run& run, std::span<const Sink> sinks, Index begin, Index) override {
    std::size_t i = 0;
    for_each_field<Out>([&](const auto& each) {
      copy_frames(out_.*each.member, each.frames_first, run.count, sinks[i++], run.first - begin);
    });
  }

 private:
  typename Op::Plan plan_;
  In in_;
  Out out_;
  std::vector<Buffer<std::byte>> memory_;
  std::unique_ptr<ops::Consumer<T>> consumer_;
};

}  // namespace metalmom::stream
