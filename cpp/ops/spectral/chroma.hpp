// Chroma of audio: pitch-class bands, each frame scaled to unit norm.
#pragma once

#include <memory>

#include "ops/core/consumer.hpp"
#include "ops/spectral/filterbank.hpp"

namespace metalmom::ops {

struct ChromaSpectrogram {
  static constexpr std::string_view name = "chroma_spectrogram";

  struct Params : SpectrogramParams {
    bool normalize = true;
    double norm = std::numeric_limits<double>::infinity();  // as in util.normalize

    static constexpr auto fields() {
      return joined_fields(
          SpectrogramParams::fields(),
          field_list(field("normalize", &Params::normalize), field("norm", &Params::norm)));
    }
  };

  template <class T>
  using In = BandInputs<T>;

  template <class T>
  struct Out {
    View<T> chroma;  // (batch, frames, bands)

    static constexpr auto fields() {
      return field_list(frames_first(matrices("chroma", &Out::chroma)));
    }
  };

  struct Plan : BandPlan {
    bool normalize = true;
    double norm = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    return {plan_bands(params, in), params.normalize, params.norm};
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.frames.batch, plan.frames.n_frames, plan.n_bands}};
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

}  // namespace metalmom::ops
