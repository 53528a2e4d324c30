// Usable processors: quotas of control groups read from folders made up here, and the affinity.
#include "engine/threads/processors.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

#ifdef __linux__
#include <sched.h>
#endif

#include "check.hpp"

using namespace vest;

namespace {

namespace fs = std::filesystem;

/// The root folder of a system that does not exist.
class FakeRoot {
 public:
  FakeRoot() : path_(fs::temp_directory_path() / ("vest-root-" + std::to_string(getpid()))) {
    fs::remove_all(path_);
  }
  ~FakeRoot() { fs::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  FakeRoot& write(const std::string& name, const std::string& text) {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return *this;
  }
  [[nodiscard]] double quota() const { return cpu_quota(path_); }

 private:
  fs::path path_;
};

const std::string kMount2 =
    "24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string kMount1 =
    "33 24 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "34 24 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:12 - cgroup cgroup rw,cpu,cpuacct\n";

void without_control_groups_there_is_no_quota() {
  CHECK(FakeRoot().quota() == kNoQuota);
  CHECK(FakeRoot().write("proc/self/cgroup", "0::/\n").quota() == kNoQuota);  // not mounted
}

void version_2_is_read() {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/\n").write("proc/self/mountinfo", kMount2);
  CHECK(root.quota() == kNoQuota);  // no file
  CHECK(root.write("sys/fs/cgroup/cpu.max", "max 100000\n").quota() == kNoQuota);
  CHECK(root.write("sys/fs/cgroup/cpu.max", "150000 100000\n").quota() == 1.5);
  CHECK(root.write("sys/fs/cgroup/cpu.max", "20000 100000\n").quota() == 0.2);
}

void version_1_is_read() {
  FakeRoot root;
  root.write("proc/self/cgroup", "5:cpuset:/set\n4:cpu,cpuacct:/job\n1:name=systemd:/\n");
  root.write("proc/self/mountinfo", kMount1);
  const std::string job = "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_";
  CHECK(root.quota() == kNoQuota);
  root.write(job + "period_us", "50000\n");
  CHECK(root.write(job + "quota_us", "-1\n").quota() == kNoQuota);
  CHECK(root.write(job + "quota_us", "150000\n").quota() == 3.0);
}

/// What an outer group may not use, the groups in it may not either.
void the_least_quota_of_nested_groups_counts() {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/outer/middle/inner\n");
  root.write("proc/self/mountinfo", kMount2);
  root.write("sys/fs/cgroup/outer/middle/inner/cpu.max", "400000 100000\n");
  CHECK(root.quota() == 4.0);
  root.write("sys/fs/cgroup/outer/middle/cpu.max", "max 100000\n");
  CHECK(root.quota() == 4.0);
  root.write("sys/fs/cgroup/outer/cpu.max", "200000 100000\n");
  CHECK(root.quota() == 2.0);
  root.write("sys/fs/cgroup/other/cpu.max", "100000 100000\n");  // not ours
  CHECK(root.quota() == 2.0);
}

/// In a container the mount may show the container's own group at its top, under its full name.
void a_mount_may_begin_at_the_group_itself() {
  FakeRoot root;
  root.write("proc/self/cgroup", "4:cpu,cpuacct:/docker/abc\n");
  root.write("proc/self/mountinfo",
             "34 24 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup c rw,cpu\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  CHECK(root.quota() == 2.0);
  root.write("proc/self/cgroup", "4:cpu,cpuacct:/elsewhere\n");  // then its top is all we can see
  CHECK(root.quota() == 2.0);
}

void with_both_versions_the_lesser_quota_counts() {
  FakeRoot root;
  root.write("proc/self/cgroup", "4:cpu,cpuacct:/\n0::/\n");
  root.write("proc/self/mountinfo", kMount1 + kMount2);
  root.write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  CHECK(root.quota() == 2.0);
}

void what_makes_no_sense_limits_nothing() {
  FakeRoot root;
  root.write("proc/self/cgroup", "nonsense\n\n0:\n0::/\n")
      .write("proc/self/mountinfo", "x\n" + kMount2);
  for (const char* text : {"", "many few\n", "100000\n", "0 100000\n", "100000 0\n", "-1 100000\n"})
    CHECK(root.write("sys/fs/cgroup/cpu.max", text).quota() == kNoQuota);
}

void quotas_are_rounded_up_and_never_below_one() {
  const int all = usable_processors(kNoQuota);
  CHECK(all >= 1);
  CHECK(usable_processors(0.1) == 1);
  CHECK(usable_processors(1.0) == 1);
  CHECK(usable_processors(1.5) == std::min(all, 2));
  CHECK(usable_processors(all + 0.5) == all);
  CHECK(usable_processors() >= 1 && usable_processors() <= all);
}

void the_affinity_counts() {
#ifdef __linux__
  cpu_set_t before;
  if (sched_getaffinity(0, sizeof before, &before) != 0) return;  // a machine of over 1,024
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(usable_processors(kNoQuota) == 1);
  CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
  CHECK(usable_processors(kNoQuota) == CPU_COUNT(&before));
#endif
}

}  // namespace

int main() {
  RUN(without_control_groups_there_is_no_quota);
  RUN(version_2_is_read);
  RUN(version_1_is_read);
  RUN(the_least_quota_of_nested_groups_counts);
  RUN(a_mount_may_begin_at_the_group_itself);
  RUN(with_both_versions_the_lesser_quota_counts);
  RUN(what_makes_no_sense_limits_nothing);
  RUN(quotas_are_rounded_up_and_never_below_one);
  RUN(the_affinity_counts);
  return check::report();
}
