#include "ops/rhythm/beat_track.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/beat.hpp"
#include "dsp/tempo.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
BeatTrack::Plan BeatTrack::plan(const Params& params, const In<T>& in) {
  check(params);
  const Index n_frames = in.onset_envelope.cols, n_tempi = in.bpm.cols;
  require(n_frames >= 2 && n_frames <= std::numeric_limits<std::int32_t>::max(),
          "onset_envelope.shape[-1]", n_frames, "at least 2 and below 2**31");
  require((n_tempi == 1 || n_tempi == n_frames) && in.bpm.batch == in.onset_envelope.batch,
          "bpm.shape[-1]", n_tempi, "1 or the number of frames, " + std::to_string(n_frames));
  return {params, in.onset_envelope.batch, n_frames, n_tempi};
}

template <class T>
void BeatTrack::check_values(Plan& plan, const In<T>& in) {
  for (const double bpm : in.bpm.flat()) {
    require(bpm > 0, "bpm", bpm, "a number > 0");
    require(std::isfinite(dsp::beat_period(bpm, plan.params.frame_rate)), "bpm", bpm,
            "large enough for a beat in finitely many frames");
  }
}

template <class T>
void BeatTrack::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const auto n = static_cast<std::size_t>(plan.n_frames);
  const auto n_tempi = static_cast<std::size_t>(plan.n_tempi);
  // A float32, as in the reference: the last bits of the scores decide ties.
  const double tightness = static_cast<float>(plan.params.tightness);
  parallel_for(plan.batch, 1, [&](Index first, Index last) {
    const Lent<T> normalized(plan.n_frames), score(plan.n_frames);
    const Lent<double> total(plan.n_frames), periods_memory(plan.n_tempi);
    const std::span<double> periods{periods_memory.data(), n_tempi};
    const Lent<std::int32_t> backlink(plan.n_frames);
    for (Index b = first; b < last; ++b) {
      std::transform(in.bpm.row(b), in.bpm.row(b) + plan.n_tempi, periods.begin(),
                     [&](double bpm) { return dsp::beat_period(bpm, plan.params.frame_rate); });
      bool* const beats = out.beats.row(b);
      dsp::beat_local_score<T>({in.onset_envelope.row(b), n}, periods, normalized, score);
      dsp::beat_paths<T>({score.data(), n}, periods, tightness, backlink, total);
      dsp::beat_backtrack({backlink.data(), n}, {total.data(), n}, beats);
      dsp::trim_beats<T>({score.data(), n}, plan.params.trim, beats);
    }
  });
}

Cost BeatTrack::cost(const Plan& plan) {
  // At a usual tempo a beat has about 22 frames: 45 weights and 33 predecessors of each frame.
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  return {plan.batch * plan.n_frames, frames * (2 * 45 + 3 * 33), frames * 5};
}

METALMOM_INSTANTIATE_CHECK(BeatTrack);
METALMOM_INSTANTIATE_OP(BeatTrack);

}  // namespace metalmom::ops
