// Tempograms: the autocorrelation of an onset envelope in a window around each frame (Grosche,
// Mueller and Kurth 2010, "Cyclic tempogram"). In double, as librosa's are.
#pragma once

#include <limits>
#include <span>

#include "ops/op.hpp"

namespace metalmom::ops {

struct TempogramParams {
  // beyond its ends the envelope continues as a ramp to zero, half a window long
  bool center = true;
  bool normalize = true;  // each frame to unit norm
  double norm = std::numeric_limits<double>::infinity();

  static constexpr auto fields() {
    return field_list(field("center", &TempogramParams::center),
                      field("normalize", &TempogramParams::normalize),
                      field("norm", &TempogramParams::norm));
  }
};

template <class T>
struct TempogramInputs {
  View<const T> onset_envelope;    // (batch, 1, frames)
  std::span<const double> window;  // win_length values

  static constexpr auto fields() {
    return field_list(signals("onset_envelope", &TempogramInputs::onset_envelope),
                      field("window", &TempogramInputs::window));
  }
};

struct TempogramPlan {
  TempogramParams params;
  Index batch = 0, n_samples = 0, n_frames = 0, win_length = 0;
};

template <class T>
TempogramPlan plan_tempogram(const TempogramParams& params, const TempogramInputs<T>& in);
template <class T>
void check_envelope(const TempogramPlan& plan, const TempogramInputs<T>& in);

Cost tempogram_cost(const TempogramPlan& plan);

struct Tempogram {
  static constexpr std::string_view name = "tempogram";
  using Params = TempogramParams;
  template <class T>
  using In = TempogramInputs<T>;

  template <class T>
  struct Out {
    View<double> tempogram;  // (batch, lags, frames)

    static constexpr auto fields() { return field_list(matrices("tempogram", &Out::tempogram)); }
  };

  using Plan = TempogramPlan;

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    return plan_tempogram(params, in);
  }
  template <class T>
  static void check_values(Plan& plan, const In<T>& in) {
    check_envelope(plan, in);
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.win_length, plan.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan) { return tempogram_cost(plan); }
};

// The mean over the frames of a tempogram, each divided by its peak, (batch, 1, lags): from it a
// global tempo is estimated. The tempogram is not stored.
template <class T>
void tempogram_mean(const TempogramPlan& plan, const TempogramInputs<T>& in, View<double> mean);

}  // namespace metalmom::ops
