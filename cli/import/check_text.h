// Formats what `gprof-x import --check` prints: the contents of a trace, what an import takes from
// it, and what it leaves out. Pure.
#pragma once

#include <string>

#include "cli/terminal/screen.h"
#include "formats/importers/import.h"

namespace gprofx {

std::string CheckText(const importers::ImportedTrace& trace, const std::string& input,
                      const Screen& screen);

}  // namespace gprofx
