// The --json answers of commands, as values. Calls the same functions with the same options as the
// commands, so that numbers cannot differ. `args` are those of the command, without its name and
// without --json. Blocking; one thread.
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

// `room` limits lists, so that rows that would be cut later are never made.
Result<Json> AnswerReport(const Args& args, size_t bins, ListRoom& room);
Result<Json> AnswerAnalyze(const Args& args);
// Returns one answer for each request. All requests must be for the same range of the same file,
// which is read once.
Result<std::vector<Json>> AnswerAnalyze(std::span<const Args> requests);
Result<Json> AnswerAnnotate(const Args& args);  // without SASS: no other program is run
// The runs that were read for a comparison, kept for further requests about it.
struct ReadSidesOf {
  std::string key;  // identity of the files, and the request
  std::optional<Sides> sides;
};
// `last` holds the runs of the previous comparison and is replaced by those of this one.
Result<Json> AnswerDiff(const Args& args, const std::string& key, ReadSidesOf& last,
                        ListRoom& room);

}  // namespace gprofx
