// Streams of frames: `FrameStream(turns, requests, samples, n_fft, hop_length, center, pad_mode)`,
// where a request is (op, {argument: value}) as an offline call makes it, on `samples`, the
// stream's own memory, and without padding.
#include <map>

#include "bridge/bindings.hpp"
#include "bridge/bound_call.hpp"
#include "bridge/errors.hpp"
#include "bridge/gil.hpp"
#include "bridge/one_argument.hpp"
#include "bridge/params.hpp"
#include "bridge/stream_outputs.hpp"
#include "bridge/stream_parts.hpp"
#include "ops/core/stft.hpp"
#include "ops/op_list.hpp"
#include "ops/spectral/all.hpp"
#include "stream/frame_feature.hpp"
#include "stream/frame_stream.hpp"
#include "stream/onset_feature.hpp"

namespace metalmom::bridge {

namespace {

using StreamedOps =
    ops::OpList<ops::Stft, ops::FilterbankSpectrogram, ops::LogBands, ops::LogBandsByFrame,
                ops::LogBandsInDouble, ops::Cepstrum, ops::ChromaSpectrogram, ops::OnsetStrength,
                ops::Rms, ops::SpectralShape, ops::SpectralContrast, ops::ZeroCrossingRate>;

using stream::Turns;
using namespace pybind11::literals;

py::object begin_turn(Turns& turns, py::handle token) {
  turns.begin(token.ptr());
  return py::none();
}

py::object end_turn(Turns& turns, py::handle token) {
  turns.end(token.ptr());
  return py::none();
}

// What the meter has counted, in seconds: the fields of Python's Report.
py::dict report(Turns& turns) {
  using stream::Meter;
  const Meter::Report found = turns.meter().report();
  py::dict histogram;
  for (int power = Meter::first_power; power < Meter::first_power + Meter::n_powers; ++power)
    if (const Index blocks = found.of_power(power)) histogram[py::int_(power)] = blocks;
  const auto known = [&](auto value) { return found.has_budget ? py::cast(value) : py::none(); };
  return py::dict("blocks"_a = found.blocks, "samples"_a = found.samples,
                  "late"_a = known(found.late), "budget"_a = known(found.budget()),
                  "share"_a = known(found.share()), "mean"_a = found.mean(),
                  "p50"_a = found.within(0.5), "p99"_a = found.within(0.99),
                  "worst"_a = found.worst, "histogram"_a = histogram);
}

// A request as a feature, and the Python objects whose memory it reads.
template <class T>
struct Part {
  CallArrays arrays;
  std::vector<Output> outputs;
  std::unique_ptr<stream::Feature<T>> feature;
};

template <class Op, class T>
Part<T> make_part(const py::kwargs& kwargs) {
  Part<T> part;
  const auto call = read_call<Op, T>(kwargs, part.arrays);
  if (part.arrays.out) throw py::type_error("a stream makes its own results");
  call->make_plan();
  call->check_values();
  call->make_results([&](const ops::Result& each) {
    part.outputs.push_back({each});
    return nullptr;
  });
  if constexpr (std::is_same_v<Op, ops::OnsetStrength>)
    part.feature = std::make_unique<stream::OnsetFeature<T>>(call->plan(), call->in());
  else
    part.feature = std::make_unique<stream::FrameFeature<Op, T>>(call->plan(), call->in());
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
  // How `process_block` shows results: which lose their only row, and in a dictionary if they have
  // names.
  virtual void show(const py::list& names, const py::list& drops_row) = 0;
  // What `process` makes of a block that is not the last one, of results that are views of the
  // engine's; None where the block is none of this stream's type and shape, side by side in memory.
  // `block_function` returns it as a function.
  virtual py::object process_block(py::handle y) = 0;
  // How many frames of each request a block will complete; throws as `process` would.
  virtual py::list ready(const py::object& y, bool last) = 0;
  virtual void reset() = 0;
  virtual Index position() const = 0;
  virtual bool ended() const = 0;
};

template <class T>
class StreamOf final : public PyStream {
 public:
  StreamOf(const stream::SharedTurns& turns, const py::list& requests,
           const py::array_t<T>& samples, const ops::FrameParams& params)
      : turns_(turns), samples_(samples) {
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
                                                       std::move(features), turns_);
  }

  py::list process(const py::object& y, bool last, const py::object& out) override {
    const auto turn = turns_->take();
    const auto block = block_of(y);
    const Input input = input_of(block, last);
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
    const GilReleasedIfLong unlocked(input.count > short_block::of_features);
    stream_->process(input, spans_);
    return results;
  }

  void show(const py::list& names, const py::list& drops_row) override {
    for (const auto& name : names) names_.push_back(py::reinterpret_borrow<py::object>(name));
    for (const auto& each : drops_row) drops_row_.push_back(each.cast<bool>());
    reusable_.resize(drops_row_.size());
  }

  py::object process_block(py::handle y) override {
    const auto turn = turns_->take();
    const auto& api = numpy_;
    if (!api.PyArray_Check_(y.ptr())) return py::none();
    const auto* const array = py::detail::array_proxy(y.ptr());
    const auto axes = static_cast<int>(lead_.size()) + 1;
    constexpr int plain =
        py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_ | py::detail::npy_api::NPY_ARRAY_ALIGNED_;
    if (array->descr != samples_dtype_.ptr() || array->nd != axes ||
        (array->flags & plain) != plain || (axes == 2 && array->dimensions[0] != lead_[0]))
      return py::none();
    const Index count = array->dimensions[axes - 1];
    const Input input{reinterpret_cast<const T*>(array->data), count, count, false};
    const bool named = !names_.empty();
    py::object results;
    if (named) results = py::dict();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto [begin, end] = stream_->ready(input, i);
      auto result = shown_array(parts_[i].outputs[0], drops_row_[i], lead_, end - begin,
                                reusable_[i], sinks_[i][0]);
      if (!named)
        results = std::move(result);
      else if (PyDict_SetItem(results.ptr(), names_[i].ptr(), result.ptr()) != 0)
        throw py::error_already_set();
    }
    const GilReleasedIfLong unlocked(count > short_block::of_features);
    stream_->process(input, spans_);
    return results;
  }

  py::list ready(const py::object& y, bool last) override {
    const auto turn = turns_->take();
    const auto block = block_of(y);
    const Input input = input_of(block, last);
    stream_->check(input);
    py::list counts;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto [begin, end] = stream_->ready(input, i);
      counts.append(end - begin);
    }
    return counts;
  }

  void reset() override {
    const auto turn = turns_->take();
    stream_->reset();
  }
  Index position() const override { return stream_->position(); }
  bool ended() const override { return stream_->ended(); }

 private:
  using Input = typename stream::FrameStream<T>::Input;

  py::array_t<T> block_of(const py::object& y) const {
    const auto block = contiguous<T>(y, "y");
    const auto axes = static_cast<py::ssize_t>(lead_.size()) + 1;
    if (block.ndim() != axes || (axes == 2 && block.shape(0) != lead_[0]))
      throw_parameter("y.shape", text_of(y.attr("shape")),
                      lead_.empty()
                          ? "(n,): this stream has one channel"
                          : "(" + std::to_string(lead_[0]) + ", n), the stream's channels");
    return block;
  }
  static Input input_of(const py::array_t<T>& block, bool last) {
    const Index count = block.shape(block.ndim() - 1);
    return {block.data(), count, count, last};
  }

  const stream::SharedTurns turns_;
  const py::dtype samples_dtype_ = py::dtype::of<T>();
  std::vector<py::object> names_;
  std::vector<bool> drops_row_;
  std::vector<ReusableArrays> reusable_;
  const py::detail::npy_api& numpy_ = py::detail::npy_api::get();
  py::array_t<T> samples_;
  Shape lead_;
  std::vector<Part<T>> parts_;
  std::vector<std::vector<stream::Sink>> sinks_;
  std::vector<std::span<const stream::Sink>> spans_;
  std::unique_ptr<stream::FrameStream<T>> stream_;
};

std::unique_ptr<PyStream> make_stream(const stream::SharedTurns& turns, const py::list& requests,
                                      const py::array& samples, Index n_fft, Index hop_length,
                                      bool center, const std::string& pad_mode) {
  const ops::FrameParams params{n_fft, hop_length, center,
                                enum_from_name<dsp::PadMode>("pad_mode", pad_mode)};
  if (is_view<double>(samples))
    return std::make_unique<StreamOf<double>>(turns, requests, samples, params);
  return std::make_unique<StreamOf<float>>(turns, requests, samples, params);
}

}  // namespace

void bind_streams(py::module_& module) {
  // Local to the module, as in bind_trace.cpp.
  py::class_<Turns, stream::SharedTurns>(module, "Turns", py::module_local())
      .def(py::init<std::string>())
      .def("rename", &Turns::rename)
      // Of streams whose state is Python's; each in a turn.
      .def("require_open", &Turns::require_open)
      .def("change", &Turns::change)
      .def("done_block", &Turns::done_block)
      .def("done_anew", &Turns::done_anew)
      .def("set_budget",
           [](Turns& turns, double rate, double seconds_a_block) {
             const auto turn = turns.take();
             turns.meter().set_budget(rate, seconds_a_block);
           })
      .def_property_readonly("rate", [](Turns& turns) { return turns.meter().rate(); })
      .def("report", &report)
      .def(
          "lose", [](Turns& turns, const py::object& token) { turns.lose(token.ptr()); },
          py::arg("token") = py::none())
      .def("begin_and_end", [](const py::object& object) {
        auto& turns = object.cast<Turns&>();
        return py::make_tuple(function_of_one<&begin_turn>("begin", turns, object),
                              function_of_one<&end_turn>("end", turns, object));
      });
  py::class_<PyStream>(module, "FrameStream")
      .def(py::init(&make_stream))
      .def("process", &PyStream::process, py::arg("y"), py::arg("last"), py::arg("out"))
      .def("block_function",
           [](const py::object& stream, const py::list& names, const py::list& drops_row) {
             auto& shown = stream.cast<PyStream&>();
             shown.show(names, drops_row);
             return function_of_one<&PyStream::process_block>("process_block", shown, stream);
           })
      .def("ready", &PyStream::ready)
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
