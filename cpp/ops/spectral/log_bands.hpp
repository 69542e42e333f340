// Logarithms of bands of prepared frames: what models of speech and sound read. Kaldi's filter
// banks, log-mel spectrograms.
#pragma once

#include <limits>
#include <memory>

#include "ops/core/consumer.hpp"
#include "ops/core/frame_params.hpp"
#include "ops/spectral/filterbank.hpp"

namespace metalmom::ops {

// scale ln(max(band, amin) + offset) + shift, or bands as they are. Values are raised to the
// signal's maximum less `range`. Its last frame is left out, since models take clips that end where
// frames would begin.
//
// The result may have other rows than frames, by frame. Patches are runs of `patch` frames, one
// every `patch_hop` (0: side by side); frames that fill no patch are left out, or silence follows
// the audio until it ends with a patch (`whole_patches`, one at least). Or there are n_rows: later
// frames are left out, and rows that no frame fills are `shift`.
struct LogParams {
  bool logarithm = true;
  double amin = 0;
  double offset = 0;
  double scale = 1;
  double shift = 0;
  double range = std::numeric_limits<double>::infinity();
  bool drop_last = false;
  Index patch = 1;
  Index patch_hop = 0;
  bool whole_patches = false;
  Index n_rows = 0;

  static constexpr auto fields() {
    return field_list(
        field("logarithm", &LogParams::logarithm), field("amin", &LogParams::amin, non_negative),
        field("offset", &LogParams::offset, non_negative), field("scale", &LogParams::scale),
        field("shift", &LogParams::shift), field("range", &LogParams::range, non_negative),
        field("drop_last", &LogParams::drop_last),
        field("patch", &LogParams::patch, positive_integer),
        field("patch_hop", &LogParams::patch_hop, non_negative),
        field("whole_patches", &LogParams::whole_patches),
        field("n_rows", &LogParams::n_rows, non_negative));
  }
};

struct LogBandParams : SpectrogramParams, StepParams, LogParams {
  static constexpr auto fields() {
    return joined_fields(SpectrogramParams::fields(), StepParams::fields(), LogParams::fields());
  }
};

// With the numbers that 0 stands for.
struct LogBandPlan : BandPlan, LogParams {
  bool has_range() const { return range < std::numeric_limits<double>::infinity(); }
  bool rows_are_frames() const { return n_rows == frames.n_frames && patch_hop == patch; }
};

template <class T>
LogBandPlan plan_log_bands(const LogBandParams& params, const BandInputs<T>& in);
Cost log_band_cost(const LogBandPlan& plan);

// Two ops, which differ in where values lie: bands one after the other, or frames. The CPU
// transforms in double whatever the audio is: what a transform in float loses of a soft band, its
// logarithm shows.
template <bool by_frame>
struct LogBandsOf {
  static constexpr std::string_view name = by_frame ? "log_bands_by_frame" : "log_bands";
  using Params = LogBandParams;
  template <class T>
  using In = BandInputs<T>;

  template <class T>
  struct Out {
    View<T> bands;  // (batch, bands, frames), by frame (batch, frames, bands)

    static constexpr auto fields() {
      constexpr auto bands = matrices("bands", &Out::bands);
      return field_list(by_frame ? frames_first(bands) : bands);
    }
  };

  using Plan = LogBandPlan;

  template <class T>
  static Plan plan(const Params& params, const In<T>& in) {
    Plan plan = plan_log_bands(params, in);
    require(by_frame || plan.rows_are_frames(), "n_rows", plan.n_rows,
            "the number of frames, where bands come first");
    return plan;
  }
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.frames.batch, by_frame ? plan.n_rows : plan.n_bands,
             by_frame ? plan.n_bands : plan.n_rows}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan) { return log_band_cost(plan); }

  // As a part of a pipeline.
  template <class T>
  static std::unique_ptr<Consumer<T>> consumer(const Plan& plan, const In<T>& in,
                                               const Out<T>& out);
  static bool reads_frames(const Plan&) { return true; }
};

using LogBands = LogBandsOf<false>;
using LogBandsByFrame = LogBandsOf<true>;

// The same for audio in double, whose logarithms need all their digits: it has no kernel.
struct LogBandsInDouble : LogBands {
  static constexpr std::string_view name = "log_bands_in_double";
};

}  // namespace metalmom::ops
