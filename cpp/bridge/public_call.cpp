#include "bridge/public_call.hpp"

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/probes.hpp"
#include "trace/naming.hpp"

namespace metalmom::bridge {

namespace {

// How many public functions this thread is in.
constinit thread_local int depth = 0;

// A thread's number, which no other thread of the process ever has; 0 before its first call.
constinit thread_local std::uint64_t number_of_thread = 0;

std::uint64_t this_thread() {
  static constinit std::atomic<std::uint64_t> last = 0;
  if (number_of_thread == 0) number_of_thread = ++last;
  return number_of_thread;
}

// The innermost one, while a trace is recorded.
constinit thread_local const char* public_name = nullptr;

bool is_recording() {
  return trace::enabled.load(std::memory_order_relaxed);
}

// What a public function holds while it runs: letting it go is certain to happen.
struct PublicCall {
  PyObject ob_base;
  std::uint64_t thread;  // that made the call
  PyObject* function;    // its name, and that as a text
  const char* text;
  trace::detail::OpenSpan* span;  // ends with the call
  const char *name, *outer;       // where the call has named its native calls
};

PyTypeObject public_call_type{};

void leave_call(PyObject* object) noexcept {
  auto* const call = reinterpret_cast<PublicCall*>(object);
  // Another thread may drop the traceback that holds it. The span of the thread that made it has no
  // end then.
  if (call->thread == this_thread()) {
    --depth;
    if (call->name) public_name = call->outer;
    if (call->span) trace::detail::end(call->span);
  }
  probes::call_end(call->text, call);
  Py_DECREF(call->function);
  PyObject_Free(object);
}

PyObject* enter_call(PyObject* name, bool composed) noexcept {
  const char* const text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  auto* const call = PyObject_New(PublicCall, &public_call_type);
  if (!call) return nullptr;
  call->thread = this_thread();
  call->function = Py_NewRef(name);
  call->text = text;
  call->span = nullptr;
  call->name = nullptr;
  ++depth;
  probes::call_begin(text, call);
  if (is_recording()) {
    trace::ask_for_name();
    const char* const kept = trace::intern(text);
    if (composed)
      call->span = trace::detail::begin(kept, trace::Category::bridge);
    else
      call->outer = std::exchange(public_name, call->name = kept);
  }
  return &call->ob_base;
}

PyObject* open_call(PyObject*, PyObject* name) noexcept {
  return enter_call(name, true);
}

PyObject* name_call(PyObject*, PyObject* name) noexcept {
  return enter_call(name, false);
}

// While one lives, this thread counts as outside of all public functions.
class Outside {
 public:
  Outside() : depth_(std::exchange(depth, 0)) {}
  ~Outside() { depth = depth_; }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  int depth_;
};

PyObject* call_given(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) noexcept {
  if (count == 0) {
    PyErr_SetString(PyExc_TypeError, "call_given() takes a function");
    return nullptr;
  }
  const Outside outside;
  return PyObject_Vectorcall(args[0], args + 1, static_cast<std::size_t>(count - 1), names);
}

// Every public call makes one of these: pybind11's dispatch would take three times as long.
PyMethodDef functions[] = {
    {"trace_open_call", open_call, METH_O,
     "trace_open_call(name: str, /) -> object\n\n"
     "Enters a public function that makes several native calls, and opens its bridge span. The "
     "call "
     "lasts until the answer is let go."},
    {"trace_name_call", name_call, METH_O,
     "trace_name_call(name: str, /) -> object\n\n"
     "Enters a public function, and names the bridge spans of its native calls. The call lasts "
     "until "
     "the answer is let go."},
    {"call_given", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call_given)),
     METH_FASTCALL | METH_KEYWORDS,
     "call_given(function: object, /, *args, **kwargs) -> object\n\n"
     "Calls a function of the user's, which may bring DeviceArrays to the host."},
    {}};

}  // namespace

void name_after_public_call(trace::Span& span) {
  if (span.on() && public_name && trace::open_spans(trace::Category::bridge) == 1)
    span.rename(public_name);
}

bool in_public_call() {
  return depth > 0;
}

void bind_public_call(pybind11::module_& module) {
  public_call_type.tp_name = "metalmom._native.PublicCall";
  public_call_type.tp_basicsize = sizeof(PublicCall);
  public_call_type.tp_dealloc = leave_call;
  public_call_type.tp_flags = Py_TPFLAGS_DEFAULT;
  if (PyType_Ready(&public_call_type) != 0) throw pybind11::error_already_set();
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) throw pybind11::error_already_set();
}

}  // namespace metalmom::bridge
