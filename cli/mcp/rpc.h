// JSON-RPC 2.0 as the Model Context Protocol has it: a line in, a line out.
//
// Any bytes get an answer or, where none is due, nothing. Requests are answered in order. One
// thread.
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

  // Without its newline. The answer ends with one; "" = none is due.
  std::string Answer(std::string_view line);
  // To a line that is longer than kLongestLine, which nobody has read.
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
