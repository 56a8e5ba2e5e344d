// Whose rights open the files of modules while names are looked up (symbolize/symbolizer.h).
//
// A recorder that is root can record processes of other users, who choose the paths of their
// modules. Pure.
#pragma once

#include <optional>
#include <vector>

#include "core/model/profile.h"
#include "samplers/collector/processes/procfs.h"
#include "symbolize/symbolizer.h"

namespace gprofx::recorder {

// By ProcessId; nothing: the process ended before it could be asked. Only processes that joined as
// the recorder's own user have none, but such a process may have become another user since. A group
// of kAnybody: the user is known, his groups are not.
using ProcessUsers = std::vector<std::optional<ProcessUser>>;

class FileReaders {
 public:
  FileReaders() = default;  // our own rights for all
  // Of `raw` only the ranges of modules are read. `own`: the effective user of this process.
  FileReaders(const Profile& raw, const ProcessUsers& users, uid_t own);

  // Nothing: our own rights, because all known processes that have mapped the module are ours. Else
  // the rights of their user, with the groups that all of his processes have; kAnybody if they
  // belong to several users or if none is known.
  std::optional<FileReader> Of(ModuleId module) const;
  // The same of a module that all processes have mapped; kAnybody also if some of them are unknown.
  std::optional<FileReader> OfAll() const { return all_; }

 private:
  std::optional<FileReader> all_;
  std::vector<std::optional<FileReader>> by_module_;  // empty: our own rights for all
};

}  // namespace gprofx::recorder
