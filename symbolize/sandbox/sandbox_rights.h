// The rights that the child of the sandbox keeps: those of one user, with no capability; and no
// descriptor of its parent.
//
// For the calling process and for good; it must have one thread. Call before RestrictSystemCalls.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "symbolize/symbolizer.h"

namespace gprofx {

// Becomes `reader`. Without one the process keeps its user, and root keeps CAP_DAC_READ_SEARCH for
// its own programs. Fails if a right is left that had to go: then no file may be opened.
Status KeepRightsOf(const std::optional<FileReader>& reader);

// Closes the descriptors from this one on.
void CloseFrom(int first);

// Gives up all capabilities but those in `kept` (bits as in capget(2)), also for programs that it
// runs.
Status DropCapabilities(uint64_t kept);

}  // namespace gprofx
