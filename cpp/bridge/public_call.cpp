#include "bridge/public_call.hpp"

#include <atomic>
#include <utility>

namespace metalmom::bridge {

namespace {

// The innermost public function that this thread is in, as far as somebody records.
constinit thread_local const char* public_name = nullptr;

bool is_recording() { return trace::enabled.load(std::memory_order_relaxed); }

// What both functions answer lasts as long as the call: letting it go is certain to happen.
PyObject* open_call(PyObject*, PyObject* name) noexcept {
  if (!is_recording()) Py_RETURN_NONE;
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  trace::detail::OpenSpan* span =
      trace::detail::begin(trace::intern(text), trace::Category::bridge);
  if (!span) Py_RETURN_NONE;
  PyObject* open = PyCapsule_New(span, nullptr, [](PyObject* capsule) {
    trace::detail::end(
        static_cast<trace::detail::OpenSpan*>(PyCapsule_GetPointer(capsule, nullptr)));
  });
  if (!open) trace::detail::end(span);
  return open;
}

PyObject* name_call(PyObject*, PyObject* name) noexcept {
  if (!is_recording()) Py_RETURN_NONE;
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  PyObject* named = PyCapsule_New(&public_name, nullptr, [](PyObject* capsule) {
    public_name = static_cast<const char*>(PyCapsule_GetContext(capsule));
  });
  if (!named) return nullptr;
  const char* outer = std::exchange(public_name, trace::intern(text));
  PyCapsule_SetContext(named, const_cast<char*>(outer));  // fails for what is no capsule alone
  return named;
}

// Every public call makes one of these: pybind11's dispatch would take three times as long.
PyMethodDef functions[] = {
    {"trace_open_call", open_call, METH_O,
     "trace_open_call(name: str, /) -> object\n\n"
     "Opens the bridge span of a public function that makes several native calls. It ends when the "
     "answer is let go; None if nobody records."},
    {"trace_name_call", name_call, METH_O,
     "trace_name_call(name: str, /) -> object\n\n"
     "Names the bridge spans of a public function's native calls, until the answer is let go."},
    {}};

}  // namespace

void name_after_public_call(trace::Span& span) {
  if (span.on() && public_name && trace::open_spans(trace::Category::bridge) == 1)
    span.rename(public_name);
}

void bind_public_call(pybind11::module_& module) {
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) throw pybind11::error_already_set();
}

}  // namespace metalmom::bridge
