// weight(band, bin) of a basis, whichever of the three structures it has (dsp/bands.hpp).
#pragma once

#include <vector>

#include "ops/spectral/filterbank.hpp"

namespace metalmom::gpu {

class BasisWeights {
 public:
  explicit BasisWeights(const dsp::Basis& basis) : basis_(basis), weights_(basis.weights<float>()) {
    if (!overlapping()) return;
    band_of_.assign(static_cast<std::size_t>(basis.n_bins()), -2);
    for (const auto& segment : basis.segments())
      for (Index bin = segment.first; bin < segment.last; ++bin)
        band_of_[static_cast<std::size_t>(bin)] = segment.band;
  }
  bool overlapping() const { return basis_.structure() == dsp::Basis::Structure::overlapping; }
  float operator()(Index band, Index bin) const {
    if (overlapping()) {
      const Index falling = band_of_[static_cast<std::size_t>(bin)];
      if (band == falling) return weights_.falling.data()[bin];
      return band == falling + 1 ? weights_.rising.data()[bin] : 0.0f;
    }
    if (basis_.structure() == dsp::Basis::Structure::dense)
      return weights_.columns.data()[bin * basis_.column_size() + band];
    const auto& row = basis_.rows()[static_cast<std::size_t>(band)];
    return bin >= row.first && bin < row.last ? weights_.rows.data()[row.offset + bin - row.first]
                                              : 0.0f;
  }

 private:
  const dsp::Basis& basis_;
  const dsp::Basis::Weights<float>& weights_;
  std::vector<Index> band_of_;
};

}  // namespace metalmom::gpu
