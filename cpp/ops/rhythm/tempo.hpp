// Tempi (dsp/tempo.hpp): of each frame of a tempogram, and one for a whole onset envelope.
#pragma once

#include <limits>

#include "dsp/tempo.hpp"
#include "ops/rhythm/tempogram.hpp"

namespace metalmom::ops {

struct TempoParams : dsp::TempoPrior {
  double sr = dsp::defaults::sr;
  Index hop_length = dsp::defaults::hop_length;
  double max_tempo = dsp::defaults::max_tempo;  // tempi from this one on are not considered

  static constexpr auto fields() {
    return field_list(field("start_bpm", &TempoParams::start_bpm, strictly_positive),
                      field("std_bpm", &TempoParams::std_bpm, strictly_positive),
                      field("sr", &TempoParams::sr, strictly_positive),
                      field("hop_length", &TempoParams::hop_length, positive_integer),
                      field("max_tempo", &TempoParams::max_tempo, strictly_positive));
  }
};

struct TempoOutput {
  View<double> bpm;  // (batch, 1, frames)

  static constexpr auto fields() { return field_list(signals("bpm", &TempoOutput::bpm)); }
};

struct Tempo {
  static constexpr std::string_view name = "tempo";
  using Params = TempoParams;

  template <class T>
  struct In {
    View<const T> tg;  // (batch, lags, frames)
    // of each lag; it replaces the log-normal prior, unless it is empty
    std::span<const double> log_prior;

    static constexpr auto fields() {
      return field_list(matrices("tg", &In::tg), field("log_prior", &In::log_prior));
    }
  };

  template <class T>
  using Out = TempoOutput;

  struct Plan {
    Params params;
    Index batch = 0, n_lags = 0, n_frames = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

// The tempo of the mean over the frames of an envelope's tempogram.
struct GlobalTempo {
  static constexpr std::string_view name = "global_tempo";

  struct Params : TempoParams {
    bool center = true;  // as in TempogramParams

    static constexpr auto fields() {
      return joined_fields(TempoParams::fields(), field_list(field("center", &Params::center)));
    }
  };

  template <class T>
  struct In : TempogramInputs<T> {
    std::span<const double> log_prior;  // as for Tempo

    static constexpr auto fields() {
      return joined_fields(TempogramInputs<T>::fields(),
                           field_list(field("log_prior", &In::log_prior)));
    }
  };

  template <class T>
  using Out = TempoOutput;

  struct Plan : TempogramPlan {
    TempoParams tempo;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static void check_values(Plan& plan, const In<T>& in) {
    check_envelope<T>(plan, in);
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, 1}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan) { return tempogram_cost(plan); }
};

}  // namespace metalmom::ops
