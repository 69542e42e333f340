// Energies of frames in the bands of recursive filters (dsp/sections.hpp).
#pragma once

#include <span>
#include <string_view>

#include "ops/op.hpp"

namespace metalmom::ops {

struct BandEnergies {
  static constexpr std::string_view name = "band_energies";

  struct Params {
    Index n_sections = 1;    // of each filter
    Index edge = 0;          // samples by which the signal is continued at both ends
    Index frame_length = 1;  // in samples of y
    double hop_length = 1;   // may be a fraction of a sample
    Index n_frames = 1;
    double factor = 1;  // of the result

    static constexpr auto fields() {
      return field_list(field("n_sections", &Params::n_sections, positive_integer),
                        field("edge", &Params::edge, non_negative_integer),
                        field("frame_length", &Params::frame_length, non_negative_integer),
                        field("hop_length", &Params::hop_length, strictly_positive),
                        field("n_frames", &Params::n_frames, positive_integer),
                        field("factor", &Params::factor));
    }
  };

  template <class T>
  struct In {
    View<const T> y;                   // (batch, 1, samples)
    std::span<const double> sections;  // of each filter in turn, six values each

    static constexpr auto fields() {
      return field_list(audio("y", &In::y), field("sections", &In::sections));
    }
  };

  template <class T>
  struct Out {
    View<T> energies;  // (batch, filters, frames)

    static constexpr auto fields() { return field_list(matrices("energies", &Out::energies)); }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_samples = 0, n_filters = 0;
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, plan.n_filters, plan.params.n_frames}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
};

}  // namespace metalmom::ops
