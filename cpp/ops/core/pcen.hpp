// Per-channel energy normalisation of the rows of a spectrogram.
#pragma once

#include <span>

#include "dsp/pcen.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct Pcen {
  static constexpr std::string_view name = "pcen";
  using Params = dsp::PcenParams;

  template <class T>
  struct In {
    View<const T> S;    // (rows, 1, frames)
    View<const T> ref;  // what is smoothed, if it is not S
    std::span<const double>
        state;  // of the filter before the first frame: one, or one for each row

    static constexpr auto fields() {
      return field_list(signals("S", &In::S), optional(signals("ref", &In::ref)),
                        field("state", &In::state));
    }
  };

  template <class T>
  struct Out {
    View<double> energy;  // (rows, 1, frames)
    View<double> state;   // of the filter after the last frame, one for each row

    static constexpr auto fields() {
      return field_list(signals("energy", &Out::energy), scalars("state", &Out::state));
    }
  };

  struct Plan {
    Params params;
    Index rows = 0, n_frames = 0;
    bool given_ref = false;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.rows, 1, plan.n_frames}, {nullptr, plan.rows, 1, 1}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
