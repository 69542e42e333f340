// Locks that no exception of a signal handler leaves taken, and no want of memory: pybind11's
// dispatch allocates, and would not come to give one back.
#include <new>
#include <optional>

#include "bridge/bindings.hpp"
#include "bridge/condition.hpp"
#include "bridge/one_argument.hpp"

namespace metalmom::bridge {

namespace {

struct PyCondition {
  PyObject ob_base;
  Condition condition;
};

PyTypeObject condition_type{};

Condition& condition_of(PyObject* self) {
  return reinterpret_cast<PyCondition*>(self)->condition;
}

PyObject* make_condition(PyTypeObject* type, PyObject* args, PyObject*) {
  if (!PyArg_ParseTuple(args, ":Condition")) return nullptr;
  PyObject* const self = type->tp_alloc(type, 0);
  if (self) new (&condition_of(self)) Condition;
  return self;
}

void free_condition(PyObject* self) {
  condition_of(self).~Condition();
  Py_TYPE(self)->tp_free(self);
}

std::optional<double> seconds_of(PyObject* timeout) {
  if (timeout == Py_None) return {};
  const double seconds = PyFloat_AsDouble(timeout);
  if (PyErr_Occurred()) throw py::error_already_set();
  return seconds;
}

PyObject* truth(bool value) {
  return PyBool_FromLong(value);
}

template <class Step>
PyObject* made(Step&& step) noexcept {
  try {
    return step();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

PyObject* acquire(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"blocking", "timeout", nullptr};
  int blocking = 1;
  PyObject* timeout = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pO:acquire", const_cast<char**>(names),
                                   &blocking, &timeout))
    return nullptr;
  return made(
      [&] { return truth(condition_of(self).acquire(blocking != 0, seconds_of(timeout))); });
}

PyObject* enter(PyObject* self, PyObject*) {
  return made([&] { return truth(condition_of(self).acquire(true, {})); });
}

PyObject* release(PyObject* self, PyObject*) {
  return made([&] { return condition_of(self).release(), py::none().release().ptr(); });
}

// By the convention of calls that needs no tuple of the arguments, which would need memory.
PyObject* leave(PyObject* self, PyObject* const*, Py_ssize_t) {
  return release(self, nullptr);
}

PyObject* wait(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"timeout", nullptr};
  PyObject* timeout = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:wait", const_cast<char**>(names), &timeout))
    return nullptr;
  return made([&] { return truth(condition_of(self).wait(seconds_of(timeout))); });
}

PyObject* notify_all(PyObject* self, PyObject*) {
  return made([&] { return condition_of(self).notify_all(), py::none().release().ptr(); });
}

template <class F>
PyCFunction as_function(F* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

PyMethodDef methods[] = {
    {"acquire", as_function(acquire), METH_VARARGS | METH_KEYWORDS,
     "acquire(self, blocking: bool = True, timeout: Optional[float] = None) -> bool"},
    {"release", release, METH_NOARGS, "release(self) -> None"},
    {"wait", as_function(wait), METH_VARARGS | METH_KEYWORDS,
     "wait(self, timeout: Optional[float] = None) -> bool"},
    {"notify_all", notify_all, METH_NOARGS, "notify_all(self) -> None"},
    {"__enter__", enter, METH_NOARGS, "__enter__(self) -> bool"},
    {"__exit__", as_function(leave), METH_FASTCALL, "__exit__(self, *args) -> None"},
    {}};

}  // namespace

void bind_condition(py::module_& module) {
  condition_type.tp_name = "metalmom._native.Condition";
  condition_type.tp_basicsize = sizeof(PyCondition);
  condition_type.tp_new = make_condition;
  condition_type.tp_dealloc = free_condition;
  condition_type.tp_flags = Py_TPFLAGS_DEFAULT;
  condition_type.tp_methods = methods;
  if (PyModule_AddType(module.ptr(), &condition_type) != 0) throw py::error_already_set();
}

}  // namespace metalmom::bridge
