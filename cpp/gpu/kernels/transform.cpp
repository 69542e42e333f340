#include "gpu/kernels/transform.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>

#include "gpu/kernels/shader_kinds.hpp"
#include "ops/core/stft.hpp"

namespace metalmom::gpu {

namespace {

static_assert(agrees(dsp::PadMode::constant, pad_constant) &&
              agrees(dsp::PadMode::edge, pad_edge) &&
              agrees(dsp::PadMode::linear_ramp, pad_linear_ramp) &&
              agrees(dsp::PadMode::reflect, pad_reflect) &&
              agrees(dsp::PadMode::symmetric, pad_symmetric) &&
              agrees(dsp::PadMode::empty, pad_empty));

// What shaders/fft.glsl takes for granted.
static_assert(std::ranges::all_of(transform_rows, [](const TransformRow& row) {
  const uint half = row.n_fft / 2, points = half / row.lanes;
  const bool is_power = std::has_single_bit(half), has_third = row.radix_c > 1;
  return points * row.lanes == half && points % 2 == 0 && (is_power ? 32 : 60) % points == 0 &&
         row.radix_a * row.radix_b * row.radix_c == half && points % row.radix_a == 0 &&
         points % row.radix_b == 0 && points % row.radix_c == 0 &&
         (is_power || !has_third || row.lanes % row.radix_a == 0) && row.threads % row.lanes == 0 &&
         row.threads % warp == 0 &&
         (row.pitch == row.lanes || (!is_power && !has_third && row.radix_a == row.lanes));
}));

void push_turn(std::vector<float>& table, double turns) {
  const double angle = 2 * std::numbers::pi * turns;
  table.push_back(static_cast<float>(std::cos(angle)));
  table.push_back(static_cast<float>(std::sin(angle)));
}

// Twiddles of a pass of radix R = Q 2^m after passes of product L, for each column c < L: the input
// twiddle exp(-2 pi i c / (L R)) raised to q R / Q, for each q < Q but 0, then to R / (Q 2^(s+1))
// for each stage s of radix 2.
void push_pass(std::vector<float>& table, Index radix, Index length) {
  const Index odd = radix >> std::countr_zero(static_cast<std::uint64_t>(radix));
  const auto push_columns = [&](Index power, Index of) {
    for (Index column = 0; column < length; ++column)
      push_turn(table, -static_cast<double>(power * column) / static_cast<double>(length * of));
  };
  for (Index q = 1; q < odd; ++q) push_columns(q, odd);
  for (Index size = 2 * odd; size <= radix; size *= 2) push_columns(1, size);
}

std::vector<float> make_tables(const TransformShape& shape, std::span<const double> window,
                               double scale) {
  std::vector<float> table(static_cast<std::size_t>(shape.n_fft), 0.0f);
  const auto left = (table.size() - window.size()) / 2;
  for (std::size_t i = 0; i < window.size(); ++i)
    table[left + i] = static_cast<float>(window[i] * scale);
  for (Index k = 0; k < shape.lanes; ++k)  // -i exp(-2 pi i k / n_fft)
    push_turn(table, -static_cast<double>(k) / static_cast<double>(shape.n_fft) - 0.25);
  push_pass(table, shape.radix_b, shape.radix_a);
  push_pass(table, shape.radix_c, shape.radix_a * shape.radix_b);
  return table;
}

// The samples [begin, end) of a clip that the frames of a piece read.
std::pair<Index, Index> samples_of(const ops::FramePlan& plan, const Piece& piece) {
  const Index n = plan.n_samples, pad = plan.pad(), hop = plan.params.hop_length;
  Index begin = piece.unit * hop - pad;
  Index end = (piece.unit + piece.n_units - 1) * hop - pad + plan.params.n_fft;
  // Beyond an edge, padding looks at most `pad` samples back into the clip.
  const bool over_start = begin < 0;
  const bool over_end = end > n;
  if (over_start) end = std::max(end, pad + 1);
  if (over_end) begin = std::min(begin, n - 1 - pad);
  // even, so that pairs of samples can be loaded
  begin = std::clamp<Index>(begin, 0, n) & ~Index(1);
  return {begin, std::clamp<Index>(end, begin, n)};
}

}  // namespace

const TransformShape* transform_shape(Index n_fft) {
  const auto* found = std::find_if(transform_shapes.begin(), transform_shapes.end(),
                                   [&](const TransformShape& each) { return each.n_fft == n_fft; });
  return found == transform_shapes.end() ? nullptr : found;
}

Reason supports_transform(Index n_fft, std::size_t shared_floats, const Limits& limits) {
  const TransformShape* shape = transform_shape(n_fft);
  if (!shape) return {"no power of two from 256 to 8192, nor 320, 400, 600, 800 or 1200", "n_fft"};
  if (shape->threads > limits.group_threads) return "the device's workgroups are too small";
  if (shared_floats * sizeof(float) > limits.shared_memory)
    return "the device has too little shared memory";
  return nullptr;
}

// Positions are 32-bit integers in the shaders.
Reason supports_positions(const ops::FramePlan& plan) {
  const Index reach = plan.n_samples + 2 * plan.params.n_fft + plan.params.hop_length;
  return reach >= (Index(1) << 30) ? "a clip is longer than 2^30 samples" : nullptr;
}

Reason supports_frames(const ops::FramePlan& plan, const Limits& limits) {
  const TransformShape* shape = transform_shape(plan.params.n_fft);
  const auto floats = shape ? static_cast<std::size_t>(shape->half() * shape->single_frames()) : 0;
  if (const Reason reason = supports_transform(plan.params.n_fft, floats, limits)) return reason;
  if (const Reason reason = supports_positions(plan)) return reason;
  if (plan.n_frames / shape->single_frames() >= limits.groups_x)
    return "a clip has too many frames";
  return nullptr;
}

namespace {

std::string kind_of_tables(std::string_view window, Index n_fft, double scale) {
  std::string kind = "transform of " + std::to_string(n_fft) + " samples times ";
  kind.append(window).append(" times ");
  kind.append(reinterpret_cast<const char*>(&scale), sizeof scale);
  return kind;
}

}  // namespace

Slice transform_tables(Session& session, Index n_fft, std::span<const double> window,
                       double scale) {
  return session.table(kind_of_tables("a window", n_fft, scale), std::as_bytes(window),
                       [&] { return make_tables(*transform_shape(n_fft), window, scale); });
}

Slice transform_tables(Session& session, Index n_fft, Index ones, double scale) {
  return session.table(kind_of_tables("ones", n_fft, scale), std::as_bytes(std::span(&ones, 1)),
                       [&] {
                         std::vector<double> window(static_cast<std::size_t>(n_fft), 0.0);
                         std::fill_n(window.begin(), ones, 1.0);
                         return make_tables(*transform_shape(n_fft), window, scale);
                       });
}

Region audio_region(const ops::FramePlan& plan, const Piece& piece) {
  if (piece.has_whole_clips()) return {0, 1, 0, plan.n_samples};
  const auto [begin, end] = samples_of(plan, piece);
  return {0, 1, begin, end - begin};
}

FramesPush frames_push(const ops::FramePlan& plan, const Piece& piece) {
  const Region held = piece.held.n_rows ? piece.held : audio_region(plan, piece);
  return {static_cast<uint>(piece.n_clips),
          static_cast<uint>(piece.n_units),
          static_cast<uint>(piece.unit),
          static_cast<uint>(plan.params.hop_length),
          static_cast<uint>(plan.n_samples),
          static_cast<uint>(held.n_cols),
          static_cast<uint>(held.col),
          static_cast<uint>(plan.pad()),
          static_cast<uint>(plan.params.pad_mode)};
}

double audio_bytes(const ops::FramePlan& plan, const Piece& piece) {
  return 4.0 * static_cast<double>(piece.n_clips * audio_region(plan, piece).n_cols);
}

double transform_flops(Index n_fft, const Piece& piece) {
  return static_cast<double>(piece.n_clips * piece.n_units) *
         (ops::fft_flops(n_fft) + static_cast<double>(n_fft));
}

}  // namespace metalmom::gpu
