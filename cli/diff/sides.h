// The two sides of a comparison, from what the command line names to runs that can be compared.
//
// Blocking. Profiles are read by a thread for each core, and a run is what is kept of them.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/compare/run.h"

namespace gprofx {

// The profiles that a side consists of: files as they are named, folders as the .gprofx files in
// them, by name, "baseline:NAME" as what is kept of it.
Result<std::vector<std::string>> ProfilesOf(const std::vector<std::string>& operands);

// Reads each; shows on a terminal which one. The error is that of the first that cannot be read.
// `findings`: looks for them in each, which takes as long as `gprof-x analyze --findings`.
Result<std::vector<compare::Run>> ReadRuns(const std::vector<std::string>& files,
                                           CodeView code = CodeView::kPython,
                                           bool findings = false);

struct Sides {
  std::vector<compare::Run> base, head;
};
// Both at once: one of two files takes no longer than a file. Where steps are compared, what the
// runs did as a whole may not be read (Run::has_whole).
Result<Sides> ReadSides(const std::vector<std::string>& base, const std::vector<std::string>& head,
                        CodeView code, bool findings = false);

}  // namespace gprofx
