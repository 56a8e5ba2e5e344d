// Makes an HTML page of a comparison. It has a flame graph of both sides, in which color marks
// significant changes and gray everything else, and tables of what changed. It is made from the
// scripts and styles of the profile page (cli/report/html) and of this folder.
#pragma once

#include <string>

#include "cli/diff/diff.h"
#include "cli/report/html/document.h"
#include "core/base/result.h"
#include "core/compare/tree_diff.h"

namespace gprofx {

// Returns the whole HTML document. Reads the call trees from the files in `around`, one file after
// the other. Errors are one line. Blocking.
Result<std::string> DiffPage(const compare::Diff& diff, const DiffOptions& options,
                             const DiffSurroundings& around);

// Returns an element with the data of such a page, for a page of several comparisons
// (DataElement()). It has at most `most_bytes`, if a few hundred stacks fit into them.
Result<std::string> DiffDataElement(const std::string& id, const compare::Diff& diff,
                                    const DiffOptions& options, const DiffSurroundings& around,
                                    size_t most_bytes);

// Returns the HTML document for call trees that are already read. Includes only the largest stacks,
// as many as fit into `most_bytes`. Pure.
std::string RenderDiffPage(const compare::Diff& diff, const DiffOptions& options,
                           const DiffSurroundings& around, const compare::TreeMerge& trees,
                           size_t most_bytes);

PageData DiffPageData(const compare::Diff& diff, const DiffOptions& options,
                      const DiffSurroundings& around, const compare::TreeDiff& tree);

// Returns the renamed functions, base name -> head name, as keys for compare::TreeMerge.
std::map<std::string, std::string> RenamedKeys(const compare::Diff& diff);

}  // namespace gprofx
