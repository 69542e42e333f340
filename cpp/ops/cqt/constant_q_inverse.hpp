// Audio from a constant-Q transform: frames of every octave, overlapped and added at the octave's
// rate, brought to the rate of the signal and summed.
#pragma once

#include <complex>
#include <memory>
#include <string_view>

#include "dsp/octaves.hpp"
#include "dsp/rate/resampler.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct ConstantQInverse {
  static constexpr std::string_view name = "constant_q_inverse";

  struct Params {
    dsp::Quality res_type = dsp::Quality::high;
    Index length = 0;  // samples of the result; 0: all that the frames cover

    static constexpr auto fields() {
      return field_list(field("res_type", &Params::res_type),
                        field("length", &Params::length, non_negative_integer));
    }
  };

  template <class T>
  struct In {
    View<const std::complex<T>> spectrum;         // (batch, frames, bins)
    std::shared_ptr<const dsp::OctaveBank> bank;  // of synthesis, the lowest octave first

    static constexpr auto fields() {
      return field_list(frames_first(matrices("spectrum", &In::spectrum)),
                        field("bank", &In::bank));
    }
  };

  template <class T>
  struct Out {
    View<T> y;  // (batch, 1, samples)

    static constexpr auto fields() { return field_list(signals("y", &Out::y)); }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_frames = 0, n_bins = 0, n_samples = 0;
    double multiply_adds = 0;  // of a frame, over all octaves
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);

  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_samples}};
  }

  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);

  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
