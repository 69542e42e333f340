// The arrays that streams of frames write to: new ones, or those that a caller gives.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "bridge/arrays.hpp"
#include "bridge/params.hpp"
#include "bridge/stream_parts.hpp"
#include "stream/sink.hpp"

namespace metalmom::bridge {

// An array of results: the axes of one item are (rows, frames), or (frames).
struct Output {
  ops::Result result;  // of some frames

  Index rows() const { return result.frames_first ? result.cols : result.rows; }
  const py::dtype& dtype() const { return dtype_of(result.element); }

  py::array allocate(const Shape& lead, Index frames) const {
    ops::Result all = result;
    (all.frames_first ? all.rows : all.cols) = frames;
    return array_for(all, lead);
  }

  // Uses an array that the caller gave for the result. It may have more frames, and any strides of
  // whole elements.
  py::array given(const py::handle& object, const Shape& lead, Index frames) const {
    const auto array =
        py::isinstance<py::array>(object) ? py::reinterpret_borrow<py::array>(object) : py::array();
    const auto axes = static_cast<py::ssize_t>(lead.size()) + result.core;
    bool fits = array.ndim() == axes && array.writeable() && array.dtype().is(dtype()) &&
                has_whole_strides(array);
    for (std::size_t i = 0; fits && i < lead.size(); ++i)
      fits = array.shape(static_cast<py::ssize_t>(i)) == lead[i];
    if (!fits || array.shape(axes - 1) < frames ||
        (result.core == 2 && array.shape(axes - 2) != rows()))
      throw_parameter("out", text_of(object),
                      "a writable array of the result's dtype and shape, with " +
                          std::to_string(frames) +
                          " frames or more, and strides of whole elements");
    // The part of the array that has the frames which are ready.
    return array[py::make_tuple(py::ellipsis(), py::slice(0, frames, 1))].cast<py::array>();
  }

  stream::Sink sink(py::array& array) const {
    const auto size = array.itemsize(), axes = array.ndim();
    const auto stride = [&](py::ssize_t axis) { return array.strides(axis) / size; };
    return {array.mutable_data(), axes > result.core ? stride(0) : 0,
            result.core == 2 ? stride(axes - 2) : 0, stride(axes - 1)};
  }
};

// Arrays that a caller has let go of, for the next calls. A small array takes longer to make than
// to fill, so a stream of short blocks would spend its time there.
class ReusableArrays {
 public:
  // An array that only this object still holds, of this shape; null if there is none.
  PyObject* find(const py::dtype& dtype, int axes, const py::ssize_t* shape,
                 const py::ssize_t* strides) const {
#ifndef Py_GIL_DISABLED  // without it a count of references is a guess
    for (const auto& each : kept_)
      if (each && Py_REFCNT(each.ptr()) == 1 && is_as_made(each.ptr(), dtype, axes, shape, strides))
        return each.ptr();
#endif
    return nullptr;
  }

  // Holds a new array, if it is small, in place of the one held longest.
  void keep(const py::object& array, py::ssize_t bytes) {
    if (bytes > most_bytes) return;
    kept_[next_] = array;
    next_ = (next_ + 1) % n_kept;
  }

 private:
  // A caller holds the result of the call before, and one more is free.
  static constexpr std::size_t n_kept = 2;
  static constexpr py::ssize_t most_bytes = 4096;

  // Whoever had it may have changed all but its values, which are written anew.
  static bool is_as_made(PyObject* object, const py::dtype& dtype, int axes,
                         const py::ssize_t* shape, const py::ssize_t* strides) {
    const auto* const array = py::detail::array_proxy(object);
    const auto* const references = reinterpret_cast<PyObject* const*>(
        reinterpret_cast<const char*>(object) + Py_TYPE(object)->tp_weaklistoffset);
    constexpr int wanted = py::detail::npy_api::NPY_ARRAY_WRITEABLE_ |
                           py::detail::npy_api::NPY_ARRAY_ALIGNED_ |
                           py::detail::npy_api::NPY_ARRAY_OWNDATA_;
    return array->descr == dtype.ptr() && array->nd == axes && !array->base && !*references &&
           (array->flags & wanted) == wanted &&
           std::equal(shape, shape + axes, array->dimensions) &&
           std::equal(strides, strides + axes, array->strides);
  }

  std::array<py::object, n_kept> kept_;
  std::size_t next_ = 0;
};

// An array as the offline function shows it, and where its values go. Its axes are (rows, frames),
// or (frames) where that drops the only row.
inline py::object shown_array(const Output& output, bool drops_row, const Shape& lead, Index frames,
                              ReusableArrays& reusable, stream::Sink& sink) {
  py::ssize_t shape[3], strides[3];
  int axes = 0;
  const auto size = static_cast<py::ssize_t>(output.result.item_bytes);
  const Index rows = output.result.core == 2 ? output.rows() : 1;
  sink.row_stride = output.result.frames_first ? 1 : frames;
  sink.frame_stride = output.result.frames_first ? rows : 1;
  sink.channel_stride = rows * frames;
  py::ssize_t bytes = size;
  const auto axis = [&](Index length, Index stride) {
    shape[axes] = length;
    strides[axes++] = stride * size;
    bytes *= length;
  };
  if (!lead.empty()) axis(lead[0], sink.channel_stride);
  if (!drops_row) axis(rows, sink.row_stride);
  axis(frames, sink.frame_stride);
  auto array =
      py::reinterpret_borrow<py::object>(reusable.find(output.dtype(), axes, shape, strides));
  if (!array) {
    array = new_array(output.dtype(), axes, shape, strides);
    reusable.keep(array, bytes);
  }
  sink.data = py::detail::array_proxy(array.ptr())->data;
  return array;
}

}  // namespace metalmom::bridge
