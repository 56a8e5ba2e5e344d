// Implements the harness for --command-for-each, where each benchmark is a command line of a file.
// A line is "COMMAND" or "NAME: COMMAND"; lines that begin with # are comments. The times come from
// the recording.
#include <map>

#include "cli/ci/per_test/harness.h"
#include "cli/ci/per_test/lines.h"
#include "cli/diff/sides.h"
#include "core/base/text.h"

namespace gprofx {
namespace {

struct NamedCommand {
  std::string name, command;
};

// Parses a line. The name before a colon must not contain blanks: "ls: x" has the name "ls", "sh -c
// :" has none.
NamedCommand NamedCommandOf(const std::string& line) {
  const size_t colon = line.find(": ");
  const size_t blank = line.find_first_of(" \t");
  if (colon == std::string::npos || colon == 0 || blank < colon) return {line, line};
  return {line.substr(0, colon), std::string(Trimmed(std::string_view(line).substr(colon + 1)))};
}

class Commands : public Harness {
 public:
  explicit Commands(std::string path) : path_(std::move(path)) {}

  const char* name() const override { return "commands"; }
  bool IsOfCommands() const override { return true; }

  std::vector<std::string> ListWords(const std::string&) const override { return {}; }

  Result<std::vector<std::string>> ReadList(const std::string&) override {
    const Result<std::vector<std::string>> lines = ReadLines(path_);
    if (!lines) {
      return Error{lines.error().id, lines.error().what, "check the name after --command-for-each"};
    }
    std::vector<std::string> names;
    commands_.clear();
    for (const std::string& line : *lines) {
      if (line[0] == '#') continue;
      const NamedCommand one = NamedCommandOf(line);
      if (commands_.try_emplace(one.name, one.command).second) names.push_back(one.name);
    }
    return names;
  }

  Result<std::vector<std::string>> RunWords(const std::string& benchmark, const std::string&,
                                            const WorkAmount&, const TurnFiles&) const override {
    return std::vector<std::string>{"sh", "-c", commands_.at(benchmark)};
  }

  Result<BenchmarkTimes> ReadTimes(const std::string& stem) const override {
    Result<std::vector<compare::Run>> runs = ReadRuns({stem + ".gprofx"});
    if (!runs) return runs.error();
    BenchmarkTimes times;
    times.work = {1, 1};
    times.wall_ns = runs->front().duration_ns;
    times.cpu_ns = runs->front().total_ns;
    if (times.wall_ns <= 0) times.problem = "it took no time";
    return times;
  }

 private:
  std::string path_;
  std::map<std::string, std::string> commands_;
};

}  // namespace

std::unique_ptr<Harness> CommandsHarness(const std::string& path) {
  return std::make_unique<Commands>(path);
}

}  // namespace gprofx
