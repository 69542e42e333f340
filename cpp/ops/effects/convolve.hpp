// Convolution of whole signals with impulse responses.
#pragma once

#include "ops/effects/convolution_methods.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

// Which samples of the full result are kept: all; as many as the signal has, around the middle; or
// those for which no sample is missing.
enum class ConvolveMode { full, same, valid };

struct Convolve {
  static constexpr std::string_view name = "convolve";

  struct Params {
    ConvolveMode mode = ConvolveMode::full;
    ConvolveMethod method = ConvolveMethod::automatic;

    static constexpr auto fields() {
      return field_list(field("mode", &Params::mode), field("method", &Params::method));
    }
  };

  template <class T>
  struct In {
    View<const T> x;  // (batch, 1, samples)
    View<const T> h;  // (batch, 1, taps), or (1, 1, taps): one response for all signals

    static constexpr bool all_finite = true;  // responses must be, too
    static constexpr auto fields() { return field_list(audio("x", &In::x), signals("h", &In::h)); }
  };

  template <class T>
  struct Out {
    View<T> y;  // (batch, 1, results)

    static constexpr auto fields() { return field_list(signals("y", &Out::y)); }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_samples = 0, n_taps = 0;
    bool own_responses = false;      // each signal has one
    Index first = 0, n_results = 0;  // of the full result
    ConvolvePlan on_cpu = {};
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_results}};
  }
  template <class T>
  static void check_values(const Plan&, const In<T>& in) {
    require_finite(in.h.flat());
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
    convolve_rows(plan.on_cpu, in.x, in.h, plan.first, out.y);
  }
  static Cost cost(const Plan& plan);

  // For the trace: how the CPU does it, and what was expected of the ways it could.
  template <class F>
  static void describe(const Plan& plan, F&& visit) {
    visit("method", plan.on_cpu.name);
    visit("block", plan.on_cpu.block);
    visit("direct_us", plan.on_cpu.direct_us);
    visit("blocks_us", plan.on_cpu.blocks_us);
  }
};

}  // namespace metalmom::ops

namespace metalmom {

template <>
struct EnumNames<ops::ConvolveMode> {
  static constexpr std::array<std::string_view, 3> value = {"full", "same", "valid"};
};

}  // namespace metalmom
