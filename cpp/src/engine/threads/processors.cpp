// Affinity from the scheduler, quotas from the files of the control groups.
#include "engine/threads/processors.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace vest {
namespace {

namespace fs = std::filesystem;

/// Whether `name` is one of the words between commas.
bool lists(std::string_view words, std::string_view name) {
  while (!words.empty()) {
    const std::size_t comma = std::min(words.find(','), words.size());
    if (words.substr(0, comma) == name) return true;
    words.remove_prefix(std::min(comma + 1, words.size()));
  }
  return false;
}

double read_number(const fs::path& file) {
  std::ifstream in(file);
  double number = 0.0;
  return in >> number ? number : 0.0;
}

/// Version 2: "max 100000" or "150000 100000", time and period.
double quota_v2(const fs::path& group) {
  std::ifstream in(group / "cpu.max");
  double time = 0.0;
  double period = 0.0;
  return in >> time >> period && time > 0.0 && period > 0.0 ? time / period : kNoQuota;
}

/// Version 1: time and period in files of their own; a time of -1 is no limit.
double quota_v1(const fs::path& group) {
  const double time = read_number(group / "cpu.cfs_quota_us");
  const double period = read_number(group / "cpu.cfs_period_us");
  return time > 0.0 && period > 0.0 ? time / period : kNoQuota;
}

/// A tree of control groups: where it is mounted, and which group the mount shows at its top.
struct Mount {
  fs::path point;
  fs::path top;
};

/// The mount of version 2, or that of version 1 with the controller for processors. A line is
/// "36 35 0:31 /top /point options more... - type source options".
std::optional<Mount> find_mount(const fs::path& root, bool version2) {
  std::ifstream in(root / "proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string skipped, top, point, type, source, options;
    words >> skipped >> skipped >> skipped >> top >> point;
    while (words >> skipped && skipped != "-") continue;
    words >> type >> source >> options;
    if (version2 ? type == "cgroup2" : type == "cgroup" && lists(options, "cpu"))
      return Mount{point, top};
  }
  return std::nullopt;
}

/// The least quota of a group and of those it lies in, as far as the mount shows them.
template <class Quota>
double least_quota(const fs::path& root, const Mount& mount, const fs::path& group, Quota&& quota) {
  fs::path below = group.lexically_relative(mount.top);
  if (below.empty() || *below.begin() == "..") below = ".";  // the group lies outside of the mount
  const fs::path top = root / mount.point.relative_path();
  double least = quota(top);
  fs::path at = top;
  for (const fs::path& name : below) least = std::min(least, quota(at /= name));
  return least;
}

#ifdef __linux__
/// Processors in the scheduler's mask for this process, or 0 if it does not tell.
int processors_bound_to() {
  for (std::size_t most = 1024; most <= (std::size_t{1} << 20); most *= 4) {
    std::vector<cpu_set_t> mask(most / 8 / sizeof(cpu_set_t));
    const std::size_t size = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, size, mask.data()) == 0) return CPU_COUNT_S(size, mask.data());
  }
  return 0;
}
#else
int processors_bound_to() { return 0; }
#endif

}  // namespace

double cpu_quota(const fs::path& root) {
  double least = kNoQuota;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {  // "4:cpu,cpuacct:/group" or "0::/group"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version2 = controllers.empty();
    if (!version2 && !lists(controllers, "cpu")) continue;
    const std::optional<Mount> mount = find_mount(root, version2);
    if (!mount) continue;
    const fs::path group = line.substr(second + 1);
    least = std::min(least, version2 ? least_quota(root, *mount, group, quota_v2)
                                     : least_quota(root, *mount, group, quota_v1));
  }
  return least;
}

int usable_processors(double allowed) {
  int processors = processors_bound_to();
  if (processors == 0) processors = static_cast<int>(std::thread::hardware_concurrency());
  const double most = std::min(std::ceil(allowed), static_cast<double>(processors));
  return std::max(1, static_cast<int>(most));
}

int usable_processors() {
  static const double quota = cpu_quota("/");
  return usable_processors(quota);
}

}  // namespace vest
