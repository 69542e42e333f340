// Where values of some type lie in a caller's memory: value (channel, row, frame) is at
// data[channel * channel_stride + row * row_stride + frame * frame_stride], in values. Results go
// to a Sink, what is read comes from a Source.
#pragma once

#include <algorithm>
#include <type_traits>

#include "base/view.hpp"

namespace metalmom::stream {

template <class Data>
struct StridedFrames {
  Data* data = nullptr;
  Index channel_stride = 0, row_stride = 0, frame_stride = 1;

  template <class V>
  auto* at(Index channel, Index row, Index frame) const {
    using Value = std::conditional_t<std::is_const_v<Data>, const V, V>;
    return static_cast<Value*>(data) + channel * channel_stride + row * row_stride +
           frame * frame_stride;
  }
};

using Sink = StridedFrames<void>;
using Source = StridedFrames<const void>;

// The first `count` frames of `values`, (channel, row, frame) or with `frames_first` (channel,
// frame, row), to the frames of the sink from `at` on.
template <class V>
void copy_frames(const View<V>& values, bool frames_first, Index count, const Sink& sink,
                 Index at) {
  for (Index b = 0; b < values.batch; ++b) {
    if (frames_first) {
      for (Index i = 0; i < count; ++i) {
        const V* const from = values.row(b, i);
        V* const to = sink.at<V>(b, 0, at + i);
        if (sink.row_stride == 1)
          std::copy_n(from, values.cols, to);
        else
          for (Index r = 0; r < values.cols; ++r) to[r * sink.row_stride] = from[r];
      }
      continue;
    }
    for (Index r = 0; r < values.rows; ++r) {
      const V* const from = values.row(b, r);
      V* const to = sink.at<V>(b, r, at);
      if (sink.frame_stride == 1)
        std::copy_n(from, count, to);
      else
        for (Index i = 0; i < count; ++i) to[i * sink.frame_stride] = from[i];
    }
  }
}

}  // namespace metalmom::stream
