// What commands answer with --json, as values: the same functions with the same options, so that
// no number is made twice. `args` are those of the command, without its name and without --json.
// Blocking; one thread.
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

// What is certain to be cut later is not made: `room`.
Result<Json> AnswerReport(const Args& args, size_t bins, ListRoom& room);
Result<Json> AnswerAnalyze(const Args& args);
// Requests for the same part of the same file, answered by one reading of it.
Result<std::vector<Json>> AnswerAnalyze(std::span<const Args> requests);
Result<Json> AnswerAnnotate(const Args& args);  // without SASS: no other program is run
// What was read for a comparison, so that more of it can be asked for.
struct ReadSidesOf {
  std::string key;  // of the files as they are, and of the request
  std::optional<Sides> sides;
};
// `last`: of the comparison before, which becomes that of this one.
Result<Json> AnswerDiff(const Args& args, const std::string& key, ReadSidesOf& last,
                        ListRoom& room);

}  // namespace gprofx
