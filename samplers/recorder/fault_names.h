// A fault that ended a process, with names for its stack. Blocking; forks (symbolize/symbolizer.h).
#pragma once

#include <string>
#include <vector>

#include "samplers/collector/faults.h"
#include "symbolize/symbolizer.h"

namespace gprofx {

// "function (library+0x1f0)" for each frame, "library+0x1f0" where no name is known, the address
// where there is no library.
std::vector<std::string> NamesOf(const Fault& fault, const SymbolizeOptions& options);

// Does our own code or CUPTI, which is there for us, lie on its stack?
bool IsNearUs(const Fault& fault);

}  // namespace gprofx
