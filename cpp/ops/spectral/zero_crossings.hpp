// How often a signal changes its sign, in every frame.
#pragma once

#include <memory>

#include "ops/core/consumer.hpp"
#include "ops/core/frame_params.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct ZeroCrossingRate {
  static constexpr std::string_view name = "zero_crossing_rate";

  struct Params : FrameParams {
    double threshold = 1e-10;  // magnitudes up to it count as zero
    bool zero_pos = true;      // zero has a positive sign; else a sign of its own
    bool pad = false;          // the first sample of a frame counts as a crossing

    static constexpr auto fields() {
      return joined_fields(
          FrameParams::fields(),
          field_list(field("threshold", &Params::threshold, non_negative),
                     field("zero_pos", &Params::zero_pos), field("pad", &Params::pad)));
    }
  };

  template <class T>
  struct In {
    View<const T> y;  // (batch, 1, samples)

    static constexpr auto fields() { return field_list(audio("y", &In::y)); }
  };

  template <class T>
  struct Out {
    View<double> rate;  // (batch, 1, frames)

    static constexpr auto fields() { return field_list(signals("rate", &Out::rate)); }
  };

  struct Plan : FramePlan {
    double threshold = 0;
    bool zero_pos = true, first_crosses = false;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    check(params);
    return {plan_frames(params, in.y, params.n_fft), params.threshold, params.zero_pos, params.pad};
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
