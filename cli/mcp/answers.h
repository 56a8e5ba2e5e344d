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

// Returns the JSON that the command prints with --json. `room` has the maximum length of lists,
// which avoids building rows that are dropped later, and notes which lists were cut.
Result<Json> AnswerReport(const Args& args, size_t bins, ListRoom& room);
Result<Json> AnswerAnalyze(const Args& args);
// Returns one answer for each request. All requests must be for the same range of the same file,
// which is read only once.
Result<std::vector<Json>> AnswerAnalyze(std::span<const Args> requests);
Result<Json> AnswerAnnotate(const Args& args);  // without SASS, because no other program may run
// The runs of the latest comparison, kept in memory for further requests about it.
struct ReadSidesOf {
  std::string key;  // identity of the files, and the request
  std::optional<Sides> sides;
};
// Uses the runs in `last` if they are those of this comparison. Otherwise, reads them and stores
// them in `last`.
Result<Json> AnswerDiff(const Args& args, const std::string& key, ReadSidesOf& last,
                        ListRoom& room);

}  // namespace gprofx
