// Whose rights open the files of modules while names are looked up (symbolize/symbolizer.h).
//
// A recorder that is root can have processes of other users, who choose what their modules are
// called. Pure.
#pragma once

#include <optional>
#include <vector>

#include "core/profile.h"
#include "samplers/collector/procfs.h"
#include "symbolize/symbolizer.h"

namespace gprofx {

// By ProcessId; nothing: the process was gone before it could be asked.
using ProcessUsers = std::vector<std::optional<ProcessUser>>;

class FileReaders {
 public:
  FileReaders() = default;  // our own rights for all
  // Of `raw` only the ranges of modules are read. `own`: the effective user of this process.
  FileReaders(const Profile& raw, const ProcessUsers& users, uid_t own);

  // Nothing: our own rights, as all processes that have mapped the module are ours. Else those of
  // their user, or where there are several what everybody may read.
  std::optional<FileReader> Of(ModuleId module) const;
  // ... as if all processes had mapped it.
  std::optional<FileReader> OfAll() const { return all_; }

 private:
  std::optional<FileReader> all_;
  std::vector<std::optional<FileReader>> by_module_;  // empty: our own rights for all
};

}  // namespace gprofx
