// The calling thread touches files with the rights of another process's user, and with no others,
// while an object of this class lives.
//
// File-system user and group, supplementary groups and capabilities are those of a process of that
// user without privileges; even for a process of root no capability is left that bears on files. A
// user namespace does not matter: the ids are those that we see, which a process that is root in a
// namespace of its own cannot choose. An ordinary user stays what he is: he may only act for
// himself. Where CAP_SETGID is missing the thread keeps its own supplementary groups, and may act
// only for its own user and group.
//
// All of it is per thread, done by system calls since the C library's functions change every
// thread. Signal handlers of this thread run with these rights, too. Not to be nested.
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

// Parses the file `status` of a process; nothing if it has no ids. Pure.
std::optional<FileRights> RightsInStatus(std::string_view status);

class TargetRights {
 public:
  explicit TargetRights(const FileRights& rights);
  ~TargetRights();
  TargetRights(const TargetRights&) = delete;
  TargetRights& operator=(const TargetRights&) = delete;

  // False: the thread may not take these rights; it must not touch the files.
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
