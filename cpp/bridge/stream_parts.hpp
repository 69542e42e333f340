// What the bindings of streams share.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/subnormals.hpp"
#include "bridge/arrays.hpp"
#include "bridge/gil.hpp"
#include "bridge/scopes.hpp"
#include "stream/sink.hpp"
#include "stream/turns.hpp"

namespace metalmom::bridge {

// Runs the engine on a block. It releases Python's lock for long blocks only: a short one ends
// before another thread could take the lock, so that a thread of audio makes no system call.
class GilReleasedIfLong {
 public:
  explicit GilReleasedIfLong(bool is_long) {
    if (is_long)
      released_.emplace();
    else
      refresh_settings();
  }

 private:
  const SubnormalsFlushed arithmetic_;
  std::optional<GilReleased> released_;
};

// Blocks that keep the lock, at most: some tenths of a millisecond's work.
namespace short_block {
inline constexpr Index of_features = 4096, of_convolver = 1024, of_resampler = 4096;  // samples
inline constexpr Index of_inverse = 16;                                               // frames
inline constexpr Index of_energies = 16384;                                           // values
}  // namespace short_block

// A stream as Python has it: what all have in common. Every call takes the turn before it does
// anything else, so that Turns::lose is of that call.
template <class Stream>
class StreamObject {
 public:
  void reset() {
    const auto turn = turns_->take();
    stream_.reset();
  }
  Index position() const { return stream_.position(); }
  bool ended() const { return stream_.ended(); }

 protected:
  template <class... Init>
  explicit StreamObject(const stream::SharedTurns& turns, Init&&... init)
      : turns_(turns), stream_(std::forward<Init>(init)..., turns) {}

  const stream::SharedTurns turns_;
  Stream stream_;
};

template <class Object>
py::class_<Object>& bind_stream(py::class_<Object>& object) {
  return object.def("process", &Object::process)
      .def("reset", &Object::reset)
      .def_property_readonly("position", &Object::position)
      .def_property_readonly("ended", &Object::ended);
}

// The batch axes of a stream's arrays: none of one channel.
inline Shape lead_of(Index channels) {
  return channels > 1 ? Shape{static_cast<py::ssize_t>(channels)} : Shape{};
}

// Whether an array's strides are whole elements, which lie where the processor may load them. Those
// of a field of a packed record need not be.
inline bool has_whole_strides(const py::array& array) {
  bool whole = (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis)
    whole &= array.strides(axis) % array.itemsize() == 0;
  return whole;
}

// Where the values of an array are whose first axis is the channels if there are several, and whose
// last axis is time. A middle one is rows. Its strides are whole.
template <class Data>
stream::StridedFrames<Data> frames_at(Data* data, const py::array& array, Index channels) {
  const auto size = array.itemsize(), axes = array.ndim();
  const auto stride = [&](py::ssize_t axis) { return array.strides(axis) / size; };
  const bool rows = axes > (channels > 1 ? 2 : 1);
  return {data, channels > 1 ? stride(0) : 0, rows ? stride(axes - 2) : 0, stride(axes - 1)};
}

// A result of samples: a new array, or one that the caller gave.
template <class T>
struct Samples {
  py::array array;
  T* data;
  Index stride;  // from channel to channel

  // With room for `most` samples of each channel.
  Samples(const py::object& out, Index channels, Index most) {
    Shape shape = lead_of(channels);
    shape.push_back(most);
    const auto axes = std::ssize(shape);
    if (out.is_none()) {
      array = py::array_t<T>(shape);
    } else {
      if (py::isinstance<py::array_t<T>>(out)) array = py::reinterpret_borrow<py::array>(out);
      if (array.ndim() != axes || !array.writeable() || !array.dtype().is(py::dtype::of<T>()) ||
          (axes == 2 && array.shape(0) != shape[0]) || array.shape(axes - 1) < most ||
          !has_whole_strides(array) || (most > 0 && array.strides(axes - 1) != array.itemsize()))
        throw_parameter("out", text_of(out),
                        "a writable array of the result's dtype and shape, with " +
                            std::to_string(most) + " samples or more side by side");
    }
    data = static_cast<T*>(array.mutable_data());
    stride = axes == 2 ? array.strides(0) / array.itemsize() : 0;
  }

  // The array of the first `count` samples.
  py::object first(Index count) const {
    return array[py::make_tuple(py::ellipsis(), py::slice(0, count, 1))];
  }
};

}  // namespace metalmom::bridge
