// Writes a comparison to files for CI systems and as a page for a browser, in addition to the text.
//
// A file appears only when it is complete and replaces an existing file of that name; a profile is
// never overwritten. One of them may be "-", standard output, in place of the text. Blocking; one
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
struct OutputPlace;  // cli/diff/outputs/place.h

struct DiffOutputs {
  std::string junit, sarif, gitlab, metrics, markdown, html;  // "" = not asked for
  bool github = false;
  CodeView code = CodeView::kPython;  // code view of the compared functions, for the page
  // Roots of the source tree that paths are relative to; empty = the working directory.
  std::vector<std::string> roots;

  // True if an output uses standard output, so that the text is not printed.
  bool TakesStdout() const;
};

inline constexpr OptionSpec kOutputSpecs[] = {
    {"junit", "FILE", nullptr, "Write JUnit XML to FILE, for the test list of a CI system."},
    {"sarif", "FILE", nullptr, "Write SARIF 2.1.0 to FILE, for code scanning."},
    {"gitlab", "FILE", nullptr, "Write a code quality report for GitLab to FILE."},
    {"metrics", "FILE", nullptr, "Write a metrics report (OpenMetrics) for GitLab to FILE."},
    {"md", "FILE", nullptr, "Write a summary in Markdown to FILE."},
    {"html", "FILE", nullptr, "Write an HTML page with the flame graph of both sides to FILE."},
    {"github", nullptr, nullptr,
     "Print annotations for GitHub Actions and write its step summary."},
};

// Returns the options `own` of a command with kOutputSpecs inserted before --help.
template <size_t n>
constexpr std::array<OptionSpec, n + std::size(kOutputSpecs)> WithOutputs(
    const OptionSpec (&own)[n]) {
  std::array<OptionSpec, n + std::size(kOutputSpecs)> all{};
  size_t at = 0;
  for (const OptionSpec& spec : own) {
    if (std::string_view(spec.names) == "help,h") {
      for (const OptionSpec& output : kOutputSpecs) all[at++] = output;
    }
    all[at++] = spec;
  }
  return all;
}

// Parses the options of kOutputSpecs and --json. Also checks that the files can be overwritten.
Result<DiffOutputs> ParseOutputs(const ParsedOptions& parsed);

// Makes the outputs of a comparison on request. Every function is pure, except that Text may read
// profiles for a page.
class OutputSource {
 public:
  virtual ~OutputSource() = default;
  // `which` is any file but `markdown`.
  virtual Result<std::string> Text(std::string DiffOutputs::*which,
                                   const OutputPlace& place) const = 0;
  virtual std::string Markdown(size_t most_bytes) const = 0;
  virtual std::string Annotations(const OutputPlace& place) const = 0;  // for --github
};

// Writes everything that `outputs` requests. `json`: standard output is JSON. `profiles`: of the
// head; the first one stands for code outside of the source tree.
Status WriteOutputs(const OutputSource& source, const DiffOutputs& outputs, bool json,
                    const std::vector<std::string>& profiles);

// Writes everything that options.outputs requests. --html reads the profiles that `around` names
// again. --github appends the summary to the file that $GITHUB_STEP_SUMMARY names. With --github
// the caller must pass other output through GithubQuoted, so that the runner does not interpret it
// as commands.
Status WriteDiffOutputs(const compare::Diff& diff, const DiffOptions& options,
                        const DiffSurroundings& around);

// Returns `text` between lines that stop GitHub's runner from interpreting it as commands.
std::string GithubQuoted(const std::string& text);

}  // namespace gprofx
