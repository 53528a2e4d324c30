// How many processors this process may really use: a container limited to 2 of 64 has 2.
#pragma once

#include <filesystem>
#include <limits>

namespace vest {

/// No control group sets a quota.
constexpr double kNoQuota = std::numeric_limits<double>::infinity();

/// How many processors' time the control groups of this process allow it, 1.5 for one and a half:
/// the least quota from its group up to the outermost one that can be seen, version 1 or 2 of
/// control groups. Files are read below `root`, which is / but for tests. What cannot be read or
/// understood limits nothing.
[[nodiscard]] double cpu_quota(const std::filesystem::path& root);

/// Processors this process is bound to, or all of the machine where a system does not tell; at most
/// as many as the quota `allowed`, rounded up, and one at least.
[[nodiscard]] int usable_processors(double allowed);

/// The same with the quota of this process, which is read once.
[[nodiscard]] int usable_processors();

}  // namespace vest
