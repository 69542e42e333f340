#include "gpu/kernels/cepstrum.hpp"

#include "base/cache.hpp"
#include "base/ceil_div.hpp"
#include "gpu/kernels/basis_weights.hpp"
#include "gpu/kernels/serial_table.hpp"
#include "shader/dct.hpp"

namespace metalmom::gpu {

namespace {

constexpr Index block = dct_block;

// matrix[block of coefficients][band][coefficient], zeros after the last coefficient.
struct DctTable {
  std::shared_ptr<const dsp::Basis> dct;
  std::vector<float> matrix;
  std::uint64_t serial = next_serial();

  std::size_t bytes() const { return dct->bytes() + matrix.size() * sizeof(float); }
};

std::shared_ptr<const DctTable> make_table(const std::shared_ptr<const dsp::Basis>& dct) {
  DctTable table{dct, {}};
  const Index rows = dct->n_bands(), n_bands = dct->n_bins();
  table.matrix.assign(static_cast<std::size_t>(round_up(rows, block) * n_bands), 0.0f);
  const BasisWeights weight(*dct);
  for (Index row = 0; row < rows; ++row)
    for (Index band = 0; band < n_bands; ++band)
      table.matrix[static_cast<std::size_t>((row / block * n_bands + band) * block + row % block)] =
          weight(row, band);
  return std::make_shared<const DctTable>(std::move(table));
}

struct DctJob {
  Index n_clips, n_frames;
  std::shared_ptr<const dsp::Basis> dct;
  Slice levels, maxima;  // null if levels are not clamped
  double top_db;
  Slice cepstra;
};

void record_dct(Session& session, const DctJob& job) {
  static Cache<const dsp::Basis*, DctTable> cache{"build table of DCT"};
  const auto table = cache.get(job.dct.get(), [&] { return make_table(job.dct); });
  const Slice matrix = serial_table(session, "dct", table->serial, table->matrix);
  const Index n_bands = job.dct->n_bins(), rows = job.dct->n_bands();
  const DctPush push{static_cast<uint>(job.n_clips), static_cast<uint>(job.n_frames),
                     static_cast<uint>(n_bands), static_cast<uint>(rows),
                     static_cast<float>(job.top_db)};
  const Index blocks = ceil_div(rows, block);
  const auto cells = static_cast<double>(job.n_clips * job.n_frames);
  session.dispatch(shader::Dct{{.limited = static_cast<bool>(job.maxima)}},
                   value_groups(job.n_frames, dct_threads, job.n_clips * blocks, session.limits()),
                   {.levels = job.levels,
                    .matrix = matrix,
                    .maxima = job.maxima ? Read(job.maxima) : Unused{matrix},
                    .cepstra = job.cepstra},
                   push,
                   {nullptr, 4 * cells * static_cast<double>(n_bands * blocks + rows),
                    2 * cells * static_cast<double>(n_bands * rows)});
}

}  // namespace

void Kernel<ops::Cepstrum>::record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                                   const Piece& piece, const Slices& slices) {
  const Levels levels = record_levels(session, plan, in, piece, slices, plan.amin);
  if (!piece.last) return;
  record_dct(session, {piece.n_clips, plan.frames.n_frames, plan.dct, levels.levels,
                       levels.limit(plan.top_db), plan.top_db, slices.out[0]});
}

Reason Kernel<ops::Dct>::supports(const Op::Plan& plan, const Limits& limits) {
  return plan.n_frames / dct_threads < limits.groups_x ? nullptr : "a clip has too many frames";
}

void Kernel<ops::Dct>::record(Session& session, const Op::Plan& plan, const Op::In<float>&,
                              const Piece& piece, const Slices& slices) {
  record_dct(session, {piece.n_clips, piece.n_units, plan.dct, slices.in[0], {}, 0, slices.out[0]});
}

}  // namespace metalmom::gpu
