#include "ops/core/nnls.hpp"

#include <algorithm>

#include "base/ceil_div.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/nonnegative.hpp"
#include "dsp/simd/lane_kernels.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {
namespace {

constexpr Index lanes = dsp::NonnegativeLeastSquares::lanes;

// By how much the tolerance is stricter than librosa's. The last step of L-BFGS usually ends well
// below its tolerance, so its residual is reached only if we go further.
constexpr double surplus = 16;

// Up to 16 columns of B, their solutions, and where those are stored.
template <class T>
class Columns {
 public:
  Columns(const Nnls::Plan& plan, const Nnls::In<T>& in, const Nnls::Out<T>& out,
          const dsp::NonnegativeLeastSquares& problem)
      : plan_(plan),
        in_(in),
        out_(out),
        problem_(problem),
        b_(plan.n_rows * lanes),
        x_(plan.n_cols * lanes),
        scratch_(problem.scratch_size()),
        rounded_(plan.n_cols * lanes) {}

  // Begins with columns [first, first + count) of signal b.
  void start(Index b, Index first, Index count, double* slopes) {
    for (Index r = 0; r < plan_.n_rows; ++r) {
      double* const lane = b_.data() + r * lanes;
      std::copy_n(in_.B.row(b, r) + first, count, lane);
      std::fill(lane + count, lane + lanes, 0.0);
    }
    problem_.start(b_.data(), x_.data(), slopes, scratch_.data());
  }
  void descend(double slope, double* moving) {
    problem_.descend(b_.data(), slope, plan_.params.maxiter, moving, x_.data(), scratch_.data());
  }
  void store(Index b, Index first, Index count) {
    std::transform(x_.data(), x_.data() + plan_.n_cols * lanes, rounded_.data(),
                   [](double value) { return static_cast<T>(value); });
    dsp::simd::lane_kernels<T>().to_rows(rounded_.data(), plan_.n_cols, count, out_.X.row(b, first),
                                         plan_.n_cols);
  }

 private:
  const Nnls::Plan& plan_;
  const Nnls::In<T>& in_;
  const Nnls::Out<T>& out_;
  const dsp::NonnegativeLeastSquares& problem_;
  Lent<double> b_, x_, scratch_;
  Lent<T> rounded_;
};

}  // namespace

template <class T>
Nnls::Plan Nnls::plan(const Params& params, const In<T>& in) {
  check(params);
  require(in.A.rows == in.B.rows, "B.shape[-2]", in.B.rows,
          "A.shape[0]=" + std::to_string(in.A.rows));
  require(in.start.rows == in.A.rows && in.start.cols == in.A.cols, "start.size", in.start.size(),
          "that of A");
  return {params, in.B.batch, in.A.rows, in.A.cols, in.B.cols};
}

template <class T>
void Nnls::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const dsp::NonnegativeLeastSquares problem(in.A, in.start, plan.params.curvature);
  const Index groups = ceil_div(plan.n_columns, lanes);
  const auto visit = [&](auto&& body) {
    parallel_for(plan.batch * groups, 1, [&](Index begin, Index end) {
      Columns<T> columns(plan, in, out, problem);
      for (Index i = begin; i < end; ++i) {
        const Index first = i % groups * lanes;
        body(columns, i / groups, first, std::min(lanes, plan.n_columns - first));
      }
    });
  };

  const Lent<double> slopes(plan.batch * plan.n_columns);
  visit([&](Columns<T>& columns, Index b, Index first, Index count) {
    alignas(64) double found[lanes];
    columns.start(b, first, count, found);
    columns.store(b, first, count);
    std::copy_n(found, count, slopes.data() + b * plan.n_columns + first);
  });

  // As in librosa a block of columns descends if the start of one of them is not within the
  // tolerance.
  const Index block = std::min(plan.params.block_columns, plan.n_columns);
  const double flat = plan.params.pgtol * static_cast<double>(plan.n_rows * block);
  const auto descends = [&](Index b, Index column) {
    const double* const row = slopes.data() + b * plan.n_columns;
    const Index begin = column / block * block, end = std::min(begin + block, plan.n_columns);
    return *std::max_element(row + begin, row + end) > flat;
  };
  visit([&](Columns<T>& columns, Index b, Index first, Index count) {
    alignas(64) double moving[lanes] = {}, found[lanes];
    for (Index i = 0; i < count; ++i) moving[i] = descends(b, first + i) ? 1 : 0;
    if (std::all_of(moving, moving + lanes, [](double on) { return on == 0; })) return;
    columns.start(b, first, count, found);
    columns.descend(flat / surplus, moving);
    columns.store(b, first, count);
  });
}

Cost Nnls::cost(const Plan& plan) {
  const auto columns = static_cast<double>(plan.batch * plan.n_columns);
  const auto m = static_cast<double>(plan.n_rows), n = static_cast<double>(plan.n_cols);
  return {plan.batch * plan.n_columns, 2 * columns * m * n, 8 * columns * (m + n)};
}

METALMOM_INSTANTIATE_OP(Nnls);

}  // namespace metalmom::ops
