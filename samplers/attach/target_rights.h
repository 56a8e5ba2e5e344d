// Gives the calling thread the file rights of another process's user, and no others, during the
// lifetime of an object.
//
// File-system user and group, supplementary groups and capabilities become those of an unprivileged
// process of that user. Even for a process of root no file-related capability remains. User
// namespaces do not matter: the ids are those that we see, which a process that is root in its own
// namespace cannot choose. If we run unprivileged, the thread keeps its rights, and this succeeds
// only for a process of our own user. Without CAP_SETGID the thread keeps its own supplementary
// groups, and this succeeds only for a process of our own user and group.
//
// All of this is per thread and made by direct system calls, because the C library's functions
// change every thread. Signal handlers of this thread also run with these rights. Objects must not
// be nested.
#pragma once

#include <linux/capability.h>
#include <sys/types.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace gprofx::attach {

struct FileRights {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups;

  bool operator==(const FileRights&) const = default;
};

// Parses the text of a process's `status` file. Returns none if it contains no ids. Pure.
std::optional<FileRights> RightsInStatus(std::string_view status);

class TargetRights {
 public:
  explicit TargetRights(const FileRights& rights);
  ~TargetRights();
  TargetRights(const TargetRights&) = delete;
  TargetRights& operator=(const TargetRights&) = delete;

  // If false, the thread may not have these rights, and the caller must not touch the files.
  bool are_taken() const { return taken_; }

 private:
  using Capabilities = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;
  bool Take(const FileRights& rights);

  FileRights before_;
  Capabilities capabilities_{};
  int dumpable_ = 0;
  bool changed_ = false, taken_ = false;
};

}  // namespace gprofx::attach
