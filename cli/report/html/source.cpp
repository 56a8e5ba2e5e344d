#include "cli/report/html/source.h"

#include <algorithm>
#include <unordered_set>

#include "cli/report/html/page_text.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"
#include "core/views/naming/names.h"
#include "symbolize/names/demangle.h"

namespace gprofx {
namespace {

constexpr size_t kMaxLines = 60, kMaxInstructions = 250, kMaxStalls = 4;
constexpr size_t kMaxFileBytes = size_t{4} << 20, kMaxFileLines = 50'000;
constexpr int kLongestText = 300, kLongestName = 2'000;

std::string Short(std::string_view text, int columns = kLongestText) {
  return FitEnd(Printable(text.substr(0, 4 * static_cast<size_t>(columns))), columns);
}

void AddCounts(Json& row, const StallCounts& counts) {
  row["samples"] = counts.samples;
  row["latency"] = counts.latency;
  Json stalls = Json::array();
  for (const auto& [name, count] : counts.Leading(kMaxStalls)) {
    stalls.push_back({Short(name, 40), count});
  }
  row["stalls"] = std::move(stalls);
}

std::string Place(const std::string& file, uint32_t line) {
  if (file.empty()) return "[no line]";
  return Short(ShortFile(file)) + ":" + std::to_string(line);
}

Json LineJson(const AnnotatedLine& line) {
  Json row = {{"place", Place(line.file, line.line)},
              {"file", Short(line.file)},
              {"text", Short(line.text)}};
  AddCounts(row, line.counts);
  if (!line.inlined.empty() && !line.inlined[0].places.empty()) {
    const CubinLine& at = line.inlined[0].places.back();
    row["inlined"] = Place(at.file, at.line) + " " + Short(Demangle(at.function), 80);
  }
  return row;
}

Json InstructionJson(const AnnotatedInstruction& instruction, size_t index) {
  Json row = {{"index", index},
              {"offset", HexText(instruction.offset, 4)},
              {"text", Short(instruction.text)}};
  AddCounts(row, instruction.counts);
  if (!instruction.places.empty()) {
    row["place"] = Place(instruction.places.back().file, instruction.places.back().line);
  }
  return row;
}

// Returns the instructions with the most samples, in the order of the code. Sets `with_samples` to
// the number of instructions that have samples.
Json InstructionsJson(const AnnotatedModule& module, size_t& with_samples) {
  std::vector<size_t> order;
  for (size_t i = 0; i < module.instructions.size(); ++i) {
    if (module.instructions[i].counts.samples > 0) order.push_back(i);
  }
  with_samples = order.size();
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return module.instructions[a].counts.samples > module.instructions[b].counts.samples;
  });
  order.resize(std::min(order.size(), kMaxInstructions));
  std::sort(order.begin(), order.end());
  Json list = Json::array();
  for (const size_t i : order) list.push_back(InstructionJson(module.instructions[i], i));
  return list;
}

// Returns the lines of a text. They are printable and have no tabs or trailing blanks.
Json LinesJson(std::string_view text) {
  constexpr size_t kTab = 4;
  Json lines = Json::array();
  for (size_t begin = 0; begin < text.size() && lines.size() < kMaxFileLines;) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line;
    for (const char c : text.substr(begin, std::min(end - begin, size_t{4 * kLongestText}))) {
      if (c == '\t') {
        line.append(kTab - line.size() % kTab, ' ');
      } else if (c != '\r') {
        line += c;
      }
    }
    line.resize(line.find_last_not_of(' ') + 1);
    lines.push_back(Short(line));
    begin = end + 1;
  }
  return lines;
}

// Returns about how many bytes a text adds to the page. Even an empty line adds some.
size_t CostOf(std::string_view path, std::string_view text) {
  constexpr size_t kLineBytes = 32;
  const auto ends = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  return path.size() + text.size() + kLineBytes * std::min(ends + 1, kMaxFileLines);
}

std::unordered_set<std::string_view> PythonFiles(const PageTree& tree) {
  std::unordered_set<std::string_view> files;
  for (const PageSite& site : tree.sites) {
    if (site.label.kind == FrameKind::kPython) files.insert(site.label.file);
  }
  return files;
}

}  // namespace

Json FileTextsJson(const std::vector<SourceText>& sources, const Profile& profile,
                   const PageTree& tree) {
  std::unordered_set<std::string_view> wanted = PythonFiles(tree);
  Json list = Json::array();
  size_t left = kMaxFileBytes;
  for (const SourceText& source : sources) {
    const std::string_view path = profile.Text(source.path);
    const size_t cost = CostOf(path, source.text);
    if (cost > left || wanted.erase(path) == 0) continue;
    left -= cost;
    list.push_back({{"file", PageText(path)}, {"lines", LinesJson(source.text)}});
  }
  return list;
}

Json SourcesJson(const std::vector<Annotation>& kernels,
                 const std::unordered_map<std::string, std::string>& short_names,
                 const std::string& no_sass) {
  Json list = Json::array();
  for (const Annotation& kernel : kernels) {
    const std::string name = Short(kernel.kernel, kLongestName);
    const auto short_name = short_names.find(kernel.kernel);
    Json row = {{"kernel", name},
                {"short", short_name == short_names.end() ? name : Short(short_name->second)}};
    AddCounts(row, kernel.counts);
    row["lines_total"] = kernel.lines.size();
    row["lines"] = Json::array();
    for (size_t i = 0; i < std::min(kernel.lines.size(), kMaxLines); ++i) {
      row["lines"].push_back(LineJson(kernel.lines[i]));
    }
    row["modules"] = kernel.modules.size();
    if (!kernel.modules.empty()) {
      const AnnotatedModule& module = kernel.modules[0];
      size_t with_samples = 0;
      row["instructions"] = InstructionsJson(module, with_samples);
      row["instructions_total"] = with_samples;
      row["architecture"] = module.architecture;
      row["no_sass"] = module.has_sass ? "" : Short(no_sass);
      row["has_code"] = module.has_code;
    }
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace gprofx
