#include "gpu/kernels/filterbank.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "gpu/kernels/levels.hpp"
#include "gpu/kernels/power_kind.hpp"

namespace metalmom::gpu {

std::uint32_t norm_kind(bool normalize, double norm) {
  if (!normalize) return norm_none;
  if (std::isinf(norm)) return norm > 0 ? norm_maximum : norm_minimum;
  if (norm == 0) return norm_count;
  if (norm == 1) return norm_sum;
  return norm == 2 ? norm_euclid : norm_power;
}

const char* supports_bands(const ops::BandPlan& plan, const Limits& limits) {
  if (const char* reason = supports_frames(plan.frames, limits)) return reason;
  static_assert(max_bands == 512);
  if (plan.n_bands > max_bands) return "more than 512 bands";
  const Index n_fft = plan.frames.params.n_fft;
  const TransformShape& shape = *transform_shape(n_fft);
  const auto stride = std::max(frame_stride_bound(shape, plan.n_bands), shape.threads());
  return supports_transform(n_fft, std::size_t(stride) * shape.frames(), limits);
}

void record_bands(Session& session, const ops::BandPlan& plan, const ops::BandInputs<float>& in,
                  const Piece& piece, Slice audio, const BandsTarget& target) {
  const Index n_fft = plan.frames.params.n_fft;
  const auto layout = band_layout(in.basis, n_fft);
  const Slice tables = transform_tables(session, n_fft, in.window, 0.5);
  const Slice weights = session.table("bands", std::as_bytes(std::span(&layout->serial, 1)),
                                      [&] { return layout->table; });
  BandsPush push{frames_push(plan.frames, piece),
                 static_cast<uint>(target.row_frames),
                 static_cast<uint>(target.row_first),
                 static_cast<uint>(plan.n_bands),
                 layout->parts,
                 static_cast<float>(plan.power / 2),
                 static_cast<float>(target.amin),
                 static_cast<float>(target.norm),
                 {}};
  std::copy(layout->steps.begin(), layout->steps.end(), push.steps);
  const std::array<std::uint32_t, 8> constants = {layout->jobs,
                                                  layout->frame_stride,
                                                  layout->overlapping,
                                                  power_kind(plan.power),
                                                  static_cast<bool>(target.maxima),
                                                  target.norm_kind,
                                                  layout->nyquist,
                                                  layout->job_frames};
  const double band_bytes = 4.0 * static_cast<double>(piece.n_clips * piece.n_units * plan.n_bands);
  const double power_flops = 7.0 * static_cast<double>(piece.n_clips * piece.n_units) *
                             static_cast<double>(plan.frames.n_bins);
  session.dispatch({sized_shader("bands", n_fft), constants},
                   frame_groups(piece, transform_shape(n_fft)->frames(), session.limits()),
                   {read(audio), read(tables), write(target.bands), read(weights),
                    target.maxima ? update(target.maxima) : read(weights)},
                   push,
                   {nullptr, audio_bytes(plan.frames, piece) + band_bytes,
                    transform_flops(n_fft, piece) + power_flops});
}

const char* supports_levels(const ops::BandPlan& plan, double amin, const Limits& limits) {
  if (amin < std::numeric_limits<float>::min()) return below_float;
  return supports_bands(plan, limits);
}

std::size_t level_bytes(const ops::BandPlan& plan, Index n_clips) {
  return maxima_bytes(n_clips) +
         sizeof(float) * static_cast<std::size_t>(n_clips * plan.n_bands * plan.frames.n_frames);
}

namespace {

// The key (Session::Words) of levels: all that they depend on. Windows and bases are told apart by
// their addresses, since calls that share them have the same objects.
Session::Words words_of_levels(const ops::BandPlan& plan, const ops::BandInputs<float>& in,
                               const Piece& piece, const Slice& audio, double amin) {
  const auto place = [](const auto* pointer) { return reinterpret_cast<std::uint64_t>(pointer); };
  const FramesPush frames = frames_push(plan.frames, piece);
  Session::Words words{place(audio.buffer),
                       audio.offset,
                       place(in.basis.get()),
                       place(in.window.data()),
                       in.window.size(),
                       std::bit_cast<std::uint64_t>(plan.power),
                       std::bit_cast<std::uint64_t>(amin),
                       static_cast<std::uint64_t>(plan.frames.params.n_fft),
                       static_cast<std::uint64_t>(plan.frames.n_frames)};
  for (const uint each : std::bit_cast<std::array<uint, sizeof frames / sizeof(uint)>>(frames))
    words.push_back(each);
  return words;
}

}  // namespace

Levels record_levels(Session& session, const ops::BandPlan& plan, const ops::BandInputs<float>& in,
                     const Piece& piece, const Slices& slices, double amin) {
  auto words = words_of_levels(plan, in, piece, slices.in[0], amin);
  if (const auto* made = session.made(words)) return {(*made)[0], (*made)[1]};
  const std::size_t head = maxima_bytes(piece.n_clips);
  const Slice& carry = slices.carry;
  const Levels result{{carry.buffer, carry.offset, head},
                      {carry.buffer, carry.offset + head, level_bytes(plan, piece.n_clips) - head}};
  if (piece.first()) session.fill(result.maxima, 0);
  record_bands(session, plan, in, piece, slices.in[0],
               {result.levels, plan.frames.n_frames, piece.unit, result.maxima, amin});
  session.note(std::move(words), {result.maxima, result.levels});
  return result;
}

}  // namespace metalmom::gpu
