// Frame transforms that pipelines share.
#pragma once

#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "dsp/frame_transform.hpp"

namespace metalmom::ops {

// The transforms of a run of pipelines. Many signals are framed and windowed alike, so each
// transform is looked up once. Windows are told apart by their address and must outlive this.
class Transforms {
 public:
  template <class T>
  std::shared_ptr<const dsp::FrameTransform<T>> of(Index n_fft, std::span<const double> window);

 private:
  template <class T>
  struct Known {
    Index n_fft;
    std::span<const double> window;
    std::shared_ptr<const dsp::FrameTransform<T>> transform;
  };
  std::tuple<std::vector<Known<float>>, std::vector<Known<double>>> known_;
};

}  // namespace metalmom::ops
