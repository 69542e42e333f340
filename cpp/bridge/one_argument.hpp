// A Python function of one argument, without pybind11's dispatch, which takes longer than a short
// block's work.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <functional>
#include <new>

#include "bridge/arrays.hpp"

namespace metalmom::bridge {

// The Python error of the C++ exception that is being handled, as pybind11 would raise it; a
// MemoryError where there is no memory to tell.
inline void set_python_error() noexcept {
  const std::exception_ptr thrown = std::current_exception();
  try {
    static const auto* const rethrow = new py::cpp_function([](const py::capsule& given) {
      std::rethrow_exception(*given.get_pointer<const std::exception_ptr>());
    });
    PyObject_CallOneArg(rethrow->ptr(), py::capsule(&thrown).ptr());
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
}

// method(object, argument), or a member's, as a callable of Python, which keeps `owner`, the object
// as Python knows it.
template <auto method, class T>
py::object function_of_one(const char* name, T& object, const py::object& owner) {
  static PyMethodDef definition{
      name,
      [](PyObject* self, PyObject* argument) -> PyObject* {
        auto* const target = static_cast<T*>(PyCapsule_GetPointer(self, nullptr));
        try {
          return py::object(std::invoke(method, *target, py::handle(argument))).release().ptr();
        } catch (...) {
          set_python_error();
          return nullptr;
        }
      },
      METH_O, nullptr};
  const auto self =
      py::reinterpret_steal<py::object>(PyCapsule_New(&object, nullptr, [](PyObject* capsule) {
        Py_DECREF(static_cast<PyObject*>(PyCapsule_GetContext(capsule)));
      }));
  if (!self || PyCapsule_SetContext(self.ptr(), py::object(owner).release().ptr()) != 0)
    throw py::error_already_set();
  return py::reinterpret_steal<py::object>(PyCFunction_New(&definition, self.ptr()));
}

}  // namespace metalmom::bridge
