// Symbolizes the stack of a fault that ended a process. Blocks and forks (symbolize/symbolizer.h).
#pragma once

#include <string>
#include <vector>

#include "samplers/collector/processes/faults.h"
#include "symbolize/symbolizer.h"

namespace gprofx::recorder {

inline constexpr size_t kShownFrames = 6;

// Returns the names of the innermost kShownFrames frames. A name has the form "function
// (library+0x1f0)", or "library+0x1f0" if no function is known. A frame that is in no library has
// its address as its name.
std::vector<std::string> NamesOf(const Fault& fault, SymbolizeOptions options,
                                 const std::optional<FileReader>& reader = {});

// True if our own code is on the stack, or CUPTI, which is loaded because of us. The recording may
// then have caused the fault.
bool IsNearUs(const Fault& fault);

}  // namespace gprofx::recorder
