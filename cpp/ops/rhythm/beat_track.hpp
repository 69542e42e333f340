// Beats of onset envelopes at given tempi, by dynamic programming (dsp/beat.hpp).
#pragma once

#include "dsp/defaults.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct BeatTrack {
  static constexpr std::string_view name = "beat_track";

  struct Params {
    double frame_rate = dsp::defaults::sr / dsp::defaults::hop_length;  // of the envelope, in Hz
    double tightness = 100;
    bool trim = true;

    static constexpr auto fields() {
      return field_list(field("frame_rate", &Params::frame_rate, strictly_positive),
                        field("tightness", &Params::tightness, strictly_positive),
                        field("trim", &Params::trim));
    }
  };

  template <class T>
  struct In {
    View<const T> onset_envelope;  // (batch, 1, frames)
    View<const double> bpm;        // (batch, 1, 1), or one value per frame

    static constexpr auto fields() {
      return field_list(signals("onset_envelope", &In::onset_envelope), signals("bpm", &In::bpm));
    }
  };

  template <class T>
  struct Out {
    View<bool> beats;  // (batch, 1, frames)

    static constexpr auto fields() { return field_list(signals("beats", &Out::beats)); }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_frames = 0, n_tempi = 1;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static void check_values(Plan& plan, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
