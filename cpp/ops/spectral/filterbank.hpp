// Bands of a spectrogram: mel, chroma, any constant non-negative or signed matrix of filters.
#pragma once

#include <memory>
#include <span>

#include "dsp/bands.hpp"
#include "ops/core/consumer.hpp"
#include "ops/core/frame_params.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

// Frames and the power of the magnitude: what turns audio into a real spectrogram.
struct SpectrogramParams : FrameParams {
  double power = 2;

  static constexpr auto fields() {
    return joined_fields(FrameParams::fields(),
                         field_list(field("power", &SpectrogramParams::power, strictly_positive)));
  }
};

// The inputs of ops that go from audio to bands.
template <class T>
struct BandInputs {
  View<const T> y;                          // (batch, 1, samples)
  std::span<const double> window;           // win_length values
  std::shared_ptr<const dsp::Basis> basis;  // (bands, bins)

  static constexpr auto fields() {
    return field_list(audio("y", &BandInputs::y), field("window", &BandInputs::window),
                      field("basis", &BandInputs::basis));
  }
};

struct BandPlan {
  FramePlan frames;
  double power = 2;
  Index n_bands = 0;
};

template <class T>
BandPlan plan_bands(const SpectrogramParams& params, const BandInputs<T>& in);

// The cost of window, transform, power and bands, without what follows them.
Cost band_cost(const BandPlan& plan);

// Throws unless the basis weighs as many bins as a spectrum has.
void require_bins(const dsp::Basis& basis, Index n_bins);

// Audio to bands. Never holds a spectrogram: blocks of 16 frames.
struct FilterbankSpectrogram {
  static constexpr std::string_view name = "filterbank_spectrogram";
  using Params = SpectrogramParams;
  template <class T>
  using In = BandInputs<T>;

  template <class T>
  struct Out {
    View<T> bands;  // (batch, bands, frames)

    static constexpr auto fields() { return field_list(matrices("bands", &Out::bands)); }
  };

  using Plan = BandPlan;

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    return plan_bands(params, in);
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.frames.batch, plan.n_bands, plan.frames.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan) { return band_cost(plan); }

  // As a part of a pipeline.
  template <class T>
  static std::unique_ptr<Consumer<T>> consumer(const Plan& plan, const In<T>& in,
                                               const Out<T>& out);
  static bool reads_frames(const Plan&) { return true; }
};

// A stored spectrogram to bands.
struct FilterbankProduct {
  static constexpr std::string_view name = "filterbank_product";

  struct Params {
    static constexpr auto fields() { return field_list(); }
  };

  template <class T>
  struct In {
    Spectrogram<const T> S;
    std::shared_ptr<const dsp::Basis> basis;

    static constexpr auto fields() {
      return field_list(matrices("S", &In::S), field("basis", &In::basis));
    }
  };

  template <class T>
  using Out = FilterbankSpectrogram::Out<T>;

  struct Plan {
    Index batch = 0, n_frames = 0, n_bins = 0, n_bands = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.n_bands, plan.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
