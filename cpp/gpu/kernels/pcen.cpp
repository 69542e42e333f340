#include "gpu/kernels/pcen.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/ceil_div.hpp"
#include "shader/pcen.hpp"

namespace metalmom::gpu {

namespace {

std::uint32_t compression_of(const dsp::PcenParams& params) {
  if (params.power == 0) return pcen_logarithm;
  if (params.bias == 0) return pcen_power;
  return params.power == 0.5 ? pcen_root : pcen_biased;
}

// A device may flush other numbers to zero.
bool is_normal(double value) {
  return value == 0 || value >= std::numeric_limits<float>::min();
}

}  // namespace

Reason Kernel<ops::Pcen>::supports(const Op::Plan& plan, const Limits& limits) {
  if (plan.n_frames == 0) return "rows without frames";
  const dsp::PcenParams& params = plan.params;
  if (!is_normal(params.eps) || !is_normal(params.bias) || !is_normal(params.b))
    return "eps, bias or b is below the normal numbers of float32";
  return plan.rows / pcen_rows >= limits.groups_x ? "too many rows" : nullptr;
}

void Kernel<ops::Pcen>::record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                               const Piece& piece, const Slices& slices) {
  const dsp::PcenParams& params = plan.params;
  const bool one_state = in.state.size() == 1;
  const Slice states =
      session.table("pcen", one_state ? std::span<const std::byte>{} : std::as_bytes(in.state),
                    [&] { return std::vector<float>(in.state.begin(), in.state.end()); });
  const auto single = [](double value) { return static_cast<float>(value); };
  const float kept = single(1 - params.b);
  const PcenPush push{static_cast<uint>(piece.n_clips),
                      static_cast<uint>(plan.n_frames),
                      static_cast<uint>(piece.clip),
                      one_state ? 1u : 0u,
                      single(in.state[0]),
                      single(params.b),
                      kept,
                      single(1 - params.b - static_cast<double>(kept)),
                      single(params.gain),
                      single(params.eps),
                      single(params.bias),
                      single(params.power),
                      single(std::pow(params.bias, params.power))};
  const auto values = static_cast<double>(piece.n_clips * plan.n_frames);
  const auto groups = static_cast<std::uint32_t>(ceil_div(piece.n_clips, pcen_rows));
  session.dispatch(shader::Pcen{{.kind = compression_of(params), .referred = plan.given_ref}},
                   {groups},
                   {.energies = slices.in[0],
                    .reference = slices.in[plan.given_ref ? 1 : 0],
                    .states = states,
                    .results = slices.out[0],
                    .last_states = slices.out[1]},
                   push, {nullptr, (plan.given_ref ? 12 : 8) * values, 30 * values});
}

}  // namespace metalmom::gpu
