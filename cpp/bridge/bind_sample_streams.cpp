// Streams of other things than frames of audio: the inverse transform, resampling, the energies of
// a spectrogram, the peaks of a curve. Where there is one class for each precision, the glue takes
// the one of its dtype.
#include "bridge/bindings.hpp"
#include "bridge/errors.hpp"
#include "bridge/gil.hpp"
#include "bridge/params.hpp"
#include "bridge/stream_parts.hpp"
#include "stream/inverse_stream.hpp"
#include "stream/pcen_stream.hpp"
#include "stream/peak_stream.hpp"
#include "stream/resample_stream.hpp"

namespace metalmom::bridge {

namespace {

template <class T>
class PyInverse : public StreamObject<stream::InverseStream<T>> {
 public:
  PyInverse(const stream::SharedTurns& turns, Index n_fft, Index hop_length, bool center,
            const py::array_t<double>& window, Index channels)
      : StreamObject<stream::InverseStream<T>>(
            turns, ops::Istft::Params{n_fft, hop_length, center, 0},
            std::span(window.data(), static_cast<std::size_t>(window.size())), channels),
        channels_(channels) {}

  // `spectra`: (frames, bins), those of channels one after the other.
  py::object process(const py::object& spectra, bool last, const py::object& out) {
    const auto turn = this->turns_->take();
    const auto array = contiguous<std::complex<T>>(spectra, "stft_matrix");
    const auto view = view_of(array, 2, "stft_matrix");
    const Index count = this->stream_.ready(view.rows, last);
    const Samples<T> result(out, channels_, count);
    {
      const GilReleasedIfLong unlocked(view.rows > short_block::of_inverse);
      this->stream_.process(view, last, result.data, result.stride);
    }
    return result.first(count);
  }

 private:
  Index channels_;
};

template <class T>
class PyResample : public StreamObject<stream::ResampleStream<T>> {
 public:
  PyResample(const stream::SharedTurns& turns, double from_rate, double to_rate,
             const std::string& quality, bool fix, Index channels)
      : StreamObject<stream::ResampleStream<T>>(turns, from_rate, to_rate,
                                                enum_from_name<dsp::Quality>("res_type", quality),
                                                fix, channels),
        channels_(channels) {}

  py::object process(const py::object& y, bool last, const py::object& out) {
    const auto turn = this->turns_->take();
    const auto array = contiguous<T>(y, "y");
    const auto view = view_of(array, 1, "y");
    const Samples<T> result(out, channels_, this->stream_.most(view.cols, last));
    Index count = 0;
    {
      const GilReleasedIfLong unlocked(view.cols > short_block::of_resampler);
      count =
          this->stream_.process(view.data, view.cols, view.cols, last, result.data, result.stride);
    }
    return result.first(count);
  }
  Index most(Index count, bool last) {
    const auto turn = this->turns_->take();
    return this->stream_.most(count, last);
  }

 private:
  Index channels_;
};

class PyPcen : public StreamObject<stream::PcenStream> {
 public:
  PyPcen(const stream::SharedTurns& turns, const py::kwargs& kwargs)
      : PyPcen(turns, Arguments(kwargs)) {}

  // `S` and `out`: (rows, frames), before them the channels if there are several; any strides, of
  // `out` those of whole elements.
  py::object process(const py::array& given, bool last, const py::object& out) {
    const auto turn = turns_->take();
    const bool single = given.itemsize() == sizeof(float);
    const py::array S = has_whole_strides(given) ? given
                        : single                 ? py::array(contiguous<float>(given, "S"))
                                                 : py::array(contiguous<double>(given, "S"));
    const Shape shape(S.shape(), S.shape() + S.ndim());
    py::array result = out.is_none() ? py::array_t<double>(shape) : out.cast<py::array>();
    if (!has_whole_strides(result))
      throw_parameter("out", text_of(result), "an array with strides of whole elements");
    const auto from = frames_at(S.data(), S, channels_);
    const auto to = frames_at(result.mutable_data(), result, channels_);
    const Index count = shape.back();
    const GilReleasedIfLong unlocked(S.size() > short_block::of_energies);
    if (single)
      stream_.process<float>(from, count, last, to);
    else
      stream_.process<double>(from, count, last, to);
    return result;
  }

 private:
  PyPcen(const stream::SharedTurns& turns, Arguments&& arguments)
      : PyPcen(turns, arguments.params<dsp::PcenParams>(),
               scalar_from<Index>(arguments.need("max_size"), "max_size", positive_integer),
               scalar_from<Index>(arguments.need("channels"), "channels", positive_integer),
               scalar_from<Index>(arguments.need("n_bands"), "n_bands", positive_integer),
               arguments.need("state").cast<py::array_t<double>>()) {}
  PyPcen(const stream::SharedTurns& turns, const dsp::PcenParams& params, Index max_size,
         Index channels, Index n_bands, const py::array_t<double>& state)
      : StreamObject(turns, params, max_size, channels, n_bands,
                     std::span(state.data(), static_cast<std::size_t>(state.size()))),
        channels_(channels) {}

  Index channels_;
};

template <class T>
class PyPeaks : public StreamObject<stream::PeakStream<T>> {
 public:
  PyPeaks(const stream::SharedTurns& turns, Index pre_max, Index post_max, Index pre_avg,
          Index post_avg, double delta, Index wait)
      : StreamObject<stream::PeakStream<T>>(
            turns, dsp::PeakRule{pre_max, post_max, pre_avg, post_avg, delta, wait}) {
    found_.reserve(64);
  }

  py::array process(const py::array_t<T, py::array::c_style>& values, bool last) {
    const auto turn = this->turns_->take();
    found_.clear();
    {
      const GilReleasedIfLong unlocked(values.size() > short_block::of_energies);
      this->stream_.process({values.data(), static_cast<std::size_t>(values.size())}, last,
                            [this](Index n) { found_.push_back(n); });
    }
    return py::array_t<Index>(std::ssize(found_), found_.data());
  }

 private:
  std::vector<Index> found_;
};

template <class T>
void bind_streams_of(py::module_& module, const std::string& type) {
  py::class_<PyInverse<T>> inverse(module, ("InverseStream_" + type).c_str());
  bind_stream(inverse.def(py::init<const stream::SharedTurns&, Index, Index, bool,
                                   const py::array_t<double>&, Index>()));
  py::class_<PyResample<T>> resample(module, ("ResampleStream_" + type).c_str());
  bind_stream(resample
                  .def(py::init<const stream::SharedTurns&, double, double, const std::string&,
                                bool, Index>())
                  .def("most", &PyResample<T>::most));
  py::class_<PyPeaks<T>>(module, ("PeakStream_" + type).c_str())
      .def(py::init<const stream::SharedTurns&, Index, Index, Index, Index, double, Index>())
      .def("process", &PyPeaks<T>::process)
      .def("reset", &PyPeaks<T>::reset);
}

}  // namespace

void bind_sample_streams(py::module_& module) {
  bind_streams_of<float>(module, "float32");
  bind_streams_of<double>(module, "float64");
  py::class_<PyPcen> pcen(module, "PcenStream");
  bind_stream(pcen.def(py::init<const stream::SharedTurns&, const py::kwargs&>()));
}

}  // namespace metalmom::bridge
