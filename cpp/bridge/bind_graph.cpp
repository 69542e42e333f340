// Several ops in one call: `run_together([(op, {argument: value}), ...], session, watched, names)`
// answers with a list of (result, error, node), one of result and error None, node None unless the
// run is watched. `names` is empty or has each request's feature, for a trace. In place of a name
// and its arguments a request may be (prepared, audio): `prepare(op, arguments)` reads a call's
// arguments once for all audio of the type and batch given, however long.
#include <pybind11/stl.h>

#include <optional>

#include "base/error.hpp"
#include "bridge/bind_op.hpp"
#include "bridge/bindings.hpp"
#include "bridge/byte_counts.hpp"
#include "bridge/errors.hpp"
#include "bridge/gil.hpp"
#include "gpu/device.hpp"
#include "graph/run.hpp"

namespace metalmom::bridge {

namespace {

constexpr trace::Site together_site{"run together", trace::Category::bridge};

// The exception that Python would see, as an object.
py::object raised_object(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (py::error_already_set& raised) {
    return raised.value();
  } catch (const std::exception& raised) {
    return python_error(raised);
  }
}

struct Request {
  std::optional<BoundCall> bound;  // none: it ran by itself, or failed before it could run
  py::object result = py::none(), error = py::none();
  graph::Node node;
};

Reader reader_of(const std::string& op) {
  const auto found = readers().find(op);
  if (found == readers().end()) throw py::key_error(op);
  return found->second;
}

// Reads a request's arguments; what is wrong with them is that request's error. Arrays on a device
// are submitted at once: the device runs them in order.
Request read_request(const py::tuple& given, Session& session) {
  Request request;
  if (py::isinstance<py::str>(given[0])) {
    const Reader read = reader_of(given[0].cast<std::string>());
    const auto kwargs = given[1].cast<py::kwargs>();
    request.bound.emplace(read, kwargs, &session);
    if (request.bound->is_on_device()) {
      const trace::Span span({request.bound->call().name().data(), trace::Category::bridge});
      request.result = request.bound->submit(read, kwargs);
      request.bound.reset();
      return request;
    }
  } else {
    const py::object prepared = given[0];
    request.bound.emplace(prepared.cast<const PreparedCall&>(), prepared,
                          given[1].cast<py::array>());
  }
  request.bound->make_results();
  return request;
}

// As the text of a graph has it: a feature, and the op that is a part of it.
std::string node_name(const std::string& feature, std::string_view op) {
  return feature == op ? feature : feature + " (" + std::string(op) + ")";
}

py::object node_of(const graph::Node& node) {
  return py::make_tuple(node.pipeline, node.side, node.reads, node.spent, node.begin_ns,
                        node.end_ns);
}

py::list run_together(const py::list& requests, Session& session, bool watched,
                      const py::list& names) {
  trace::Span span(together_site);
  const Counters before = counters();
  std::vector<Request> all(requests.size());
  std::vector<const graph::Call*> calls;
  std::vector<std::size_t> at;
  std::vector<const char*> interned;
  for (std::size_t i = 0; i < all.size(); ++i) {
    try {
      all[i] = read_request(requests[i].cast<py::tuple>(), session);
    } catch (const ParameterError& error) {
      all[i].error = python_error(error);
    } catch (const DeviceError& error) {
      all[i].error = python_error(error);
    } catch (const py::type_error& error) {
      all[i].error = py::reinterpret_borrow<py::object>(PyExc_TypeError)(error.what());
    }
    if (!all[i].bound) continue;
    calls.push_back(&all[i].bound->call());
    at.push_back(i);
    if (!names.empty())
      interned.push_back(
          trace::intern(node_name(names[i].cast<std::string>(), calls.back()->name())));
  }
  std::vector<graph::Node> nodes;
  {
    const GilReleased unlocked;
    nodes = graph::run_together(calls, session.engine(), watched, interned);
  }
  for (std::size_t k = 0; k < at.size(); ++k) {
    Request& request = all[at[k]];
    request.node = nodes[k];
    if (nodes[k].error)
      request.error = raised_object(nodes[k].error);
    else
      request.result = request.bound->result();
  }
  show_warning();
  add_byte_counts(span, before);
  py::list answers;
  for (const Request& each : all)
    answers.append(py::make_tuple(each.result, each.error,
                                  watched ? node_of(each.node) : py::object(py::none())));
  return answers;
}

// Which side a call of an op would take, as (index of the device or None, reason, ms on the CPU, ms
// on the GPU, bytes of its arrays on the GPU, its results): times of 0 are not known. It plans the
// call and runs nothing.
py::tuple explain(const std::string& op, const py::kwargs& arguments) {
  Session session;
  BoundCall bound(reader_of(op), arguments, &session);
  if (bound.is_on_device()) throw py::type_error("arrays on a device stay there");
  bound.make_results();
  const graph::Call& call = bound.call();
  dispatch::Decision decision;
  double bytes = 0;
  {
    const GilReleased unlocked;
    dispatch::Question question{call.name(), true, {call.cost()}, [&](const gpu::Limits& limits) {
                                  return call.declines(limits);
                                }};
    const auto task = call.task();
    if (task) {
      for (const auto& array : task->inputs())
        question.load.in_bytes += static_cast<double>(array.bytes());
      for (const auto& array : task->outputs())
        question.load.out_bytes += static_cast<double>(array.bytes());
      bytes = question.load.in_bytes + question.load.out_bytes;
    }
    decision = dispatch::explain(question, task != nullptr);
  }
  const py::object device =
      decision.device ? py::int_(gpu::info(*decision.device).index) : py::object(py::none());
  return py::make_tuple(device, decision.reason, decision.cpu_ms, decision.gpu_ms, bytes,
                        bound.result());
}

// Whether a list alone holds its last item, an array, and the array whose memory that is: then
// nobody else can write to it.
bool holds_last_alone(const py::list& items) {
  PyObject* item = items.empty() ? nullptr : PyList_GET_ITEM(items.ptr(), items.size() - 1);
  while (item && Py_REFCNT(item) == 1 && py::isinstance<py::array>(item)) {
    const auto* array = py::detail::array_proxy(item);
    if (!array->base) return array->flags & py::detail::npy_api::NPY_ARRAY_OWNDATA_;
    item = array->base;
  }
  return false;
}

}  // namespace

void bind_reader(py::module_& module, std::string_view op, Reader read, bool has_kernel) {
  module.def(op.data(), [op, read](const py::kwargs& kwargs) { return call(op, read, kwargs); });
  readers()[op] = read;
  // Also in builds without GPU.
  if (has_kernel) py::list(module.attr("kernel_ops")).append(py::str(std::string(op)));
}

void bind_graph(py::module_& module) {
  // The one list, as far as it is bound: tests and scripts iterate over it.
  py::list op_names;
  for (const auto& [name, read] : readers()) op_names.append(py::str(std::string(name)));
  module.attr("op_names") = op_names;
  py::class_<Session>(module, "Session").def(py::init<>());
  module.def("run_together", &run_together);
  module.def("explain", &explain);
  module.def("holds_last_alone", &holds_last_alone);
  py::class_<PreparedCall>(module, "PreparedCall").def("__call__", &call_prepared, py::arg("y"));
  // None for ops that read no audio, and for arrays on a device.
  module.def("prepare", [](const std::string& op, const py::kwargs& arguments) {
    CallArrays arrays;
    auto call = reader_of(op)(arguments, arrays);
    return arrays.audio ? std::make_unique<PreparedCall>(std::move(call), std::move(arrays))
                        : nullptr;
  });
}

}  // namespace metalmom::bridge
