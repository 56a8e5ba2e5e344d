// Prints the tables of a comparison as text: work done, kernels, functions, lines and operators.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/diff/diff.h"

namespace gprofx {

// Splits `text` into words and appends them to `words`. DiffLines() takes such words.
void AddWords(std::string_view text, std::vector<std::string>& words);

// Joins the words of a paragraph and wraps it to the width of the screen.
std::string DiffLines(const DiffSurroundings& around, const std::vector<std::string>& parts);

std::string IntervalText(const compare::Outcome& outcome);  // "" if the outcome was not tested

std::string DiffTablesText(const compare::Diff& diff, const DiffOptions& options,
                           const DiffSurroundings& around);

// Returns one row for each rule; "" if there are no rules.
std::string RulesText(const compare::Diff& diff, const DiffSurroundings& around);

}  // namespace gprofx
