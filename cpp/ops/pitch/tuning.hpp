// The tuning that the pitches of a set agree on: of audio, of a spectrogram, of frequencies.
#pragma once

#include <algorithm>
#include <memory>

#include "ops/core/consumer.hpp"
#include "ops/pitch/piptrack.hpp"
#include "ops/spectral/filterbank.hpp"

namespace metalmom::ops {

// The cells of the histogram of deviations: their width and the scale's bins.
struct TuningParams {
  double resolution = 0.01;
  double bins_per_octave = 12;

  static constexpr auto fields() {
    return field_list(
        field("resolution", &TuningParams::resolution, {1e-7, 9e15, "a number of at least 1e-7"}),
        field("bins_per_octave", &TuningParams::bins_per_octave, strictly_positive));
  }
};

// There is one estimate for the whole batch; it is repeated for each signal.
struct TuningOutput {
  View<double> tuning;  // (batch), fractions of a bin in [-0.5, 0.5)
  View<Index> heard;    // (batch), 0 if no frequency voted, so that the tuning has no meaning

  static constexpr auto fields() {
    return field_list(scalars("tuning", &TuningOutput::tuning),
                      scalars("heard", &TuningOutput::heard));
  }

  static TuningOutput shape(Index batch) {
    return {{nullptr, batch, 1, 1}, {nullptr, batch, 1, 1}};
  }
  void fill(const dsp::Tuning& value) const {
    std::ranges::fill(tuning.flat(), value.deviation);
    std::ranges::fill(heard.flat(), Index(value.votes > 0));
  }
};

// One tuning for all peaks of audio, whatever the number of signals. Transforms in the precision of
// its input, block by block; only peaks are kept.
struct TuningEstimate {
  static constexpr std::string_view name = "tuning_estimate";
  static constexpr bool is_followed = true;  // the chroma that is tuned asks next

  struct Params : SpectrogramParams, PeakParams, TuningParams {
    static constexpr auto fields() {
      return joined_fields(SpectrogramParams::fields(), PeakParams::fields(),
                           TuningParams::fields());
    }
  };

  template <class T>
  struct In {
    View<const T> y;                 // (batch, 1, samples)
    std::span<const double> window;  // win_length values

    static constexpr auto fields() {
      return field_list(audio("y", &In::y), field("window", &In::window));
    }
  };

  template <class T>
  using Out = TuningOutput;

  struct Plan {
    FramePlan frames;
    double power = 2;
    PeakParams peaks;
    dsp::PeakBand band;
    TuningParams tuning;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return TuningOutput::shape(plan.frames.batch);
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);

  // The consumer of frames behind this op.
  template <class T>
  static std::unique_ptr<Consumer<T>> consumer(const Plan& plan, const In<T>& in,
                                               const Out<T>& out);
  static bool reads_frames(const Plan&) { return true; }
};

// The same for a stored spectrogram.
struct SpectrumTuning {
  static constexpr std::string_view name = "spectrum_tuning";

  struct Params : PeakParams, TuningParams {
    static constexpr auto fields() {
      return joined_fields(PeakParams::fields(), TuningParams::fields());
    }
  };

  template <class T>
  using In = PeakInputs<T>;
  template <class T>
  using Out = TuningOutput;

  struct Plan : PeakPlan {
    TuningParams tuning;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    check(params);
    return {plan_peaks(params, in), params};
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return TuningOutput::shape(plan.batch);
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan) { return Piptrack::cost(plan); }
};

// The same for frequencies; those that are not positive do not vote.
struct PitchTuning {
  static constexpr std::string_view name = "pitch_tuning";
  using Params = TuningParams;

  template <class T>
  struct In {
    View<const T> frequencies;  // (1, 1, values), Hz

    static constexpr auto fields() { return field_list(signals("frequencies", &In::frequencies)); }
  };

  template <class T>
  using Out = TuningOutput;

  struct Plan {
    TuningParams tuning;
    Index batch = 0, n = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    check(params);
    return {params, in.frequencies.batch, in.frequencies.cols};
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return TuningOutput::shape(plan.batch);
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
