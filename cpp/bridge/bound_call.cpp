#include "bridge/bound_call.hpp"

#include <algorithm>

#include "bridge/byte_counts.hpp"
#include "bridge/public_call.hpp"

namespace metalmom::bridge {

namespace {

constexpr trace::Site outputs_site{"outputs", trace::Category::bridge};

// The span of a call, from the reading of its arguments on.
class CallSpan {
 public:
  // `op` is a literal.
  explicit CallSpan(std::string_view op)
      : span_({op.data(), trace::Category::bridge}), before_(counters()) {
    name_after_public_call(span_);
  }

  py::object run(BoundCall bound) {
    bound.make_results();
    {
      const GilReleased unlocked;
      bound.call().run();
    }
    show_warning();
    add_byte_counts(span_, before_);
    return bound.result();
  }

 private:
  trace::Span span_;
  const Counters before_;
};

// The arguments with NumPy's arrays for DeviceArrays.
py::kwargs brought_to_host(const py::kwargs& kwargs) {
  py::kwargs on_host;
  for (const auto& [name, value] : kwargs)
    on_host[name] =
        is_device_array(value) ? value.attr("numpy")() : py::reinterpret_borrow<py::object>(value);
  return on_host;
}

// Results on the host as DeviceArrays beside those of the call.
py::object brought_to_device(const py::object& results, const py::kwargs& beside) {
  if (py::isinstance<py::tuple>(results)) {
    py::list each;
    for (const auto& result : results)
      each.append(brought_to_device(py::reinterpret_borrow<py::object>(result), beside));
    return py::tuple(each);
  }
  const bool is_complex = py::reinterpret_borrow<py::array>(results).dtype().kind() == 'c';
  const py::object single = results.attr("astype")(is_complex ? "c8" : "f4");
  for (const auto& [name, value] : beside)
    if (is_device_array(value))
      return py::module_::import("metalmom._native").attr("to_device")(single, value);
  return results;
}

graph::Owner owner_of(py::object array) {
  return {array.release().ptr(), [](PyObject* owned) {
            const GilTaken lock;
            Py_DECREF(owned);
          }};
}

}  // namespace

std::map<std::string_view, Reader>& readers() {
  static std::map<std::string_view, Reader> instance;
  return instance;
}

void show_warning() {
  const std::string text = dispatch::take_warning();
  if (text.empty()) return;
  bear_exit([&] {
    py::module_::import("metalmom.util._warnings")
        .attr("warn")(text, py::handle(PyExc_RuntimeWarning));
  });
}

BoundCall::BoundCall(Reader read, const py::kwargs& kwargs, Session* session) {
  arrays_.session = session;
  call_ = read(kwargs, arrays_);
  const GilReleased unlocked;
  call_->make_plan();
  if (!is_on_device()) call_->check_values();
}

BoundCall::BoundCall(const PreparedCall& prepared, py::object owner, const py::array& audio) {
  const trace::Span conversion(arguments_site, trace::detail_enabled);
  arrays_.lead = prepared.lead();
  arrays_.audio = audio;
  arrays_.keep.push_back(std::move(owner));
  call_ = prepared.of_audio(audio);
  // The lock is kept: to plan frames is a matter of nanoseconds.
  call_->make_plan();
  call_->check_values();
}

py::object BoundCall::result() const {
  if (results_.size() == 1) return results_[0];
  py::tuple several(results_.size());
  for (std::size_t i = 0; i < results_.size(); ++i) several[i] = results_[i];
  return several;
}

void BoundCall::make_results() {
  const trace::Span allocation(outputs_site, trace::detail_enabled);
  if (arrays_.audio && call_->is_followed()) call_->own_audio(owner_of(arrays_.audio));
  call_->make_results([this](const ops::Result& each) {
    auto array = arrays_.out ? given_for(each, arrays_.out, "out") : array_for(each, arrays_.lead);
    void* const data = array.mutable_data();
    results_.push_back(std::move(array));
    return data;
  });
}

py::object BoundCall::submit(Reader read, const py::kwargs& kwargs) {
  const bool on_host = call_->answers_on_host();  // a few numbers, for which it waits
  if (!arrays_.has_values) {                      // arrays without values are the CPU's
    const py::object results = bridge::call(call_->name(), read, brought_to_host(kwargs));
    return on_host ? results : brought_to_device(results, kwargs);
  }
  std::vector<DeviceArray> on_device;
  if (on_host) make_results();
  {
    const GilReleased unlocked;  // memory may have to be waited for, too
    if (!on_host)
      call_->make_results([&](const ops::Result& each) {
        on_device.push_back(array_on_device(each, arrays_.lead, *arrays_.on_device[0].device));
        return nullptr;
      });
    std::vector<gpu::DeviceData> outputs;
    for (const DeviceArray& each : on_device) outputs.push_back(each.data);
    call_->run_resident(arrays_.on_device, outputs);
  }
  for (DeviceArray& each : on_device) results_.push_back(py::cast(std::move(each)));
  return result();
}

PreparedCall::PreparedCall(std::unique_ptr<graph::Call> call, CallArrays arrays)
    : call_(std::move(call)), arrays_(std::move(arrays)) {
  if (arrays_.out) throw py::value_error("a prepared call makes its own results");
  dtype_ = py::reinterpret_borrow<py::array>(std::exchange(arrays_.audio, {})).dtype();
}

std::unique_ptr<graph::Call> PreparedCall::of_audio(const py::array& audio) const {
  const auto n_lead = static_cast<py::ssize_t>(lead().size());
  if (!is_view(audio, dtype_) || audio.ndim() != n_lead + 1 ||
      !std::equal(lead().begin(), lead().end(), audio.shape()))
    throw py::value_error("audio is not of the batch and type that the call was prepared with");
  return call_->of_audio(audio.data(), audio.shape(n_lead));
}

py::object call(std::string_view op, Reader read, const py::kwargs& kwargs) {
  CallSpan span(op);
  BoundCall bound(read, kwargs);
  return bound.is_on_device() ? bound.submit(read, kwargs) : span.run(std::move(bound));
}

py::object call_prepared(const py::object& prepared, const py::array& audio) {
  const auto& of = prepared.cast<const PreparedCall&>();
  CallSpan span(of.name());
  return span.run({of, prepared, audio});
}

}  // namespace metalmom::bridge
