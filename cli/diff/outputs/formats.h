// Formats a comparison for CI systems. All functions are pure and escape names for their format,
// because names may contain any byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/diff/diff.h"
#include "cli/diff/outputs/notices.h"
#include "cli/diff/outputs/place.h"

namespace gprofx {

// Returns JUnit XML. With rules, there is one test case for each rule. Without rules, there is one
// case each for the whole program, for the work done, for each regression, and for all other
// functions and kernels together. Undecided results are errors.
std::string DiffJunit(const compare::Diff& diff, const DiffOptions& options,
                      const DiffSurroundings& around);
// Escapes text for XML elements and for attributes in double quotes.
std::string XmlText(std::string_view text);

// Returns SARIF 2.1.0, with at most the 5,000 results that GitHub keeps.
std::string DiffSarif(const compare::Diff& diff, const DiffOptions& options,
                      const OutputPlace& place);

// Return GitLab's code quality format, and metrics in the text format of OpenMetrics.
std::string DiffGitlab(const compare::Diff& diff, const DiffOptions& options,
                       const OutputPlace& place);
std::string NoticesGitlab(const std::vector<Notice>& notices, const OutputPlace& place);
std::string DiffMetrics(const compare::Diff& diff);
// Escapes a text for use as the value of a label, between its quotes.
std::string MetricLabel(std::string_view text);

// Return workflow commands for GitHub, one for each annotation. There are at most 10 errors and 10
// warnings.
std::string DiffAnnotations(const compare::Diff& diff, const DiffOptions& options,
                            const OutputPlace& place);
std::string NoticesAnnotations(const std::vector<Notice>& notices, const OutputPlace& place);
std::string CommandText(std::string_view text);  // escapes the text after "::"
// Escapes a text for use as the value of a property, such as "title=".
std::string CommandProperty(std::string_view text);

// Returns Markdown for GitHub, at most `most_bytes` long.
std::string DiffMarkdown(const compare::Diff& diff, const DiffOptions& options,
                         const DiffSurroundings& around, size_t most_bytes);
std::string MarkdownText(std::string_view text);

}  // namespace gprofx
