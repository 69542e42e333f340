#include "gpu/kernels/tuning.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "gpu/kernels/shader_kinds.hpp"
#include "shader/peaks.hpp"
#include "shader/ranks.hpp"

namespace metalmom::gpu {

namespace {

using Tuning = Kernel<ops::TuningEstimate>;
using Histogram = dsp::TuningHistogram<float>;
using Plan = ops::TuningEstimate::Plan;

Index cells_of(const Plan& plan) {
  return Histogram(plan.tuning.resolution, plan.tuning.bins_per_octave).n_cells();
}

// How the shared memory is divided: the state, then the peaks' magnitudes, then their cells.
struct Parts {
  Slice state, magnitudes, cells;
  uint capacity = 0;
};

Parts parts_of(const Plan& plan, const Slice& shared) {
  const std::size_t head = align_up(Tuning::answer_bytes(plan));
  const std::size_t list = (shared.bytes - head) / 2 / slice_alignment * slice_alignment;
  return {{shared.buffer, shared.offset, head},
          {shared.buffer, shared.offset + head, list},
          {shared.buffer, shared.offset + head + list, list},
          static_cast<uint>(list / sizeof(float))};
}

// At most every other bin is a peak, because a peak is larger than its neighbours.
std::size_t most_peaks(const Plan& plan) {
  return static_cast<std::size_t>(plan.frames.batch * plan.frames.n_frames *
                                  ((plan.band.last - plan.band.first) / 2 + 1));
}

void record_ranks(Session& session, const Parts& parts, uint part, const RanksPush& push) {
  const auto bytes = static_cast<double>(parts.magnitudes.bytes);
  const uint groups = std::min(parts.capacity / (8 * ranks_threads) + 1, ranks_groups);
  const bool is_one_group = part == ranks_choose || part == ranks_all;
  session.dispatch(shader::Ranks{{.part = part}}, {is_one_group ? 1 : groups},
                   {.state = parts.state, .magnitudes = parts.magnitudes, .cells = parts.cells},
                   push, {nullptr, part == ranks_choose ? 4.0 * digit_values : bytes, bytes / 4});
}

// Peaks that one group goes through sooner than several groups that wait for each other.
constexpr uint most_of_one_group = 1 << 15;

// The bits [shift, known) of a magnitude.
struct Digit {
  uint known, shift;
};
constexpr std::array<Digit, 3> digits{Digit{32, 21}, {21, 10}, {10, 0}};

}  // namespace

Reason Tuning::supports(const Op::Plan& plan, const Limits& limits) {
  if (cells_of(plan) > static_cast<Index>(tuning_cells)) return "a resolution below 1/4096";
  return supports_frames(plan.frames, limits);
}

std::size_t Tuning::shared_bytes(const Op::Plan& plan, std::size_t most) {
  const std::size_t head = align_up(answer_bytes(plan));
  const std::size_t wanted = 2 * align_up(most_peaks(plan) * sizeof(float));
  // Most spectra have far fewer peaks. If the list does run out of room, that is an error in the
  // end.
  return head + std::min(wanted, std::max(most, 4 * head) - head);
}

void Tuning::record_first(Session& session, const Op::Plan& plan, const Slice& shared) {
  session.fill(parts_of(plan, shared).state, 0);
}

void Tuning::record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                    const Piece& piece, const Slices& slices) {
  const Index n_fft = plan.frames.params.n_fft;
  const Parts parts = parts_of(plan, slices.shared[0]);
  const PeaksPush push{frames_push(plan.frames, piece),
                       static_cast<uint>(std::max<Index>(plan.band.first, 1)),
                       static_cast<uint>(plan.band.last),
                       parts.capacity,
                       static_cast<uint>(cells_of(plan)),
                       static_cast<float>(plan.power / 2),
                       static_cast<float>(plan.peaks.threshold),
                       static_cast<float>(plan.band.bin_spacing),
                       static_cast<float>(plan.tuning.bins_per_octave)};
  const auto bins = static_cast<double>(piece.n_clips * piece.n_units * plan.frames.n_bins);
  session.dispatch(
      shader::Peaks{n_fft, {.power_kind = power_kind(plan.power)}},
      frame_groups(piece, transform_shape(n_fft)->single_frames(), session.limits()),
      {.audio = slices.in[0],
       .tables = transform_tables(session, n_fft, in.window, split_scale),
       .state = parts.state,
       .magnitudes = parts.magnitudes,
       .cells = parts.cells},
      push, {nullptr, audio_bytes(plan.frames, piece), transform_flops(n_fft, piece) + 8 * bins});
}

// The digits of the median, what is below it, and the votes.
void Tuning::record_last(Session& session, const Op::Plan& plan, const Slice& shared) {
  const Parts parts = parts_of(plan, shared);
  if (parts.capacity <= most_of_one_group)
    return record_ranks(session, parts, ranks_all, {parts.capacity, 0, 0});
  for (const Digit& digit : digits)
    for (const uint part : {ranks_count, ranks_choose})
      record_ranks(session, parts, part, {parts.capacity, digit.known, digit.shift});
  for (const uint part : {ranks_look_below, ranks_vote})
    record_ranks(session, parts, part, {parts.capacity, 0, 0});
}

std::size_t Tuning::answer_bytes(const Op::Plan& plan) {
  return sizeof(uint) * (tuning_votes + static_cast<std::size_t>(cells_of(plan)));
}

void Tuning::take_answer(const Op::Plan& plan, const Op::Out<float>& out,
                         std::span<const std::byte> answer) {
  std::vector<uint> state(answer.size() / sizeof(uint));
  std::memcpy(state.data(), answer.data(), answer.size());
  if (state[peaks_lost])
    throw DeviceError("the device has too little memory for the peaks of a tuning estimate");
  Histogram histogram(plan.tuning.resolution, plan.tuning.bins_per_octave);
  histogram.add(std::span(state).subspan(tuning_votes));
  out.fill(histogram.tuning());
}

}  // namespace metalmom::gpu
