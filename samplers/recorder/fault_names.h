// A fault that ended a process, with names for its stack. Blocking; forks (symbolize/symbolizer.h).
#pragma once

#include <string>
#include <vector>

#include "samplers/collector/processes/faults.h"
#include "symbolize/symbolizer.h"

namespace gprofx::recorder {

inline constexpr size_t kShownFrames = 6;

// Of the inner frames: "function (library+0x1f0)", "library+0x1f0" where no name is known, the
// address where there is no library.
std::vector<std::string> NamesOf(const Fault& fault, SymbolizeOptions options,
                                 const std::optional<FileReader>& reader = {});

// Does our own code or CUPTI, which is there for us, lie on its stack?
bool IsNearUs(const Fault& fault);

}  // namespace gprofx::recorder
