#include "any_case.hpp"

#include <map>
#include <memory>

#include "base/error.hpp"

namespace metalmom::test {

std::vector<std::vector<double>> Numbers::by_frame() const {
  std::vector<std::vector<double>> frames;
  for (const auto& [values, bins, run, count, batch] : results_) {
    const std::size_t first = frames.size();
    frames.resize(first + count * batch);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::size_t item = k / (values.size() / batch);
      frames[first + item * count + k / run % count].push_back(values[k]);
    }
  }
  return frames;
}

std::vector<AnyCase> CasesOfOp::at_most(Index most, std::size_t count) const {
  std::vector<AnyCase> taken;
  if (!is_built) return taken;
  for (const auto& each : cases)
    if (each.largest <= most && taken.size() < count) taken.push_back(each);
  if (taken.empty()) taken.push_back(cases.front());
  return taken;
}

namespace {

// Copies of the inputs of a case in precision T. `change` is called with the floats of each array
// that has the precision of the call; other inputs are the case's own.
template <class Op, class T>
class OwnInputs {
 public:
  OwnInputs(const typename Op::template In<float>& from, const AnyCase::Change& change) {
    Op::template In<T>::fields()([&](const auto&... to) {
      Op::template In<float>::fields()(
          [&](const auto&... of) { (take(from.*of.member, in.*to.member, of, change), ...); });
    });
  }
  OwnInputs(const OwnInputs&) = delete;

  typename Op::template In<T> in;

 private:
  template <class From, class To, class Field>
  void take(const From& from, To& to, const Field& field, const AnyCase::Change& change) {
    if constexpr (requires { from.batch; }) {
      using Item = std::remove_cvref_t<decltype(*from.data)>;
      if constexpr (std::is_same_v<Item, float> || std::is_same_v<Item, std::complex<float>>) {
        to.batch = from.batch, to.rows = from.rows, to.cols = from.cols;
        if constexpr (requires { from.frames_first; }) to.frames_first = from.frames_first;
        if (!from.data) return;
        auto& copy = copies_[from.data];
        if (copy.empty()) {
          constexpr auto each = sizeof(Item) / sizeof(float);
          const auto* const first = reinterpret_cast<const float*>(from.data);
          std::vector<float> values(first, first + static_cast<std::size_t>(from.size()) * each);
          change(std::span(values), field.name);
          copy.assign(values.begin(), values.end());
        }
        to.data = reinterpret_cast<decltype(to.data)>(copy.data());
        return;
      }
    }
    if constexpr (std::is_assignable_v<To&, const From&>) to = from;
  }

  std::map<const void*, std::vector<T>> copies_;
};

template <class Item>
constexpr bool is_complex = requires(Item item) {
  item.real();
};

template <class Item>
Numbers::Result numbers_of(const View<Item>& view, int core, bool frames_first) {
  const auto n = [](Index count) { return static_cast<std::size_t>(std::max<Index>(count, 1)); };
  constexpr std::size_t parts = is_complex<Item> ? 2 : 1;
  Numbers::Result result{{}, bins_of(view, core), 1, n(view.cols), n(view.batch)};
  if (frames_first || is_complex<Item>)
    result.run = n(view.cols) * parts, result.count = n(view.rows);
  result.values.reserve(static_cast<std::size_t>(view.size()) * parts);
  for (const auto& each : view.flat())
    if constexpr (is_complex<Item>) {
      result.values.push_back(each.real());
      result.values.push_back(each.imag());
    } else {
      result.values.push_back(static_cast<double>(each));
    }
  return result;
}

template <class Op, class T>
std::optional<Numbers> call(const OpCase<Op>& each, const AnyCase::Change& change) {
  const OwnInputs<Op, T> inputs(each.in, change);
  try {
    const Results<Op, T> results(each.params, inputs.in);
    Numbers numbers;
    results.for_each([&](const auto& view, const auto& field) {
      numbers.add(numbers_of(view, field.core, field.frames_first));
    });
    return numbers;
  } catch (const ParameterError&) {
    return std::nullopt;
  }
}

template <class Op>
AnyCase any_case(OpCase<Op> of) {
  using In = typename Op::template In<float>;
  AnyCase any{std::string(Op::name) + ", " + of.name, of.rounding, of.nan_spreads, 0, {}, {}, {}};
  for_each_field<In>([&](const auto& field) {
    const auto& view = of.in.*field.member;
    if constexpr (requires { view.batch; }) {
      any.largest = std::max(any.largest, view.size());
      using Item = std::remove_cvref_t<decltype(*view.data)>;
      if constexpr (requires { field.finite; } &&
                    (std::is_same_v<Item, float> || std::is_same_v<Item, std::complex<float>>)) {
        if (!view.data) return;
        bool frames_first = field.frames_first || is_complex<Item>;
        if constexpr (requires { view.frames_first; }) frames_first = view.frames_first;
        // Audio with a NaN is refused before any op sees it.
        any.inputs.push_back({field.name, field.finite || requires { In::all_finite;
      }
      , frames_first, view.cols*(is_complex<Item> ? 2 : 1)
    });
      }
}
});
const auto shared = std::make_shared<const OpCase<Op>>(std::move(of));
any.in_float = [shared](const auto& change) { return call<Op, float>(*shared, change); };
any.in_double = [shared](const auto& change) { return call<Op, double>(*shared, change); };
return any;
}

}  // namespace

std::vector<CasesOfOp> cases_of_all_ops() {
  std::vector<CasesOfOp> all;
  ops::AllOps::for_each([&]<class Op>() {
    auto& to = all.emplace_back(CasesOfOp{Op::name, is_built<Op>, {}});
    for (auto& each : op_cases<Op>()) to.cases.push_back(any_case(std::move(each)));
  });
  return all;
}

}  // namespace metalmom::test
