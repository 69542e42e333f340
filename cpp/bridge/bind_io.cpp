// Decoding for metalmom.core.audio.
#include <pybind11/stl.h>

#include <cmath>
#include <optional>
#include <variant>

#include "bridge/arrays.hpp"
#include "bridge/bindings.hpp"
#include "bridge/byte_counts.hpp"
#include "bridge/errors.hpp"
#include "bridge/gil.hpp"
#include "bridge/public_call.hpp"
#include "bridge/sources.hpp"
#include "io/load.hpp"

namespace metalmom::bridge {

namespace {

inline constexpr trace::Site load_site{"load", trace::Category::bridge};
inline constexpr trace::Site probe_site{"probe", trace::Category::bridge};
inline constexpr trace::Site stream_site{"stream", trace::Category::bridge};

dsp::Quality to_quality(const std::string& name) {
  return enum_from_name<dsp::Quality>("res_type", name);
}

// Calls body(T()) for the sample type that `dtype` names.
template <class Body>
auto with_sample_type(const std::string& dtype, Body&& body) {
  if (dtype == "float32") return body(float());
  if (dtype == "float64") return body(double());
  if (dtype == "int16") return body(std::int16_t());
  require(dtype == "int32", "dtype", std::string_view(dtype), "float32, float64, int16 or int32");
  return body(std::int32_t());
}

template <class T>
std::unique_ptr<io::Stream<T>> open_stream(const py::object& path, const io::Request& request,
                                           const std::optional<py::bytes>& name = {}) {
  NamedSource input = bear_exit([&] { return to_source(path); });
  if (name) input.name = *name;
  const GilReleased unlocked;
  return std::make_unique<io::Stream<T>>(
      io::open_decoder(std::move(input.source), input.name, io::sample_type_of<T>()), request);
}

// An array in librosa's layout: interleaved samples as decoded, or a row for each channel.
template <class T>
py::array_t<T> allocate_samples(const io::Stream<T>& stream, Index samples) {
  Shape shape{static_cast<py::ssize_t>(samples)};
  if (stream.width() > 1) shape.push_back(stream.width());
  if (stream.rows() > 1) shape.insert(shape.begin(), stream.rows());
  py::array_t<T> array(shape);
  counters().output_bytes += static_cast<std::uint64_t>(array.nbytes());
  return array;
}

py::object copy_of(const py::object& array) {
  return bear_exit([&] { return array.attr("copy")(); });
}

// The first `count` samples of such an array as a copy, so that the longer array can be freed.
template <class T>
py::object cut(const io::Stream<T>& stream, const py::object& array, Index count) {
  const py::slice first(0, static_cast<py::ssize_t>(count), 1);
  const py::object key =
      stream.rows() > 1 ? py::object(py::make_tuple(py::ellipsis(), first)) : py::object(first);
  return copy_of(array[key]);
}

template <class T>
py::object channels_first(const io::Stream<T>& stream, const py::object& array) {
  return stream.width() > 1 ? py::object(array.attr("T")) : array;
}

io::Request to_request(std::optional<double> sr, bool mono, double offset,
                       std::optional<double> duration, const std::string& quality) {
  return {offset, duration, mono, sr, to_quality(quality)};
}

// Returns (samples, the file's own rate).
py::tuple load(const py::object& path, std::optional<double> sr, bool mono, double offset,
               std::optional<double> duration, const std::string& dtype,
               const std::string& quality) {
  trace::Span span(load_site);
  const Counters before = counters();
  const io::Request request = to_request(sr, mono, offset, duration, quality);
  return with_sample_type(dtype, [&]<class T>(T) {
    const auto stream = open_stream<T>(path, request);
    py::array_t<T> array;
    Index room = 0, length = 0;
    {
      const GilReleased unlocked;
      length = io::read_all(*stream, [&](Index samples) {
        const GilTaken locked;
        array = allocate_samples(*stream, samples);
        room = samples;
        return array.mutable_data();
      });
    }
    const py::object samples = length < room ? cut(*stream, array, length) : array;
    add_byte_counts(span, before);
    return py::make_tuple(channels_first(*stream, samples), stream->format().rate);
  });
}

// Returns (rate, channels, frames). Frames only if `count`, since some files must be decoded for
// it.
py::tuple probe(const py::object& path, bool count) {
  trace::Span span(probe_site);
  name_after_public_call(span);
  NamedSource input = bear_exit([&] { return to_source(path); });
  io::Format format;
  Index frames = -1;
  {
    const GilReleased unlocked;
    const auto decoder =
        io::open_decoder(std::move(input.source), input.name, io::SampleType::float32);
    format = decoder->format();
    if (count) frames = decoder->count_frames();
  }
  return py::make_tuple(format.rate, format.channels, frames);
}

// A file that is read part by part: for metalmom.stream, or `whole`, which makes the parts what
// `load` gives. Errors call it `name`, if given: bytes, since a file's name need not be text.
class AudioStream {
 public:
  AudioStream(const py::object& path, std::optional<double> sr, bool mono, double offset,
              std::optional<double> duration, const std::string& dtype, const std::string& quality,
              bool whole, const std::optional<py::bytes>& name) {
    io::Request request = to_request(sr, mono, offset, duration, quality);
    request.all_at_once = false;
    request.whole = whole;
    with_sample_type(dtype, [&]<class T>(T) { stream_ = open_stream<T>(path, request, name); });
  }

  int rate() const {
    return std::visit([](const auto& stream) { return stream->format().rate; }, stream_);
  }

  // Up to `count` samples, channels first.
  py::object read(Index count) {
    const trace::Span span(stream_site);
    return std::visit(
        [&]<class T>(const std::unique_ptr<io::Stream<T>>& stream) {
          // what the file says it holds at most, so that there is nothing to cut off
          if (const auto length = stream->length()) count = std::min(count, *length - given_);
          auto array = allocate_samples(*stream, count);
          T* out = array.mutable_data();
          Index got = 0;
          {
            const GilReleased unlocked;
            got = stream->read(out, count, count);
          }
          given_ += got;
          const py::object samples = got < count ? cut(*stream, array, got) : array;
          return channels_first(*stream, samples);
        },
        stream_);
  }

 private:
  std::variant<std::unique_ptr<io::Stream<float>>, std::unique_ptr<io::Stream<double>>,
               std::unique_ptr<io::Stream<std::int16_t>>, std::unique_ptr<io::Stream<std::int32_t>>>
      stream_;
  Index given_ = 0;  // samples per channel
};

}  // namespace

void bind_io(py::module_& module) {
  module.def("load", &load, py::arg("path"), py::kw_only(), py::arg("sr"), py::arg("mono"),
             py::arg("offset"), py::arg("duration"), py::arg("dtype"), py::arg("quality"));
  module.def("probe", &probe, py::arg("path"), py::kw_only(), py::arg("count"));
  py::class_<AudioStream>(module, "AudioStream")
      .def(
          py::init<const py::object&, std::optional<double>, bool, double, std::optional<double>,
                   const std::string&, const std::string&, bool, const std::optional<py::bytes>&>(),
          py::arg("path"), py::kw_only(), py::arg("sr"), py::arg("mono"), py::arg("offset"),
          py::arg("duration"), py::arg("dtype"), py::arg("quality"), py::arg("whole") = false,
          py::arg("name") = py::none())
      .def_property_readonly("rate", &AudioStream::rate)
      .def("read", &AudioStream::read);
}

}  // namespace metalmom::bridge
