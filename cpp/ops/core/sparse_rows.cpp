#include "ops/core/sparse_rows.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "base/pace.hpp"
#include "base/workspace.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {
namespace {

// Classes of magnitudes: by the exponent and the first three bits after it, so classes are ordered
// as values are.
constexpr Index n_classes = 1 << 11;

template <class T>
Index class_of(T magnitude) {
  return static_cast<Index>(std::bit_cast<std::uint32_t>(static_cast<float>(magnitude)) >> 20);
}

// The value at which the sum of ascending values reaches the share. Sums of classes say in which
// class it is, and only that one is sorted. `sums`: n_classes zeros, which are zeros again
// afterwards; `members`: memory that is kept from row to row.
template <class T>
T threshold(const T* row, Index n, double quantile, double* sums, std::vector<T>& members) {
  Index least = n_classes, greatest = 0;
  for (Index i = 0; i < n; ++i) {
    const Index at = class_of(row[i]);
    sums[at] += static_cast<double>(row[i]);
    least = std::min(least, at);
    greatest = std::max(greatest, at);
  }
  double total = 0;
  for (Index i = least; i <= greatest; ++i) total += sums[i];
  const double share = quantile * total;
  double below = 0;
  Index in = least;
  for (Index i = least; i <= greatest && below < share; ++i) {
    if (sums[i] == 0) continue;
    in = i;
    if (below + sums[i] >= share) break;
    below += sums[i];
  }
  std::fill(sums + least, sums + greatest + 1, 0.0);
  members.clear();
  for (Index i = 0; i < n; ++i)
    if (class_of(row[i]) == in) members.push_back(row[i]);
  std::sort(members.begin(), members.end());
  for (const T member : members)
    if ((below += static_cast<double>(member)) >= share) return member;
  return members.back();
}

}  // namespace

template <class T>
SparseRows::Plan SparseRows::plan(const Params& params, const In<T>& in) {
  check(params);
  const auto& x = in.magnitudes;
  require(x.batch == 1 && x.size() > 0, "x.size", x.size(), "at least 1");
  require(x.size() <= std::numeric_limits<std::int32_t>::max(), "x.size", x.size(),
          "at most 2**31 - 1");
  return {params.quantile, x.rows, x.cols};
}

template <class T>
void SparseRows::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Lent<double> sums(n_classes);
  std::fill_n(sums.data(), n_classes, 0.0);
  std::vector<T> members;
  std::int32_t kept = 0;
  out.ends.data[0] = 0;
  Pace pace;
  for (Index r = 0; r < plan.n_rows; ++r) {
    pace.did(4 * plan.n_columns);
    const T* const row = in.magnitudes.row(0, r);
    const T bound = threshold(row, plan.n_columns, plan.quantile, sums.data(), members);
    for (Index c = 0; c < plan.n_columns; ++c) {
      out.columns.data[kept] = static_cast<std::int32_t>(c);
      kept += row[c] >= bound && row[c] > 0;
    }
    out.ends.data[r + 1] = kept;
  }
}

Cost SparseRows::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.n_rows * plan.n_columns);
  return {plan.n_rows, 10 * values, 8 * values};
}

METALMOM_INSTANTIATE_OP(SparseRows);

}  // namespace metalmom::ops
