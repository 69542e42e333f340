// Recordings and user spans for metalmom.trace.
#include <pybind11/stl.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <sstream>

#include "base/error.hpp"
#include "bridge/bindings.hpp"
#include "bridge/gil.hpp"
#include "bridge/public_call.hpp"
#include "trace/chrome.hpp"
#include "trace/naming.hpp"
#include "trace/signals.hpp"
#include "trace/trace.hpp"

namespace metalmom::bridge {

namespace py = pybind11;

namespace {

// Values beyond numbers are shown as their str().
trace::Arg to_arg(const py::handle& key, const py::handle& value) {
  const char* name = trace::intern(py::cast<std::string>(key));
  if (PyFloat_Check(value.ptr())) return {name, PyFloat_AsDouble(value.ptr())};
  if (PyLong_Check(value.ptr())) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (!overflow) return {name, number};
  }
  return {name, trace::intern(py::cast<std::string>(py::str(value)))};
}

std::vector<trace::Arg> to_args(const py::dict& args) {
  std::vector<trace::Arg> result;
  for (const auto& [key, value] : args) result.push_back(to_arg(key, value));
  return result;
}

void end_span(const std::string& name, std::int64_t stamp, const py::dict& args) {
  if (!stamp) return;
  trace::complete_since({trace::intern(name), trace::Category::user}, stamp, to_args(args));
}

// What the package itself has made and keeps, such as filters.
void end_making(const std::string& name, std::int64_t stamp) {
  if (!stamp) return;
  trace::complete_since({trace::intern(name), trace::Category::bridge}, stamp);
}

// What another library has timed, in nanoseconds of CLOCK_MONOTONIC, on a row of that library's.
void interval(const std::string& row, const std::string& name, std::int64_t begin, std::int64_t end,
              const py::dict& args) {
  if (!trace::enabled.load(std::memory_order_relaxed)) return;
  const auto values = to_args(args);
  trace::complete({trace::intern(name), trace::Category::engine}, trace::track(row), {begin, end},
                  values);
}

void point(const std::string& name, const py::dict& args) {
  if (!trace::enabled.load(std::memory_order_relaxed)) return;
  const auto values = to_args(args);
  trace::detail::point({trace::intern(name), trace::Category::user}, values, trace::no_flow);
}

py::object from_arg(const trace::Arg& arg) {
  switch (arg.type) {
    case trace::Arg::Type::integer:
      return py::int_(arg.integer);
    case trace::Arg::Type::real:
      return py::float_(arg.real);
    default:
      return py::str(arg.text);
  }
}

// (phase, name, category, begin ns, duration ns, row, depth, flow, args), in the exporter's order.
py::tuple from_event(const trace::Snapshot& s, const trace::Event& e) {
  py::dict args;
  for (const trace::Arg& arg : s.args_of(e)) args[arg.key] = from_arg(arg);
  if (e.bounded) args["clock"] = "bounded";
  const char* phase = e.kind == trace::Kind::span ? "X" : e.kind == trace::Kind::point ? "i" : "C";
  return py::make_tuple(phase, e.name, trace::category_name(e.category), e.begin_ns,
                        e.end_ns - e.begin_ns, e.row, e.depth,
                        e.starts_flow ? -static_cast<std::int64_t>(e.flow) : e.flow, args);
}

py::list events(const trace::Snapshot& s) {
  py::list list(s.events.size());
  for (std::size_t i = 0; i < s.events.size(); ++i) list[i] = from_event(s, s.events[i]);
  return list;
}

// As `threading` calls the thread, if it holds Python's lock. No code of Python runs here, since a
// signal handler's exception would be lost.
void name_thread() noexcept {
  PyThreadState* const own = PyGILState_GetThisThreadState();
  if (!own || own != _PyThreadState_UncheckedGet()) return;
  const py::error_scope pending;
  PyObject* const threading = PyDict_GetItemString(PyImport_GetModuleDict(), "threading");
  PyObject* const running =
      threading ? PyDict_GetItemString(PyModule_GetDict(threading), "_active") : nullptr;
  const auto made = [](PyObject* object) { return py::reinterpret_steal<py::object>(object); };
  const py::object id = made(PyLong_FromUnsignedLong(PyThread_get_thread_ident()));
  PyObject* const thread = running && id ? PyDict_GetItem(running, id.ptr()) : nullptr;
  const py::object name = made(thread ? PyObject_GetAttrString(thread, "_name") : nullptr);
  const py::object text =
      made(name && PyUnicode_Check(name.ptr())
               ? PyUnicode_AsEncodedString(name.ptr(), "utf-8", "backslashreplace")
               : nullptr);
  PyErr_Clear();
  if (!text) return;
  try {
    trace::name_thread(
        {PyBytes_AS_STRING(text.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(text.ptr()))});
  } catch (const std::bad_alloc&) {
    // then it has the system's name
  }
}

py::list rows(const trace::Snapshot& s) {
  py::list list;
  for (const trace::Row& row : s.rows)
    list.append(py::make_tuple(row.tid, row.name, row.is_thread));
  return list;
}

// The JSON into a file, or as bytes where `path` is empty.
py::object write_chrome(const trace::Snapshot& s, const std::string& path,
                        const trace::About& about) {
  std::ostringstream text;
  text.exceptions(std::ios::badbit);  // what there is no memory for would be missing in silence
  {
    const GilReleased unlocked;
    if (path.empty()) {
      trace::write_chrome(text, s, about);
    } else {
      std::ofstream file(path, std::ios::binary);
      trace::write_chrome(file, s, about);
      if (!file.flush()) throw FileError(path, errno);
    }
  }
  return path.empty() ? py::object(py::bytes(text.str())) : py::none();
}

}  // namespace

void bind_trace(py::module_& module) {
  using trace::Recording;
  using trace::Snapshot;
  // Local to the module: scripts/compare_builds.sh loads two builds into one process.
  py::class_<Snapshot>(module, "TraceSnapshot", py::module_local())
      .def_readonly("start_ns", &Snapshot::start_ns)
      .def_readonly("duration_ns", &Snapshot::duration_ns)
      .def_readonly("dropped", &Snapshot::dropped)
      .def_property_readonly("event_count", [](const Snapshot& s) { return s.events.size(); })
      .def("events", &events)
      .def("rows", &rows)
      .def("write_chrome", &write_chrome);
  py::class_<Recording>(module, "TraceRecording", py::module_local())
      .def(py::init([](bool detail) { return std::make_unique<Recording>(detail, true); }))
      .def("close", &Recording::close, py::call_guard<GilReleased>())
      .def("snapshot", &Recording::snapshot, py::arg("last_ns") = 0,
           py::arg("most") = Recording::no_limit, py::call_guard<GilReleased>());
  module.def("trace_stamp", &trace::stamp);
  module.def("trace_end", &end_span);
  module.def("trace_end_making", &end_making);
  module.def("trace_event", &point);
  module.def("trace_interval", &interval);
  bind_public_call(module);
  module.def("signal_pipe", &trace::signal_pipe);
  module.attr("late_block") = trace::late_block;
  module.def("tell_of_late_blocks_every", &trace::tell_of_late_blocks_every);
  module.def("listen_to_signal", &trace::listen_to);
  module.def("stop_listening_to_signal", &trace::stop_listening_to);
  trace::naming_hook = name_thread;
}

}  // namespace metalmom::bridge
