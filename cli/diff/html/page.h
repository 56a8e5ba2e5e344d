// A comparison as one HTML page: a flame graph of both sides, where color marks significant changes
// and gray marks all others, and tables of what changed.
//
// Built from the files of the profile page (cli/report/html) and those of this folder.
#pragma once

#include <string>

#include "cli/diff/diff.h"
#include "cli/report/html/document.h"
#include "core/base/result.h"
#include "core/compare/tree_diff.h"

namespace gprofx {

// Returns the whole document. Reads the call trees from the files that `around` names, one after
// the other. Errors are one line. Blocking.
Result<std::string> DiffPage(const compare::Diff& diff, const DiffOptions& options,
                             const DiffSurroundings& around);

// Like DiffPage, for trees that are already read. Pure. Includes the largest stacks, as many as fit
// into `most_bytes`.
std::string RenderDiffPage(const compare::Diff& diff, const DiffOptions& options,
                           const DiffSurroundings& around, const compare::TreeMerge& trees,
                           size_t most_bytes);

PageData DiffPageData(const compare::Diff& diff, const DiffOptions& options,
                      const DiffSurroundings& around, const compare::TreeDiff& tree);

// Returns the keys of renamed functions, base -> head, for compare::TreeMerge.
std::map<std::string, std::string> RenamedKeys(const compare::Diff& diff);

}  // namespace gprofx
