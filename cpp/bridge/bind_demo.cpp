// The demo song for metalmom.demo.
#include "bridge/arrays.hpp"
#include "bridge/bindings.hpp"
#include "bridge/gil.hpp"
#include "dsp/demo_song.hpp"

namespace metalmom::bridge {

namespace {

py::array_t<float> demo_song(double seconds) {
  const Index n = dsp::demo_samples(seconds);
  py::array_t<float> song({py::ssize_t{2}, static_cast<py::ssize_t>(n)});
  float* const samples = song.mutable_data();
  const GilReleased unlocked;
  dsp::demo_song(seconds, samples, samples + n);
  return song;
}

}  // namespace

void bind_demo(py::module_& module) {
  module.def("demo_song", &demo_song);
  module.attr("demo_tempo") = dsp::demo_tempo;
  module.attr("demo_rate") = static_cast<int>(dsp::demo_rate);
}

}  // namespace metalmom::bridge
