#include "gpu/kernels/hpss.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/kernels/groups.hpp"
#include "shader/hpss.hpp"
#include "shader/magnitudes.hpp"

namespace metalmom::gpu {

namespace {

constexpr Index longest_window = median_network - 1;

// The rows that a piece reads: its own, and half a window before and after them.
std::pair<Index, Index> held_rows(const ops::Hpss::Plan& plan, const Piece& piece) {
  const Index around = plan.row_size() / 2;
  return {std::max<Index>(piece.unit - around, 0),
          std::min(piece.unit + piece.n_units + around, plan.rows)};
}

// Bytes of the magnitudes: none for a real spectrogram, which is its own magnitudes.
std::size_t magnitude_bytes(const ops::Hpss::Plan& plan, const Piece& piece) {
  if (!plan.params.pairs) return 0;
  const auto [first, last] = held_rows(plan, piece);
  return align_up(sizeof(float) *
                  static_cast<std::size_t>(piece.n_clips * (last - first) * plan.cols));
}

std::uint32_t mask_power(double power) {
  if (std::isinf(power)) return mask_winner;
  return power == 1 || power == 2 ? static_cast<std::uint32_t>(power) : power_pushed;
}

Reason supports_masks(const dsp::HpssParams& params) {
  return params.kernel_harmonic > longest_window || params.kernel_percussive > longest_window
             ? "a median over more than 31 values"
             : nullptr;
}

struct HpssArrays {
  Slice spectrum, magnitudes, harmonic, percussive;
};

void record_hpss(Session& session, const ops::Hpss::Plan& plan, const Piece& piece,
                 const HpssArrays& arrays) {
  const auto [first, last] = held_rows(plan, piece);
  const auto& params = plan.params;
  const bool no_margins = params.margin_harmonic == 1 && params.margin_percussive == 1;
  const HpssPush push{static_cast<uint>(piece.n_clips),
                      static_cast<uint>(piece.n_units),
                      static_cast<uint>(piece.unit),
                      static_cast<uint>(plan.rows),
                      static_cast<uint>(last - first),
                      static_cast<uint>(first),
                      static_cast<uint>(plan.cols),
                      static_cast<uint>(plan.row_size()),
                      static_cast<uint>(plan.column_size()),
                      static_cast<uint>(params.frames_major),
                      static_cast<float>(params.power),
                      static_cast<float>(params.margin_harmonic),
                      static_cast<float>(params.margin_percussive),
                      no_margins ? 0.5f : 0.0f};
  if (params.pairs) {
    const Index held = piece.n_clips * (last - first) * plan.cols;
    session.dispatch(shader::Magnitudes{}, strided_groups(held, bin_threads),
                     {.spectrum = arrays.spectrum, .magnitudes = arrays.magnitudes}, push,
                     {nullptr, 12 * static_cast<double>(held), 6 * static_cast<double>(held)});
  }
  const auto values = static_cast<double>(piece.n_clips * piece.n_units * plan.cols);
  const bool is_complex = params.pairs && !params.mask;
  session.dispatch(
      shader::Hpss{{.power_kind = mask_power(params.power),
                    .masks_only = params.mask,
                    .is_real = !params.pairs}},
      value_groups(plan.cols, hpss_threads, piece.n_clips * piece.n_units, session.limits()),
      {.spectrum = arrays.spectrum,
       .magnitudes = arrays.magnitudes,
       .harmonic = arrays.harmonic,
       .percussive = arrays.percussive},
      push, {nullptr, (is_complex ? 28 : 12) * values, 2 * 300 * values});
}

// The plan of the separation of the spectrogram that separating audio makes.
ops::Hpss::Plan spectrogram_plan(const ops::HpssAudio::Plan& plan) {
  ops::Hpss::Plan result;
  static_cast<dsp::HpssParams&>(result.params) = plan.hpss;
  result.params.pairs = true;
  result.batch = plan.forward.batch;
  result.rows = plan.forward.n_frames;
  result.cols = plan.forward.n_bins;
  return result;
}

std::size_t spectrum_bytes(const ops::HpssAudio::Plan& plan, const Piece& piece) {
  return align_up(
      2 * sizeof(float) *
      static_cast<std::size_t>(piece.n_clips * plan.forward.n_frames * plan.forward.n_bins));
}

}  // namespace

Reason Kernel<ops::Hpss>::supports(const Op::Plan& plan, const Limits& limits) {
  if (plan.negative) return "a spectrogram with negative values";
  if (plan.cols / hpss_threads >= limits.groups_x) return "a row has too many numbers";
  return supports_masks(plan.params);
}

Region Kernel<ops::Hpss>::input_region(const Op::Plan& plan, const Piece& piece, std::size_t) {
  const auto [first, last] = held_rows(plan, piece);
  return {first, last - first, 0, plan.params.pairs ? 2 * plan.cols : plan.cols};
}

void Kernel<ops::Hpss>::record(Session& session, const Op::Plan& plan, const Op::In<float>&,
                               const Piece& piece, const Slices& slices) {
  const Slice magnitudes =
      plan.params.pairs ? session.scratch(magnitude_bytes(plan, piece)) : slices.in[0];
  record_hpss(session, plan, piece, {slices.in[0], magnitudes, slices.out[0], slices.out[1]});
}

Reason Kernel<ops::HpssAudio>::supports(const Op::Plan& plan, const Limits& limits) {
  if (const Reason reason = supports_frames(plan.forward, limits)) return reason;
  if (const Reason reason = Kernel<ops::Istft>::supports(plan.inverse, limits)) return reason;
  return supports_masks(plan.hpss);
}

void Kernel<ops::HpssAudio>::record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                                    const Piece& piece, const Slices& slices) {
  const Piece rows = whole_clips(piece, plan.forward.n_frames);
  const Piece samples = whole_clips(piece, plan.inverse.n_samples);
  const ops::Hpss::Plan masks = spectrogram_plan(plan);
  const Slice spectrum = session.scratch(spectrum_bytes(plan, piece));
  const Slice harmonic = session.scratch(spectrum_bytes(plan, piece));
  const Slice percussive = session.scratch(spectrum_bytes(plan, piece));
  const Slice magnitudes = session.scratch(magnitude_bytes(masks, rows));
  const Slice frames = session.scratch(istft_scratch_bytes(plan.inverse, samples));
  record_stft(session, plan.forward, in.window, rows, slices.in[0], spectrum);
  record_hpss(session, masks, rows, {spectrum, magnitudes, harmonic, percussive});
  record_istft(session, plan.inverse, in.window, samples, {harmonic, frames, slices.out[0]});
  record_istft(session, plan.inverse, in.window, samples, {percussive, frames, slices.out[1]});
}

}  // namespace metalmom::gpu
