#include <pybind11/stl.h>

#include "bridge/bind_op.hpp"
#include "bridge/bindings.hpp"
#include "ops/cqt/all.hpp"

namespace metalmom::bridge {
namespace {

using dsp::OctaveBank;

// `octaves` is a list of (filters, halvings, hop_length, first_bin), one for each octave.
std::shared_ptr<OctaveBank> octave_bank(const py::list& octaves, Index n_bins, bool synthesis) {
  auto bank = std::make_shared<OctaveBank>();
  bank->n_bins = n_bins;
  bank->synthesis = synthesis;
  for (const auto& each : octaves) {
    const auto [filters, halvings, hop_length, first_bin] =
        each.cast<std::tuple<std::vector<std::shared_ptr<dsp::Basis>>, Index, Index, Index>>();
    bank->octaves.push_back({halvings, hop_length, first_bin, {filters.begin(), filters.end()}});
    const dsp::Octave& octave = bank->octaves.back();
    require(octave.hop_length >= 1, "hop_length", octave.hop_length, "a positive integer");
    require(octave.first_bin >= 0 && octave.first_bin + bank->bins_of(octave) <= n_bins,
            "first_bin", octave.first_bin, "a bin of the transform");
  }
  require(!bank->octaves.empty(), "n_bins", n_bins, "a positive integer");
  return bank;
}

}  // namespace

void bind_cqt_ops(py::module_& module) {
  py::class_<OctaveBank, std::shared_ptr<OctaveBank>>(module, "OctaveBank")
      .def(py::init(&octave_bank), py::arg("octaves"), py::arg("n_bins"), py::kw_only(),
           py::arg("synthesis") = false);
  bind_list<ops::CqtOps>(module);
}

}  // namespace metalmom::bridge
