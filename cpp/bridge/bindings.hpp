// What module.cpp assembles: one function per topic.
#pragma once

#include <pybind11/pybind11.h>

namespace metalmom::bridge {

void bind_facts(pybind11::module_& module);
void bind_filters(pybind11::module_& module);
void bind_graph(pybind11::module_& module);
void bind_io(pybind11::module_& module);
void bind_gpu(pybind11::module_& module);
void bind_device_array(pybind11::module_& module);
void bind_device_array_refusals(pybind11::module_& module);  // after bind_device_array
void bind_sharing(pybind11::module_& module);                // after bind_device_array
void bind_runtime(pybind11::module_& module);
void bind_scopes(pybind11::module_& module);
void bind_condition(pybind11::module_& module);
void bind_submissions(pybind11::module_& module);
void bind_trace(pybind11::module_& module);
void bind_demo(pybind11::module_& module);
void bind_streams(pybind11::module_& module);
void bind_convolution(pybind11::module_& module);  // after bind_streams
void bind_ring(pybind11::module_& module);
void bind_sample_streams(pybind11::module_& module);  // after bind_streams

// The ops of each family, ops_<family>.cpp.
void bind_core_ops(pybind11::module_& module);
void bind_cqt_ops(pybind11::module_& module);
void bind_effects_ops(pybind11::module_& module);
void bind_pitch_ops(pybind11::module_& module);
void bind_rhythm_ops(pybind11::module_& module);
void bind_segment_ops(pybind11::module_& module);
void bind_sequence_ops(pybind11::module_& module);
void bind_spectral_ops(pybind11::module_& module);

}  // namespace metalmom::bridge
