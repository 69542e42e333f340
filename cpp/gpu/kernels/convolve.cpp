#include "gpu/kernels/convolve.hpp"

#include <algorithm>
#include <bit>

#include "base/ceil_div.hpp"
#include "gpu/kernels/groups.hpp"
#include "gpu/kernels/stft.hpp"
#include "shader/overlap_save.hpp"
#include "shader/partitions.hpp"

namespace metalmom::gpu {

namespace {

using Plan = ops::Convolve::Plan;

// Tiles of blocks begin at the same ones wherever a clip is cut.
constexpr Index tile = partition_blocks;
static_assert(piece_unit_step % tile == 0);
// The samples of a piece are at least so many times those that it repeats.
constexpr Index least_gain = 8;
// Bytes of a clip's spectra that are made at a time: any device binds so many.
constexpr Index most_spectra_bytes = Index{128} << 20;

struct Range {
  Index first = 0, count = 0;
  Index end() const { return first + count; }
};

// The grid of blocks. Those of a signal reach back by one: there is one more than its samples fill.
struct Grid {
  explicit Grid(const Plan& of) : plan(of) {
    const auto results = static_cast<std::uint64_t>(plan.n_samples + plan.n_taps - 1);
    block = std::clamp<Index>(static_cast<Index>(std::bit_ceil(results)),
                              transform_shapes.front().half(), transform_shapes.back().half());
    n_bins = block + 1;
    n_parts = ceil_div(plan.n_taps, block);
    n_signal = ceil_div(plan.n_samples, block) + 1;
    unit = ceil_div(least_gain * plan.n_taps, piece_unit_step * block);
  }

  Index n_fft() const { return 2 * block; }
  Index first_block() const { return plan.first / block; }
  Index end_block() const { return ceil_div(plan.first + plan.n_results, block); }

  Range blocks_of(const Piece& piece) const {
    const Index first = first_block() + piece.unit * unit;
    return {first, std::min(piece.n_units * unit, end_block() - first)};
  }
  // Blocks of the signal that blocks of the result need.
  Range signal_of(const Range& blocks) const {
    const Index first = std::max<Index>(blocks.first - n_parts + 1, 0);
    return {first, std::max<Index>(std::min(blocks.end(), n_signal) - first, 0)};
  }
  // Blocks of a clip that are made together: all, unless their spectra would be large.
  Index together(const Piece& piece) const {
    const Index most = std::max(most_spectra_bytes / spectrum_bytes() - n_parts,
                                round_up(least_gain * n_parts, tile));
    return std::min(most / tile * tile, blocks_of(piece).count);
  }
  Index spectrum_bytes() const { return n_bins * static_cast<Index>(2 * sizeof(float)); }

  const Plan& plan;
  Index block = 0, n_bins = 0, n_parts = 0, n_signal = 0, unit = 0;
};

// A signal's blocks, or a response's partitions, as frames. Partitions have zeros behind them.
ops::FramePlan frames_of(const Grid& grid, bool is_signal) {
  ops::FrameParams params;
  params.n_fft = grid.n_fft();
  params.hop_length = grid.block;
  params.center = is_signal;
  return {params,
          1,
          is_signal ? grid.plan.n_samples : grid.plan.n_taps,
          is_signal ? grid.n_signal : grid.n_parts,
          grid.n_bins,
          grid.n_fft()};
}

Piece signal_piece(const Piece& piece, const Range& signal) {
  return {piece.clip, piece.n_clips, signal.first, signal.count, piece.last};
}
Piece response_piece(const Grid& grid, const Piece& piece) {
  return whole_clips(0, grid.plan.own_responses ? piece.n_clips : 1, grid.n_parts);
}

// Memory for the spectra of some blocks, with what begins behind them aligned.
std::size_t spectra_bytes(const Grid& grid, Index n_clips, Index n_blocks) {
  return align_up(static_cast<std::size_t>(n_clips * n_blocks * grid.spectrum_bytes()));
}

// Blocks of the signal for the largest part of a piece.
Index most_held(const Grid& grid, const Piece& piece) {
  return std::min(grid.together(piece) + grid.n_parts - 1, grid.n_signal);
}

}  // namespace

Reason Kernel<ops::Convolve>::supports(const Op::Plan& plan, const Limits& limits) {
  const auto method = plan.params.method;
  if (method != ops::ConvolveMethod::automatic && method != ops::ConvolveMethod::partitioned)
    return "a method other than partitions";
  const Grid grid(plan);
  if (const Reason reason = supports_frames(frames_of(grid, true), limits)) return reason;
  if (const Reason reason = supports_frames(frames_of(grid, false), limits)) return reason;
  if (plan.n_samples + plan.n_taps >= (Index(1) << 30)) return "a result of 2^30 samples or more";
  const Piece clip = whole_clips(0, 1, units(plan));
  if (spectra_bytes(grid, 1, std::max(most_held(grid, clip), grid.together(clip))) >
      limits.storage_range)
    return "a response whose spectra are larger than the device can bind to a kernel";
  return nullptr;
}

Index Kernel<ops::Convolve>::units(const Op::Plan& plan) {
  const Grid grid(plan);
  return ceil_div(grid.end_block() - grid.first_block(), grid.unit);
}

Region Kernel<ops::Convolve>::input_region(const Op::Plan& plan, const Piece& piece,
                                           std::size_t i) {
  const Grid grid(plan);
  if (i == 1) return {0, 1, 0, plan.n_taps};
  return audio_region(frames_of(grid, true),
                      signal_piece(piece, grid.signal_of(grid.blocks_of(piece))));
}

Region Kernel<ops::Convolve>::output_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
  const Grid grid(plan);
  const Range blocks = grid.blocks_of(piece);
  const Index first = std::max(blocks.first * grid.block, plan.first);
  const Index end = std::min(blocks.end() * grid.block, plan.first + plan.n_results);
  return {0, 1, first - plan.first, end - first};
}

void Kernel<ops::Convolve>::record(Session& session, const Op::Plan& plan, const Op::In<float>&,
                                   const Piece& piece, const Slices& slices) {
  const Grid grid(plan);
  const Piece response = response_piece(grid, piece);
  const Index n_clips = piece.n_clips, together = grid.together(piece);
  const Slice parts = session.scratch(spectra_bytes(grid, response.n_clips, grid.n_parts));
  const Slice signal = session.scratch(spectra_bytes(grid, n_clips, most_held(grid, piece)));
  const Slice product = session.scratch(spectra_bytes(grid, n_clips, together));
  const Slice tables = transform_tables(session, grid.n_fft(), grid.n_fft(), split_scale);
  record_stft(session, frames_of(grid, false),
              transform_tables(session, grid.n_fft(), grid.block, split_scale), response,
              slices.in[1], parts);

  const Range blocks = grid.blocks_of(piece);
  const Region samples = input_region(plan, piece, 0), results = output_region(plan, piece, 0);
  for (Index first = blocks.first; first < blocks.end(); first += together) {
    const Range now{first, std::min(together, blocks.end() - first)};
    const Range held = grid.signal_of(now);
    Piece frames = signal_piece(piece, held);
    frames.held = samples;
    record_stft(session, frames_of(grid, true), tables, frames, slices.in[0], signal);
    const ConvolvePush push{static_cast<uint>(n_clips),
                            static_cast<uint>(grid.n_bins),
                            static_cast<uint>(now.count),
                            static_cast<uint>(now.first),
                            static_cast<uint>(held.count),
                            static_cast<uint>(held.first),
                            static_cast<uint>(grid.n_signal),
                            static_cast<uint>(grid.n_parts),
                            plan.own_responses ? 1u : 0u,
                            static_cast<uint>(results.n_cols),
                            static_cast<uint>(plan.first + results.col)};
    const auto spectra = [&](Index n) { return static_cast<double>(n * grid.spectrum_bytes()); };
    const auto sums = static_cast<double>(n_clips * now.count * grid.n_bins * grid.n_parts);
    session.dispatch(
        shader::Partitions{},
        value_groups(grid.n_bins, partition_threads, n_clips * ceil_div(now.count, tile),
                     session.limits()),
        {.signal = signal, .response = parts, .product = product}, push,
        {nullptr,
         spectra(n_clips * (held.count + now.count)) + spectra(response.n_clips * grid.n_parts),
         8 * sums});
    const Piece back{piece.clip, n_clips, 0, now.count};
    session.dispatch(
        shader::OverlapSave{grid.n_fft()},
        frame_groups(back, transform_shape(grid.n_fft())->single_frames(), session.limits()),
        {.spectrum = product, .tables = tables, .results = slices.out[0]}, push,
        {nullptr,
         spectra(n_clips * now.count) + 4 * static_cast<double>(n_clips * now.count * grid.block),
         transform_flops(grid.n_fft(), back)});
  }
}

}  // namespace metalmom::gpu
