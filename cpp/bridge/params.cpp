#include "bridge/params.hpp"

#include <algorithm>
#include <span>

namespace metalmom::bridge {

py::handle Arguments::find(std::string_view name) {
  PyObject* found = PyDict_GetItemString(kwargs_.ptr(), name.data());
  if (found && used_ < used_names_.size()) used_names_[used_++] = name;
  return found;
}

py::handle Arguments::need(std::string_view name) {
  const py::handle found = find(name);
  if (!found || found.is_none())
    throw py::type_error("missing argument: '" + std::string(name) + "'");
  return found;
}

void Arguments::reject_unknown(std::string_view function) const {
  if (used_ == kwargs_.size()) return;
  const auto used = std::span(used_names_).first(used_);
  for (const auto& [name, value] : kwargs_)
    if (std::ranges::find(used, name.cast<std::string_view>()) == used.end())
      throw py::type_error(std::string(function) + "() got an unexpected keyword argument " +
                           text_of(name));
}

}  // namespace metalmom::bridge
