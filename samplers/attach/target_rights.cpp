#include "samplers/attach/target_rights.h"

#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/base/user_ids.h"

namespace gprofx::attach {
namespace {

// With this argument, setfsuid(2) and setfsgid(2) change nothing and return the present id.
constexpr auto kUnchanged = static_cast<uid_t>(-1);

FileRights OwnRights() {
  FileRights rights;
  rights.user = static_cast<uid_t>(setfsuid(kUnchanged));
  rights.group = static_cast<gid_t>(setfsgid(kUnchanged));
  const long count = syscall(SYS_getgroups, 0, nullptr);
  rights.groups.resize(count > 0 ? static_cast<size_t>(count) : 0);
  const long got = syscall(SYS_getgroups, rights.groups.size(), rights.groups.data());
  rights.groups.resize(got > 0 ? static_cast<size_t>(got) : 0);
  std::sort(rights.groups.begin(), rights.groups.end());
  return rights;
}

bool SetGroups(const std::vector<gid_t>& groups) {
  return syscall(SYS_setgroups, groups.size(), groups.data()) == 0;
}

__user_cap_header_struct OfThisThread() { return {_LINUX_CAPABILITY_VERSION_3, 0}; }

}  // namespace

std::optional<FileRights> RightsInStatus(std::string_view status) {
  auto ids = IdsInStatus(status);
  if (!ids) return std::nullopt;
  FileRights rights{ids->users.file_system, ids->groups.file_system, std::move(ids->supplementary)};
  std::sort(rights.groups.begin(), rights.groups.end());
  return rights;
}

TargetRights::TargetRights(const FileRights& rights) : before_(OwnRights()) {
  auto header = OfThisThread();
  if (syscall(SYS_capget, &header, capabilities_.data()) != 0) return;
  dumpable_ = prctl(PR_GET_DUMPABLE);
  changed_ = true;
  taken_ = Take(rights);
}

bool TargetRights::Take(const FileRights& rights) {
  constexpr uint32_t kToGoBack = 1u << CAP_SETUID | 1u << CAP_SETGID;
  const bool is_ordinary_user = capabilities_[0].effective == 0 && capabilities_[1].effective == 0;
  const bool is_own_user = before_.user == rights.user && before_.group == rights.group;
  if (is_ordinary_user) return is_own_user;
  if (before_.groups != rights.groups && !SetGroups(rights.groups)) {
    // Without CAP_SETGID our own groups remain. Accept that only if we act for our own user.
    if (errno != EPERM || !is_own_user) return false;
  }
  setfsgid(rights.group);
  setfsuid(rights.user);
  if (static_cast<gid_t>(setfsgid(kUnchanged)) != rights.group ||
      static_cast<uid_t>(setfsuid(kUnchanged)) != rights.user) {
    return false;
  }
  Capabilities kept = capabilities_;
  kept[0].effective &= kToGoBack;
  kept[1].effective = 0;
  auto header = OfThisThread();
  return syscall(SYS_capset, &header, kept.data()) == 0;
}

// Restores our rights. A right that cannot be restored stays lost.
TargetRights::~TargetRights() {
  if (!changed_) return;
  setfsuid(before_.user);
  setfsgid(before_.group);
  if (OwnRights().groups != before_.groups) SetGroups(before_.groups);
  auto header = OfThisThread();
  syscall(SYS_capset, &header, capabilities_.data());
  // Set the dumpable flag again. The kernel clears it when file-system ids change, but programs
  // that we record must be able to open our memory.
  if (dumpable_ == 1) prctl(PR_SET_DUMPABLE, 1);
}

}  // namespace gprofx::attach
