// JSON-RPC 2.0 as the Model Context Protocol uses it: one line in, one line out.
//
// Every input gets an answer, or none if the protocol requires none. Requests are answered in
// order. One thread.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "cli/mcp/tools.h"

namespace gprofx {

inline constexpr size_t kLongestLine = 1 << 20;  // bytes

class Rpc {
 public:
  explicit Rpc(ServedFolders folders) : tools_(std::move(folders)) {}

  // `line` excludes its newline. The answer ends with one; "" = no answer is due.
  std::string Answer(std::string_view line);
  // Answers a line longer than kLongestLine, which was not parsed.
  static std::string TooLong();

 private:
  struct Failure {
    int code;
    std::string message;
    Json data = nullptr;
  };
  using Outcome = std::variant<Json, Failure>;

  static Json FailureAnswer(const Json& id, const Failure& failure);
  Json AnswerMessage(const nlohmann::json& message);
  Outcome Perform(const nlohmann::json& request);
  Outcome CallTool(const nlohmann::json& params);

  Tools tools_;
};

}  // namespace gprofx
