#include "gpu/kernels/spectral_shape.hpp"

#include <algorithm>
#include <vector>

#include "gpu/kernels/decibel.hpp"
#include "gpu/kernels/shader_kinds.hpp"
#include "shader/shape.hpp"

namespace metalmom::gpu {

namespace {

// The table of frequencies. Rolloff wants for each bin the smallest frequency from that bin on.
std::vector<float> frequency_table(std::span<const double> freq, bool smallest_from_here) {
  std::vector<float> table(freq.begin(), freq.end());
  if (smallest_from_here)
    for (std::size_t i = table.size() - 1; i-- > 0;) table[i] = std::min(table[i], table[i + 1]);
  return table;
}

static_assert(agrees(dsp::Shape::centroid, shape_centroid) &&
              agrees(dsp::Shape::bandwidth, shape_bandwidth) &&
              agrees(dsp::Shape::rolloff, shape_rolloff) &&
              agrees(dsp::Shape::flatness, shape_flatness));

ShapePush shape_push(const ops::SpectralShape::Plan& plan, const Piece& piece) {
  ShapePush push{frames_push(plan.frames, piece), 0, 0};
  const dsp::ShapeParams& params = plan.shape;
  switch (params.shape) {
    case dsp::Shape::bandwidth:
      push.exponent = static_cast<float>(params.p);
      push.amin = params.norm ? 1.0f : 0.0f;
      break;
    case dsp::Shape::rolloff:
      push.exponent = static_cast<float>(params.roll_percent);
      break;
    case dsp::Shape::flatness:
      push.exponent = static_cast<float>(params.power / 2);
      push.amin = static_cast<float>(params.amin);
      break;
    case dsp::Shape::centroid:
      break;
  }
  return push;
}

}  // namespace

Reason Kernel<ops::SpectralShape>::supports(const Op::Plan& plan, const Limits& limits) {
  if (plan.stored) return "a stored spectrogram";
  if (plan.shape.shape == dsp::Shape::bandwidth && plan.given_centroid)
    return "centroids of the caller's own";
  if (plan.shape.shape == dsp::Shape::flatness)
    if (const Reason reason = supports_amin(plan.shape.amin)) return reason;
  return supports_frames(plan.frames, limits);
}

void Kernel<ops::SpectralShape>::record(Session& session, const Op::Plan& plan,
                                        const Op::In<float>& in, const Piece& piece,
                                        const Slices& slices) {
  const Index n_fft = plan.frames.params.n_fft;
  const dsp::ShapeParams& params = plan.shape;
  const bool smallest = params.shape == dsp::Shape::rolloff;
  const Slice tables = transform_tables(session, n_fft, in.window, split_scale);
  const Slice frequencies =
      session.table(smallest ? "frequencies from here" : "frequencies", std::as_bytes(in.freq),
                    [&] { return frequency_table(in.freq, smallest); });
  const shader::Shape shape{n_fft,
                            {.shape = static_cast<uint>(params.shape),
                             .power_kind = power_kind(params.power),
                             .spread_power = params.p == 2 ? 2u : 0u}};
  const auto bins = static_cast<double>(piece.n_clips * piece.n_units * plan.frames.n_bins);
  session.dispatch(
      shape, frame_groups(piece, transform_shape(n_fft)->single_frames(), session.limits()),
      {.audio = slices.in[0],
       .tables = tables,
       .shapes = slices.out[0],
       .frequencies = frequencies},
      shape_push(plan, piece),
      {nullptr, audio_bytes(plan.frames, piece), transform_flops(n_fft, piece) + 10 * bins});
}

}  // namespace metalmom::gpu
