// Settings of callers, as `metalmom.set_config` and `config_context` make them.
#include <pybind11/stl.h>

#include <utility>

#include "base/byte_text.hpp"
#include "base/workers.hpp"
#include "bridge/arrays.hpp"
#include "bridge/bindings.hpp"
#include "bridge/scopes.hpp"

namespace metalmom::bridge {

namespace {

// What the setting `backend` takes, read.
struct BackendSetting {
  std::shared_ptr<const dispatch::Setting> setting;
};

BackendSetting read_backend(const py::object& name) {
  if (!py::isinstance<py::str>(name))
    throw_parameter("backend", text_of(name), dispatch::setting_rule);
  return {std::make_shared<const dispatch::Setting>(
      dispatch::parse_setting("backend", name.cast<std::string>()))};
}

using Bytes = std::optional<std::size_t>;

std::shared_ptr<Scope> make_scope(std::string text, std::optional<int> threads,
                                  const BackendSetting* backend,
                                  std::optional<dispatch::MinFrames> min_frames, Bytes memory,
                                  Bytes device_memory, std::optional<std::size_t> pending) {
  Settings settings;
  settings.threads = threads;
  if (backend) settings.backend = backend->setting;
  if (min_frames) {
    dispatch::initial_setting();  // which they may be of: a wrong one is refused before anything is
                                  // set
    settings.min_frames = std::make_shared<const dispatch::MinFrames>(std::move(*min_frames));
  }
  settings.memory = {memory, device_memory};
  settings.pending = pending;
  return std::make_shared<Scope>(std::move(text), std::move(settings));
}

// The settings that hold here, for a thread that works for `place`.
std::shared_ptr<Scope> scope_of_here(const py::object& place) {
  Settings settings = held_settings();
  settings.place = place;
  return std::make_shared<Scope>("what held where it was submitted", std::move(settings));
}

constexpr const char* scope_doc =
    "A value that holds inside ``with``, or in a decorated function, for the calling thread only.\n"
    "\n"
    "It may be kept, entered again, nested in itself and entered by several threads at once: what "
    "is\n"
    "entered is remembered by the thread, not by the object.";

struct SettingsRefreshed {
  SettingsRefreshed() { refresh_settings(); }
};

// The default is taken back before Python runs, and may be interrupted.
py::object decorated(const py::object& scope, const py::object& function) {
  scope.cast<Scope&>().take_back();
  return py::module_::import("metalmom._engine.config").attr("decorated")(scope, function);
}

destructor dealloc_of_base;

// Of an object that dies on an exception's way out Python has set the error; pybind11 puts it aside
// before it calls the destructor.
void dealloc_scope(PyObject* self) {
  const bool before = std::exchange(Scope::dies_by_exception, PyErr_Occurred() != nullptr);
  dealloc_of_base(self);
  Scope::dies_by_exception = before;
}

void set_dealloc(PyHeapTypeObject* type) {
  dealloc_of_base = type->ht_type.tp_base->tp_dealloc;
  type->ht_type.tp_dealloc = &dealloc_scope;
}

py::object or_none(const py::object& value) {
  return value ? value : py::none();
}

void bind_scope(py::module_& module) {
  py::class_<Scope, std::shared_ptr<Scope>> bound(module, "Scope",
                                                  py::custom_type_setup(&set_dealloc), scope_doc);
  bound
      .def(py::init(&make_scope), py::arg("text"), py::kw_only(), py::arg("threads") = py::none(),
           py::arg("backend") = py::none(), py::arg("min_frames") = py::none(),
           py::arg("memory") = py::none(), py::arg("device_memory") = py::none(),
           py::arg("pending") = py::none())
      .def("__enter__",
           [](std::shared_ptr<Scope> scope) {
             scope->enter();
             return scope;
           })
      .def("__exit__", [](Scope& scope, const py::args&) { scope.leave(); })
      .def("__repr__", &Scope::shown);
  py::options options;
  options.disable_function_signatures();  // that of a decorator pybind11 cannot say
  bound.def("__call__", &decorated, py::arg("function"),
            "__call__(self, function: Function) -> Function\n\n"
            "Decorate a function: the value holds while it runs.");
}

}  // namespace

void bind_scopes(py::module_& module) {
  module.attr("max_threads") = max_threads;
  const py::call_guard<SettingsRefreshed> forgotten;
  module.def("thread_count", &thread_count, forgotten);
  module.def(
      "memory_limits", [] { return std::pair(kept_host_limit(), device_memory_limit()); },
      forgotten);
  module.def("pending_limit", &pending_limit);
  module.def(
      "backend_name", [] { return dispatch::setting_name(*dispatch::current_setting()); },
      forgotten);
  module.def(
      "min_frames", [] { return dispatch::current_setting()->min_frames; }, forgotten);
  module.def("bytes_of_text", &bytes_of_text, py::arg("text"));
  module.def(
      "gpu_is_asked_for",
      [] { return dispatch::current_setting()->backend == dispatch::Backend::gpu; }, forgotten);
  module.def(
      "backend_device", [] { return dispatch::current_setting()->device; }, forgotten);

  py::class_<BackendSetting>(module, "BackendSetting")
      .def(py::init(&read_backend), py::arg("name"))
      .def_property_readonly(
          "side",
          [](const BackendSetting& backend) { return dispatch::side_name(*backend.setting); })
      .def_property_readonly("device",
                             [](const BackendSetting& backend) { return backend.setting->device; });

  bind_scope(module);
  module.def("made_default", [](std::shared_ptr<Scope> scope) {
    scope->make_default();
    return scope;
  });
  module.def("call_of_scope", &Scope::text);
  module.def("scope_of_here", &scope_of_here);
  module.def("held_place", [] { return or_none(held_settings().place); });
}

}  // namespace metalmom::bridge
