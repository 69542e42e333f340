// Cases of the ops of segment and sequence.
#include "cpu_cases.hpp"

namespace metalmom::test {

template <>
std::vector<OpCase<ops::FilterLines>> op_cases() {
  return CpuCases<ops::FilterLines>().add("two lines", [](auto& data, auto& in, auto& params) {
    in.image = positive_of(data, 1, 80, 200);
    params.n_rows = 70, params.n_cols = 130;
    for (int i = 0; i < 25; ++i) data.weights.push_back(i % 6 == 0 ? 0.2 : 0.0);
    for (int i = 0; i < 9; ++i) data.weights.push_back(i % 4 == 0 ? 0.3 : 0.0);
    data.wide = {5, 3};
    data.more = {0, 1};
    in.weights = data.weights, in.sizes = data.wide, in.offsets = data.more;
  });
}

template <>
std::vector<OpCase<ops::Agglomerate>> op_cases() {
  return CpuCases<ops::Agglomerate>().add("noise", [](auto& data, auto& in, auto& params) {
    in.data = wide_of(data.wide, 1, 200, 12);
    params.k = 9;
  });
}

namespace {

// Every frame is linked to the next two.
void link_to_the_next(CaseData& data, Index n) {
  for (Index i = 0; i < n; ++i) {
    data.places.push_back(std::ssize(data.numbers));
    for (Index to = i + 1; to <= i + 2 && to < n; ++to)
      data.numbers.push_back(static_cast<std::int32_t>(to));
  }
  data.places.push_back(std::ssize(data.numbers));
}

template <class In>
void point_to_links(const CaseData& data, In& in) {
  in.indices = {data.numbers.data(), 1, 1, std::ssize(data.numbers)};
  in.starts = {data.places.data(), 1, 1, std::ssize(data.places)};
}

}  // namespace

template <>
std::vector<OpCase<ops::LinkMeans>> op_cases() {
  return CpuCases<ops::LinkMeans>().add("two each", [](auto& data, auto& in, auto&) {
    in.frames = positive_of(data, 1, 200, 33);
    link_to_the_next(data, 200);
    point_to_links(data, in);
  });
}

template <>
std::vector<OpCase<ops::Links>> op_cases() {
  CpuCases<ops::Links> cases;
  for (const auto metric : {dsp::Metric::euclidean, dsp::Metric::cosine})
    cases.add("metric " + std::to_string(static_cast<int>(metric)),
              [&](auto& data, auto& in, auto& params) {
                in.data = wide_of(data.wide, 1, 150, 12);
                params.metric = metric;
                params.n_neighbors = params.keep = 7;
                params.width = 3;
                params.nearest = true;
              });
  return cases;
}

template <>
std::vector<OpCase<ops::MutualLinks>> op_cases() {
  return CpuCases<ops::MutualLinks>().add("two each", [](auto& data, auto& in, auto&) {
    link_to_the_next(data, 200);
    point_to_links(data, in);
  });
}

template <>
std::vector<OpCase<ops::Viterbi>> op_cases() {
  return CpuCases<ops::Viterbi>().add("noise", [](auto& data, auto& in, auto&) {
    in.log_prob = wide_of(data.wide, 3, 24, 90);
    in.initial = wide_of(data.more, 3, 1, 24, 5);
    in.log_transition = wide_of(data.weights, 1, 24, 24, 7).flat();
  });
}

template <>
std::vector<OpCase<ops::Rqa>> op_cases() {
  CpuCases<ops::Rqa> cases;
  for (const bool knight_moves : {false, true})
    cases.add(knight_moves ? "knight's moves" : "diagonals",
              [&](auto& data, auto& in, auto& params) {
                in.sim = positive_of(data, 2, 60, 71);
                for (float& value : data.values) value = value > 0.6f ? value : 0;
                params.onset = params.extend = 0.5;
                params.knight_moves = knight_moves;
              });
  return cases;
}

namespace {

constexpr auto steps = [](auto& data, auto& in) {
  data.more = {1, 0, 1, 1, 1, 0};
  in.step_rows = std::span<const double>(data.more).first(3);
  in.step_cols = std::span<const double>(data.more).last(3);
};

constexpr auto warp = [](auto& data, auto& in) {
  in.cost = wide_of(data.wide, 1, 60, 70);
  for (double& cost : data.wide) cost = std::abs(cost);
  steps(data, in);
  data.weights = {1, 1, 1, 0, 0, 0};
  in.weights = std::span<const double>(data.weights).first(3);
  in.penalties = std::span<const double>(data.weights).last(3);
};

// Accumulated costs: those of ones.
constexpr auto accumulated = [](auto& data, auto& in, auto& params) {
  warp(data, in);
  for (Index row = 0; row < 60; ++row)
    for (Index col = 0; col < 70; ++col)
      data.window.push_back(static_cast<double>(1 + std::max(row, col)));
  data.wide.assign(data.window.size(), 1.0);
  in.total = {data.window.data(), 1, 60, 70};
  params.end = 69;
};

}  // namespace

template <>
std::vector<OpCase<ops::WarpTotals>> op_cases() {
  return CpuCases<ops::WarpTotals>()
      .add("whole", [](auto& data, auto& in, auto&) { warp(data, in); })
      .add("subsequence", [](auto& data, auto& in, auto& params) {
        warp(data, in);
        params.subsequence = true;
      });
}

template <>
std::vector<OpCase<ops::WarpPath>> op_cases() {
  return CpuCases<ops::WarpPath>().add("ones", accumulated);
}

template <>
std::vector<OpCase<ops::WarpSteps>> op_cases() {
  return CpuCases<ops::WarpSteps>().add("ones", accumulated);
}

template <>
std::vector<OpCase<ops::WarpWalk>> op_cases() {
  return CpuCases<ops::WarpWalk>().add("diagonal", [](auto& data, auto& in, auto& params) {
    data.numbers.assign(60 * 60, 0);
    in.steps = {data.numbers.data(), 1, 60, 60};
    steps(data, in);
    params.end = 59;
  });
}

}  // namespace metalmom::test
