// Harmonic-percussive separation by median filters, of a spectrogram and of audio.
#pragma once

#include "dsp/hpss.hpp"
#include "ops/core/istft.hpp"
#include "ops/core/stft.hpp"

namespace metalmom::ops {

// Of a stored spectrogram, real or complex.
struct Hpss {
  static constexpr std::string_view name = "hpss";

  struct Params : dsp::HpssParams {
    bool pairs = false;        // S is complex: columns hold (re, im), two values each
    bool frames_major = true;  // S is (frames, bins) in memory, as stft leaves it
    bool mask = false;         // the masks themselves, always real

    static constexpr auto fields() {
      return joined_fields(
          dsp::HpssParams::fields(),
          field_list(field("pairs", &Params::pairs), field("frames_major", &Params::frames_major),
                     field("mask", &Params::mask)));
    }
  };

  template <class T>
  struct In {
    View<const T> S;  // (batch, rows, columns)

    static constexpr auto fields() { return field_list(matrices("S", &In::S)); }
  };

  template <class T>
  struct Out {
    View<T> harmonic, percussive;  // as S

    static constexpr auto fields() {
      return field_list(matrices("harmonic", &Out::harmonic),
                        matrices("percussive", &Out::percussive));
    }
  };

  struct Plan {
    Params params;
    Index batch = 0, rows = 0;
    Index cols = 0;         // of numbers, complex ones counted once
    bool negative = false;  // whether a real S has negative values, which check_values finds out

    // The length of the median's window down the rows, and across the columns.
    Index row_size() const {
      return params.frames_major ? params.kernel_harmonic : params.kernel_percussive;
    }
    Index column_size() const {
      return params.frames_major ? params.kernel_percussive : params.kernel_harmonic;
    }
    Index frames() const { return batch * (params.frames_major ? rows : cols); }
    Index out_cols() const { return params.pairs && !params.mask ? 2 * cols : cols; }
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static void check_values(Plan& plan, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    const View<T> shape{nullptr, plan.batch, plan.rows, plan.out_cols()};
    return {shape, shape};
  }
  // Throws if a real S is such that a median is negative: masks are ratios of magnitudes.
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

// Of audio: stft, separation and two inverse transforms. No spectrogram exists as a whole.
struct HpssAudio {
  static constexpr std::string_view name = "hpss_audio";

  struct Params : FrameParams, dsp::HpssParams {
    static constexpr auto fields() {
      return joined_fields(FrameParams::fields(), dsp::HpssParams::fields());
    }
  };

  template <class T>
  struct In {
    View<const T> y;                 // (batch, 1, samples)
    std::span<const double> window;  // of both directions

    static constexpr auto fields() {
      return field_list(audio("y", &In::y), field("window", &In::window));
    }
  };

  template <class T>
  struct Out {
    View<T> harmonic, percussive;  // as y

    static constexpr auto fields() {
      return field_list(signals("harmonic", &Out::harmonic),
                        signals("percussive", &Out::percussive));
    }
  };

  struct Plan {
    FramePlan forward;
    Istft::Plan inverse;
    dsp::HpssParams hpss;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    const View<T> shape{nullptr, plan.forward.batch, 1, plan.forward.n_samples};
    return {shape, shape};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
