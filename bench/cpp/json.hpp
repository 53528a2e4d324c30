// Just enough JSON to write results: objects and arrays, built from the inside out.
#pragma once

#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace vest::bench {

class Json {
 public:
  /// An object; add() fills it.
  Json() = default;

  template <class T>
  Json& add(std::string_view key, const T& value) {
    if (!members_.empty()) members_ += ", ";
    members_ += text(key) + ": " + text(value);
    return *this;
  }

  [[nodiscard]] std::string str() const { return "{" + members_ + "}"; }

 private:
  static std::string text(bool value) { return value ? "true" : "false"; }
  static std::string text(std::integral auto value) { return std::to_string(value); }
  static std::string text(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g", value);
    return digits;
  }
  static std::string text(std::string_view value) {
    std::string quoted = "\"";
    for (const char c : value) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return quoted + "\"";
  }
  static std::string text(const char* value) { return text(std::string_view(value)); }
  static std::string text(const std::string& value) { return text(std::string_view(value)); }
  static std::string text(const Json& value) { return value.str(); }
  template <class T>
  static std::string text(const std::vector<T>& values) {
    std::string joined;
    for (const T& value : values) {
      if (!joined.empty()) joined += ", ";
      joined += text(value);
    }
    return "[" + joined + "]";
  }

  std::string members_;
};

}  // namespace vest::bench
