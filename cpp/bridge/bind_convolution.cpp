// Convolution: of whole signals, and `Convolver_float32`, `Convolver_float64` of streams.
#include "bridge/bindings.hpp"
#include "bridge/gil.hpp"
#include "bridge/params.hpp"
#include "bridge/stream_parts.hpp"
#include "ops/op.hpp"
#include "stream/convolve.hpp"
#include "stream/convolver.hpp"
#include "trace/trace.hpp"

namespace metalmom {

template <>
struct EnumNames<stream::ConvolverMethod> {
  static constexpr std::array<std::string_view, 5> value = {"auto", "direct", "fft", "uniform",
                                                            "partitioned"};
};
template <>
struct EnumNames<stream::ConvolveMethod> {
  static constexpr std::array<std::string_view, 5> value = {"auto", "direct", "fft", "overlap_save",
                                                            "partitioned"};
};

}  // namespace metalmom

namespace metalmom::bridge {

namespace {

inline constexpr trace::Site convolve_site{"convolve", trace::Category::bridge};
inline constexpr trace::Site convolver_site{"Convolver", trace::Category::bridge};

template <class T>
py::array convolve_as(const py::object& x, const py::object& h, Index first, Index count,
                      const std::string& method) {
  trace::Span span(convolve_site);
  const auto signal = contiguous<T>(x, "x"), response = contiguous<T>(h, "h");
  const auto of_x = view_of(signal, 1, "x"), of_h = view_of(response, 1, "h");
  // There is one response for all signals, of which there may be none, or one for each.
  View<T> out{nullptr, of_x.batch, 1, count};
  const auto result =
      allocate_for(out, 1, Shape(signal.shape(), signal.shape() + signal.ndim() - 1));
  const auto asked = enum_from_name<stream::ConvolveMethod>("method", method);
  const GilReleased unlocked;
  ops::require_finite(of_x.flat());
  ops::require_finite(of_h.flat());
  const auto plan =
      stream::plan_convolve(std::max(of_x.cols, of_h.cols), std::min(of_x.cols, of_h.cols), asked);
  span.arg("method", plan.name);
  span.arg("block", plan.block);
  span.arg("direct_us", plan.direct_us);
  span.arg("blocks_us", plan.blocks_us);
  stream::convolve<T>(plan, of_x, of_h, first, out);
  return result;
}

template <class T>
class PyConvolver : public StreamObject<stream::Convolver<T>> {
 public:
  // `h`: (taps) or (channels, taps), its first `zeros` taps zero.
  PyConvolver(const py::array_t<T, py::array::c_style>& h, Index zeros, Index block_size,
              const std::string& method, Index channels, bool worker)
      : StreamObject<stream::Convolver<T>>(
            stream::plan_partitions(h.shape(h.ndim() - 1), zeros, block_size,
                                    enum_from_name<stream::ConvolverMethod>("method", method)),
            view_of(py::array_t<T>(h), 1, "h"), channels,
            worker ? stream::LateWork::by_worker : stream::LateWork::shared) {
    trace::Span span(convolver_site);
    const auto& plan = this->stream_.plan();
    span.arg("direct_taps", plan.direct_taps);
    span.arg("levels", std::ssize(plan.levels));
    span.arg("largest", plan.largest());
    span.arg("ns_a_sample", plan.cost);
    span.arg("direct_ns_a_sample", plan.direct_cost);
  }

  py::array process(const py::object& y, const py::object& out) {
    const auto turn = this->turns_.take();
    const auto block = contiguous<T>(y, "y");
    const auto in = view_of(block, 1, "y");
    View<T> to{nullptr, in.batch, 1, in.cols};
    const Shape lead(block.shape(), block.shape() + block.ndim() - 1);
    const py::array result = out.is_none() ? allocate_for(to, 1, lead) : use_given(to, out, "out");
    const Unlocked unlocked(in.cols, 1024);
    this->stream_.process(in.data, in.cols, in.cols, to.data, to.cols);
    return result;
  }
  void settle() {
    const auto turn = this->turns_.take();
    const GilReleased unlocked;
    this->stream_.settle();
  }
  Index missed_blocks() const { return this->stream_.missed_blocks(); }
  // Its text, its cost and that of sums of products, and its largest partition.
  py::tuple plan() const {
    const auto& plan = this->stream_.plan();
    return py::make_tuple(plan.text, plan.cost, plan.direct_cost, plan.largest());
  }
};

template <class T>
void bind_convolver(py::module_& module, const char* name) {
  using Bound = PyConvolver<T>;
  py::class_<Bound> object(module, name);
  bind_stream(object)
      .def(py::init<const py::array_t<T, py::array::c_style>&, Index, Index, const std::string&,
                    Index, bool>())
      .def("settle", &Bound::settle)
      .def_property_readonly("missed_blocks", &Bound::missed_blocks)
      .def_property_readonly("plan", &Bound::plan);
}

}  // namespace

void bind_convolution(py::module_& module) {
  module.def("convolve_float32", &convolve_as<float>);
  module.def("convolve_float64", &convolve_as<double>);
  bind_convolver<float>(module, "Convolver_float32");
  bind_convolver<double>(module, "Convolver_float64");
}

}  // namespace metalmom::bridge
