// Returns what commands print with --json, as values. Calls the same functions with the same
// options as the commands, so the numbers cannot differ. `args` are the arguments of a command,
// without its name and --json. Blocking; one thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/diff/sides.h"
#include "cli/json_text.h"
#include "core/base/result.h"

namespace gprofx {

using Args = std::vector<std::string>;

// Return the JSON that the command prints with --json. `room` has the maximum length of lists; rows
// that would be dropped later are then not built. It also records which lists were cut.
Result<Json> AnswerReport(const Args& args, size_t bins, ListRoom& room);
Result<Json> AnswerAnalyze(const Args& args);
// Returns one answer for each request. All requests must be for the same range of the same file,
// which is read only once.
Result<std::vector<Json>> AnswerAnalyze(std::span<const Args> requests);
// Without SASS, because the server must not run another program.
Result<Json> AnswerAnnotate(const Args& args);
// The runs of the latest comparison. They stay in memory for further requests about it.
struct ReadSidesOf {
  std::string key;  // identity of the files, and the request
  std::optional<Sides> sides;
};
// Compares two versions. If `last` holds the runs of this comparison (`key`), uses them. Otherwise
// reads the runs and stores them in `last`.
Result<Json> AnswerDiff(const Args& args, const std::string& key, ReadSidesOf& last,
                        ListRoom& room);

}  // namespace gprofx
