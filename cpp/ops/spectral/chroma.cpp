#include "ops/spectral/chroma.hpp"

#include <cmath>

#include "ops/core/power_blocks.hpp"

namespace metalmom::ops {

namespace {

// The norm of one frame, in double as librosa takes it.
template <class T>
double frame_norm(const T* bands, Index n_bands, Index stride, double norm) {
  double total = norm == -INFINITY ? INFINITY : 0.0;
  for (Index band = 0; band < n_bands; ++band) {
    const double magnitude = std::abs(static_cast<double>(bands[band * stride]));
    if (norm == INFINITY)
      total = std::max(total, magnitude);
    else if (norm == -INFINITY)
      total = std::min(total, magnitude);
    else if (norm == 0)
      total += magnitude > 0;
    else if (norm == 1)
      total += magnitude;
    else if (norm == 2)
      total += magnitude * magnitude;
    else
      total += std::pow(magnitude, norm);
  }
  if (norm == 2) return std::sqrt(total);
  if (std::isinf(norm) || norm == 0 || norm == 1) return total;
  return std::pow(total, 1 / norm);
}

}  // namespace

template <class T>
void ChromaSpectrogram::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const auto store = [&](const Blocks::Block& block, const T* lanes) {
    T* bands = lane_scratch<T, 1>(plan.n_bands);
    {
      const Stage stage(stage::bands);
      dsp::apply_bands(*in.basis, lanes, block.count, bands, dsp::block_frames);
    }
    const Stage stage(stage::store);
    for (Index i = 0; i < block.count; ++i) {
      double length =
          plan.normalize ? frame_norm(bands + i, plan.n_bands, dsp::block_frames, plan.norm) : 1.0;
      // Frames of silence stay as they are.
      if (length < static_cast<double>(std::numeric_limits<T>::min())) length = 1.0;
      T* frame = out.chroma.row(block.b, block.first + i);
      for (Index band = 0; band < plan.n_bands; ++band)
        frame[band] =
            static_cast<T>(static_cast<double>(bands[band * dsp::block_frames + i]) / length);
    }
  };
  for_each_power_block(plan.frames, in.y, in.window, static_cast<float>(plan.power), store);
}

template void ChromaSpectrogram::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void ChromaSpectrogram::run_cpu(const Plan&, const In<double>&, const Out<double>&);

static_assert(Operation<ChromaSpectrogram>);

}  // namespace metalmom::ops
