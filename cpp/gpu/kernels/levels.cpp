#include "gpu/kernels/levels.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "gpu/kernels/decibel.hpp"

namespace metalmom::gpu {

Slice Levels::limit(double top_db) const {
  return std::isinf(top_db) ? Slice{} : maxima;
}

Reason supports_levels(const ops::BandPlan& plan, const ops::FrameLevelParams& params,
                       const Limits& limits) {
  if (const Reason reason = supports_amin(params.amin)) return reason;
  if (params.floor != dsp::no_floor) return "a floor of levels";
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
