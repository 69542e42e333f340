// Onset strength: the spectral flux of audio or of a stored spectrogram (dsp/flux.hpp).
#pragma once

#include <memory>

#include "dsp/flux.hpp"
#include "ops/core/consumer.hpp"
#include "ops/core/level_params.hpp"
#include "ops/spectral/filterbank.hpp"

namespace metalmom::ops {

struct FluxParams {
  Index lag = 1;       // frames between the spectra that are compared
  Index max_size = 1;  // bands of the maximum filter over the reference
  Index shift = 0;     // frames of silence before the first difference
  bool trim = true;    // the result has as many frames as the spectrogram; if not, `shift` more
  dsp::FluxAggregate aggregate = dsp::FluxAggregate::mean;

  static constexpr auto fields() {
    return field_list(field("lag", &FluxParams::lag, positive_integer),
                      field("max_size", &FluxParams::max_size, positive_integer),
                      field("shift", &FluxParams::shift, non_negative_integer),
                      field("trim", &FluxParams::trim), field("aggregate", &FluxParams::aggregate));
  }
};

// The flux of (bands, frames), validated.
struct FluxPlan {
  FluxParams params;
  Index batch = 0, n_bands = 0, n_frames = 0;
  Index n_differences = 0;  // frames that have a spectrum `lag` before them
  Index n_out = 0;

  Index rows_out() const { return params.aggregate == dsp::FluxAggregate::none ? n_bands : 1; }
};

FluxPlan plan_flux(const FluxParams& params, Index batch, Index n_bands, Index n_frames);
Cost flux_cost(const FluxPlan& plan);

// A stored spectrogram in decibels to its flux.
struct SpectralFlux {
  static constexpr std::string_view name = "spectral_flux";
  using Params = FluxParams;

  template <class T>
  struct In {
    View<const T> S, ref;  // ref is S if the caller gives none

    static constexpr auto fields() {
      return field_list(matrices("S", &In::S), matrices("ref", &In::ref));
    }
  };

  template <class T>
  struct Out {
    View<T> flux;  // (batch, bands, frames) or (batch, 1, frames)

    static constexpr auto fields() { return field_list(matrices("flux", &Out::flux)); }
  };

  using Plan = FluxPlan;

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.rows_out(), plan.n_out}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan) { return flux_cost(plan); }
};

// Audio to onset strength: bands, decibels below each signal's maximum, flux. Transforms in the
// precision of its input, since bands sum many bins. Keeps the bands of a few signals, but no
// spectrogram.
struct OnsetStrength {
  static constexpr std::string_view name = "onset_strength";

  struct Params : SpectrogramParams, FluxParams, FrameLevelParams {
    static constexpr auto fields() {
      return joined_fields(SpectrogramParams::fields(), FluxParams::fields(),
                           FrameLevelParams::fields());
    }
  };

  template <class T>
  using In = BandInputs<T>;
  template <class T>
  using Out = SpectralFlux::Out<T>;

  struct Plan : BandPlan, FrameLevelParams {
    FluxPlan flux;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    check(params);
    const BandPlan bands = plan_bands(params, in);
    return {bands, params,
            plan_flux(params, bands.frames.batch, bands.n_bands, bands.frames.n_frames)};
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return SpectralFlux::outputs<T>(plan.flux);
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);

  // As a part of a pipeline.
  template <class T>
  static std::unique_ptr<Consumer<T>> consumer(const Plan& plan, const In<T>& in,
                                               const Out<T>& out);
  static bool reads_frames(const Plan&) { return true; }
};

// The detrending filter of onset envelopes. In double, as librosa's is.
struct BlockDc {
  static constexpr std::string_view name = "block_dc";

  struct Params {
    static constexpr auto fields() { return field_list(); }
  };

  template <class T>
  struct In {
    View<const T> x;  // (batch, 1, values)

    static constexpr auto fields() { return field_list(signals("x", &In::x)); }
  };

  template <class T>
  struct Out {
    View<double> y;  // the shape of x

    static constexpr auto fields() { return field_list(signals("y", &Out::y)); }
  };

  struct Plan {
    Index batch = 0, n = 0;
  };

  template <class T>
  static Plan plan(const Params&, const In<T>& in) {
    return {in.x.batch, in.x.cols};
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
