// Spectrograms whose bins are moved to where their energy lies (Kodera, Gendrin and de Villedary
// 1978; Auger and Flandrin 1995).
#pragma once

#include <complex>
#include <span>

#include "dsp/defaults.hpp"
#include "ops/core/frame_params.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct Reassign {
  static constexpr std::string_view name = "reassign";

  struct Params : FrameParams {
    double sr = dsp::defaults::sr;
    double ref_power = 1e-6;  // bins of less power have no place: NaN
    bool fill_nan = false;    // but their own place instead of NaN
    bool clip = true;         // to the frequencies and times of the audio
    double start = 0;         // seconds: the time of the first frame
    double duration = 0;      // seconds

    static constexpr auto fields() {
      return joined_fields(FrameParams::fields(),
                           field_list(field("sr", &Params::sr, strictly_positive),
                                      field("ref_power", &Params::ref_power, non_negative),
                                      field("fill_nan", &Params::fill_nan),
                                      field("clip", &Params::clip), field("start", &Params::start),
                                      field("duration", &Params::duration, non_negative)));
    }
  };

  template <class T>
  struct In {
    View<const T> y;                 // (batch, 1, samples)
    View<const std::complex<T>> S;   // if not given, the spectrum of y
    std::span<const double> window;  // n_fft values, as are
    // the window's derivative, for frequencies; empty: none are asked for
    std::span<const double> slope;
    // the window times the time from its middle, for times; empty: none are asked for
    std::span<const double> weighted;

    static constexpr auto fields() {
      return field_list(audio("y", &In::y), optional(frames_first(matrices("S", &In::S))),
                        field("window", &In::window), field("slope", &In::slope),
                        field("weighted", &In::weighted));
    }
  };

  // All are (batch, frames, bins); what is not asked for has no frames.
  template <class T>
  struct Out {
    View<double> frequencies, times;  // Hz, seconds
    View<T> magnitudes;

    static constexpr auto fields() {
      return field_list(frames_first(matrices("frequencies", &Out::frequencies)),
                        frames_first(matrices("times", &Out::times)),
                        frames_first(matrices("magnitudes", &Out::magnitudes)));
    }
  };

  struct Plan {
    FramePlan frames;
    Params params;
    bool moves_frequencies = true, moves_times = true;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    const auto& [frames, params, moves_frequencies, moves_times] = plan;
    const auto shape = [&](bool wanted) { return wanted ? frames.n_frames : 0; };
    return {{nullptr, frames.batch, shape(moves_frequencies), frames.n_bins},
            {nullptr, frames.batch, shape(moves_times), frames.n_bins},
            {nullptr, frames.batch, frames.n_frames, frames.n_bins}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
