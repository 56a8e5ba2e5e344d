#include "cli/baseline_store.h"
#include "cli/json_text.h"

namespace gprofx {
namespace {

using Parsed = nlohmann::json;  // sorts members: parsing many names is not quadratic

constexpr char kSchema[] = "gprof-x.baseline/1";

bool IsHash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string TextAt(const Parsed& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

Json FactsJson(const std::map<std::string, std::string>& facts) {
  Json json = Json::object();
  for (const auto& [name, value] : facts) json[Utf8(name)] = Utf8(value);
  return json;
}

std::map<std::string, std::string> FactsAt(const Parsed& json, const char* name) {
  std::map<std::string, std::string> facts;
  const auto found = json.find(name);
  if (found == json.end() || !found->is_object()) return facts;
  for (const auto& [fact, value] : found->items()) {
    if (value.is_string()) facts[fact] = value.get<std::string>();
  }
  return facts;
}

}  // namespace

bool IsBaselineName(std::string_view name) {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-' &&
         name.find_first_not_of(kLetters) == std::string_view::npos;
}

std::string BaselineText(const Baseline& baseline) {
  Json files = Json::array();
  for (const BaselineFile& file : baseline.files) {
    files.push_back({{"sha256", file.sha256}, {"name", Utf8(file.name)}, {"bytes", file.bytes}});
  }
  const Json json = {{"schema", kSchema},
                     {"name", Utf8(baseline.name)},
                     {"commit", Utf8(baseline.commit)},
                     {"saved", baseline.saved},
                     {"metric", Utf8(baseline.metric)},
                     {"mean_ns", baseline.mean_ns},
                     {"machine", FactsJson(baseline.machine)},
                     {"workload", FactsJson(baseline.workload)},
                     {"files", std::move(files)}};
  return PrintedJson(json, 1);
}

std::optional<Baseline> ParseBaseline(std::string_view text) {
  const Parsed json = Parsed::parse(text, nullptr, false);
  if (!json.is_object() || TextAt(json, "schema") != kSchema) return std::nullopt;
  Baseline baseline;
  baseline.name = TextAt(json, "name");
  baseline.commit = TextAt(json, "commit");
  baseline.saved = TextAt(json, "saved");
  baseline.metric = TextAt(json, "metric");
  if (const auto mean = json.find("mean_ns"); mean != json.end() && mean->is_number()) {
    baseline.mean_ns = mean->get<double>();
  }
  baseline.machine = FactsAt(json, "machine");
  baseline.workload = FactsAt(json, "workload");
  const auto files = json.find("files");
  if (files == json.end() || !files->is_array() || files->empty()) return std::nullopt;
  for (const Parsed& one : *files) {
    if (!one.is_object()) return std::nullopt;
    BaselineFile& file = baseline.files.emplace_back();
    file.sha256 = TextAt(one, "sha256");
    file.name = TextAt(one, "name");
    if (!IsHash(file.sha256)) return std::nullopt;
    if (const auto bytes = one.find("bytes"); bytes != one.end() && bytes->is_number_unsigned()) {
      file.bytes = bytes->get<uint64_t>();
    }
  }
  return baseline;
}

}  // namespace gprofx
