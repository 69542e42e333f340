// The extension module `metalmom._native`.
#include <cerrno>
#include <new>
#include <string>

#include "base/error.hpp"
#include "bridge/bindings.hpp"
#include "bridge/errors.hpp"
#include "bridge/gil.hpp"

namespace metalmom::bridge {

namespace py = pybind11;

namespace {

void set_error(const std::exception& raised) {
  const py::object error = python_error(raised);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

// The engine's exceptions as the classes of metalmom.util.exceptions.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const ParameterError& error) {
    set_error(error);
  } catch (const AudioError& error) {
    set_error(error);
  } catch (const FileError& error) {
    errno = error.code;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, error.path.c_str());
  } catch (const DeviceError& error) {
    set_error(error);
  } catch (const std::bad_alloc& error) {
    set_error(error);
  }
}

// pybind11 reads NumPy's descriptors by their layout, which NumPy 2 changed: an older pybind11
// would read sizes and kinds of arrays wrong, in silence.
void require_matching_numpy() {
#if PYBIND11_VERSION_HEX < 0x020C0000
  const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (std::stoi(version) >= 2)
    throw py::import_error(
        "this build of metalmom was made with pybind11 " + std::to_string(PYBIND11_VERSION_MAJOR) +
        "." + std::to_string(PYBIND11_VERSION_MINOR) + ", which cannot read the arrays of NumPy " +
        version + ": build it with pybind11 2.12 or newer (pip install .), or use NumPy 1");
#endif
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  require_matching_numpy();
  find_main_thread();
  module.doc() = "The engine of metalmom. Private: its functions change without notice.";
  py::register_exception_translator(&translate);
  bind_facts(module);
  bind_filters(module);
  bind_io(module);
  bind_gpu(module);
  bind_device_array(module);
  bind_device_array_refusals(module);
  bind_sharing(module);
  module.attr("kernel_ops") = py::list();  // filled by what follows
  bind_core_ops(module);
  bind_cqt_ops(module);
  bind_effects_ops(module);
  bind_pitch_ops(module);
  bind_rhythm_ops(module);
  bind_segment_ops(module);
  bind_sequence_ops(module);
  bind_spectral_ops(module);
  bind_runtime(module);
  bind_scopes(module);
  bind_condition(module);
  bind_submissions(module);
  bind_trace(module);
  bind_graph(module);
  bind_demo(module);
  bind_streams(module);
  bind_convolution(module);
  bind_sample_streams(module);
  bind_ring(module);
}

}  // namespace metalmom::bridge
