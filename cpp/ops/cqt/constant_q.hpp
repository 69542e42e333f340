// The constant-Q transform and its relatives: complex filters over frames, octave by octave, each
// at the rate that it needs.
#pragma once

#include <complex>
#include <memory>
#include <string_view>
#include <vector>

#include "dsp/octaves.hpp"
#include "dsp/rate/resampler.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct ConstantQ {
  static constexpr std::string_view name = "constant_q";

  struct Params {
    dsp::PadMode pad_mode = dsp::PadMode::constant;
    dsp::Quality res_type = dsp::Quality::high;
    Index early_halvings = 0;  // halvings of the rate before the first octave, done in one step

    static constexpr auto fields() {
      return field_list(field("pad_mode", &Params::pad_mode), field("res_type", &Params::res_type),
                        field("early_halvings", &Params::early_halvings,
                              Range{0, 15, "an integer from 0 to 15"}));
    }
  };

  template <class T>
  struct In {
    View<const T> y;                              // (batch, 1, samples)
    std::shared_ptr<const dsp::OctaveBank> bank;  // of analysis

    static constexpr auto fields() {
      return field_list(audio("y", &In::y), field("bank", &In::bank));
    }
  };

  template <class T>
  struct Out {
    View<std::complex<T>> spectrum;  // (batch, frames, bins)

    static constexpr auto fields() {
      return field_list(frames_first(matrices("spectrum", &Out::spectrum)));
    }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_samples = 0, n_bins = 0, n_frames = 0;
    // samples of a signal at the first octave's rate, at half of it ...
    std::vector<Index> lengths;
    Index reach = 0;           // the longest stretch of samples that frames span, padding included
    double multiply_adds = 0;  // of one frame, over all octaves
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);

  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.n_frames, plan.n_bins}};
  }

  // Runs in the precision of the samples, because every bin sums a whole frame.
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);

  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
