// Formats the words and numbers that all text views use.
#include "cli/report/number.h"
#include "cli/report/text/text.h"
#include "cli/terminal/text.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

constexpr std::string_view kStall = kMetricStallPrefix;
constexpr int kLongestTitle = 9;

}  // namespace

namespace {

// Returns the module of frozen code: "site" for "<frozen site>", "importlib" for "<frozen
// importlib._bootstrap>". Returns any other name unchanged.
std::string_view WithoutFrozen(std::string_view file) {
  constexpr std::string_view kFrozen = "<frozen ";
  if (!file.starts_with(kFrozen) || !file.ends_with('>')) return file;
  file = file.substr(kFrozen.size(), file.size() - kFrozen.size() - 1);
  return file.substr(0, file.find("._"));
}

}  // namespace

std::string PlaceText(std::string_view file, uint32_t line) {
  if (file.empty()) return "";
  std::string text(WithoutFrozen(ShortFile(file)));
  if (line != 0) text += ":" + std::to_string(line);
  return text;
}

std::string SeenAsText(const Profile& profile, FrameId line, std::string_view own_name) {
  if (!line) return "";
  const Frame& frame = profile.frame(line);
  std::string text = PlaceText(FrameFile(profile, frame), frame.line);
  const std::string function = FrameName(profile, frame);
  if (function != own_name) text += (text.empty() ? "" : " ") + function;
  return text;
}

std::string SourceOfLine(const Page& page, std::string_view file, uint32_t line) {
  if (!page.around.source_line || file.empty() || line == 0) return "";
  return Printable(page.around.source_line(file, line));
}

bool IsRoomy(const Page& page) {
  constexpr int kColumns = 100;
  return page.wide || page.around.screen.columns >= kColumns;
}

std::string Wrapped(const Page& page, const std::vector<std::string>& parts, int indent) {
  return WrapParts(parts.data(), parts.size(), " ", page.around.screen.columns, indent) + "\n";
}

std::string RestText(const Page& page, const Rest& rest, size_t all, int64_t whole,
                     const std::string& base) {
  if (rest.rows == 0) return "";
  const bool lines = page.view.query.kind == ViewKind::kLines;
  return Wrapped(page,
                 {"... " + Grouped(static_cast<int64_t>(rest.rows)) + " more,",
                  "together " + ShareOf(rest.together, whole) + " of " + base + ",",
                  "none above " + ShareOf(rest.largest, whole) + ";",
                  (lines ? "--limit " : "--top ") + std::to_string(all) + " shows them"},
                 4);
}

std::string ShareOf(int64_t part, int64_t whole) {
  return Percent(static_cast<double>(part), static_cast<double>(whole));
}

std::string OfBase(const Page& page, int64_t value) { return ShareOf(value, page.view.base); }

std::string WholeName(const Metric& metric) {
  if (metric.name == "cpu") return "CPU time";
  if (metric.name == "cpu_gil") return "CPU time with the GIL";
  if (metric.name == "cpu_nogil") return "CPU time without the GIL";
  if (metric.name == "wall" || metric.name == "idle") return metric.name + " time";
  if (metric.name == kMetricGpu) return "GPU time";
  if (metric.name == kMetricGpuOps) return "GPU operations";
  if (metric.name == kMetricGpuWait) return "waiting for the GPU";
  if (metric.name == kMetricGpuMemory) return "GPU memory at its peak";
  if (metric.name == kMetricGpuAllocated) return "GPU memory allocated";
  if (metric.name == kMetricGpuAllocations) return "GPU allocations";
  if (metric.name == kMetricGpuBytes) return "copied";
  if (metric.name == kMetricGpuOverlapped) return "GPU time beside other work";
  if (metric.name == kMetricPcSamples) return "PC samples";
  if (metric.name == kMetricPcLatency) return "PC samples without an issue";
  if (metric.name.starts_with(kStall)) {
    return "PC samples in " + Printable(metric.name.substr(kStall.size())) + " stalls";
  }
  return Printable(metric.name);
}

std::string BaseText(const Page& page) {
  return Amount(page.view.base, page.view.metric.unit) + " " + WholeName(page.view.metric);
}

std::string ShareTitle(const Page& page) {
  const std::string& name = page.view.metric.name;
  if (name == "cpu") return "%CPU";
  if (name == kMetricGpu) return "%GPU";
  if (name == kMetricGpuWait) return "%wait";
  if (name == kMetricGpuBytes) return "%bytes";
  if (name == kMetricGpuOverlapped) return "%ovl";
  if (name == kMetricPcSamples) return "%PC";
  if (name == kMetricGpuOps) return "%ops";
  if (name == kMetricGpuMemory) return "%mem";
  if (name == kMetricGpuAllocated) return "%alloc";
  if (name == kMetricGpuAllocations) return "%allocs";
  const bool stall = name.starts_with(kStall);
  return "%" + FitEnd(Printable(stall ? name.substr(kStall.size()) : name), kLongestTitle);
}

}  // namespace gprofx
