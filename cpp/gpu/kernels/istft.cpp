#include "gpu/kernels/istft.hpp"

#include <algorithm>

#include "gpu/kernels/groups.hpp"
#include "shader/inverse.hpp"
#include "shader/overlap.hpp"

namespace metalmom::gpu {

namespace {

std::vector<float> squared_window(Index n_fft, std::span<const double> window) {
  std::vector<float> squares(static_cast<std::size_t>(n_fft), 0.0f);
  const auto left = (squares.size() - window.size()) / 2;
  for (std::size_t i = 0; i < window.size(); ++i)
    squares[left + i] = static_cast<float>(window[i] * window[i]);
  return squares;
}

}  // namespace

FrameRange frames_of_samples(const ops::Istft::Plan& plan, const Piece& piece) {
  const Index n_fft = plan.params.n_fft, hop = plan.params.hop_length;
  // A piece of whole clips reads all frames of the array, so that a device array can be bound as it
  // is.
  if (piece.has_whole_clips()) return {0, plan.stored_frames};
  const Index begin = plan.start() + piece.unit, end = begin + piece.n_units;
  const Index last = std::min(plan.n_frames, (end - 1) / hop + 1);
  const Index first = std::min(begin < n_fft ? 0 : (begin - n_fft) / hop + 1, last);
  return {first, last - first};
}

std::size_t istft_scratch_bytes(const ops::Istft::Plan& plan, const Piece& piece) {
  const Index frames = std::max<Index>(frames_of_samples(plan, piece).count, 1);
  return sizeof(float) * static_cast<std::size_t>(piece.n_clips * frames * plan.params.n_fft);
}

void record_istft(Session& session, const ops::Istft::Plan& plan, std::span<const double> window,
                  const Piece& piece, const IstftArrays& arrays) {
  const Index n_fft = plan.params.n_fft;
  const FrameRange range = frames_of_samples(plan, piece);
  const Slice tables = transform_tables(session, n_fft, window, 1.0 / static_cast<double>(n_fft));
  std::vector<double> source(window.begin(), window.end());
  source.push_back(static_cast<double>(n_fft));
  const Slice squares = session.table("squares", std::as_bytes(std::span(source)),
                                      [&] { return squared_window(n_fft, window); });
  // The plan may add up fewer frames than the array has.
  const Index added = std::min(range.count, plan.n_frames - range.first);
  const IstftPush push{static_cast<uint>(piece.n_clips),
                       static_cast<uint>(range.count),
                       static_cast<uint>(range.first),
                       static_cast<uint>(added),
                       static_cast<uint>(plan.sum_frames),
                       static_cast<uint>(plan.params.hop_length),
                       static_cast<uint>(n_fft),
                       static_cast<uint>(piece.n_units),
                       static_cast<uint>(plan.start() + piece.unit)};
  const Piece work{0, piece.n_clips, 0, range.count};
  const auto frame_values = static_cast<double>(piece.n_clips * range.count * n_fft);
  const auto samples = static_cast<double>(piece.n_clips * piece.n_units);
  if (range.count > 0)
    session.dispatch(shader::Inverse{n_fft},
                     frame_groups(work, transform_shape(n_fft)->single_frames(), session.limits()),
                     {.spectrum = arrays.spectrum, .tables = tables, .frames = arrays.frames}, push,
                     {nullptr, 8 * frame_values, transform_flops(n_fft, work)});
  session.dispatch(shader::Overlap{},
                   value_groups(piece.n_units, overlap_threads, piece.n_clips, session.limits()),
                   {.frames = arrays.frames, .squares = squares, .signal = arrays.signal}, push,
                   {nullptr, 4 * (frame_values + samples), 2 * frame_values});
}

Reason Kernel<ops::Istft>::supports(const Op::Plan& plan, const Limits& limits) {
  const TransformShape* shape = transform_shape(plan.params.n_fft);
  const auto floats = shape ? static_cast<std::size_t>(shape->half() * shape->single_frames()) : 0;
  if (const Reason reason = supports_transform(plan.params.n_fft, floats, limits)) return reason;
  if (plan.stored_frames / shape->single_frames() >= limits.groups_x ||
      plan.n_samples / overlap_threads >= limits.groups_x)
    return "a clip has too many frames";
  return plan.n_samples < (Index(1) << 31) ? nullptr : "a clip is longer than 2^31 samples";
}

}  // namespace metalmom::gpu
