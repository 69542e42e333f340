// Phases for a magnitude spectrogram: the fast Griffin-Lim iteration (Perraudin, Balazs and
// Sondergaard 2013).
#pragma once

#include "ops/core/istft.hpp"
#include "ops/core/stft.hpp"

namespace metalmom::ops {

struct GriffinLim {
  static constexpr std::string_view name = "griffinlim";

  struct Params : Istft::Params {
    Index n_iter = 32;
    double momentum = 0.99;
    dsp::PadMode pad_mode = dsp::PadMode::constant;

    static constexpr auto fields() {
      return joined_fields(Istft::Params::fields(),
                           field_list(field("n_iter", &Params::n_iter, non_negative_integer),
                                      field("momentum", &Params::momentum, non_negative),
                                      field("pad_mode", &Params::pad_mode)));
    }
  };

  template <class T>
  struct In {
    View<const T> S;                    // magnitudes (batch, frames, bins)
    View<const std::complex<T>> start;  // the spectrogram of the first estimate, same shape
    std::span<const double> window;     // win_length values

    static constexpr auto fields() {
      return field_list(matrices("S", &In::S), matrices("start", &In::start),
                        field("window", &In::window));
    }
  };

  template <class T>
  using Out = Istft::Out<T>;

  struct Plan {
    Istft::Plan inverse;
    FramePlan forward;
    Index n_iter = 32;
    double momentum = 0.99;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return Istft::outputs<T>(plan.inverse);
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
