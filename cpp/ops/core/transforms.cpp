#include "ops/core/transforms.hpp"

namespace metalmom::ops {

template <class T>
std::shared_ptr<const dsp::FrameTransform<T>> Transforms::of(Index n_fft,
                                                             std::span<const double> window) {
  auto& known = std::get<std::vector<Known<T>>>(known_);
  for (const auto& each : known)
    if (each.n_fft == n_fft && each.window.data() == window.data() &&
        each.window.size() == window.size())
      return each.transform;
  known.push_back({n_fft, window, dsp::frame_transform<T>(n_fft, window)});
  return known.back().transform;
}

template std::shared_ptr<const dsp::FrameTransform<float>> Transforms::of(Index,
                                                                          std::span<const double>);
template std::shared_ptr<const dsp::FrameTransform<double>> Transforms::of(Index,
                                                                           std::span<const double>);

}  // namespace metalmom::ops
