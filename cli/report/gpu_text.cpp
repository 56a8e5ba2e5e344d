#include "cli/report/gpu_text.h"

#include <algorithm>

#include "cli/report/gpu_names.h"
#include "cli/report/gpu_rows.h"
#include "cli/report/gpu_stalls.h"
#include "cli/report/names.h"
#include "cli/report/number.h"
#include "cli/report/rows.h"
#include "cli/report/text.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/arithmetic.h"

namespace gprofx {
namespace {

constexpr size_t kWaitRows = 5;
constexpr size_t kMostNamesTried = 5;
constexpr int kWideScreen = 100;  // from here on there is room for more columns

std::string Share(int64_t part, int64_t whole) {
  return Percent(static_cast<double>(part), static_cast<double>(whole));
}

std::string Titled(const Analysis& analysis, const std::vector<std::string>& parts) {
  return WrapParts(parts.data(), parts.size(), " ", analysis.around.screen.columns, 2) + "\n";
}

std::string NameOf(const Profile& profile, FrameId frame) {
  return frame ? FrameName(profile, profile.frame(frame)) : "[no kernel]";
}

std::string TopOf(size_t shown, size_t all, const char* one, const char* many) {
  return "top " + Grouped(static_cast<int64_t>(shown)) + " of " +
         Grouped(static_cast<int64_t>(all)) + " " + (all == 1 ? one : many);
}

// "... 47 more, together 3.2% of 41.2 s GPU time, none above 0.9%; --top 57 shows them"
std::string Elided(const Analysis& analysis, const std::vector<GpuRow>& rows, size_t shown,
                   int64_t GpuRow::*value, int64_t whole, const std::string& base) {
  if (rows.size() <= shown) return "";
  int64_t together = 0, largest = 0;
  for (size_t i = shown; i < rows.size(); ++i) {
    together = AddSaturated(together, rows[i].*value);
    largest = std::max(largest, rows[i].*value);
  }
  const std::vector<std::string> parts = {
      "... " + Grouped(static_cast<int64_t>(rows.size() - shown)) + " more,",
      "together " + Share(together, whole) + " of " + base + ",",
      "none above " + Share(largest, whole) + ";",
      (analysis.options.view == View::kLines ? "--limit " : "--top ") +
          std::to_string(rows.size()) + " shows them"};
  return WrapParts(parts.data(), parts.size(), " ", analysis.around.screen.columns, 4) + "\n";
}

// "grid 512x1x1 block 256x1x1, 40 registers, 16,384 B shared": how a kernel is launched. Launches
// are counted in the timeline only, so of several configurations the first one seen stands here.
std::string ConfigText(const Profile& profile, FrameId frame) {
  if (!frame || !profile.frame(frame).function) return "";
  const StringId name = profile.function(profile.frame(frame).function).name;
  const GpuKernelConfig* first = nullptr;
  int64_t more = -1;
  for (const GpuKernelConfig& config : profile.gpu.configs) {
    if (!config.function || profile.function(config.function).name != name) continue;
    if (first == nullptr) first = &config;
    ++more;
  }
  if (first == nullptr) return "";
  const auto size = [](const uint32_t(&xyz)[3]) {
    return std::to_string(xyz[0]) + "x" + std::to_string(xyz[1]) + "x" + std::to_string(xyz[2]);
  };
  const int64_t shared = int64_t{first->static_shared} + int64_t{first->dynamic_shared};
  return size(first->grid) + " of " + size(first->block) + ", " + std::to_string(first->registers) +
         " registers, " + Grouped(shared) + " B" + (more > 0 ? ", " + Grouped(more) + " more" : "");
}

// What a command line calls the kernel, quoted: its last part where no other sampled kernel is
// called so, else its full name; "" when that cannot be typed.
std::string AnnotatedName(const Profile& profile, const GpuTable& gpu, const GpuRow& row) {
  const std::string full = NameOf(profile, row.frame), base = KernelBaseName(full);
  const auto same = std::count_if(gpu.rows.begin(), gpu.rows.end(), [&](const GpuRow& other) {
    return other.samples > 0 && KernelBaseName(NameOf(profile, other.frame)) == base;
  });
  const std::string& name = same == 1 ? base : full;
  if (name.empty() || name.front() == '[' || name.front() == '-') return "";
  return ShellQuoted(name);
}

class KernelTable {
 public:
  KernelTable(const Analysis& analysis, const GpuTable& gpu, size_t shown)
      : analysis_(analysis),
        gpu_(gpu),
        shown_(shown),
        wide_(analysis.options.wide),
        roomy_(wide_ || analysis.around.screen.columns >= kWideScreen),
        sampled_(gpu.whole.samples > 0),
        stalls_(std::span(gpu.rows).first(shown), !roomy_, wide_) {}

  std::vector<std::string> Legend() const {
    return sampled_ ? stalls_.Legend() : std::vector<std::string>();
  }

  std::string Render() const {
    std::vector<Column> columns = {
        {"self", Align::kRight}, {"%GPU", Align::kRight}, {"calls", Align::kRight}};
    if (ShowsMean()) columns.push_back({"mean", Align::kRight});
    if (sampled_) columns.push_back({stalls_.Title()});
    if (sampled_ && wide_) {
      columns.push_back({"samples", Align::kRight});
      columns.push_back({"no issue", Align::kRight});
    }
    columns.push_back({"kernel or copy", Align::kLeft, roomy_ ? 3 : 1, &ShortenKernel});
    columns.push_back({"seen as", Align::kLeft, roomy_ ? 2 : 1});
    if (wide_) columns.push_back({"grid of blocks, registers and shared memory"});
    Table table(columns);
    for (size_t i = 0; i < shown_; ++i) table.Add(Cells(gpu_.rows[i]));
    return table.Render(analysis_.around.screen, wide_);
  }

 private:
  bool ShowsMean() const { return roomy_ || !sampled_; }

  std::vector<std::string> Cells(const GpuRow& row) const {
    const Profile& profile = analysis_.profile;
    std::vector<std::string> cells = {Duration(row.self_ns), Share(row.self_ns, gpu_.whole.self_ns),
                                      ShortCount(row.calls)};
    if (ShowsMean()) cells.push_back(row.calls > 0 ? Duration(row.self_ns / row.calls) : "");
    if (sampled_) cells.push_back(stalls_.Cell(row));
    if (sampled_ && wide_) {
      cells.push_back(ShortCount(row.samples));
      cells.push_back(Share(row.latency, row.samples));
    }
    const std::string name = NameOf(profile, row.frame);
    cells.push_back(wide_ ? Printable(name) : BareKernel(Printable(name)));
    cells.push_back(Printable(SeenAsText(profile, row.seen_as, name)));
    if (wide_) cells.push_back(ConfigText(profile, row.frame));
    return cells;
  }

  const Analysis& analysis_;
  const GpuTable& gpu_;
  size_t shown_;
  bool wide_, roomy_, sampled_;
  StallCells stalls_;
};

}  // namespace

bool ShowsGpuPicture(const Analysis& analysis) {
  const ReportOptions& options = analysis.options;
  return analysis.gpu.present && options.view == View::kTop && options.by == RowsBy::kDefault &&
         options.metric.empty();
}

std::string KernelsText(const Analysis& analysis, const GpuTable& gpu, size_t usual_rows) {
  if (gpu.rows.empty()) {
    return gpu.whole.calls == 0 && gpu.whole.self_ns == 0
               ? "(no kernel and no copy in this profile)\n"
               : "(no kernel and no copy passes the filters)\n";
  }
  const size_t shown = std::min(gpu.rows.size(), Limit(analysis, usual_rows));
  const KernelTable table(analysis, gpu, shown);
  const std::string base = Duration(gpu.whole.self_ns) + " GPU time";
  std::vector<std::string> title = {
      "GPU: " + TopOf(shown, gpu.rows.size(), "kernel or copy", "kernels and copies") + " by time;",
      "%GPU = share of " + base + " (overlaps counted in full)"};
  const std::vector<std::string> legend = table.Legend();
  if (!legend.empty()) title.back() += ";";
  title.insert(title.end(), legend.begin(), legend.end());
  return Titled(analysis, title) + table.Render() +
         Elided(analysis, gpu.rows, shown, &GpuRow::self_ns, gpu.whole.self_ns, base);
}

std::string GpuWaitText(const Analysis& analysis) {
  const Profile& profile = analysis.profile;
  const int64_t whole = MetricSum(profile, profile.FindMetric(kMetricGpuWait));
  const Groups groups = GroupFrames(profile, By::kFunction, false);
  const std::vector<Row> rows = GpuWaitRows(analysis, groups);
  if (rows.empty()) return "";
  const size_t shown = std::min(rows.size(), kWaitRows);
  Table table({{"waited", Align::kRight},
               {"%wait", Align::kRight},
               {"call", Align::kLeft, 3},
               {"seen as", Align::kLeft, 2}});
  for (size_t i = 0; i < shown; ++i) {
    const std::string name =
        rows[i].group == 0 ? "[no call]" : LabelOf(profile, groups, rows[i].group).name;
    table.Add({Duration(rows[i].self), Share(rows[i].self, whole), Printable(name),
               Printable(SeenAsText(profile, rows[i].seen_as, name))});
  }
  std::vector<std::string> title = {
      "host threads waiting for the GPU: " + TopOf(shown, rows.size(), "call;", "calls;"),
      "%wait = share of " + Duration(whole) + " in all threads together"};
  return Titled(analysis, title) + table.Render(analysis.around.screen, analysis.options.wide) +
         "\n";
}

std::string GpuLinesText(const Analysis& analysis, size_t usual_rows) {
  const Profile& profile = analysis.profile;
  const GpuTable gpu = GpuRows(profile, analysis.request, GpuBy::kLine);
  if (gpu.whole.samples <= 0 || gpu.rows.empty()) return "";
  const size_t shown = std::min(gpu.rows.size(), Limit(analysis, usual_rows));
  const bool wide = analysis.options.wide;
  const StallCells stalls(std::span(gpu.rows).first(shown),
                          !wide && analysis.around.screen.columns < kWideScreen, wide);
  Table table({{"samples", Align::kRight},
               {"%PC", Align::kRight},
               {stalls.Title()},
               {"GPU line", Align::kLeft, 2, &FitStart},
               {"function", Align::kLeft, 2, &ShortenKernel}});
  for (size_t i = 0; i < shown; ++i) {
    const GpuRow& row = gpu.rows[i];
    std::string place = "[no line]", function = NameOf(profile, row.kernel);
    if (row.frame && profile.frame(row.frame).kind == FrameKind::kGpuInstruction) {
      const Frame& frame = profile.frame(row.frame);
      const std::string_view file = FrameFile(profile, frame);
      const std::string line = ":" + std::to_string(frame.line);
      place = wide ? std::string(file) + line : PlaceText(file, frame.line);
      if (frame.function) function = FrameName(profile, frame);
    }
    table.Add({ShortCount(row.samples), Share(row.samples, gpu.whole.samples), stalls.Cell(row),
               Printable(place), Printable(function)});
  }
  const std::string base = Grouped(gpu.whole.samples) + " PC samples";
  std::vector<std::string> title = {
      "GPU: " + TopOf(shown, gpu.rows.size(), "line", "lines") + " by PC samples;",
      "%PC = share of " + base + ";"};
  const std::vector<std::string> legend = stalls.Legend();
  title.insert(title.end(), legend.begin(), legend.end());
  return "\n" + Titled(analysis, title) + table.Render(analysis.around.screen, wide) +
         Elided(analysis, gpu.rows, shown, &GpuRow::samples, gpu.whole.samples, base);
}

std::vector<std::string> GpuHints(const Analysis& analysis, const GpuTable& gpu) {
  const Profile& profile = analysis.profile;
  std::vector<std::string> hints = {CommandText(analysis, "--tree --metric gpu")};
  size_t tried = 0;
  for (const GpuRow& row : gpu.rows) {
    if (row.samples <= 0 || !row.frame) continue;
    if (++tried > kMostNamesTried) break;
    const std::string name = AnnotatedName(profile, gpu, row);
    if (name.empty()) continue;
    hints.push_back(AnnotateCommand(analysis, name));
    break;
  }
  return hints;
}

}  // namespace gprofx
