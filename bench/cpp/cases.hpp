// The named cases: each a question about speed and the options that ask it.
#pragma once

#include <span>
#include <string_view>

namespace vest::bench {

struct Case {
  const char* name;
  const char* meaning;
  const char* arguments;
};

[[nodiscard]] std::span<const Case> cases();

/// Throws std::invalid_argument if there is no such case.
[[nodiscard]] const Case& find_case(std::string_view name);

}  // namespace vest::bench
