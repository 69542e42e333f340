// Facts that the engine declares and Python reads from it: the names of padding modes and backends,
// librosa's default values, the shift of onset envelopes, and what is said of bad audio.
#include "bridge/bindings.hpp"
#include "dispatch/setting.hpp"
#include "dsp/defaults.hpp"
#include "dsp/flux.hpp"
#include "dsp/frames.hpp"

namespace metalmom::bridge {

namespace py = pybind11;

namespace {

template <class E>
py::tuple names_of() {
  py::list names;
  for (const auto name : EnumNames<E>::value) names.append(py::str(name.data()));
  return py::tuple(names);
}

py::dict default_values() {
  namespace defaults = dsp::defaults;
  py::dict values;
  values["sr"] = defaults::sr;
  values["n_fft"] = defaults::n_fft;
  values["hop_length"] = defaults::hop_length;
  values["n_mels"] = defaults::n_mels;
  values["n_mfcc"] = defaults::n_mfcc;
  values["n_chroma"] = defaults::n_chroma;
  values["amin"] = defaults::amin;
  values["top_db"] = defaults::top_db;
  values["start_bpm"] = defaults::start_bpm;
  values["std_bpm"] = defaults::std_bpm;
  values["ac_size"] = defaults::ac_size;
  values["max_tempo"] = defaults::max_tempo;
  return values;
}

}  // namespace

void bind_facts(py::module_& module) {
  module.attr("pad_modes") = names_of<dsp::PadMode>();
  module.attr("backends") = names_of<dispatch::Backend>();
  module.attr("defaults") = default_values();
  module.def("onset_shift", &dsp::onset_shift, py::arg("lag"), py::arg("n_fft"),
             py::arg("hop_length"), py::arg("center"));
}

}  // namespace metalmom::bridge
