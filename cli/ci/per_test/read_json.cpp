#include "cli/ci/per_test/read_json.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <string_view>

#include "core/base/file_io.h"

namespace gprofx {
namespace {

constexpr double kMaxCount = 9007199254740992.0;  // 2^53
constexpr int kMaxDepth = 64;

Error CannotRead(const std::string& path, const std::string& why) {
  return {ErrorId::kCannotRead, "cannot read '" + path + "': " + why,
          "the .log file beside it has the output of the command"};
}

// Returns true if values are nested deeper than kMaxDepth. After an error of syntax, which ends
// parsing, the answer has no meaning.
bool IsTooDeep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      if (++depth > kMaxDepth) return true;
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return false;
}

}  // namespace

Result<std::string> ReadHarnessText(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (!file || fstat(file.get(), &info) != 0) return CannotRead(path, strerror(errno));
  if (!S_ISREG(info.st_mode)) return CannotRead(path, "it is not a regular file");
  if (info.st_size > static_cast<off_t>(kMaxHarnessFile))
    return CannotRead(path, "it is too large");
  std::string text(static_cast<size_t>(info.st_size), 0);
  text.resize(ReadUpTo(file.get(), text.data(), text.size()));
  return text;
}

Result<ReadJson> ReadHarnessJson(const std::string& path) {
  const Result<std::string> text = ReadHarnessText(path);
  if (!text) return text.error();
  return ParseHarnessJson(*text, path);
}

Result<ReadJson> ParseHarnessJson(const std::string& text, const std::string& path) {
  // Limit the depth of nested values, because functions of the library are recursive. A callback of
  // the parser could do this, too, but the parser then takes quadratic time.
  if (IsTooDeep(text)) return CannotRead(path, "its values are nested too deeply");
  ReadJson json = ReadJson::parse(text, nullptr, false);
  if (json.is_discarded()) return CannotRead(path, "it is not JSON");
  return json;
}

const ReadJson* MemberOf(const ReadJson& json, const char* name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

std::string TextOf(const ReadJson& json, const char* name) {
  const ReadJson* member = MemberOf(json, name);
  return member != nullptr && member->is_string() ? member->get<std::string>() : "";
}

double NumberOf(const ReadJson& json, const char* name) {
  const ReadJson* member = MemberOf(json, name);
  const double value = member != nullptr && member->is_number() ? member->get<double>() : 0;
  return std::isfinite(value) ? value : 0;
}

int64_t CountOf(const ReadJson& json, const char* name) {
  const double value = NumberOf(json, name);
  return value >= 0 && value <= kMaxCount ? static_cast<int64_t>(value) : 0;
}

std::vector<double> NumbersOf(const ReadJson& json, const char* name) {
  const ReadJson* member = MemberOf(json, name);
  std::vector<double> numbers;
  if (member == nullptr || !member->is_array()) return numbers;
  for (const ReadJson& each : *member) {
    const double value = each.is_number() ? each.get<double>() : 0;
    numbers.push_back(std::isfinite(value) && value > 0 ? value : 0);
  }
  return numbers;
}

double LeastOf(const std::vector<double>& values) {
  double least = 0;
  for (const double value : values) {
    if (value > 0 && (least <= 0 || value < least)) least = value;
  }
  return least;
}

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace gprofx
