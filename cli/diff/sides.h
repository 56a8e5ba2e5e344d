// Reads the two sides of a comparison: turns operands of the command line into runs that can be
// compared. Blocking. One thread per core, at most 8, reads profiles and keeps only a compare::Run
// of each.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/compare/run.h"

namespace gprofx {

inline constexpr char kDiffCommand[] = "gprof-x diff";

// Returns the profiles of a side. An operand is a file, a folder (its .gprofx files, sorted by
// name) or "baseline:NAME" (the stored files of that baseline).
Result<std::vector<std::string>> ProfilesOf(const std::vector<std::string>& operands);

// Reads all files and shows progress on a terminal. Returns the error of the first file that cannot
// be read. With `findings`, also searches each file for findings, which takes as long as `gprof-x
// analyze --findings`.
Result<std::vector<compare::Run>> ReadRuns(const std::vector<std::string>& files,
                                           CodeView code = CodeView::kPython,
                                           bool findings = false);

struct Sides {
  std::vector<compare::Run> base, head;
};
// Reads both sides at the same time. Two files then take no longer than one. If steps are compared,
// the data outside of steps may be skipped; Run::has_whole is then false.
Result<Sides> ReadSides(const std::vector<std::string>& base, const std::vector<std::string>& head,
                        CodeView code, bool findings = false);

}  // namespace gprofx
