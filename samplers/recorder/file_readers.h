// Decides with which user's rights module files are opened during symbolizing
// (symbolize/symbolizer.h).
//
// A recorder that runs as root can record processes of other users. These choose the paths of their
// modules, so reading must not use root's rights. Pure.
#pragma once

#include <optional>
#include <vector>

#include "core/model/profile.h"
#include "samplers/collector/processes/procfs.h"
#include "symbolize/symbolizer.h"

namespace gprofx::recorder {

// The user of each process, indexed by ProcessId. Unset if the process ended before its user could
// be read. That happens only to processes that joined as the recorder's own user. Such a process
// may have changed its user later, so its user counts as unknown. The group of kAnybody means that
// the user is known and the groups are not.
using ProcessUsers = std::vector<std::optional<ProcessUser>>;

class FileReaders {
 public:
  // Our own rights are used for every module if we are not root, or if no process is known to
  // belong to another user.
  FileReaders() = default;
  // `raw` is needed only for its module ranges. `own` is the effective user of this process.
  FileReaders(const Profile& raw, const ProcessUsers& users, uid_t own);

  // Returns whose rights must be used to read a module.
  //  - No value means our own rights: all known processes that have mapped the module are ours.
  //  - Otherwise it is the user of these processes, with the groups that all processes of that user
  //    share.
  //  - If the processes belong to several users, or the users of all are unknown, it is kAnybody,
  //    an unprivileged user that owns no files.
  std::optional<FileReader> Of(ModuleId module) const;
  // Returns whose rights must be used for a module that all processes have mapped. The rules are
  // those of Of. In addition, it is kAnybody if the user of any process is unknown.
  std::optional<FileReader> OfAll() const { return all_; }

 private:
  std::optional<FileReader> all_;
  std::vector<std::optional<FileReader>> by_module_;  // empty: use our own rights for every module
};

// Returns, for each ProcessId::index(), whether source files that the process names may be read
// with our rights and stored.
//
// The process must belong to our user. If we are root, that must be certain, because root can read
// files that the user cannot. The process must also see our files: in another container or below
// another root, a path names another file. `processes` is the number of processes; the last ones
// may be missing in both lists.
std::vector<bool> ReadableSources(size_t processes, const ProcessUsers& users,
                                  const std::vector<std::optional<bool>>& sees_our_files,
                                  uid_t own);

}  // namespace gprofx::recorder
