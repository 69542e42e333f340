// `Convolver_float32` and `Convolver_float64`: convolution of streams.
#include "bridge/bindings.hpp"
#include "bridge/gil.hpp"
#include "bridge/params.hpp"
#include "bridge/stream_parts.hpp"
#include "stream/fading_convolver.hpp"
#include "trace/trace.hpp"

namespace metalmom {

template <>
struct EnumNames<stream::PartitionMethod> {
  static constexpr std::array<std::string_view, 5> value = {"auto", "direct", "fft", "uniform",
                                                            "partitioned"};
};

}  // namespace metalmom

namespace metalmom::bridge {

namespace {

inline constexpr trace::Site convolver_site{"Convolver", trace::Category::bridge};

// What all responses of a stream have in common.
struct ConvolverSetting {
  Index zeros, block_size;
  stream::PartitionMethod method;
  Index channels;
  stream::LateWork late_work;
};

template <class T>
class PyConvolver : public StreamObject<stream::FadingConvolver<T>> {
 public:
  using Response = py::array_t<T, py::array::c_style>;

  // A response: (taps) or (channels, taps), its first `zeros` taps zero.
  PyConvolver(const stream::SharedTurns& turns, const Response& h, const ConvolverSetting& setting)
      : StreamObject<stream::FadingConvolver<T>>(turns, made(h, setting)), setting_(setting) {}

  py::array process(const py::object& y, bool last, const py::object& out) {
    const auto turn = this->turns_->take();
    const auto block = contiguous<T>(y, "y");
    const auto in = view_of(block, 1, "y");
    View<T> to{nullptr, in.batch, 1, in.cols + (last ? this->stream_.tail(in.cols) : 0)};
    const Shape lead(block.shape(), block.shape() + block.ndim() - 1);
    const auto wanted = ops::result_of(to, 1);
    py::array result = out.is_none() ? array_for(wanted, lead) : given_for(wanted, out, "out");
    to.data = static_cast<T*>(result.mutable_data());
    const GilReleasedIfLong unlocked(last || in.cols > short_block::of_convolver);
    this->stream_.process(in.data, in.cols, in.cols, to.data, to.cols);
    if (last) this->stream_.end(to.data + in.cols, to.cols);
    return result;
  }

  void set_response(const Response& h, Index crossfade) {
    {
      const auto turn = this->turns_->take();
      this->stream_.require_rung_out();
    }
    auto next = made(h, setting_);
    typename stream::FadingConvolver<T>::Made unused;
    {
      const auto turn = this->turns_->take();
      unused = this->stream_.set_response(std::move(next), crossfade);
    }
    const GilReleased unlocked;  // blocks may be taken while it is freed
    unused.reset();
  }

  void warm_up(Index count) {
    const auto turn = this->turns_->take();
    const GilReleased unlocked;
    this->stream_.warm_up(count);
  }
  void settle() {
    const auto turn = this->turns_->take();
    const GilReleased unlocked;
    this->stream_.settle();
  }

  Index tail(Index count) const { return this->stream_.tail(count); }
  Index missed_blocks() const { return this->stream_.missed_blocks(); }
  // Its text, its cost and that of sums of products, and its number of taps.
  py::tuple plan() const {
    const auto& plan = this->stream_.plan();
    return py::make_tuple(plan.text, plan.cost, plan.direct_cost, this->stream_.n_taps());
  }

 private:
  // Others may have the lock meanwhile: a long response takes longer than a block lasts.
  static std::unique_ptr<stream::Convolver<T>> made(const Response& h,
                                                    const ConvolverSetting& setting) {
    trace::Span span(convolver_site);
    const auto responses = view_of(py::array_t<T>(h), 1, "h");
    std::unique_ptr<stream::Convolver<T>> convolver;
    {
      const GilReleased unlocked;
      const auto plan = stream::plan_partitions(responses.cols, setting.zeros, setting.block_size,
                                                setting.method);
      convolver = std::make_unique<stream::Convolver<T>>(plan, responses, setting.channels,
                                                         setting.late_work);
    }
    const auto& plan = convolver->plan();
    span.arg("direct_taps", plan.direct_taps);
    span.arg("levels", std::ssize(plan.levels));
    span.arg("largest", plan.largest());
    span.arg("ns_a_sample", plan.cost);
    span.arg("direct_ns_a_sample", plan.direct_cost);
    return convolver;
  }

  const ConvolverSetting setting_;
};

template <class T>
void bind_convolver(py::module_& module, const char* name) {
  using Bound = PyConvolver<T>;
  py::class_<Bound> object(module, name);
  bind_stream(object)
      .def(py::init([](const stream::SharedTurns& turns, const typename Bound::Response& h,
                       Index zeros, Index block_size, const py::object& method, Index channels,
                       bool worker) {
        const auto chosen = scalar_from<stream::PartitionMethod>(method, "method", {});
        return std::make_unique<Bound>(
            turns, h,
            ConvolverSetting{zeros, block_size, chosen, channels,
                             worker ? stream::LateWork::by_worker : stream::LateWork::shared});
      }))
      .def("set_response", &Bound::set_response)
      .def("warm_up", &Bound::warm_up)
      .def("settle", &Bound::settle)
      .def("tail", &Bound::tail)
      .def_property_readonly("missed_blocks", &Bound::missed_blocks)
      .def_property_readonly("plan", &Bound::plan);
}

}  // namespace

void bind_convolution(py::module_& module) {
  bind_convolver<float>(module, "Convolver_float32");
  bind_convolver<double>(module, "Convolver_float64");
}

}  // namespace metalmom::bridge
