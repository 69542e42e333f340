// Cepstra: the DCT of band levels in decibels (Davis and Mermelstein 1980).
#pragma once

#include <limits>
#include <memory>

#include "dsp/dct.hpp"
#include "ops/core/consumer.hpp"
#include "ops/core/level_params.hpp"
#include "ops/spectral/filterbank.hpp"

namespace metalmom::ops {

struct DctParams {
  Index n_mfcc = dsp::defaults::n_mfcc;
  Index dct_type = 2;
  dsp::DctNorm norm = dsp::DctNorm::ortho;
  double lifter = 0;

  static constexpr auto fields() {
    return field_list(field("n_mfcc", &DctParams::n_mfcc, positive_integer),
                      field("dct_type", &DctParams::dct_type, Range{1, 4, "1, 2, 3 or 4"}),
                      field("norm", &DctParams::norm),
                      field("lifter", &DctParams::lifter,
                            Range{0, std::numeric_limits<double>::max(), "a non-negative number"}));
  }
};

// The first n_mfcc rows of the DCT matrix (all n_bands, if they are fewer), row n times its lifter
// weight 1 + lifter / 2 * sin(pi (n + 1) / lifter). Cached.
std::shared_ptr<const dsp::Basis> dct_basis(const DctParams& params, Index n_bands);

// Audio to cepstra: bands, decibels below each signal's maximum, DCT.
struct Cepstrum {
  static constexpr std::string_view name = "cepstrum";

  struct Params : SpectrogramParams, DctParams, FrameLevelParams {
    static constexpr auto fields() {
      return joined_fields(SpectrogramParams::fields(), DctParams::fields(),
                           FrameLevelParams::fields());
    }
  };

  template <class T>
  using In = BandInputs<T>;

  template <class T>
  struct Out {
    View<T> cepstra;  // (batch, coefficients, frames)

    static constexpr auto fields() { return field_list(matrices("cepstra", &Out::cepstra)); }
  };

  struct Plan : BandPlan, FrameLevelParams {
    std::shared_ptr<const dsp::Basis> dct;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    check(params);
    const BandPlan bands = plan_bands(params, in);
    return {bands, params, dct_basis(params, bands.n_bands)};
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.frames.batch, plan.dct->n_bands(), plan.frames.n_frames}};
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

// Band levels to cepstra.
struct Dct {
  static constexpr std::string_view name = "dct";
  using Params = DctParams;

  template <class T>
  struct In {
    View<const T> S;  // (batch, bands, frames)

    static constexpr auto fields() { return field_list(matrices("S", &In::S)); }
  };

  template <class T>
  using Out = Cepstrum::Out<T>;

  struct Plan {
    Index batch = 0, n_bands = 0, n_frames = 0;
    std::shared_ptr<const dsp::Basis> dct;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    check(params);
    return {in.S.batch, in.S.rows, in.S.cols, dct_basis(params, in.S.rows)};
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.dct->n_bands(), plan.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
