// Spectral peaks as pitches (dsp/tuning.hpp).
#pragma once

#include "dsp/defaults.hpp"
#include "dsp/tuning.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

// Where peaks are searched: in the bins whose frequency, bin_spacing * bin, is within [fmin, fmax).
struct PeakParams {
  double bin_spacing = dsp::defaults::sr / dsp::defaults::n_fft;  // Hz
  double fmin = 150, fmax = 4000;                                 // Hz
  double threshold = 0.1;  // share of each frame's largest value

  static constexpr auto fields() {
    return field_list(field("bin_spacing", &PeakParams::bin_spacing, strictly_positive),
                      field("fmin", &PeakParams::fmin), field("fmax", &PeakParams::fmax),
                      field("threshold", &PeakParams::threshold));
  }

  dsp::PeakBand band(Index n_bins) const;
};

// A stored spectrogram, (batch, frames, bins). `limit` has one value per frame, which replaces the
// threshold; or none (cols == 0).
template <class T>
struct PeakInputs {
  View<const T> S, limit;

  static constexpr auto fields() {
    return field_list(frames_first(matrices("S", &PeakInputs::S)),
                      signals("limit", &PeakInputs::limit));
  }
};

struct PeakPlan {
  PeakParams peaks;
  dsp::PeakBand band;
  Index batch = 0, n_frames = 0, n_bins = 0;
  bool limited = false;
};

template <class T>
PeakPlan plan_peaks(const PeakParams& params, const PeakInputs<T>& in);

// Pitches and magnitudes of the peaks of a spectrogram, 0 elsewhere.
struct Piptrack {
  static constexpr std::string_view name = "piptrack";
  using Params = PeakParams;
  template <class T>
  using In = PeakInputs<T>;

  template <class T>
  struct Out {
    View<T> pitches, magnitudes;  // (batch, frames, bins)

    static constexpr auto fields() {
      return field_list(frames_first(matrices("pitches", &Out::pitches)),
                        frames_first(matrices("magnitudes", &Out::magnitudes)));
    }
  };

  using Plan = PeakPlan;

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    return plan_peaks(params, in);
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    const View<T> shape{nullptr, plan.batch, plan.n_frames, plan.n_bins};
    return {shape, shape};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
