// Reduces the rights of the sandbox child to those of one user, without capabilities and without
// its parent's descriptors.
//
// The reduction is permanent for the calling process, which must be single-threaded. Call it before
// RestrictSystemCalls.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "symbolize/symbolizer.h"

namespace gprofx {

// Makes this process run as `reader`. Without a reader, the process keeps its user, and root keeps
// CAP_DAC_READ_SEARCH to read its own programs. Returns an error if a right that must be dropped is
// left; no file may be opened then.
Status KeepRightsOf(const std::optional<FileReader>& reader);

// Closes all descriptors with numbers from `first` on.
void CloseFrom(int first);

// Drops all capabilities except those in `kept` (bits as in capget(2)). Programs that this process
// executes do not get them back.
Status DropCapabilities(uint64_t kept);

}  // namespace gprofx
