#include "samplers/attach/target_rights.h"

#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace gprofx {
namespace {

constexpr auto kNobody = static_cast<uid_t>(-1);  // asks setfsuid(2) for what is set

// The words of the line "Name:".
std::vector<uint32_t> NumbersOf(std::string_view status, std::string_view name) {
  std::vector<uint32_t> numbers;
  const size_t at = status.find(name);
  if (at == std::string_view::npos) return numbers;
  std::string_view line = status.substr(at + name.size());
  line = line.substr(0, line.find('\n'));
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    uint32_t number = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), number);
    if (read.ec != std::errc()) return numbers;
    numbers.push_back(number);
    line.remove_prefix(static_cast<size_t>(read.ptr - line.data()));
  }
}

FileRights OwnRights() {
  FileRights rights;
  rights.user = static_cast<uid_t>(setfsuid(kNobody));
  rights.group = static_cast<gid_t>(setfsgid(kNobody));
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
  // Real, effective, saved and file-system id.
  const std::vector<uint32_t> users = NumbersOf(status, "\nUid:");
  const std::vector<uint32_t> groups = NumbersOf(status, "\nGid:");
  if (users.size() != 4 || groups.size() != 4) return std::nullopt;
  FileRights rights{users[3], groups[3], NumbersOf(status, "\nGroups:")};
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
  if (is_ordinary_user) return before_.user == rights.user && before_.group == rights.group;
  if (before_.groups != rights.groups && !SetGroups(rights.groups)) return false;
  setfsgid(rights.group);
  setfsuid(rights.user);
  if (static_cast<gid_t>(setfsgid(kNobody)) != rights.group ||
      static_cast<uid_t>(setfsuid(kNobody)) != rights.user) {
    return false;
  }
  Capabilities kept = capabilities_;
  kept[0].effective &= kToGoBack;
  kept[1].effective = 0;
  auto header = OfThisThread();
  return syscall(SYS_capset, &header, kept.data()) == 0;
}

// What cannot be put back is a right less.
TargetRights::~TargetRights() {
  if (!changed_) return;
  setfsuid(before_.user);
  setfsgid(before_.group);
  if (OwnRights().groups != before_.groups) SetGroups(before_.groups);
  auto header = OfThisThread();
  syscall(SYS_capset, &header, capabilities_.data());
  // The kernel clears it where file-system ids change, and programs that we record open our memory.
  if (dumpable_ == 1) prctl(PR_SET_DUMPABLE, 1);
}

}  // namespace gprofx
