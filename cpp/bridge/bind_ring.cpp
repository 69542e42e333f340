// Rings of samples. The glue gives arrays of the ring's type and channels, whose strides are whole
// elements.
#include "bridge/bindings.hpp"
#include "bridge/stream_parts.hpp"
#include "stream/ring.hpp"

namespace metalmom::bridge {

namespace {

template <class Data>
stream::Placed<Data> placed(Data* data, const py::array& array) {
  const auto step = [&](py::ssize_t axis) { return array.strides(axis) / array.itemsize(); };
  return {data, array.ndim() == 2 ? step(0) : 0, step(array.ndim() - 1)};
}

// The lock is kept: to copy a block takes less time than to wait for it again.
template <class T>
Index write_block(stream::Ring<T>& ring, const py::array_t<T>& y) {
  return ring.write(placed(y.data(), y), y.shape(y.ndim() - 1));
}

template <class T>
Index read_block(stream::Ring<T>& ring, py::array_t<T>& out) {
  return ring.read(placed(out.mutable_data(), out), out.shape(out.ndim() - 1));
}

template <class T>
void bind_ring_of(py::module_& module, const char* name) {
  using Ring = stream::Ring<T>;
  py::class_<Ring>(module, name)
      .def(py::init<Index, Index>())
      .def("write", &write_block<T>, py::arg("y").noconvert())
      .def("read", &read_block<T>, py::arg("out").noconvert())
      .def("readable", &Ring::readable)
      .def_property_readonly("frames", &Ring::frames)
      .def_property_readonly("waiting", &Ring::waiting)
      .def_property_readonly("lost", &Ring::lost);
}

}  // namespace

void bind_ring(py::module_& module) {
  bind_ring_of<float>(module, "Ring_float32");
  bind_ring_of<double>(module, "Ring_float64");
}

}  // namespace metalmom::bridge
