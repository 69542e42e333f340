// Time-stretched spectrograms (dsp/phase_vocoder.hpp).
#pragma once

#include <complex>

#include "ops/op.hpp"

namespace metalmom::ops {

struct PhaseVocoder {
  static constexpr std::string_view name = "phase_vocoder";
  struct Params {
    static constexpr auto fields() { return field_list(); }
  };

  template <class T>
  struct In {
    View<const std::complex<T>> spectrum;  // (batch, frames, bins)
    std::span<const double> t_out;         // in frames of the spectrum
    View<const double> magnitudes;         // (batch, times, bins); not given: linear

    static constexpr auto fields() {
      return field_list(matrices("D", &In::spectrum), field("t_out", &In::t_out),
                        optional(matrices("magnitudes", &In::magnitudes)));
    }
  };

  template <class T>
  struct Out {
    View<std::complex<T>> spectrum;  // (batch, times, bins)

    static constexpr auto fields() {
      return field_list(frames_first(matrices("spectrum", &Out::spectrum)));
    }
  };

  struct Plan {
    Index batch = 0, n_frames = 0, n_bins = 0, n_times = 0;
    bool given_magnitudes = false;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.n_times, plan.n_bins}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
