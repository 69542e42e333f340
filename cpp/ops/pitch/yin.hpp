// Fundamental frequencies from the periods of frames (dsp/periods.hpp).
#pragma once

#include "dsp/defaults.hpp"
#include "dsp/periods.hpp"
#include "ops/core/frame_params.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

// The range of periods that is searched, in frames of n_fft samples.
struct PeriodPlan {
  FramePlan frames;
  dsp::PeriodRange periods;
};

PeriodPlan plan_periods(const FrameParams& frames, Index min_period, Index max_period, Index batch,
                        Index n_samples);

struct Yin {
  static constexpr std::string_view name = "yin";

  struct Params : FrameParams {
    Index min_period = 1, max_period = 2;  // samples
    double sr = dsp::defaults::sr;
    double trough_threshold = 0.1;

    static constexpr auto fields() {
      return joined_fields(FrameParams::fields(),
                           field_list(field("min_period", &Params::min_period, positive_integer),
                                      field("max_period", &Params::max_period, positive_integer),
                                      field("sr", &Params::sr, strictly_positive),
                                      field("trough_threshold", &Params::trough_threshold)));
    }
  };

  template <class T>
  struct In {
    View<const T> y;  // (batch, 1, samples)

    static constexpr auto fields() { return field_list(audio("y", &In::y)); }
  };

  template <class T>
  struct Out {
    View<double> f0;  // (batch, 1, frames), Hz

    static constexpr auto fields() { return field_list(signals("f0", &Out::f0)); }
  };

  struct Plan : PeriodPlan {
    double sr, trough_threshold;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.frames.batch, 1, plan.frames.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

// The observations of probabilistic YIN (Mauch and Dixon 2014): the logarithm of the likelihood of
// every pitch bin if the frame is voiced, followed by that of every bin if it is not.
struct PyinObservations {
  static constexpr std::string_view name = "pyin_observations";

  struct Params : FrameParams {
    Index min_period = 1, max_period = 2;  // samples
    double sr = dsp::defaults::sr;
    double fmin = 65;  // Hz: bin 0
    Index n_pitch_bins = 1, bins_per_octave = 120;
    double boltzmann_parameter = 2, no_trough_prob = 0.01;

    static constexpr auto fields() {
      return joined_fields(
          FrameParams::fields(),
          field_list(field("min_period", &Params::min_period, positive_integer),
                     field("max_period", &Params::max_period, positive_integer),
                     field("sr", &Params::sr, strictly_positive),
                     field("fmin", &Params::fmin, strictly_positive),
                     field("n_pitch_bins", &Params::n_pitch_bins, positive_integer),
                     field("bins_per_octave", &Params::bins_per_octave, positive_integer),
                     field("boltzmann_parameter", &Params::boltzmann_parameter, strictly_positive),
                     field("no_trough_prob", &Params::no_trough_prob, non_negative)));
    }
  };

  template <class T>
  struct In {
    View<const T> y;                     // (batch, 1, samples)
    std::span<const double> thresholds;  // ascending from 0
    std::span<const double> weights;     // the probability of each threshold but the first

    static constexpr auto fields() {
      return field_list(audio("y", &In::y), field("thresholds", &In::thresholds),
                        field("weights", &In::weights));
    }
  };

  template <class T>
  struct Out {
    View<double> log_prob;     // (batch, 2 pitch bins, frames)
    View<double> voiced_prob;  // (batch, 1, frames)

    static constexpr auto fields() {
      return field_list(matrices("log_prob", &Out::log_prob),
                        signals("voiced_prob", &Out::voiced_prob));
    }
  };

  struct Plan : PeriodPlan {
    Params params;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.frames.batch, 2 * plan.params.n_pitch_bins, plan.frames.n_frames},
            {nullptr, plan.frames.batch, 1, plan.frames.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
