#include "gpu/kernels/octave_layout.hpp"

#include <algorithm>
#include <numeric>

#include "base/cache.hpp"
#include "base/ceil_div.hpp"
#include "gpu/kernels/basis_weights.hpp"
#include "gpu/kernels/serial_table.hpp"
#include "gpu/record/push.hpp"

namespace metalmom::gpu {

namespace {

// Appends rows [first, first + octave_rows) of an octave's filters, as far as there are any. Zeros
// fill up the missing rows, and the samples up to whole steps of the shader.
void append_filters(std::vector<float>& filters, const dsp::Octave& octave, Index first) {
  Index samples = 0;
  for (const auto& piece : octave.filters) {
    const BasisWeights weight(*piece);
    const Index rows = std::min<Index>(octave_rows, piece->n_bands() - first);
    for (Index sample = 0; sample < piece->n_bins(); ++sample)
      for (Index row = 0; row < static_cast<Index>(octave_rows); ++row)
        filters.push_back(row < rows ? weight(first + row, sample) : 0.0f);
    samples += piece->n_bins();
  }
  const Index depth = octave_depth;
  const Index missing = round_up(samples, depth) - samples;
  filters.resize(filters.size() + static_cast<std::size_t>(missing * octave_rows), 0.0f);
}

OctaveLayout make_layout(const dsp::OctaveBank& bank) {
  OctaveLayout layout;
  layout.serial = next_serial();
  constexpr Index bins_of_job = octave_rows / 2;
  std::vector<std::size_t> order(bank.octaves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return bank.octaves[a].halvings < bank.octaves[b].halvings;
  });
  for (const std::size_t i : order) {
    const dsp::Octave& octave = bank.octaves[i];
    const Index n_bins = bank.bins_of(octave);
    for (Index bin = 0; bin < n_bins; bin += bins_of_job) {
      layout.jobs.push_back({i, static_cast<std::uint32_t>(layout.filters.size() / 4),
                             static_cast<std::uint32_t>(octave.first_bin + bin),
                             static_cast<std::uint32_t>(std::min(bins_of_job, n_bins - bin))});
      append_filters(layout.filters, octave, 2 * bin);
    }
  }
  return layout;
}

}  // namespace

std::shared_ptr<const OctaveLayout> octave_layout(
    const std::shared_ptr<const dsp::OctaveBank>& bank) {
  struct Kept {
    std::shared_ptr<const dsp::OctaveBank> bank;
    OctaveLayout layout;

    std::size_t bytes() const {
      // The bank, which the layout keeps alive, holds its filters in both precisions.
      return sizeof layout + 4 * layout.filters.size() * sizeof(float);
    }
  };
  static Cache<const dsp::OctaveBank*, Kept> cache{"build tables of octaves"};
  const auto kept =
      cache.get(bank.get(), [&] { return std::make_shared<const Kept>(bank, make_layout(*bank)); });
  return {kept, &kept->layout};
}

}  // namespace metalmom::gpu
