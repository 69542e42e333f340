// The short-time Fourier transform.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string_view>

#include "ops/core/consumer.hpp"
#include "ops/core/frame_params.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct Stft {
  static constexpr std::string_view name = "stft";
  using Params = FrameParams;

  template <class T>
  struct In {
    View<const T> y;                 // (batch, 1, samples)
    std::span<const double> window;  // win_length values, centred in the frame

    static constexpr auto fields() {
      return field_list(audio("y", &In::y), field("window", &In::window));
    }
  };

  template <class T>
  struct Out {
    View<std::complex<T>> spectrum;  // (batch, frames, bins)

    static constexpr auto fields() {
      return field_list(frames_first(matrices("spectrum", &Out::spectrum)));
    }
  };

  using Plan = FramePlan;

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    return plan_frames(params, in.y, static_cast<Index>(in.window.size()));
  }

  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.n_frames, plan.n_bins}};
  }

  // Transforms in double whatever T is, and rounds once: the phase and the level of near-empty bins
  // need it, and librosa (whose window is float64) does the same.
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);

  static Cost cost(const Plan& plan);

  // As a part of a pipeline.
  template <class T>
  static std::unique_ptr<Consumer<T>> consumer(const Plan& plan, const In<T>& in,
                                               const Out<T>& out);
  static bool reads_frames(const Plan&) { return true; }
};

// Floating-point operations of one real FFT of n points, as the field counts them.
double fft_flops(Index n);

}  // namespace metalmom::ops
