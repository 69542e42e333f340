// The demo song for metalmom.demo.
#include "bridge/arrays.hpp"
#include "bridge/bindings.hpp"
#include "dsp/demo_song.hpp"

namespace metalmom::bridge {

namespace {

py::array_t<float> demo_song(double seconds) {
  const std::vector<float> samples = dsp::demo_song(seconds);
  return py::array_t<float>({static_cast<py::ssize_t>(samples.size() / 2), py::ssize_t{2}},
                            samples.data());
}

}  // namespace

void bind_demo(py::module_& module) {
  module.def("demo_song", &demo_song);
  module.attr("demo_tempo") = dsp::demo_tempo;
  module.attr("demo_rate") = static_cast<int>(dsp::demo_rate);
}

}  // namespace metalmom::bridge
