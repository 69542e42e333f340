// What `metalmom.submit` is made of.
#include <utility>

#include "bridge/bindings.hpp"
#include "bridge/submissions.hpp"

namespace metalmom::bridge {

void bind_submissions(py::module_& module) {
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
