// The cases of every op behind one interface, so that a test of numbers is compiled once and not
// for each op.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "op_results.hpp"

namespace metalmom::test {

// The numbers of a call's results, whatever the op and the precision.
class Numbers {
 public:
  struct Result {
    std::vector<double> values;  // complex numbers as two
    Bins bins;
    // How many numbers of a frame lie side by side, and how many frames each item of a batch has.
    std::size_t run, count, batch;
  };

  void add(Result&& result) { results_.push_back(std::move(result)); }
  std::span<const Result> results() const { return results_; }
  // The values of each frame of each result: a row where frames lie one after another, else a
  // column.
  std::vector<std::vector<double>> by_frame() const;

 private:
  std::vector<Result> results_;
};

struct AnyCase {
  // An array of the case's own precision.
  struct Input {
    std::string_view name;
    bool finite;        // NaN in it is refused
    bool frames_first;  // frames lie one after another, each of
    Index frame_size;   // so many numbers
  };
  // What a test does to the numbers of an input before the call.
  using Change = std::function<void(std::span<float> values, std::string_view input)>;
  // None where the op refuses them.
  using Call = std::function<std::optional<Numbers>(const Change&)>;

  std::string name;
  Rounding rounding;
  bool nan_spreads;
  Index largest;  // how many values the largest of its arrays has
  std::vector<Input> inputs;
  Call in_float, in_double;
};

struct CasesOfOp {
  std::string_view op;
  bool is_built;
  std::vector<AnyCase> cases;

  // The first `count` cases none of whose arrays has more values than `most`, or the first case;
  // none of an op that is not built.
  std::vector<AnyCase> at_most(Index most, std::size_t count = 1000) const;
};

std::vector<CasesOfOp> cases_of_all_ops();

}  // namespace metalmom::test
