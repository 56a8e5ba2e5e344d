#include "cli/diff/outputs.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "cli/command.h"
#include "cli/diff/diff.h"
#include "cli/diff/html/page.h"
#include "cli/diff/outputs/formats.h"
#include "cli/diff/outputs/place.h"
#include "cli/text_file.h"
#include "core/base/file_io.h"
#include "core/base/format.h"
#include "core/base/path.h"
#include "core/base/unique_fd.h"
#include "formats/redaction/source_mode.h"

namespace gprofx {
namespace {

constexpr size_t kMaxSummary = 1 << 20;  // maximum size of a step's summary on GitHub, in bytes
constexpr char kStdout[] = "-";

struct FileOption {
  const char* name;
  std::string DiffOutputs::*path;
};
constexpr FileOption kFiles[] = {
    {"junit", &DiffOutputs::junit},   {"sarif", &DiffOutputs::sarif},
    {"gitlab", &DiffOutputs::gitlab}, {"metrics", &DiffOutputs::metrics},
    {"md", &DiffOutputs::markdown},   {"html", &DiffOutputs::html},
};

std::string WorkingFolder() {
  char* folder = getcwd(nullptr, 0);
  std::string name = folder != nullptr ? folder : "/";
  free(folder);
  return name;
}

// Returns an absolute path that does not depend on how the folder of a file is spelled. A symbolic
// link in the last component is not followed, because the link itself is replaced.
std::string ResolvedPath(const std::string& path) {
  if (path == kStdout) return path;
  const std::unique_ptr<char, void (*)(void*)> folder(realpath(FolderOf(path).c_str(), nullptr),
                                                      &free);
  if (folder == nullptr) return path;  // the folder does not exist, so writing will fail, too
  return std::string(folder.get()) + "/" + std::string(BaseName(path));
}

OutputPlace PlaceOf(const DiffOutputs& outputs, const std::vector<std::string>& profiles) {
  OutputPlace place;
  place.roots = outputs.roots;
  if (place.roots.empty()) place.roots.push_back(WorkingFolder());
  place.exists = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
  if (!profiles.empty()) {
    const std::string file = BelowRoots(profiles.front(), place);
    if (!file.empty()) place.fallback = file;
  }
  return place;
}

Status Write(int fd, const std::string& text, const std::string& what) {
  if (WriteAll(fd, text.data(), text.size())) return Ok();
  return Error{ErrorId::kCannotWrite, "cannot write " + what + ": " + strerror(errno),
               "check that the disk of the output is not full"};
}

Status WriteTo(const std::string& path, const std::string& text, const std::string& option) {
  return path == kStdout ? Write(STDOUT_FILENO, text, "the output")
                         : ReplaceTextFile(path, text, option);
}

// Appends the summary to the summary file of a step on GitHub, which all commands of the step
// share.
Status AddSummary(const std::string& path, const OutputSource& source) {
  // O_NONBLOCK: opening a pipe without a reader would block forever.
  const UniqueFd file(open(path.c_str(),
                           O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                           0644 & DerivedMode()));
  struct stat info;
  const bool is_there = file && fstat(file.get(), &info) == 0;
  if (!is_there || !S_ISREG(info.st_mode)) {
    const std::string why =
        is_there || errno == ENXIO ? "it is not a regular file" : strerror(errno);
    return Error{ErrorId::kCannotWrite, "cannot write the step summary '" + path + "': " + why,
                 "unset GITHUB_STEP_SUMMARY, or use --md FILE"};
  }
  const auto there = static_cast<size_t>(std::max<off_t>(info.st_size, 0));
  const size_t room = there < kMaxSummary ? kMaxSummary - there : 0;
  std::string text = source.Markdown(room > 0 ? room - 1 : 0);
  if (there > 0) text.insert(0, "\n");
  if (text.size() > room) return Ok();  // other commands have filled the file
  return Write(file.get(), text, "the step summary");
}

Status TellGithub(const OutputSource& source, bool is_taken, const OutputPlace& place) {
  // If standard output is taken by data, print the workflow commands to standard error, which the
  // runner reads, too.
  const Status written =
      Write(is_taken ? STDERR_FILENO : STDOUT_FILENO, source.Annotations(place), "the annotations");
  const char* summary = getenv("GITHUB_STEP_SUMMARY");
  if (!written || summary == nullptr || *summary == 0) return written;
  return AddSummary(summary, source);
}

class DiffSource : public OutputSource {
 public:
  DiffSource(const compare::Diff& diff, const DiffOptions& options, const DiffSurroundings& around)
      : diff_(diff), options_(options), around_(around) {}

  Result<std::string> Text(std::string DiffOutputs::*which,
                           const OutputPlace& place) const override {
    if (which == &DiffOutputs::junit) return DiffJunit(diff_, options_, around_);
    if (which == &DiffOutputs::sarif) return DiffSarif(diff_, options_, place);
    if (which == &DiffOutputs::gitlab) return DiffGitlab(diff_, options_, place);
    if (which == &DiffOutputs::metrics) return DiffMetrics(diff_);
    return DiffPage(diff_, options_, around_);
  }
  std::string Markdown(size_t most_bytes) const override {
    return DiffMarkdown(diff_, options_, around_, most_bytes);
  }
  std::string Annotations(const OutputPlace& place) const override {
    return DiffAnnotations(diff_, options_, place);
  }

 private:
  const compare::Diff& diff_;
  const DiffOptions& options_;
  const DiffSurroundings& around_;
};

}  // namespace

bool DiffOutputs::TakesStdout() const {
  for (const FileOption& file : kFiles) {
    if (this->*file.path == kStdout) return true;
  }
  return false;
}

Result<DiffOutputs> ParseOutputs(const ParsedOptions& parsed) {
  DiffOutputs outputs;
  outputs.github = parsed.Has("github");
  std::map<std::string, std::string> option_of;
  if (parsed.Has("json")) option_of[kStdout] = "--json";
  for (const FileOption& file : kFiles) {
    if (!parsed.Has(file.name)) continue;
    const std::string path = ValueOf(parsed, file.name), option = std::string("--") + file.name;
    const auto [other, made] = option_of.try_emplace(ResolvedPath(path), option);
    if (!made) {
      return Error{ErrorId::kConflict,
                   "options '" + option + "' and '" + other->second + "' both write " +
                       (path == kStdout ? "standard output" : "'" + path + "'"),
                   "name another file after " + option};
    }
    if (path != kStdout) {
      if (Status fits = CheckTextFile(path, option); !fits) return fits.error();
    }
    outputs.*file.path = path;
  }
  return outputs;
}

std::string GithubQuoted(const std::string& text) {
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) {
    random = static_cast<uint64_t>(getpid());
  }
  const std::string token = "gprof-x-" + HexText(random, 16);
  return "::stop-commands::" + token + "\n" + text + "::" + token + "::\n";
}

Status WriteOutputs(const OutputSource& source, const DiffOutputs& outputs, bool json,
                    const std::vector<std::string>& profiles) {
  const OutputPlace place = PlaceOf(outputs, profiles);
  for (const FileOption& file : kFiles) {
    const std::string& path = outputs.*file.path;
    if (path.empty()) continue;
    const Result<std::string> text = file.path == &DiffOutputs::markdown
                                         ? source.Markdown(kMaxSummary)
                                         : source.Text(file.path, place);
    if (!text) return text.error();
    if (Status written = WriteTo(path, *text, std::string("--") + file.name); !written) {
      return written;
    }
  }
  return outputs.github ? TellGithub(source, json || outputs.TakesStdout(), place) : Ok();
}

Status WriteDiffOutputs(const compare::Diff& diff, const DiffOptions& options,
                        const DiffSurroundings& around) {
  return WriteOutputs(DiffSource(diff, options, around), options.outputs, options.json,
                      around.head);
}

}  // namespace gprofx
