// What `metalmom.submit` is made of, and locks that no exception of a signal handler leaves taken.
#include <pybind11/stl.h>

#include <utility>

#include "bridge/bindings.hpp"
#include "bridge/condition.hpp"
#include "bridge/submissions.hpp"

namespace metalmom::bridge {

void bind_submissions(py::module_& module) {
  py::class_<Condition>(module, "Condition")
      .def(py::init<>())
      .def("acquire", &Condition::acquire, py::arg("blocking") = true,
           py::arg("timeout") = py::none())
      .def("release", &Condition::release)
      .def("wait", &Condition::wait, py::arg("timeout") = py::none())
      .def("notify_all", &Condition::notify_all)
      .def("__enter__", [](Condition& condition) { return condition.acquire(true, {}); })
      .def("__exit__", [](Condition& condition, const py::args&) { condition.release(); });
  py::class_<Place, std::shared_ptr<Place>>(module, "Place")
      .def(py::init<>())
      .def("give_back", [](Place& place, const py::args&) { place.give_back(); });
  py::class_<Worker, std::shared_ptr<Worker>>(module, "Worker").def("take", &Worker::take);
  module.def("hand_over", [](py::object call, const std::shared_ptr<Place>& place,
                             const py::object& begin, bool wait) {
    const Handed handed = hand_over(std::move(call), place, begin, wait);
    return EnumNames<Handed>::value[static_cast<std::size_t>(handed)];
  });
  module.def("waiting_calls", &waiting_calls);
  module.def("finish_submissions", &finish_submissions);
}

}  // namespace metalmom::bridge
