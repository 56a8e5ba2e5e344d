// Parses the names of NeuSight's cases, such as gpt3_xl-train-2048-1, bert_large-inf-512-8-fusion,
// gpt2_large-train-1024-8-dp4 and opt_13-train-2048-8-pp4_2. CaseName (graph.h) says what the parts
// mean.
#include <algorithm>
#include <charconv>
#include <optional>

#include "core/forecast/graph.h"

namespace gprofx::forecast {
namespace {

struct ModelLayers {
  std::string_view name;
  int layers;
};
// Number of layers of each model, from Hugging Face's configurations. It is 1 for Switch, because
// its graphs already hold all layers.
constexpr ModelLayers kModels[] = {
    {"bert", 12},    {"bert_large", 24}, {"gpt2", 12},     {"gpt2_med", 24}, {"gpt2_large", 36},
    {"gpt2_xl", 48}, {"gpt3_xl", 24},    {"gpt3_27", 32},  {"gpt3_67", 32},  {"gpt3_13", 40},
    {"opt", 1},      {"opt_13", 24},     {"switchxl4", 1},
};

// kMaxGpus is the maximum number of copies, stages and microbatches, as for the options of the
// command. kMaxRows is the maximum sequence length and batch size.
constexpr int kMaxGpus = 100'000, kMaxRows = 1'000'000'000;

std::optional<int> Whole(std::string_view text, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most) {
    return std::nullopt;
  }
  return value;
}

// Parses one option of a case name: "dp4", "tp2", "pp4_8" or "fusion". Returns false if it is none
// of these.
bool ParseOption(std::string_view option, CaseName& name) {
  if (option == "fusion") {
    name.fused = true;
    return true;
  }
  if (option.size() < 3) return false;
  const std::string_view kind = option.substr(0, 2);
  std::string_view degree = option.substr(2), micro;
  if (const size_t bar = degree.find('_'); bar != std::string_view::npos) {
    micro = degree.substr(bar + 1);
    degree = degree.substr(0, bar);
  }
  const std::optional<int> count = Whole(degree, kMaxGpus);
  if (!count || (!micro.empty() && kind != "pp")) return false;
  if (kind == "dp")
    name.data = *count;
  else if (kind == "tp")
    name.tensor = *count;
  else if (kind == "pp")
    name.pipeline = *count;
  else
    return false;
  if (!micro.empty()) {
    const std::optional<int> batches = Whole(micro, kMaxGpus);
    if (!batches) return false;
    name.microbatches = *batches;
  }
  return true;
}

}  // namespace

Result<CaseName> ParseCaseName(std::string_view text) {
  const Error wrong{ErrorId::kBadLine,
                    "'" + std::string(text.substr(0, 80)) + "' is not the name of a case",
                    "write MODEL-inf|train-SEQUENCE-BATCH, then -fusion, -dpN, -tpN or -ppN_M, "
                    "with numbers up to 100000"};
  std::vector<std::string_view> parts;
  for (std::string_view rest = text;;) {
    const size_t end = std::min(rest.find('-'), rest.size());
    parts.push_back(rest.substr(0, end));
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (parts.size() < 4 || (parts[1] != "inf" && parts[1] != "train")) return wrong;
  CaseName name;
  name.model = parts[0];
  name.training = parts[1] == "train";
  const std::optional<int> sequence = Whole(parts[2], kMaxRows);
  const std::optional<int> batch = Whole(parts[3], kMaxRows);
  if (!sequence || !batch) return wrong;
  name.sequence = *sequence;
  name.batch = *batch;
  for (size_t i = 4; i < parts.size(); ++i) {
    if (!parts[i].empty() && !ParseOption(parts[i], name)) return wrong;
  }
  for (const ModelLayers& model : kModels) {
    if (name.model != model.name) continue;
    name.layers = model.layers;
    name.known_model = true;
  }
  return name;
}

}  // namespace gprofx::forecast
