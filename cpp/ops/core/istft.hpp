// The inverse short-time Fourier transform: least squares from overlapping windowed frames
// (Griffin and Lim 1984, equation 6).
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "dsp/defaults.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct Istft {
  static constexpr std::string_view name = "istft";

  struct Params {
    Index n_fft = dsp::defaults::n_fft;
    Index hop_length = dsp::defaults::hop_length;
    bool center = true;
    Index length = 0;  // samples of the result; 0: all that the frames cover

    // Samples of padding before the signal, which are dropped.
    Index start() const { return center ? n_fft / 2 : 0; }
    static constexpr auto fields() {
      return field_list(field("n_fft", &Params::n_fft, positive_integer),
                        field("hop_length", &Params::hop_length, positive_integer),
                        field("center", &Params::center),
                        field("length", &Params::length, non_negative_integer));
    }
  };

  template <class T>
  struct In {
    View<const std::complex<T>> spectrum;  // (batch, frames, bins)
    std::span<const double> window;        // win_length values

    static constexpr auto fields() {
      return field_list(frames_first(matrices("spectrum", &In::spectrum)),
                        field("window", &In::window));
    }
  };

  template <class T>
  struct Out {
    View<T> y;  // (batch, 1, samples)

    static constexpr auto fields() { return field_list(signals("y", &Out::y)); }
  };

  struct Plan {
    Params params;
    Index batch = 0;
    Index n_bins = 0;
    Index stored_frames = 0;  // frames of the input
    Index n_frames = 0;       // frames that are added up
    Index sum_frames = 0;     // frames that the window sum counts
    Index n_samples = 0;
    Index start() const { return params.start(); }
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);

  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.n_samples}};
  }

  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);

  static Cost cost(const Plan& plan);
};

// The sum of overlapping squared windows at each sample of the padded signal. Between the first and
// the last n_fft samples it has the period hop_length, so one period is stored for all of that.
template <class T>
class WindowSum {
 public:
  WindowSum(std::span<const double> window, Index n_fft, Index hop_length, Index n_frames);

  // Divides y[i] by the sum at sample begin + i, for begin + i < end; where the sum is no normal
  // number y stays.
  void divide(Index begin, Index end, T* y) const;

  // Sets the number of frames of a signal when its end becomes known (in streams).
  void end_after(Index n_frames) { n_frames_ = n_frames; }

 private:
  T divisor(double sum) const;
  T divisor_at_end(Index sample) const;

  Index n_fft_, hop_length_, n_frames_;
  std::vector<double> squares_;
  std::vector<T> steady_;
};

}  // namespace metalmom::ops
