#include "symbolize/sandbox/sandbox_rights.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace gprofx {
namespace {

Error Failed(const std::string& what) {
  return Error{ErrorId::kNoResources, "cannot " + what + ": " + std::strerror(errno)};
}

// Drops the capabilities that execve could give back. This needs CAP_SETPCAP; without it,
// PR_SET_NO_NEW_PRIVS alone keeps execve from giving them back.
void DropBoundingSet() {
  for (int capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0; ++capability) {
  }
}

}  // namespace

void CloseFrom(int first) {
  if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
  constexpr int kMaxDescriptors = 1 << 16;
  struct rlimit limit = {};  // for kernels before Linux 5.9
  const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kMaxDescriptors;
  const int end = known ? static_cast<int>(limit.rlim_cur) : kMaxDescriptors;
  for (int fd = first; fd < end; fd++) close(fd);
}

Status DropCapabilities(uint64_t kept) {
  DropBoundingSet();
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, words) != 0) return Failed("read its capabilities");
  bool any = false;  // a process without capabilities must not call capset
  for (uint32_t i = 0; i < _LINUX_CAPABILITY_U32S_3; ++i) {
    const uint32_t left = words[i].permitted & static_cast<uint32_t>(kept >> (32 * i));
    any = any || words[i].permitted != left || words[i].inheritable != 0;
    words[i] = {left, left, 0};
  }
  if (any && syscall(SYS_capset, &header, words) != 0) return Failed("drop its capabilities");
  return Ok();
}

Status KeepRightsOf(const std::optional<FileReader>& reader) {
  if (!reader) {
    return DropCapabilities(geteuid() == 0 ? uint64_t{1} << CAP_DAC_READ_SEARCH : 0);
  }
  DropBoundingSet();  // before CAP_SETPCAP itself is dropped
  if (setgroups(reader->groups.size(), reader->groups.data()) != 0 ||
      setresgid(reader->group, reader->group, reader->group) != 0 ||
      setresuid(reader->user, reader->user, reader->user) != 0) {
    return Failed("become user " + std::to_string(reader->user));
  }
  return DropCapabilities(0);
}

}  // namespace gprofx
