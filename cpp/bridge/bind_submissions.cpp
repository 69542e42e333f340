// What `metalmom.submit` is made of, and locks that no exception of a signal handler leaves taken.
#include <pybind11/stl.h>

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
  module.def("hand_over", &hand_over);
  module.def("waiting_calls", &waiting_calls);
  module.def("finish_submissions", &finish_submissions);
}

}  // namespace metalmom::bridge
