// A comparison as one HTML page: a flame graph of both sides in which colour means that a change is
// significant and grey that it is not, and tables of what changed.
//
// Its parts are those of the page of a profile (cli/report/html) and the files of this folder.
#pragma once

#include <string>

#include "cli/diff/diff.h"
#include "cli/report/html/document.h"
#include "core/base/result.h"
#include "core/compare/tree_diff.h"

namespace gprofx {

// The whole document; the call trees are read from the files that `around` names, one after the
// other. The error is one line. Blocking.
Result<std::string> DiffPage(const compare::Diff& diff, const DiffOptions& options,
                             const DiffSurroundings& around);

// The same of trees that are there. Pure. The largest stacks are in the page, so many that it has
// no more than `most_bytes`.
std::string RenderDiffPage(const compare::Diff& diff, const DiffOptions& options,
                           const DiffSurroundings& around, const compare::TreeMerge& trees,
                           size_t most_bytes);

PageData DiffPageData(const compare::Diff& diff, const DiffOptions& options,
                      const DiffSurroundings& around, const compare::TreeDiff& tree);

// What merging needs to know of functions that have a new name: keys of the base -> of the head.
std::map<std::string, std::string> RenamedKeys(const compare::Diff& diff);

}  // namespace gprofx
