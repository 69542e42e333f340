// Centroid, bandwidth, rolloff, flatness and contrast of audio or of a stored spectrogram.
#pragma once

#include <memory>

#include "dsp/spectral_shape.hpp"
#include "ops/core/consumer.hpp"
#include "ops/op.hpp"
#include "ops/spectral/magnitudes.hpp"

namespace metalmom::ops {

struct SpectralShape {
  static constexpr std::string_view name = "spectral_shape";

  struct Params : FrameParams, dsp::ShapeParams {
    static constexpr auto fields() {
      return joined_fields(FrameParams::fields(), dsp::ShapeParams::fields());
    }
  };

  template <class T>
  struct In : MagnitudeInputs<T> {
    std::span<const double> freq;      // Hz, one for each bin
    std::span<const double> centroid;  // none, or one for each frame of the batch

    static constexpr auto fields() {
      return joined_fields(MagnitudeInputs<T>::fields(),
                           field_list(field("freq", &In::freq), field("centroid", &In::centroid)));
    }
  };

  template <class T>
  struct Out {
    View<double> shape;  // (batch, 1, frames)

    static constexpr auto fields() { return field_list(signals("shape", &Out::shape)); }
  };

  struct Plan : MagnitudePlan {
    dsp::ShapeParams shape;
    bool given_centroid = false;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static void check_values(Plan& plan, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.frames.batch, 1, plan.frames.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  // After a run: throws if a mean frequency is NaN, since the spectrum of the audio overflowed.
  template <class T>
  static void check_results(const Plan& plan, const Out<T>& out);
  static Cost cost(const Plan& plan);

  // As a part of a pipeline.
  template <class T>
  static std::unique_ptr<Consumer<T>> consumer(const Plan& plan, const In<T>& in,
                                               const Out<T>& out);
  static bool reads_frames(const Plan& plan) { return !plan.stored; }
};

// Valleys and peaks of bands of bins: means of their lowest and of their highest values
// (Jiang, Lu, Zhang, Tao and Cai 2002). Transforms in double: a valley is a near-empty bin.
struct SpectralContrast {
  static constexpr std::string_view name = "spectral_contrast";
  using Params = FrameParams;

  template <class T>
  struct In : MagnitudeInputs<T> {
    // Three whole numbers for each band: first bin, last bin (exclusive), values in a tail.
    std::span<const double> bands;

    static constexpr auto fields() {
      return joined_fields(MagnitudeInputs<T>::fields(), field_list(field("bands", &In::bands)));
    }
  };

  template <class T>
  struct Out {
    View<double> valley, peak;  // (batch, bands, frames)

    static constexpr auto fields() {
      return field_list(matrices("valley", &Out::valley), matrices("peak", &Out::peak));
    }
  };

  struct Band {
    Index first, last, n_tail;
  };
  struct Plan : MagnitudePlan {
    std::vector<Band> bands;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    const auto n_bands = static_cast<Index>(plan.bands.size());
    const View<double> shape{nullptr, plan.frames.batch, n_bands, plan.frames.n_frames};
    return {shape, shape};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);

  // As a part of a pipeline.
  template <class T>
  static std::unique_ptr<Consumer<T>> consumer(const Plan& plan, const In<T>& in,
                                               const Out<T>& out);
  static bool reads_frames(const Plan& plan) { return !plan.stored; }
};

}  // namespace metalmom::ops
