// The root mean square of every frame of a signal.
#pragma once

#include <memory>

#include "ops/core/consumer.hpp"
#include "ops/core/frame_params.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct Rms {
  static constexpr std::string_view name = "rms";
  using Params = FrameParams;

  template <class T>
  struct In {
    View<const T> y;  // (batch, 1, samples)

    static constexpr auto fields() { return field_list(audio("y", &In::y)); }
  };

  template <class T>
  struct Out {
    View<T> rms;  // (batch, 1, frames)

    static constexpr auto fields() { return field_list(signals("rms", &Out::rms)); }
  };

  using Plan = FramePlan;

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    return plan_frames(params, in.y, params.n_fft);
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);

  // As a part of a pipeline.
  template <class T>
  static std::unique_ptr<Consumer<T>> consumer(const Plan& plan, const In<T>& in,
                                               const Out<T>& out);
  static bool reads_frames(const Plan&) { return true; }
};

}  // namespace metalmom::ops
