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

// pybind11's locks, the engine's callbacks and what it keeps belong to one interpreter: in another
// one pybind11 waits for ever for the lock that this thread has. So nothing of pybind11 comes
// before this.
bool is_main_interpreter() {
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) return true;
  PyErr_SetString(
      PyExc_ImportError,
      "metalmom works in the main interpreter of a process, and this is a sub-interpreter: use "
      "processes, or under mod_wsgi \"WSGIApplicationGroup %{GLOBAL}\"");
  return false;
}

void bind_all(py::module_& module) {
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

// Python calls this for each import in each interpreter. A module that is made in one step, as
// PYBIND11_MODULE of pybind11 2 makes it, is copied into a second interpreter without a question.
PyObject* create_module(PyObject* spec, PyModuleDef*) {
  if (!is_main_interpreter()) return nullptr;
  PYBIND11_CHECK_PYTHON_VERSION
  // Types are registered once, so that a further import gets the same module.
  static PyObject* made = nullptr;
  try {
    if (!made) {
      PYBIND11_ENSURE_INTERNALS_READY
      const py::object name = py::reinterpret_borrow<py::object>(spec).attr("name");
      auto module = py::reinterpret_steal<py::module_>(PyModule_NewObject(name.ptr()));
      if (!module) throw py::error_already_set();
      bind_all(module);
      made = module.release().ptr();
    }
    Py_INCREF(made);
    return made;
  }
  PYBIND11_CATCH_INIT_EXCEPTIONS
  return nullptr;  // pybind11 2 has returned, pybind11 3 has only set the error
}

}  // namespace

}  // namespace metalmom::bridge

PyMODINIT_FUNC PyInit__native() {
  static PyModuleDef_Slot slots[] = {
      {Py_mod_create, reinterpret_cast<void*>(&metalmom::bridge::create_module)}, {0, nullptr}};
  static PyModuleDef definition{.m_base = PyModuleDef_HEAD_INIT,
                                .m_name = "_native",
                                .m_doc = nullptr,
                                .m_size = 0,
                                .m_methods = nullptr,
                                .m_slots = slots,
                                .m_traverse = nullptr,
                                .m_clear = nullptr,
                                .m_free = nullptr};
  return PyModuleDef_Init(&definition);
}
