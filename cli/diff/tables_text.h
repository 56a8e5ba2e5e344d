// Tables of a comparison as text: work done, kernels, functions, lines and operators. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/diff/diff.h"

namespace gprofx {

// Appends the words of `text`, as parts for DiffLines.
void AddWords(std::string_view text, std::vector<std::string>& words);

// Wraps the words of a paragraph to the screen width.
std::string DiffLines(const DiffSurroundings& around, const std::vector<std::string>& parts);

std::string IntervalText(const compare::Outcome& outcome);  // "" where it was not tested

std::string DiffTablesText(const compare::Diff& diff, const DiffOptions& options,
                           const DiffSurroundings& around);

// One row for each rule; "" without rules.
std::string RulesText(const compare::Diff& diff, const DiffSurroundings& around);

}  // namespace gprofx
