#include "c_api/options.hpp"

namespace metalmom::c_api {

Options::Options(std::string_view words) {
  constexpr std::string_view spaces = " \t\n";
  for (auto begin = words.find_first_not_of(spaces); begin != words.npos;) {
    const auto end = std::min(words.find_first_of(spaces, begin), words.size());
    const auto word = words.substr(begin, end - begin);
    const auto middle = word.find('=');
    require(middle != word.npos && middle > 0 && middle + 1 < word.size(), "options", word,
            "words like n_fft=2048");
    const Option option{word.substr(0, middle), word.substr(middle + 1)};
    require(std::ranges::find(options_, option.name, &Option::name) == options_.end(), "options",
            word, "an option that is there once");
    options_.push_back(option);
    begin = words.find_first_not_of(spaces, end);
  }
}

std::optional<std::string_view> Options::find(std::string_view name) {
  const auto found = std::ranges::find(options_, name, &Option::name);
  if (found == options_.end()) return std::nullopt;
  found->known = true;
  return found->value;
}

void Options::reject_unknown(std::string_view feature) const {
  for (const Option& each : options_)
    require(each.known, "options", each.name, "an option of " + std::string(feature));
}

double Options::number(std::string_view name, std::string_view text, const Range& range) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size() && value >= range.low &&
              value <= range.high,
          name, text, range.rule);
  return value;
}

}  // namespace metalmom::c_api
