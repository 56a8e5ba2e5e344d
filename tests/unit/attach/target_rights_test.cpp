// What root may do to files while it acts for another user. Needs root.
#include "samplers/attach/target_rights.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"

namespace gprofx::testing {
using namespace gprofx::attach;
namespace {

namespace fs = std::filesystem;

constexpr uid_t kUser = 12345;
constexpr gid_t kGroup = 12346, kOtherGroup = 12347;

class Folder {
 public:
  Folder() {
    char path[] = "/tmp/gprofx-rights-XXXXXX";
    path_ = mkdtemp(path);
    chmod(path_.c_str(), 0755);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string Add(const char* name, mode_t mode, uid_t user, gid_t group) const {
    const std::string path = (path_ / name).string();
    close(open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    REQUIRE(chown(path.c_str(), user, group) == 0);
    REQUIRE(chmod(path.c_str(), mode) == 0);
    return path;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool MayWrite(const std::string& path) {
  return static_cast<bool>(UniqueFd(open(path.c_str(), O_WRONLY | O_CLOEXEC)));
}

}  // namespace

TEST_CASE("rights are read from the file status of a process") {
  const auto rights = RightsInStatus(
      "Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nFDSize:\t64\nGroups:\t20 9 \nNStgid:\t1\n");
  REQUIRE(rights);
  CHECK(*rights == FileRights{4, 8, {9, 20}});
  CHECK(
      RightsInStatus("Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t \n")->groups.empty());
  CHECK_FALSE(RightsInStatus(""));
  CHECK_FALSE(RightsInStatus("Name:\tx\nUid:\t1\t2\t3\nGid:\t5\t6\t7\t8\n"));
}

TEST_CASE("a thread of root's has the rights of another user, and its own again afterwards") {
  if (geteuid() != 0) {
    std::puts("skipped: taking a user's rights needs root");
    return;
  }
  const Folder folder;
  const std::string roots = folder.Add("root", 0600, 0, 0),
                    users = folder.Add("user", 0600, kUser, 0);
  const std::string of_group = folder.Add("group", 0660, 0, kGroup);
  const std::string of_other = folder.Add("other", 0660, 0, kOtherGroup);
  const std::string of_roots_group = folder.Add("wheel", 0660, 0, 0);
  const auto groups = [] {
    gid_t list[64];
    const int count = getgroups(64, list);
    return std::vector<gid_t>(list, list + std::max(count, 0));
  };
  const std::vector<gid_t> before = groups();
  const gid_t own[] = {0};
  REQUIRE(setgroups(1, own) == 0);
  {
    const TargetRights rights({kUser, kGroup, {kOtherGroup}});
    REQUIRE(rights.are_taken());
    CHECK_FALSE(MayWrite(roots));
    CHECK_FALSE(MayWrite(of_roots_group));
    CHECK(MayWrite(users));
    CHECK(MayWrite(of_group));
    CHECK(MayWrite(of_other));
    CHECK(chown(users.c_str(), 0, 0) != 0);
    CHECK(mkdir((folder.path() / "new").c_str(), 0700) != 0);
  }
  CHECK(MayWrite(roots));
  CHECK(MayWrite(users));
  CHECK(groups() == std::vector<gid_t>{0});
  CHECK(prctl(PR_GET_DUMPABLE) == 1);
  CHECK(chown(users.c_str(), 0, 0) == 0);
  REQUIRE(setgroups(before.size(), before.data()) == 0);
}

TEST_CASE("without CAP_SETGID root acts with its own groups, and for nobody else") {
  if (geteuid() != 0) {
    std::puts("skipped: needs root");
    return;
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct all[_LINUX_CAPABILITY_U32S_3];
  REQUIRE(syscall(SYS_capget, &header, all) == 0);
  __user_cap_data_struct fewer[] = {all[0], all[1]};
  fewer[0].effective &= ~(1u << CAP_SETGID);
  REQUIRE(syscall(SYS_capset, &header, fewer) == 0);
  const bool acts_for_itself = TargetRights({0, getegid(), {kOtherGroup}}).are_taken();
  const bool acts_for_others = TargetRights({kUser, getegid(), {kOtherGroup}}).are_taken();
  const bool acts_for_groups = TargetRights({0, kGroup, {kOtherGroup}}).are_taken();
  REQUIRE(syscall(SYS_capset, &header, all) == 0);
  CHECK(acts_for_itself);
  CHECK_FALSE(acts_for_others);
  CHECK_FALSE(acts_for_groups);
}

TEST_CASE("root acting for a process of root has no capability that bears on files") {
  if (geteuid() != 0) {
    std::puts("skipped: needs root");
    return;
  }
  const Folder folder;
  const std::string users = folder.Add("user", 0600, kUser, kGroup);
  CHECK(MayWrite(users));
  const TargetRights rights({0, 0, {}});
  REQUIRE(rights.are_taken());
  CHECK_FALSE(MayWrite(users));
  CHECK(chown(users.c_str(), 0, 0) != 0);
}

}  // namespace gprofx::testing
