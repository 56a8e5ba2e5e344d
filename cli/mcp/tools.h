// Calls the tools of the server: checks their arguments and makes their answers. One thread.
#pragma once

#include <optional>
#include <string>

#include "cli/json_text.h"
#include "cli/mcp/ahead.h"
#include "cli/mcp/answer_cache.h"
#include "cli/mcp/answers.h"
#include "cli/mcp/served_folders.h"
#include "core/base/result.h"

namespace gprofx {

// Default, minimum and maximum size of an answer in bytes.
inline constexpr size_t kUsualAnswer = 20'000, kShortestAnswer = 4'000, kLongestAnswer = 200'000;

Json ToolList();  // the member "tools" of the answer to tools/list
bool IsTool(const std::string& name);

struct Tool;
struct ToolRequest;

class Tools {
 public:
  explicit Tools(ServedFolders folders) : folders_(std::move(folders)) {}

  // Calls a tool and returns the text of its answer. `arguments` is a JSON object. An error is one
  // line for the assistant: the request is invalid, or the profile cannot be read.
  Result<std::string> Call(const std::string& name, const nlohmann::json& arguments);

 private:
  Result<Json> Answer(const Tool& tool, const ToolRequest& request, const std::string& key,
                      ListRoom& room);
  Result<Json> Whole(const Tool& tool, const ToolRequest& request, ListRoom& room);
  std::optional<Ahead::Job> AnalysesJob(const std::string& profile) const;
  std::optional<Ahead::Job> TimelineJob(const std::string& profile) const;
  void GoAhead(const ToolRequest& request);

  ServedFolders folders_;
  AnswerCache cache_;       // answers as they were returned, after shortening
  AnswerCache whole_;       // complete answers
  Ahead ahead_;             // computes complete answers about one large profile
  std::string gone_ahead_;  // Identity() of the profile that `ahead_` works on
  ReadSidesOf sides_;
};

}  // namespace gprofx
