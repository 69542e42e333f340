// `Convolver_float32` and `Convolver_float64`: convolution of streams.
#include "bridge/bindings.hpp"
#include "bridge/gil.hpp"
#include "bridge/params.hpp"
#include "bridge/stream_parts.hpp"
#include "stream/convolver.hpp"
#include "trace/trace.hpp"

namespace metalmom {

template <>
struct EnumNames<stream::ConvolverMethod> {
  static constexpr std::array<std::string_view, 5> value = {"auto", "direct", "fft", "uniform",
                                                            "partitioned"};
};

}  // namespace metalmom

namespace metalmom::bridge {

namespace {

inline constexpr trace::Site convolver_site{"Convolver", trace::Category::bridge};

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
  bind_convolver<float>(module, "Convolver_float32");
  bind_convolver<double>(module, "Convolver_float64");
}

}  // namespace metalmom::bridge
