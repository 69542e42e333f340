// What the tests of every op share: an op's results between guards, of either precision, and its
// inputs as copies that a test may change.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

// Which numbers of a result are of one bin: a row of a matrix of bands, a column of a spectrum.
struct Bins {
  std::size_t count = 1;
  std::size_t run = 1;  // numbers of one bin side by side

  std::size_t of(std::size_t i) const { return i / run % count; }
};

template <class T>
Bins bins_of(const View<T>& view, int core) {
  if (core < 2 || view.size() == 0) return {};
  if constexpr (std::is_floating_point_v<T>)
    return {static_cast<std::size_t>(view.rows), static_cast<std::size_t>(view.cols)};
  return {static_cast<std::size_t>(view.cols), 2};
}

// The arrays of a result, between guards that nobody may write.
template <class Op, class T = float>
class Results {
 public:
  // `fill`: what is in the arrays before.
  Results(const typename Op::Params& params, const typename Op::template In<T>& in,
          unsigned char fill = 0) {
    auto plan = Op::plan(params, in);
    ops::check_values<Op, T>(plan, in);
    using Out = typename Op::template Out<T>;
    Out out = Op::template outputs<T>(plan);
    for_each_field<Out>([&](const auto& field) {
      auto& view = out.*field.member;
      using Item = std::remove_reference_t<decltype(*view.data)>;
      const auto bytes = static_cast<std::size_t>(view.size()) * sizeof(Item);
      auto& memory = arrays_.emplace_back(bytes + 2 * guard, mark);
      if (bytes) std::memset(memory.data() + guard, fill, bytes);
      view.data = reinterpret_cast<Item*>(memory.data() + guard);
      bins_.push_back(bins_of(view, field.core));
    });
    Op::run_cpu(plan, in, out);
    for_each_field<Out>([&](const auto& field) {
      auto& numbers = values_.emplace_back();
      for (const auto& each : (out.*field.member).flat())
        if constexpr (requires { each.real(); }) {
          numbers.push_back(each.real());
          numbers.push_back(each.imag());
        } else {
          numbers.push_back(static_cast<double>(each));
        }
      frames_.push_back(frames_of(out.*field.member, field.frames_first));
    });
  }
  explicit Results(const OpCase<Op>& each, unsigned char fill = 0) requires std::is_same_v<T, float>
      : Results(each.params, each.in, fill) {}

  bool guards_intact() const {
    for (const auto& memory : arrays_)
      for (std::size_t i = 0; i < guard; ++i)
        if (memory[i] != mark || memory[memory.size() - 1 - i] != mark) return false;
    return true;
  }
  // Bit for bit.
  bool operator==(const Results& other) const { return arrays_ == other.arrays_; }

  const std::vector<std::vector<double>>& values() const { return values_; }
  // The values of each frame of each result: a row where frames lie one after another, else a
  // column.
  std::vector<std::vector<double>> by_frame() const {
    std::vector<std::vector<double>> frames;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto [run, count, batch] = frames_[i];
      const std::size_t first = frames.size();
      frames.resize(first + count * batch);
      for (std::size_t k = 0; k < values_[i].size(); ++k) {
        const std::size_t item = k / (values_[i].size() / batch);
        frames[first + item * count + k / run % count].push_back(values_[i][k]);
      }
    }
    return frames;
  }
  const Bins& bins(std::size_t i) const { return bins_[i]; }

 private:
  static constexpr std::size_t guard = 64;
  static constexpr unsigned char mark = 0xa5;

  // How many numbers of a frame lie side by side, and how many frames each item of a batch has.
  struct Frames {
    std::size_t run, count, batch;
  };
  template <class Item>
  static Frames frames_of(const View<Item>& view, bool frames_first) {
    constexpr bool is_complex = requires(Item item) {
      item.real();
    };
    const auto n = [](Index count) { return static_cast<std::size_t>(std::max<Index>(count, 1)); };
    if (frames_first || is_complex)
      return {n(view.cols) * (is_complex ? 2 : 1), n(view.rows), n(view.batch)};
    return {1, n(view.cols), n(view.batch)};
  }

  std::vector<std::vector<unsigned char>> arrays_;
  std::vector<std::vector<double>> values_;  // complex numbers as two
  std::vector<Bins> bins_;
  std::vector<Frames> frames_;
};

// None where the op refuses its input.
template <class Op, class T>
std::optional<Results<Op, T>> results_if_taken(const typename Op::Params& params,
                                               const typename Op::template In<T>& in) {
  try {
    return Results<Op, T>(params, in);
  } catch (const ParameterError&) {
    return std::nullopt;
  }
}

// Ops that resample are built where audio input is.
template <class Op>
constexpr bool is_built = METALMOM_IO_BUILT ||
                          (Op::name != "resample" &&
                           Op::name.find("constant_q") == std::string_view::npos);

// The first `count` cases none of whose arrays has more values than `most`, or the first case.
template <class Op>
std::vector<OpCase<Op>> cases_of_at_most(Index most, std::size_t count = 1000) {
  std::vector<OpCase<Op>> cases;
  if (!is_built<Op>) return cases;
  for (const auto& each : op_cases<Op>()) {
    Index largest = 0;
    for_each_field<typename Op::template In<float>>([&](const auto& field) {
      if constexpr (requires { (each.in.*field.member).batch; })
        largest = std::max(largest, (each.in.*field.member).size());
    });
    if (largest <= most && cases.size() < count) cases.push_back(each);
  }
  if (cases.empty()) cases.push_back(op_cases<Op>().front());
  return cases;
}

// Copies of the inputs of a case in precision T. `change` is called with the floats of each array
// that has the precision of the call; other inputs are the case's own.
template <class Op, class T>
class OwnInputs {
 public:
  template <class Change>
  OwnInputs(const typename Op::template In<float>& from, Change&& change) {
    Op::template In<T>::fields()([&](const auto&... to) {
      Op::template In<float>::fields()(
          [&](const auto&... of) { (take(from.*of.member, in.*to.member, of, change), ...); });
    });
  }
  OwnInputs(const OwnInputs&) = delete;

  typename Op::template In<T> in;

 private:
  template <class From, class To, class Field, class Change>
  void take(const From& from, To& to, const Field& field, Change&& change) {
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
          change(std::span(values), field);
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

}  // namespace metalmom::test
