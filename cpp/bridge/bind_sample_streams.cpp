// Streams whose results are samples: the inverse transform, resampling. One class for each
// precision; the glue takes the one of its dtype.
#include "bridge/bindings.hpp"
#include "bridge/gil.hpp"
#include "bridge/params.hpp"
#include "bridge/stream_parts.hpp"
#include "stream/inverse_stream.hpp"
#include "stream/resample_stream.hpp"

namespace metalmom::bridge {

namespace {

// The batch axes of a stream's arrays: none of one channel.
Shape lead_of(Index channels) {
  return channels > 1 ? Shape{static_cast<py::ssize_t>(channels)} : Shape{};
}

template <class T>
class PyInverse {
 public:
  PyInverse(Index n_fft, Index hop_length, bool center, const py::array_t<double>& window,
            Index channels)
      : channels_(channels),
        stream_({n_fft, hop_length, center, 0},
                {window.data(), static_cast<std::size_t>(window.size())}, channels) {}

  py::array process(const py::object& spectra, bool last) {
    const auto turn = turns_.take();
    const auto array = contiguous<std::complex<T>>(spectra, "stft_matrix");
    const auto view = view_of(array, 2, "stft_matrix");
    View<T> out{nullptr, channels_, 1, stream_.ready(view.rows, last)};
    const auto result = allocate_for(out, 1, lead_of(channels_));
    const GilReleased unlocked;
    stream_.process(view, last, out.data, out.cols);
    return result;
  }
  void reset() {
    const auto turn = turns_.take();
    stream_.reset();
  }
  Index position() const { return stream_.position(); }
  bool ended() const { return stream_.ended(); }

 private:
  Turns turns_;
  Index channels_;
  stream::InverseStream<T> stream_;
};

template <class T>
class PyResample {
 public:
  PyResample(double from_rate, double to_rate, const std::string& quality, bool fix, Index channels)
      : channels_(channels),
        stream_(from_rate, to_rate, enum_from_name<dsp::Quality>("res_type", quality), fix,
                channels) {}

  py::array process(const py::object& y, bool last) {
    const auto turn = turns_.take();
    const auto array = contiguous<T>(y, "y");
    const auto view = view_of(array, 1, "y");
    View<T> out{nullptr, channels_, 1, 0};
    {
      const GilReleased unlocked;
      out.cols = stream_.process(view.data, view.cols, view.cols, last);
    }
    const auto result = allocate_for(out, 1, lead_of(channels_));
    for (Index b = 0; b < channels_; ++b) std::ranges::copy(stream_.made(b), out.row(b));
    return result;
  }
  void reset() {
    const auto turn = turns_.take();
    stream_.reset();
  }
  Index position() const { return stream_.position(); }
  bool ended() const { return stream_.ended(); }

 private:
  Turns turns_;
  Index channels_;
  stream::ResampleStream<T> stream_;
};

// What every stream has.
template <class Stream, class... Init>
void bind_stream(py::module_& module, const char* name) {
  py::class_<Stream>(module, name)
      .def(py::init<Init...>())
      .def("process", &Stream::process)
      .def("reset", &Stream::reset)
      .def_property_readonly("position", &Stream::position)
      .def_property_readonly("ended", &Stream::ended);
}

template <class T>
void bind_streams_of(py::module_& module, const std::string& type) {
  bind_stream<PyInverse<T>, Index, Index, bool, const py::array_t<double>&, Index>(
      module, ("InverseStream_" + type).c_str());
  bind_stream<PyResample<T>, double, double, const std::string&, bool, Index>(
      module, ("ResampleStream_" + type).c_str());
}

}  // namespace

void bind_sample_streams(py::module_& module) {
  bind_streams_of<float>(module, "float32");
  bind_streams_of<double>(module, "float64");
}

}  // namespace metalmom::bridge
