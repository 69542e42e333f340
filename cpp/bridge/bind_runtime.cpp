// The process: memory, counters, what was built.
#include <pybind11/stl.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <memory>

#include "base/cache.hpp"
#include "base/memory_use.hpp"
#include "base/output_file.hpp"
#include "base/probes.hpp"
#include "base/workspace.hpp"
#include "bridge/arrays.hpp"
#include "bridge/bindings.hpp"
#include "bridge/build_info.hpp"
#include "bridge/gil.hpp"
#include "dsp/fft.hpp"
#include "dsp/simd/select.hpp"
#include "gpu/device.hpp"

namespace metalmom::bridge {

namespace {

py::dict counters_dict() {
  py::dict dict;
  for (const auto& [name, member] : all_counters) dict[name] = counters().*member;
  return dict;
}

py::dict build_info() {
  py::dict dict;
  dict["version"] = build.version;
  dict["revision"] = build.revision;
  dict["compiler"] = build.compiler;
  dict["build_type"] = build.type;
  dict["fft"] = std::string(dsp::fft_library());
  dict["simd"] = dsp::simd::kernels().compiled_for;
  dict["probes"] = probes::built;
  return dict;
}

OutputFile::Kind to_kind(std::string_view name) {
  if (name == "json") return OutputFile::Kind::json;
  return name == "page" ? OutputFile::Kind::page : OutputFile::Kind::any;
}

void bind_output_file(py::module_& module) {
  py::class_<OutputFile>(module, "OutputFile", py::module_local())
      .def(py::init([](const std::string& path, const std::string& kind, const std::string& name) {
        return std::make_unique<OutputFile>(path, to_kind(kind), name);
      }))
      .def_property_readonly("beside", [](const OutputFile& o) { return py::bytes(o.beside()); })
      .def("keep", &OutputFile::keep)
      .def("discard", &OutputFile::discard);
}

// Gives back what the C library keeps of memory that was freed: with glibc, whose threshold grows
// with what it sees, that is up to twice the largest array that a call freed.
void trim_heap() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace

void bind_runtime(py::module_& module) {
  bind_output_file(module);
  module.def("counters", &counters_dict);
  module.def("build_info", &build_info);
  module.def("release_caches", [] {
    const GilReleased unlocked;  // it may wait for a device
    const std::size_t bytes =
        release_workspaces() + release_cached_values() + gpu::release_memory();
    trim_heap();
    return bytes;
  });
  module.def("kept_bytes", [] { return kept_workspace_bytes() + cached_bytes(); });
  module.def("kept_workspace_bytes", &kept_workspace_bytes);
  module.def("release_workspaces", &release_workspaces);
  module.def("restart_memory_peak", &restart_memory_peak);
  module.def("memory_peak", &memory_peak);
  module.attr("pointer_bytes") = sizeof(std::size_t);
  module.def("interrupt_at_look", &interrupt_at_look);
}

}  // namespace metalmom::bridge
