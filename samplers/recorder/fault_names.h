// Symbolizes the stack of a fault that ended a process. Blocking; forks (symbolize/symbolizer.h).
#pragma once

#include <string>
#include <vector>

#include "samplers/collector/processes/faults.h"
#include "symbolize/symbolizer.h"

namespace gprofx::recorder {

inline constexpr size_t kShownFrames = 6;

// Names the innermost kShownFrames frames: "function (library+0x1f0)", "library+0x1f0" if no name
// is known, or the address if there is no library.
std::vector<std::string> NamesOf(const Fault& fault, SymbolizeOptions options,
                                 const std::optional<FileReader>& reader = {});

// True if our own code, or CUPTI, which is loaded for us, is on the stack.
bool IsNearUs(const Fault& fault);

}  // namespace gprofx::recorder
