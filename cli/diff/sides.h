// Reads the two sides of a comparison: operands of the command line in, comparable runs out.
//
// Blocking. One thread per core, at most 8, reads profiles and keeps only a compare::Run of each.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/compare/run.h"

namespace gprofx {

inline constexpr char kDiffCommand[] = "gprof-x diff";

// Returns the profiles of a side. An operand is a file, a folder or "baseline:NAME". A folder
// stands for its .gprofx files, by name, and "baseline:NAME" for the stored files of that baseline.
Result<std::vector<std::string>> ProfilesOf(const std::vector<std::string>& operands);

// Reads each file and shows progress on a terminal. Returns the error of the first file that cannot
// be read. With `findings`, also searches each for findings, which takes as long as `gprof-x
// analyze --findings`.
Result<std::vector<compare::Run>> ReadRuns(const std::vector<std::string>& files,
                                           CodeView code = CodeView::kPython,
                                           bool findings = false);

struct Sides {
  std::vector<compare::Run> base, head;
};
// Reads both sides concurrently, so two sides of one file each take no longer than a single file.
// If steps are compared, data outside of the steps may be skipped; Run::has_whole is false then.
Result<Sides> ReadSides(const std::vector<std::string>& base, const std::vector<std::string>& head,
                        CodeView code, bool findings = false);

}  // namespace gprofx
