// Implements JSON-RPC 2.0 as the Model Context Protocol uses it. Each message is one line. Every
// line gets an answer unless the protocol requires none. Requests are answered in order. One
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

  // Answers one line without its newline. The answer ends with a newline. It is "" if no answer is
  // due.
  std::string Answer(std::string_view line);
  // Returns the answer to a line that was longer than kLongestLine and therefore not parsed.
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
