// Writes a comparison to files, in addition to the text: in formats for CI systems, and as a page
// for a browser.
//
// A file appears only when it is complete. It replaces an existing file of that name, except a
// profile. One file may be "-": it is then printed to standard output in place of the text.
// Blocking; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/options/shared.h"
#include "core/base/result.h"
#include "core/compare/diff.h"
#include "core/views/query.h"

namespace gprofx {

struct DiffOptions;  // cli/diff/diff.h
struct DiffSurroundings;
struct OutputPlace;  // cli/diff/outputs/place.h

struct DiffOutputs {
  std::string junit, sarif, gitlab, metrics, markdown, html;  // file names; "" = not requested
  bool github = false;
  CodeView code = CodeView::kPython;  // the view of the code that the page shows
  // Roots of the source tree, relative to which files are named; empty = the working directory.
  std::vector<std::string> roots;

  // True if one of the files is standard output. The text is then not printed.
  bool TakesStdout() const;
};

inline constexpr OptionSpec kOutputSpecs[] = {
    {"junit", "FILE", nullptr, "Write JUnit XML to FILE, for the test list of a CI system."},
    option::Sarif("Write SARIF 2.1.0 to FILE, for code scanning."),
    {"gitlab", "FILE", nullptr, "Write a code quality report for GitLab to FILE."},
    {"metrics", "FILE", nullptr, "Write a metrics report (OpenMetrics) for GitLab to FILE."},
    {"md", "FILE", nullptr, "Write a summary in Markdown to FILE."},
    option::Html("Write an HTML page with the flame graph of both sides to FILE."),
    {"github", nullptr, nullptr,
     "Print annotations for GitHub Actions, and append a summary to the step summary."},
};

// Returns the options of a command: `own`, with kOutputSpecs inserted before --help.
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

// Parses the options in kOutputSpecs and --json. Fails if two of them write the same file, or if a
// file must not be overwritten.
Result<DiffOutputs> ParseOutputs(const ParsedOptions& parsed);

// Makes the content of the outputs when they are needed. All functions are pure, except that Text()
// may read profiles for a page.
class OutputSource {
 public:
  virtual ~OutputSource() = default;
  // Returns the content of the file whose name is in the member `which`. `which` must not be
  // `markdown`.
  virtual Result<std::string> Text(std::string DiffOutputs::*which,
                                   const OutputPlace& place) const = 0;
  virtual std::string Markdown(size_t most_bytes) const = 0;
  // The annotations for --github.
  virtual std::string Annotations(const OutputPlace& place) const = 0;
};

// Writes everything that `outputs` requests. `json` is true if standard output is JSON. `profiles`
// are the profiles of the head; a notice about code outside of the source tree is shown at the
// first one.
Status WriteOutputs(const OutputSource& source, const DiffOutputs& outputs, bool json,
                    const std::vector<std::string>& profiles);

// Writes everything that options.outputs requests. For --html, reads the profiles in `around`
// again. For --github, appends the summary to the file that $GITHUB_STEP_SUMMARY names. The caller
// must then pass other output through GithubQuoted(), or the runner may interpret it as commands.
Status WriteDiffOutputs(const compare::Diff& diff, const DiffOptions& options,
                        const DiffSurroundings& around);

// Returns `text` between two lines that keep GitHub's runner from interpreting it as commands.
std::string GithubQuoted(const std::string& text);

}  // namespace gprofx
