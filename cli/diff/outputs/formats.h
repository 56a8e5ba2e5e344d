// A comparison in the formats of CI systems. Every function is pure and makes all names harmless
// for its place: they may hold any byte.
#pragma once

#include <string>
#include <string_view>

#include "cli/diff/diff.h"
#include "cli/diff/outputs/place.h"

namespace gprofx {

// JUnit: a case for each rule; without rules for the whole, for what was done, for each regression
// and for all other functions and kernels. What cannot be told is an error.
std::string DiffJunit(const compare::Diff& diff, const DiffOptions& options,
                      const DiffSurroundings& around);
std::string XmlText(std::string_view text);  // for elements and for attributes in double quotes

// SARIF 2.1.0, within what GitHub keeps: 5,000 results.
std::string DiffSarif(const compare::Diff& diff, const DiffOptions& options,
                      const OutputPlace& place);

// GitLab: code quality, and metrics in the text format of OpenMetrics.
std::string DiffGitlab(const compare::Diff& diff, const DiffOptions& options,
                       const OutputPlace& place);
std::string DiffMetrics(const compare::Diff& diff);
std::string MetricLabel(std::string_view text);  // the value of a label, without its quotes

// GitHub: workflow commands of which each makes an annotation, 10 errors and 10 warnings at most.
std::string DiffAnnotations(const compare::Diff& diff, const DiffOptions& options,
                            const OutputPlace& place);
std::string CommandText(std::string_view text);      // behind "::"
std::string CommandProperty(std::string_view text);  // behind "title="

// GitHub's Markdown, `most_bytes` at most.
std::string DiffMarkdown(const compare::Diff& diff, const DiffOptions& options,
                         const DiffSurroundings& around, size_t most_bytes);
std::string MarkdownText(std::string_view text);

}  // namespace gprofx
