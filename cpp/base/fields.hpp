// Field tables: the one declaration of a parameter's name, type and rule. The bridge reads keyword
// arguments through them, `check` validates them, and documentation lists them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>

#include "base/error.hpp"
#include "base/view.hpp"

namespace metalmom {

// A closed interval of allowed values, and how an error puts it.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::string_view rule = "a number";
};

inline constexpr Range any_number{};
inline constexpr Range any_integer{.rule = "an integer"};
inline constexpr Range positive_integer{1, 9e15, "a positive integer"};
inline constexpr Range non_negative_integer{0, 9e18, "a non-negative integer"};
inline constexpr Range non_negative{0, std::numeric_limits<double>::infinity(), "non-negative"};
// The engine reads subnormal numbers as zero (base/subnormals.hpp).
inline constexpr Range strictly_positive{std::numeric_limits<double>::min(),
                                         std::numeric_limits<double>::infinity(), "a number > 0"};

template <class P, class T>
struct Field {
  using Value = T;
  std::string_view name;
  T P::*member;
  Range range;
};

template <class P, class T>
constexpr Field<P, T> field(std::string_view name, T P::*member,
                            Range range = std::is_integral_v<T> ? any_integer : any_number) {
  return {name, member, range};
}

// An array of an op's In or Out. `core` is the number of trailing axes of one item: 1 for signals
// (one row each), 2 for matrices, 0 for single values; the axes before them are the batch. An
// optional array that is not given is a null view. `finite`: NaN and infinity are refused, as in
// audio. `frames_first`: an array that lies frame after frame in memory; users see (rows, frames).
// One that may lie either way is a Spectrogram.
template <class P, class T>
struct ArrayField {
  using Value = T;
  std::string_view name;
  T P::*member;
  int core;
  bool optional = false;
  bool finite = false;
  bool frames_first = false;
};

template <class P, class T>
constexpr ArrayField<P, T> signals(std::string_view name, T P::*member) {
  return {name, member, 1};
}
template <class P, class T>
constexpr ArrayField<P, T> audio(std::string_view name, T P::*member) {
  return {name, member, 1, false, true};
}
template <class P, class T>
constexpr ArrayField<P, T> matrices(std::string_view name, T P::*member) {
  return {name, member, 2};
}
template <class P, class T>
constexpr ArrayField<P, T> scalars(std::string_view name, T P::*member) {
  return {name, member, 0};
}

template <class P, class T>
constexpr ArrayField<P, T> optional(ArrayField<P, T> each) {
  each.optional = true;
  return each;
}
template <class P, class T>
constexpr ArrayField<P, T> frames_first(ArrayField<P, T> each) {
  each.frames_first = true;
  return each;
}

// The fields of a struct, as a function that calls another one with them. A std::tuple says the
// same, but is slow to compile, and every file that includes an op would have dozens of them.
template <class... Each>
constexpr auto field_list(Each... each) {
  return [=](auto&& use) -> decltype(auto) { return use(each...); };
}

// The fields of one list after those of another.
template <class First, class Second>
constexpr auto joined_fields(const First& first, const Second& second) {
  return first([&](const auto&... a) {
    return second([&](const auto&... b) { return field_list(a..., b...); });
  });
}
template <class First, class Second, class Third>
constexpr auto joined_fields(const First& first, const Second& second, const Third& third) {
  return joined_fields(joined_fields(first, second), third);
}

template <class P>
inline constexpr std::size_t n_fields = P::fields()([](const auto&... each) {
  return sizeof...(each);
});

// Names of an enumeration's values, in order of the values. Specialised beside each enumeration:
//   template <> struct EnumNames<PadMode> { static constexpr std::array<std::string_view, N> value;
//   };
template <class E>
struct EnumNames;

template <class P, class F>
void for_each_field(F&& visit) {
  static constexpr auto fields = P::fields();  // made by the compiler, not by each call
  fields([&](const auto&... each) { (visit(each), ...); });
}

// Throws ParameterError for the first arithmetic field outside its range (NaN is outside).
template <class P>
void check(const P& params) {
  for_each_field<P>([&](const auto& each) {
    using V = typename std::decay_t<decltype(each)>::Value;
    if constexpr (std::is_arithmetic_v<V> && !std::is_same_v<V, bool>) {
      const auto value = static_cast<double>(params.*each.member);
      require(value >= each.range.low && value <= each.range.high, each.name, value,
              each.range.rule);
    }
  });
}

}  // namespace metalmom
