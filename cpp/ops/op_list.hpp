// A list of ops as a type: what the bridge, the parity tests and the benchmarks iterate over.
#pragma once

namespace metalmom::ops {

template <class... Op>
struct OpList {
  template <class F>
  static void for_each(F&& visit) {
    (visit.template operator()<Op>(), ...);
  }
};

namespace detail {
template <class... A, class... B>
OpList<A..., B...> joined(OpList<A...>, OpList<B...>);
template <class First, class... Rest>
struct Join {
  using type = decltype(joined(First{}, typename Join<Rest...>::type{}));
};
template <class Last>
struct Join<Last> {
  using type = Last;
};
}  // namespace detail

template <class... Lists>
using JoinedLists = typename detail::Join<Lists...>::type;

}  // namespace metalmom::ops
