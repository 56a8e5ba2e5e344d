// What commands answer with --json, as values: the same functions with the same options, so that
// no number is made twice. `args` are those of the command, without its name and without --json.
// Blocking; one thread.
#pragma once

#include <string>
#include <vector>

#include "cli/json_text.h"
#include "core/result.h"

namespace gprofx {

using Args = std::vector<std::string>;

Result<Json> AnswerReport(const Args& args, size_t bins);
Result<Json> AnswerAnalyze(const Args& args);
Result<Json> AnswerAnnotate(const Args& args);  // without SASS: no other program is run
Result<Json> AnswerDiff(const Args& args);

}  // namespace gprofx
