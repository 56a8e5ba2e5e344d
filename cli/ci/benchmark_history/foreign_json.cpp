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

std::string ShortName(const std::string& name) { return FitEnd(Printable(name), 60); }

// Returns the first choices; a name that is not very long is whole, so that it can be copied.
std::string ListOf(const std::vector<std::string>& choices) {
  constexpr size_t kListed = 20;
  constexpr int kLongest = 200;
  std::vector<std::string> listed;
  for (size_t i = 0; i < std::min(choices.size(), kListed); ++i) {
    listed.push_back(FitEnd(Printable(choices[i]), kLongest));
  }
  if (choices.size() > kListed) {
    listed.push_back("and " + std::to_string(choices.size() - kListed) + " more");
  }
  return JoinedBy(listed, ", ");
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
  std::vector<std::string> matching;  // those that start with `name`
  for (const std::string& choice : choices) {
    if (choice.starts_with(name)) matching.push_back(choice);
  }
  if (matching.size() == 1) return matching.front();
  const std::string some = name.empty() ? "" : " that start with '" + ShortName(name) + "'";
  if (!matching.empty()) {
    return Error{ErrorId::kNotFound,
                 "'" + path + "' has several " + what + some + ": " + ListOf(matching),
                 "choose one with --name"};
  }
  return Error{
      ErrorId::kNotFound,
      "'" + path + "' has no '" + ShortName(name) + "'; its " + what + " are: " + ListOf(choices),
      "choose one of them with --name"};
}

}  // namespace gprofx
