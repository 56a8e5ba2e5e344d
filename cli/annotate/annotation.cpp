#include "cli/annotate/annotation.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/base/arithmetic.h"
#include "symbolize/names/demangle.h"

namespace gprofx {
namespace {

using LineKey = std::pair<std::string, uint32_t>;
using ChainKey = std::vector<std::tuple<std::string, std::string, uint32_t>>;

struct LineSums {
  StallCounts counts;
  std::map<ChainKey, AnnotatedLine::Inlined> inlined;
};

void Merge(StallCounts& into, const StallCounts& from) {
  into.samples = AddSaturated(into.samples, from.samples);
  into.latency = AddSaturated(into.latency, from.latency);
  for (const auto& [name, count] : from.stalls) {
    int64_t& sum = into.stalls[name];
    sum = AddSaturated(sum, count);
  }
}

ChainKey KeyOf(const std::vector<CubinLine>& places) {
  ChainKey key;
  for (const CubinLine& place : places) key.push_back({place.function, place.file, place.line});
  return key;
}

// Returns lines of the recorded source texts. Each text is split into lines only once.
class SourceLines {
 public:
  explicit SourceLines(const SourceTexts* texts) : texts_(texts) {}  // nullptr = none

  // Returns line `line` of `file`. Returns "" if the recording does not contain it.
  std::string_view At(const std::string& file, uint32_t line) {
    if (texts_ == nullptr || line == 0) return {};
    const auto text = texts_->find(file);
    if (text == texts_->end()) return {};
    const auto [found, added] = lines_.try_emplace(file);
    if (added) found->second = Split(text->second);
    return line <= found->second.size() ? found->second[line - 1] : std::string_view();
  }

 private:
  static std::vector<std::string_view> Split(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
      const size_t end = text.find('\n');
      lines.push_back(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
  }

  const SourceTexts* texts_;
  std::map<std::string, std::vector<std::string_view>> lines_;
};

// The samples at each offset in the module.
using Offsets = std::map<uint64_t, StallCounts>;

AnnotatedModule AnnotateCode(const AnnotateModule& module, const std::string& kernel,
                             Offsets offsets) {
  AnnotatedModule out;
  out.hash = module.hash;
  out.has_code = !module.code.empty();
  const Result<Cubin> cubin = Cubin::Open(module.code);
  const CubinFunction* function = cubin ? FindKernel(*cubin, kernel) : nullptr;
  if (function != nullptr) {
    out.architecture = cubin->architecture();
    out.has_lines = cubin->HasLines();
    for (const auto& [offset, text] : module.sass) {
      if (offset - function->offset < function->size) offsets[offset - function->offset];
    }
  }
  for (auto& [offset, counts] : offsets) {
    AnnotatedInstruction instruction;
    instruction.offset = offset;
    Merge(out.counts, counts);
    instruction.counts = std::move(counts);
    if (function != nullptr) {
      instruction.places = cubin->LinesAt(*function, offset);
      const CubinFunction* inner = cubin->FunctionAt(*function, offset);
      if (inner != function) instruction.function = inner->name;
      const auto text = module.sass.find(function->offset + offset);
      if (text != module.sass.end()) instruction.text = text->second;
      out.has_sass = out.has_sass || !instruction.text.empty();
    }
    out.instructions.push_back(std::move(instruction));
  }
  return out;
}

void AddToLines(const AnnotatedInstruction& instruction, std::map<LineKey, LineSums>& lines) {
  if (instruction.counts.samples == 0) return;
  if (instruction.places.empty()) {
    Merge(lines[{"", 0}].counts, instruction.counts);
    return;
  }
  const CubinLine& place = instruction.places.back();
  LineSums& sums = lines[{place.file, place.line}];
  Merge(sums.counts, instruction.counts);
  if (instruction.places.size() == 1) return;
  std::vector<CubinLine> outer(instruction.places.begin(), instruction.places.end() - 1);
  AnnotatedLine::Inlined& inlined = sums.inlined[KeyOf(outer)];
  inlined.samples = AddSaturated(inlined.samples, instruction.counts.samples);
  inlined.places = std::move(outer);
}

}  // namespace

void StallCounts::Add(const AnnotateSample& sample) {
  samples = AddSaturated(samples, sample.samples);
  latency = AddSaturated(latency, sample.latency);
  int64_t& sum = stalls[sample.stall];
  sum = AddSaturated(sum, sample.samples);
}

std::vector<std::pair<std::string, int64_t>> StallCounts::Leading(size_t most) const {
  std::vector<std::pair<std::string, int64_t>> all(stalls.begin(), stalls.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  all.resize(std::min(all.size(), most));
  return all;
}

const CubinFunction* FindKernel(const Cubin& cubin, std::string_view kernel) {
  if (const CubinFunction* same = cubin.FindFunction(kernel)) return same;
  for (const CubinFunction& function : cubin.functions()) {
    if (Demangle(function.name) == kernel) return &function;
  }
  return nullptr;
}

Annotation Annotate(const AnnotateInput& input) {
  Annotation out;
  out.kernel = input.kernel;
  std::vector<Offsets> offsets(input.modules.size());
  for (const AnnotateSample& sample : input.samples) {
    if (sample.module >= offsets.size() || sample.samples <= 0) continue;
    offsets[sample.module][sample.offset].Add(sample);
    out.counts.Add(sample);
  }
  std::map<LineKey, LineSums> lines;
  for (size_t i = 0; i < input.modules.size(); ++i) {
    if (offsets[i].empty()) continue;
    out.modules.push_back(AnnotateCode(input.modules[i], input.kernel, std::move(offsets[i])));
    for (const auto& instruction : out.modules.back().instructions) AddToLines(instruction, lines);
  }
  SourceLines sources(input.sources.get());
  for (auto& [key, sums] : lines) {
    AnnotatedLine line{key.first,
                       key.second,
                       std::string(sources.At(key.first, key.second)),
                       std::move(sums.counts),
                       {}};
    for (auto& [chain, inlined] : sums.inlined) line.inlined.push_back(std::move(inlined));
    std::stable_sort(line.inlined.begin(), line.inlined.end(),
                     [](const auto& a, const auto& b) { return a.samples > b.samples; });
    out.lines.push_back(std::move(line));
  }
  const auto more = [](const auto& a, const auto& b) {
    return a.counts.samples > b.counts.samples;
  };
  std::stable_sort(out.lines.begin(), out.lines.end(), more);
  std::stable_sort(out.modules.begin(), out.modules.end(), more);
  return out;
}

}  // namespace gprofx
