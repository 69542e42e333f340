// Cases of the spectral contrast, of noise: valleys of anything else are near-empty bins, where the
// device's float32 is not the CPU's double.
#include <string>
#include <utility>

#include "dsp_support.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

template <>
std::vector<OpCase<ops::SpectralContrast>> op_cases() {
  std::vector<OpCase<ops::SpectralContrast>> cases;
  const auto add = [&](std::string name, ops::FrameParams params, Index batch, Index samples,
                       std::vector<double> bands) {
    auto data = std::make_shared<CaseData>();
    data->values = make_signal(Signal::noise, batch, samples);
    data->window = dsp::test::hann(params.n_fft);
    data->wide = std::move(bands);
    OpCase<ops::SpectralContrast> result{std::move(name), {}, {}, data};
    static_cast<ops::FrameParams&>(result.params) = params;
    result.in.y = {data->values.data(), batch, 1, samples};
    result.in.window = data->window;
    result.in.bands = data->wide;
    cases.push_back(std::move(result));
  };
  for (const Index n : {256, 320, 400, 512, 600, 800, 1024, 1200, 2048, 4096, 8192}) {
    const auto half = static_cast<double>(n / 2);
    add("bands of " + std::to_string(n), {n, n / 4, true}, 2, 22050,
        {0, 8, 1, 7, half / 4, 3, half / 4 - 1, half + 1, half / 8});
  }
  const ops::FrameParams frames{2048, 512, true};
  add("one bin", frames, 1, 9000, {5, 6, 1});
  add("the last bin", frames, 1, 9000, {1024, 1025, 1});
  add("all of a band", frames, 1, 9000, {10, 200, 500});
  add("many bands", frames, 3, 9000, [] {
    std::vector<double> bands;
    for (double first = 0; first < 1000; first += 50)
      bands.insert(bands.end(), {first, first + 60, 2});
    return bands;
  }());
  add("long tails", frames, 1, 9000, {0, 1025, 600});
  cases.back().on_gpu = false;
  add("no power of two", {1000, 250, true}, 1, 9000, {0, 100, 2});
  cases.back().on_gpu = false;
  return cases;
}

}  // namespace metalmom::test
