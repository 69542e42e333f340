// Streams of frames: `FrameStream(requests, samples, n_fft, hop_length, center, pad_mode)`, where a
// request is (op, {argument: value}) as an offline call makes it, on `samples`, the stream's own
// memory, and without padding.
#include <map>

#include "bridge/bindings.hpp"
#include "bridge/gil.hpp"
#include "bridge/params.hpp"
#include "bridge/stream_parts.hpp"
#include "ops/op_list.hpp"
#include "ops/spectral/all.hpp"
#include "stream/frame_feature.hpp"
#include "stream/frame_stream.hpp"
#include "stream/onset_feature.hpp"

namespace metalmom::bridge {

namespace {

using StreamedOps = ops::OpList<ops::Stft, ops::FilterbankSpectrogram, ops::Cepstrum,
                                ops::ChromaSpectrogram, ops::OnsetStrength, ops::Rms,
                                ops::SpectralShape, ops::SpectralContrast, ops::ZeroCrossingRate>;

// An array of results: the axes of one item are (rows, frames), (frames, rows), or (frames).
struct Output {
  py::dtype dtype;
  int core;
  Index rows;
  bool frames_first;

  py::array allocate(const Shape& lead, Index frames) const {
    Shape shape = lead;
    if (core == 2) shape.push_back(frames_first ? frames : rows);
    shape.push_back(core == 2 && frames_first ? rows : frames);
    return py::array(dtype, shape);
  }

  // Uses an array that the caller gave for the result. It may have more frames, and any strides.
  py::array given(const py::handle& object, const Shape& lead, Index frames) const {
    const auto array =
        py::isinstance<py::array>(object) ? py::reinterpret_borrow<py::array>(object) : py::array();
    const auto axes = static_cast<py::ssize_t>(lead.size()) + core;
    bool fits = array.ndim() == axes && array.writeable() && array.dtype().is(dtype);
    for (std::size_t i = 0; fits && i < lead.size(); ++i)
      fits = array.shape(static_cast<py::ssize_t>(i)) == lead[i];
    const auto frame_axis = core == 2 && frames_first ? axes - 2 : axes - 1;
    fits = fits && array.shape(frame_axis) >= frames &&
           (core < 2 || array.shape(2 * axes - 3 - frame_axis) == rows);
    if (!fits)
      throw_parameter("out", text_of(object),
                      "a writable array of the result's dtype and shape, with " +
                          std::to_string(frames) + " frames or more");
    // The part of the array that has the frames which are ready.
    py::tuple part(static_cast<std::size_t>(axes));
    for (py::ssize_t axis = 0; axis < axes; ++axis)
      part[static_cast<std::size_t>(axis)] = axis == frame_axis
                                                 ? py::slice(0, frames, 1)
                                                 : py::slice(py::none(), py::none(), py::none());
    return array[part].cast<py::array>();
  }

  stream::Sink sink(py::array& array) const {
    const auto size = array.itemsize(), axes = array.ndim();
    const auto stride = [&](py::ssize_t axis) { return array.strides(axis) / size; };
    stream::Sink sink{array.mutable_data(), axes > core ? stride(0) : 0, 0, stride(axes - 1)};
    if (core == 2) sink.row_stride = stride(axes - (frames_first ? 1 : 2));
    if (core == 2) sink.frame_stride = stride(axes - (frames_first ? 2 : 1));
    return sink;
  }
};

// A request as a feature, and the Python objects whose memory it reads.
template <class T>
struct Part {
  std::vector<py::object> keep;
  std::vector<Output> outputs;
  std::unique_ptr<stream::Feature<T>> feature;
};

template <class Op, class T>
Part<T> make_part(const py::kwargs& kwargs) {
  Arguments arguments(kwargs);
  const auto params = arguments.params<typename Op::Params>();
  auto inputs = read_inputs<typename Op::template In<T>>(arguments);
  arguments.reject_unknown(Op::name);
  auto plan = Op::plan(params, inputs.in);
  ops::check_values<Op, T>(plan, inputs.in);
  Part<T> part{std::move(inputs.keep), {}, nullptr};
  using Out = typename Op::template Out<T>;
  const Out out = Op::template outputs<T>(plan);
  for_each_field<Out>([&](const auto& each) {
    const auto& view = out.*each.member;
    using V = std::remove_pointer_t<decltype(view.data)>;
    const bool first = stream::frames_first<Op>;
    part.outputs.push_back({py::dtype::of<V>(), each.core, first ? view.cols : view.rows, first});
  });
  if constexpr (std::is_same_v<Op, ops::OnsetStrength>)
    part.feature = std::make_unique<stream::OnsetFeature<T>>(plan, inputs.in);
  else
    part.feature = std::make_unique<stream::FrameFeature<Op, T>>(plan, inputs.in);
  return part;
}

template <class T>
Part<T> read_part(const py::tuple& request) {
  const auto name = request[0].cast<std::string>();
  const auto kwargs = request[1].cast<py::kwargs>();
  Part<T> part;
  StreamedOps::for_each([&]<class Op>() {
    if (Op::name == name) part = make_part<Op, T>(kwargs);
  });
  if (!part.feature) throw py::key_error(name);
  return part;
}

// A stream of either precision.
class PyStream {
 public:
  virtual ~PyStream() = default;
  virtual py::list process(const py::object& y, bool last, const py::object& out) = 0;
  virtual void reset() = 0;
  virtual Index position() const = 0;
  virtual bool ended() const = 0;
};

template <class T>
class StreamOf final : public PyStream {
 public:
  StreamOf(const py::list& requests, const py::array_t<T>& samples, const ops::FrameParams& params)
      : samples_(samples) {
    check(params);
    if (samples_.ndim() == 2) lead_.push_back(samples_.shape(0));
    std::vector<std::unique_ptr<stream::Feature<T>>> features;
    for (const auto& request : requests) {
      parts_.push_back(read_part<T>(request.cast<py::tuple>()));
      features.push_back(std::move(parts_.back().feature));
      sinks_.emplace_back(parts_.back().outputs.size());
    }
    for (auto& sinks : sinks_) spans_.emplace_back(sinks);
    const Index channels = lead_.empty() ? 1 : lead_[0];
    stream_ = std::make_unique<stream::FrameStream<T>>(params, channels, samples_.mutable_data(),
                                                       std::move(features));
  }

  py::list process(const py::object& y, bool last, const py::object& out) override {
    const auto turn = turns_.take();
    const auto block = contiguous<T>(y, "y");
    const auto axes = static_cast<py::ssize_t>(lead_.size()) + 1;
    if (block.ndim() != axes || (axes == 2 && block.shape(0) != lead_[0]))
      throw_parameter("y.shape", text_of(y.attr("shape")),
                      lead_.empty()
                          ? "(n,): this stream has one channel"
                          : "(" + std::to_string(lead_[0]) + ", n), the stream's channels");
    const Index count = block.shape(axes - 1);
    const typename stream::FrameStream<T>::Input input{block.data(), count, count, last};
    py::list results;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto [begin, end] = stream_->ready(input, i);
      py::list arrays;
      for (std::size_t k = 0; k < sinks_[i].size(); ++k) {
        const Output& output = parts_[i].outputs[k];
        py::array array = out.is_none()
                              ? output.allocate(lead_, end - begin)
                              : output.given(out.attr("__getitem__")(i).attr("__getitem__")(k),
                                             lead_, end - begin);
        sinks_[i][k] = output.sink(array);
        arrays.append(std::move(array));
      }
      results.append(std::move(arrays));
    }
    const GilReleased unlocked;
    stream_->process(input, spans_);
    return results;
  }

  void reset() override {
    const auto turn = turns_.take();
    stream_->reset();
  }
  Index position() const override { return stream_->position(); }
  bool ended() const override { return stream_->ended(); }

 private:
  Turns turns_;
  py::array_t<T> samples_;
  Shape lead_;
  std::vector<Part<T>> parts_;
  std::vector<std::vector<stream::Sink>> sinks_;
  std::vector<std::span<const stream::Sink>> spans_;
  std::unique_ptr<stream::FrameStream<T>> stream_;
};

std::unique_ptr<PyStream> make_stream(const py::list& requests, const py::array& samples,
                                      Index n_fft, Index hop_length, bool center,
                                      const std::string& pad_mode) {
  const ops::FrameParams params{n_fft, hop_length, center,
                                enum_from_name<dsp::PadMode>("pad_mode", pad_mode)};
  if (is_view<double>(samples))
    return std::make_unique<StreamOf<double>>(requests, samples, params);
  return std::make_unique<StreamOf<float>>(requests, samples, params);
}

}  // namespace

void bind_streams(py::module_& module) {
  py::class_<PyStream>(module, "FrameStream")
      .def(py::init(&make_stream))
      .def("process", &PyStream::process, py::arg("y"), py::arg("last"), py::arg("out"))
      .def("reset", &PyStream::reset)
      .def_property_readonly("position", &PyStream::position)
      .def_property_readonly("ended", &PyStream::ended);
  module.def("window_samples", [](Index n_fft, Index hop_length) {
    const ops::FrameParams params{n_fft, hop_length};
    check(params);
    return stream::window_samples(params);
  });
}

}  // namespace metalmom::bridge
