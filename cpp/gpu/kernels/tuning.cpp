#include "gpu/kernels/tuning.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "gpu/kernels/shader_kinds.hpp"

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
  const std::array<std::uint32_t, 1> constants = {part};
  const auto bytes = static_cast<double>(parts.magnitudes.bytes);
  const uint groups = std::min(parts.capacity / (8 * ranks_threads) + 1, ranks_groups);
  const bool is_one_group = part == ranks_choose || part == ranks_all;
  session.dispatch({"ranks", constants}, {is_one_group ? 1 : groups},
                   {update(parts.state), read(parts.magnitudes), read(parts.cells)}, push,
                   {nullptr, part == ranks_choose ? 4.0 * digit_values : bytes, bytes / 4});
}

// Peaks that one group goes through sooner than several groups that wait for each other.
constexpr uint most_of_one_group = 1 << 15;

// The bits [shift, known) of a magnitude.
struct Digit {
  uint known, shift;
};
constexpr std::array<Digit, 3> digits{Digit{32, 21}, {21, 10}, {10, 0}};

// The rounds: a digit each, then what is below the median, then the votes.
static_assert(Tuning::rounds == digits.size() + 2);
const Digit* digit_of(int round) {
  const auto i = static_cast<std::size_t>(round);
  return i < digits.size() ? &digits[i] : nullptr;
}
bool looks_below(int round) {
  return round == static_cast<int>(digits.size());
}

// The state as words, and what shaders/ranks.comp does with it on one device.
using State = std::vector<uint>;

State words_of(std::span<const std::byte> bytes) {
  State state(bytes.size() / sizeof(uint));
  std::memcpy(state.data(), bytes.data(), bytes.size());
  return state;
}

void choose(State& state, const Digit& digit) {
  uint rank = digit.known >= 32 ? state[peaks_found] / 2 : state[median_rank], value = 0;
  while (value < digit_values - 1 && rank >= state[digit_counts + value])
    rank -= state[digit_counts + value++];
  state[median_rank] = rank;
  state[median_bits] |= value << digit.shift;
  std::fill_n(state.begin() + digit_counts, digit_values, 0);
}

// Puts the median of all peaks in the place of the upper of the two that it may be the mean of: a
// device does not know whether the number of all peaks is even.
void settle_median(State& state) {
  const auto upper = std::bit_cast<float>(state[median_bits]);
  const auto lower = std::bit_cast<float>(state[below_median]);
  const bool is_mean = state[peaks_found] % 2 == 0 && state[median_rank] == 0;
  state[median_bits] = std::bit_cast<uint>(is_mean ? (lower + upper) / 2 : upper);
  state[median_rank] = 1;  // no mean any more
}

}  // namespace

const char* Tuning::supports(const Op::Plan& plan, const Limits& limits) {
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
  const std::array<std::uint32_t, 1> constants = {power_kind(plan.power)};
  const auto bins = static_cast<double>(piece.n_clips * piece.n_units * plan.frames.n_bins);
  session.dispatch(
      {sized_shader("peaks", n_fft), constants},
      frame_groups(piece, transform_shape(n_fft)->single_frames(), session.limits()),
      {read(slices.in[0]), read(transform_tables(session, n_fft, in.window, split_scale)),
       update(parts.state), write(parts.magnitudes), write(parts.cells)},
      push, {nullptr, audio_bytes(plan.frames, piece), transform_flops(n_fft, piece) + 8 * bins});
}

// What rounds do, but the device chooses each digit by itself.
void Tuning::record_last(Session& session, const Op::Plan& plan, const Slice& shared) {
  const Parts parts = parts_of(plan, shared);
  if (parts.capacity <= most_of_one_group)
    return record_ranks(session, parts, ranks_all, {parts.capacity, 0, 0});
  for (int round = 0; round < rounds; ++round) {
    record_round(session, plan, shared, round);
    if (const Digit* digit = digit_of(round))
      record_ranks(session, parts, ranks_choose, {parts.capacity, digit->known, digit->shift});
  }
}

void Tuning::record_round(Session& session, const Op::Plan& plan, const Slice& shared, int round) {
  const Parts parts = parts_of(plan, shared);
  if (const Digit* digit = digit_of(round))
    record_ranks(session, parts, ranks_count, {parts.capacity, digit->known, digit->shift});
  else
    record_ranks(session, parts, looks_below(round) ? ranks_look_below : ranks_vote,
                 {parts.capacity, 0, 0});
}

void Tuning::merge(const Op::Plan& plan, std::span<const Slice> shared, Answers all, int round) {
  State merged(all.size() ? all[0].size() / sizeof(uint) : 0);
  std::vector<State> states;
  for (std::size_t k = 0; k < all.size(); ++k) {
    states.push_back(words_of(all[k]));
    const State& state = states.back();
    const uint counted = std::min(state[peaks_found], parts_of(plan, shared[k]).capacity);
    merged[peaks_found] += counted;
    merged[peaks_lost] += state[peaks_found] - counted;
    merged[below_median] = std::max(merged[below_median], state[below_median]);
    for (std::size_t i = digit_counts; i < state.size(); ++i) merged[i] += state[i];
  }
  merged[median_bits] = states[0][median_bits];
  merged[median_rank] = states[0][median_rank];
  const Digit* const digit = digit_of(round);
  if (digit)
    choose(merged, *digit);
  else if (looks_below(round))
    settle_median(merged);
  for (std::size_t k = 0; k < all.size(); ++k) {
    // Its own, to go on.
    if (round + 1 < rounds) merged[peaks_found] = states[k][peaks_found];
    std::memcpy(all[k].data(), merged.data(), all[k].size());
  }
}

std::size_t Tuning::answer_bytes(const Op::Plan& plan) {
  return sizeof(uint) * (tuning_votes + static_cast<std::size_t>(cells_of(plan)));
}

void Tuning::take_answer(const Op::Plan& plan, const Op::Out<float>& out,
                         std::span<const std::byte> answer) {
  const State state = words_of(answer);
  if (state[peaks_lost])
    throw DeviceError("the device has too little memory for the peaks of a tuning estimate");
  Histogram histogram(plan.tuning.resolution, plan.tuning.bins_per_octave);
  histogram.add(std::span(state).subspan(tuning_votes));
  out.fill(histogram.tuning());
}

}  // namespace metalmom::gpu
