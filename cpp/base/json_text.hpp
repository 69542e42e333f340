#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace metalmom {

// Appends a text as a string of JSON, with its quotes.
inline void append_json_text(std::string& json, std::string_view text) {
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      (json += '\\') += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> buffer;
      std::snprintf(buffer.data(), buffer.size(), "\\u%04x", c);
      json += buffer.data();
    } else {
      json += c;
    }
  }
  json += '"';
}

}  // namespace metalmom
