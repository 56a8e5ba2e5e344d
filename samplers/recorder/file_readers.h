// Decides with which user's rights module files are opened during symbolizing
// (symbolize/symbolizer.h).
//
// A recorder running as root can record processes of other users, who choose the paths of their
// modules. Pure.
#pragma once

#include <optional>
#include <vector>

#include "core/model/profile.h"
#include "samplers/collector/processes/procfs.h"
#include "symbolize/symbolizer.h"

namespace gprofx::recorder {

// Indexed by ProcessId. Unset: the process ended before its user could be read. This happens only
// to processes that joined as the recorder's own user. Such a process may have changed its user
// later, so its user counts as unknown. A group of kAnybody means that the user is known and the
// groups are not.
using ProcessUsers = std::vector<std::optional<ProcessUser>>;

class FileReaders {
 public:
  FileReaders() = default;  // use our own rights for every module
  // Reads only the module ranges of `raw`. `own`: the effective user of this process.
  FileReaders(const Profile& raw, const ProcessUsers& users, uid_t own);

  // Returns no value for our own rights: all known processes that have mapped the module are ours.
  // Otherwise returns their user, with the groups that all processes of that user share. Returns
  // kAnybody if the processes belong to several users or none is known.
  std::optional<FileReader> Of(ModuleId module) const;
  // As Of, for a module that all processes have mapped. Also returns kAnybody if the user of any
  // process is unknown.
  std::optional<FileReader> OfAll() const { return all_; }

 private:
  std::optional<FileReader> all_;
  std::vector<std::optional<FileReader>> by_module_;  // empty: use our own rights for every module
};

// Returns, by ProcessId::index(), whether source files that a process names may be read with our
// rights and stored. Its user must be ours, and known to be if we are root, who can read files that
// the user cannot. In another container or below another root, a path names another file.
// `processes`: their number. Those at the end may be in neither of the lists.
std::vector<bool> ReadableSources(size_t processes, const ProcessUsers& users,
                                  const std::vector<std::optional<bool>>& sees_our_files,
                                  uid_t own);

}  // namespace gprofx::recorder
