#include "cli/record/sweep.h"

#include <algorithm>
#include <set>

#include "cli/options.h"

namespace gprofx::record {
namespace {

constexpr size_t kMaxValues = 1000;

bool IsVariable(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

}  // namespace

Result<Sweep> ParseSweep(std::string_view text) {
  const Error wrong = BadValue("--sweep", "a variable and its values", std::string(text),
                               "for example 'BS=1 2 4 8'");
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || !IsVariable(text.substr(0, equals))) return wrong;
  Sweep sweep{std::string(text.substr(0, equals)), {}};
  for (size_t at = equals + 1; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string value(text.substr(at, end - at));
    at = end + 1;
    if (value.empty()) continue;
    if (std::find(sweep.values.begin(), sweep.values.end(), value) == sweep.values.end())
      sweep.values.push_back(value);
  }
  if (sweep.values.empty() || sweep.values.size() > kMaxValues) return wrong;
  std::set<std::string> files;
  for (const std::string& value : sweep.values) {
    if (!files.insert(FileOfRun("", value)).second) {
      return Error{
          ErrorId::kBadValue,
          "two values of option '--sweep' would have the same file: '" + std::string(text) + "'",
          "change one of them"};
    }
  }
  return sweep;
}

std::vector<SeriesRun> RunsOf(const Sweep& sweep, const std::string& output) {
  std::vector<SeriesRun> runs;
  for (const std::string& value : sweep.values) {
    const std::string label = sweep.variable + "=" + value;
    runs.push_back({label, FileOfRun(output, label), label, {}});
  }
  return runs;
}

}  // namespace gprofx::record
