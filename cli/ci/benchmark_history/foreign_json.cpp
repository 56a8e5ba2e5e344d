#include <algorithm>

#include "cli/ci/benchmark_history/readers.h"
#include "cli/ci/per_test/read_json.h"
#include "cli/terminal/text.h"
#include "core/base/text.h"

namespace gprofx {
namespace {

// Returns the JSON in `text` with null for NaN and Infinity.
std::string WithoutInfinities(std::string_view text) {
  constexpr std::string_view kWords[] = {"NaN", "-Infinity", "Infinity"};
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\' && i + 1 < text.size()) {
      out += text[i++];
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && (text[i] == 'N' || text[i] == 'I' || text[i] == '-')) {
      const auto word = std::find_if(std::begin(kWords), std::end(kWords), [&](const auto& each) {
        return text.substr(i, each.size()) == each;
      });
      if (word != std::end(kWords)) {
        out += "null";
        i += word->size() - 1;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

}  // namespace

Result<ReadJson> ReadForeignJson(const std::string& path, std::string_view prefix,
                                 const std::string& way_out) {
  const Result<std::string> text = ReadHarnessText(path);
  if (!text) return Error{text.error().id, text.error().what, way_out};
  std::string_view rest = *text;
  if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  rest = rest.substr(0, rest.find_last_not_of("; \t\r\n") + 1);
  Result<ReadJson> json = ParseHarnessJson(WithoutInfinities(rest), path);
  if (!json) return Error{json.error().id, json.error().what, way_out};
  return json;
}

Result<std::string> Chosen(const std::string& path, const std::vector<std::string>& choices,
                           const std::string& name, const std::string& what) {
  if (name.empty() && choices.size() == 1) return choices.front();
  if (std::find(choices.begin(), choices.end(), name) != choices.end()) return name;
  const std::string list = FitEnd(Printable(JoinedBy(choices, ", ")), 200);
  if (name.empty()) {
    return Error{ErrorId::kNotFound, "'" + path + "' has several " + what + ": " + list,
                 "choose one with --name"};
  }
  return Error{
      ErrorId::kNotFound,
      "'" + path + "' has no '" + FitEnd(Printable(name), 60) + "'; its " + what + " are: " + list,
      "choose one of them with --name"};
}

}  // namespace gprofx
