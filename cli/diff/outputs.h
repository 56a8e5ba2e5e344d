// Where a comparison is written to beside the text: files for CI systems and a page for a browser.
//
// A file appears when it is whole and replaces one of the same name; a profile is never written
// over. One of them may be "-", the standard output, in the place of the text. Blocking; one
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/options.h"
#include "core/base/result.h"
#include "core/compare/diff.h"
#include "core/views/query.h"

namespace gprofx {

struct DiffOptions;  // cli/diff/diff.h
struct DiffSurroundings;

struct DiffOutputs {
  std::string junit, sarif, gitlab, metrics, markdown, html;  // "" = not asked for
  bool github = false;
  CodeView code = CodeView::kPython;  // whose functions were compared, for the page
  // Tops of the source tree that paths are told relative to; none = the working directory.
  std::vector<std::string> roots;

  // The standard output is taken: the text is not printed.
  bool TakesStdout() const;
};

inline constexpr OptionSpec kOutputSpecs[] = {
    {"junit", "FILE", nullptr, "writes JUnit XML, for the list of tests of a CI system"},
    {"sarif", "FILE", nullptr, "writes SARIF 2.1.0, for code scanning"},
    {"gitlab", "FILE", nullptr, "writes a code quality report of GitLab"},
    {"metrics", "FILE", nullptr, "writes a metrics report of GitLab (OpenMetrics)"},
    {"md", "FILE", nullptr, "writes a summary in Markdown"},
    {"html", "FILE", nullptr, "writes a page with the flame graph of both sides"},
    {"github", nullptr, nullptr, "annotations and the step summary of GitHub Actions"},
};

// The options of a command, and those of its outputs before the last, which is --help.
template <size_t n>
constexpr std::array<OptionSpec, n + std::size(kOutputSpecs)> WithOutputs(
    const OptionSpec (&own)[n]) {
  std::array<OptionSpec, n + std::size(kOutputSpecs)> all{};
  for (size_t i = 0; i + 1 < n; ++i) all[i] = own[i];
  for (size_t i = 0; i < std::size(kOutputSpecs); ++i) all[n - 1 + i] = kOutputSpecs[i];
  all[all.size() - 1] = own[n - 1];
  return all;
}

// Of the options above and of --json. Asks as well whether the files can be written over.
Result<DiffOutputs> ParseOutputs(const ParsedOptions& parsed);

// All that options.outputs asks for. For --html the profiles that `around` names are read again.
// With --github the summary is added to the file that $GITHUB_STEP_SUMMARY names.
// The other output should not hold commands of the runner then: GithubQuoted.
Status WriteDiffOutputs(const compare::Diff& diff, const DiffOptions& options,
                        const DiffSurroundings& around);

// `text` between lines that tell GitHub's runner to take no part of it for a command.
std::string GithubQuoted(const std::string& text);

}  // namespace gprofx
