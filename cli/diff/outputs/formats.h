// A comparison in the formats of CI systems. Every function is pure and escapes all names for its
// format: names may hold any byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/diff/diff.h"
#include "cli/diff/outputs/notices.h"
#include "cli/diff/outputs/place.h"

namespace gprofx {

// JUnit: one case for each rule. Without rules, one case each for the whole, for the work done, for
// each regression, and for all other functions and kernels. Undecided results are errors.
std::string DiffJunit(const compare::Diff& diff, const DiffOptions& options,
                      const DiffSurroundings& around);
std::string XmlText(std::string_view text);  // for elements and for attributes in double quotes

// SARIF 2.1.0, within GitHub's limit of 5,000 results.
std::string DiffSarif(const compare::Diff& diff, const DiffOptions& options,
                      const OutputPlace& place);

// GitLab: code quality, and metrics in the text format of OpenMetrics.
std::string DiffGitlab(const compare::Diff& diff, const DiffOptions& options,
                       const OutputPlace& place);
std::string NoticesGitlab(const std::vector<Notice>& notices, const OutputPlace& place);
std::string DiffMetrics(const compare::Diff& diff);
std::string MetricLabel(std::string_view text);  // the value of a label, without its quotes

// GitHub workflow commands, one for each annotation: at most 10 errors and 10 warnings.
std::string DiffAnnotations(const compare::Diff& diff, const DiffOptions& options,
                            const OutputPlace& place);
std::string NoticesAnnotations(const std::vector<Notice>& notices, const OutputPlace& place);
std::string CommandText(std::string_view text);      // after "::"
std::string CommandProperty(std::string_view text);  // after "title="

// GitHub's Markdown, at most `most_bytes`.
std::string DiffMarkdown(const compare::Diff& diff, const DiffOptions& options,
                         const DiffSurroundings& around, size_t most_bytes);
std::string MarkdownText(std::string_view text);

}  // namespace gprofx
