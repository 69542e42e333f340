// What the tests of every op share: an op's results between guards, of either precision.
#pragma once

#include <cstring>
#include <vector>

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
    out_ = Op::template outputs<T>(plan);
    for_each_field<Out>([&](const auto& field) {
      auto& view = out_.*field.member;
      using Item = std::remove_reference_t<decltype(*view.data)>;
      const auto bytes = static_cast<std::size_t>(view.size()) * sizeof(Item);
      auto& memory = arrays_.emplace_back(bytes + 2 * guard, mark);
      if (bytes) std::memset(memory.data() + guard, fill, bytes);
      view.data = reinterpret_cast<Item*>(memory.data() + guard);
    });
    Op::run_cpu(plan, in, out_);
  }
  explicit Results(const OpCase<Op>& each, unsigned char fill = 0) requires std::is_same_v<T, float>
      : Results(each.params, each.in, fill) {}
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  bool guards_intact() const {
    for (const auto& memory : arrays_)
      for (std::size_t i = 0; i < guard; ++i)
        if (memory[i] != mark || memory[memory.size() - 1 - i] != mark) return false;
    return true;
  }
  // Bit for bit.
  bool operator==(const Results& other) const { return arrays_ == other.arrays_; }

  // `visit` gets each array and its field's declaration.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for_each_field<Out>([&](const auto& field) { visit(out_.*field.member, field); });
  }

 private:
  using Out = typename Op::template Out<T>;
  static constexpr std::size_t guard = 64;
  static constexpr unsigned char mark = 0xa5;

  std::vector<std::vector<unsigned char>> arrays_;
  Out out_;
};

// Ops that resample are built where audio input is.
template <class Op>
constexpr bool is_built = METALMOM_IO_BUILT ||
                          (Op::name != "resample" &&
                           Op::name.find("constant_q") == std::string_view::npos);

}  // namespace metalmom::test
