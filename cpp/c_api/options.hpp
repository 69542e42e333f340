// Options as words, "n_fft=512 center=false": read through the field tables of the ops, which know
// their names, types and rules.
#pragma once

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/fields.hpp"

namespace metalmom::c_api {

class Options {
 public:
  // Throws for a word that is no name=value, and for a name that comes twice.
  explicit Options(std::string_view words);

  // The value of an option, which counts as known from now on.
  std::optional<std::string_view> find(std::string_view name);

  template <class V>
  void read(std::string_view name, V& value, const Range& range = {}) {
    if (const auto text = find(name)) value = parsed<V>(name, *text, range);
  }

  // All fields of a table but those that are named.
  template <class P>
  void read_fields(P& params, std::initializer_list<std::string_view> but = {}) {
    for_each_field<P>([&](const auto& each) {
      if (std::ranges::find(but, each.name) == but.end())
        read(each.name, params.*each.member, each.range);
    });
  }

  // Throws for the first option that nobody asked for.
  void reject_unknown(std::string_view feature) const;

 private:
  struct Option {
    std::string_view name, value;
    bool known = false;
  };

  static double number(std::string_view name, std::string_view text, const Range& range);

  template <class V>
  static V parsed(std::string_view name, std::string_view text, const Range& range) {
    if constexpr (std::is_same_v<V, bool>) {
      require(text == "true" || text == "false", name, text, "true or false");
      return text == "true";
    } else if constexpr (std::is_integral_v<V>) {
      V value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      require(error == std::errc() && end == text.data() + text.size() &&
                  static_cast<double>(value) >= range.low &&
                  static_cast<double>(value) <= range.high,
              name, text, range.rule);
      return value;
    } else if constexpr (std::is_floating_point_v<V>) {
      return number(name, text, range);
    } else if constexpr (requires { typename V::value_type; }) {
      return parsed<typename V::value_type>(name, text, range);
    } else {
      const auto& names = EnumNames<V>::value;
      const auto found = std::ranges::find(names, text);
      std::string known;
      for (const auto each : names) known.append(known.empty() ? "" : ", ").append(each);
      require(found != names.end(), name, text, "one of " + known);
      return static_cast<V>(found - names.begin());
    }
  }

  std::vector<Option> options_;
};

}  // namespace metalmom::c_api
