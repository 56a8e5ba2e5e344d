#include "cli/report/text/gpu.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "cli/report/number.h"
#include "cli/report/text/hints.h"
#include "cli/report/text/stalls.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

std::string TopOf(size_t shown, size_t all, const char* one, const char* many) {
  return "top " + Grouped(static_cast<int64_t>(shown)) + " of " +
         Grouped(static_cast<int64_t>(all)) + " " + (all == 1 ? one : many);
}

// Returns the launch configuration of a kernel as text: "512x1x1 of 256x1x1, 40 registers, 16,384
// B".
std::string ConfigText(const Profile& profile, FrameId frame) {
  const KernelLaunches launches = LaunchesOf(profile, frame);
  if (launches.first == nullptr) return "";
  const GpuKernelConfig& config = *launches.first;
  const auto size = [](const uint32_t(&xyz)[3]) {
    return std::to_string(xyz[0]) + "x" + std::to_string(xyz[1]) + "x" + std::to_string(xyz[2]);
  };
  const int64_t shared = int64_t{config.static_shared} + int64_t{config.dynamic_shared};
  const int64_t more = launches.configurations - 1;
  return size(config.grid) + " of " + size(config.block) + ", " + std::to_string(config.registers) +
         " registers, " + Grouped(shared) + " B" + (more > 0 ? ", " + Grouped(more) + " more" : "");
}

// Returns a rate in 10^9 bytes per second, such as "25.3", "1,205" or "0.012". Returns "" if it is
// not positive.
std::string Gigabytes(int64_t bytes_per_second) {
  if (bytes_per_second <= 0) return "";
  const double rate = static_cast<double>(bytes_per_second) / 1e9;
  if (rate >= 999.5) return Grouped(std::llround(rate));
  if (rate < 0.0005) return "<0.001";
  return Format("%.*f", rate < 0.1 ? 3 : rate < 10 ? 2 : 1, rate);
}

class KernelTable {
 public:
  KernelTable(const Page& page, const GpuTable& gpu)
      : page_(page),
        gpu_(gpu),
        wide_(page.wide),
        roomy_(IsRoomy(page)),
        sampled_(gpu.whole.samples > 0),
        overlaps_(std::any_of(Shown().begin(), Shown().end(),
                              [](const GpuRow& row) { return row.overlapped_ns > 0; })),
        stalls_(Shown(), false, wide_) {}

  std::vector<std::string> Legend() const {
    std::vector<std::string> legend;
    if (overlaps_) legend.push_back("%ovl = share of time that overlaps other work of the device");
    if (!sampled_) return legend;
    if (overlaps_) legend.back() += ";";
    for (std::string& part : roomy_ ? stalls_.Legend() : MainStallLegend(Shown())) {
      legend.push_back(std::move(part));
    }
    return legend;
  }

  std::string Render() const {
    std::vector<Column> columns;
    if (page_.view.is_numbered) columns.push_back({"#", Align::kRight});
    columns.push_back({"self", Align::kRight});
    columns.push_back({"%GPU", Align::kRight});
    columns.push_back({"calls", Align::kRight});
    if (ShowsMean()) columns.push_back({"mean", Align::kRight});
    if (overlaps_) columns.push_back({"%ovl", Align::kRight});
    if (sampled_) columns.push_back({roomy_ ? stalls_.Title() : "stall"});
    if (sampled_ && wide_) {
      columns.push_back({"samples", Align::kRight});
      columns.push_back({"no issue", Align::kRight});
    }
    columns.push_back({"kernel or copy", Align::kLeft, 3, &FitMiddle});
    if (ShowsOperators()) columns.push_back({"operator", Align::kLeft, 2});
    if (ShowsLines()) columns.push_back({"called from", Align::kLeft, 2, &FitPlace});
    if (wide_) columns.push_back({"grid of blocks, registers and shared memory"});
    Table table(columns);
    for (size_t i = 0; i < gpu_.shown; ++i) table.Add(Cells(i));
    return table.Render(page_.around.screen, wide_);
  }

 private:
  std::span<const GpuRow> Shown() const { return std::span(gpu_.rows).first(gpu_.shown); }
  bool ShowsOperators() const { return !page_.view.operators.empty(); }
  bool ShowsLines() const { return wide_ || !ShowsOperators(); }
  bool ShowsMean() const { return roomy_ || !sampled_; }

  std::vector<std::string> Cells(size_t index) const {
    const Profile& profile = page_.view.profile;
    const GpuRow& row = gpu_.rows[index];
    std::vector<std::string> cells;
    if (page_.view.is_numbered) cells.push_back("g" + std::to_string(index + 1));
    cells.push_back(Duration(row.self_ns));
    cells.push_back(ShareOf(row.self_ns, gpu_.whole.self_ns));
    cells.push_back(ShortCount(row.calls));
    if (ShowsMean()) cells.push_back(row.calls > 0 ? Duration(row.self_ns / row.calls) : "");
    if (overlaps_) {
      const int64_t ns = RecordedNs(gpu_, row);
      cells.push_back(row.overlapped_ns > 0 ? ShareOf(row.overlapped_ns, ns) : "");
    }
    if (sampled_) cells.push_back(roomy_ ? stalls_.Cell(row) : MainStallCell(row));
    if (sampled_ && wide_) {
      cells.push_back(ShortCount(row.samples));
      cells.push_back(ShareOf(row.latency, row.samples));
    }
    const std::string name = OperationName(profile, row.frame);
    const KernelLabels& labels = page_.view.kernel_labels;
    cells.push_back(Printable(wide_ ? name : labels.Short(profile, row.frame)));
    if (ShowsOperators()) cells.push_back(Printable(page_.view.operators[index]));
    if (ShowsLines()) cells.push_back(Printable(SeenAsText(profile, row.seen_as, name)));
    if (wide_) cells.push_back(ConfigText(profile, row.frame));
    return cells;
  }

  const Page& page_;
  const GpuTable& gpu_;
  bool wide_, roomy_, sampled_, overlaps_;
  StallCells stalls_;
};

}  // namespace

std::string KernelsText(const Page& page) {
  const GpuTable& gpu = *page.view.kernels;
  if (gpu.rows.empty()) {
    return gpu.whole.calls == 0 && gpu.whole.self_ns == 0
               ? "(this profile has no kernels and no copies)\n"
               : "(no kernels and no copies pass the filters)\n";
  }
  const KernelTable table(page, gpu);
  const std::string base = Duration(gpu.whole.self_ns) + " GPU time";
  std::vector<std::string> title = {
      "GPU: " + TopOf(gpu.shown, gpu.rows.size(), "kernel or copy", "kernels and copies") +
          " by time;",
      "%GPU = share of " + base + " (overlaps counted in full)"};
  if (gpu.estimated && page.view.records) {
    const RecordsMade& made = *page.view.records;
    title.back() += ",";
    title.push_back("estimated from " + ShareOf(made.traced_launches, made.launches) +
                    " of the launches");
  }
  const std::vector<std::string> legend = table.Legend();
  if (!legend.empty()) title.back() += ";";
  title.insert(title.end(), legend.begin(), legend.end());
  return Wrapped(page, title, 2) + table.Render() +
         RestText(page, gpu.rest, gpu.rows.size(), gpu.whole.self_ns, base);
}

std::string CopiesText(const Page& page) {
  constexpr size_t kMax = 5;
  const GpuTable& gpu = *page.view.kernels;
  const std::vector<size_t> copies = CopyRows(gpu, kMax);
  if (copies.empty()) return "";
  const Profile& profile = page.view.profile;
  std::vector<Column> columns;
  if (page.view.is_numbered) columns.push_back({"#", Align::kRight});
  columns.push_back({"copied", Align::kRight});
  columns.push_back({"GB/s", Align::kRight});
  columns.push_back({"%copied", Align::kRight});
  columns.push_back({"mean", Align::kRight});
  columns.push_back({"copy or memset", Align::kLeft, 3, &FitMiddle});
  columns.push_back({"called from", Align::kLeft, 2, &FitPlace});
  Table table(columns);
  for (const size_t index : copies) {
    const GpuRow& row = gpu.rows[index];
    const int64_t made = gpu.estimated ? row.traced : row.calls;
    const std::string name = OperationName(profile, row.frame);
    std::vector<std::string> cells;
    if (page.view.is_numbered) cells.push_back("g" + std::to_string(index + 1));
    cells.push_back(Bytes(row.bytes));
    cells.push_back(Gigabytes(BytesPerSecond(gpu, row)));
    cells.push_back(ShareOf(row.bytes, gpu.whole.bytes));
    cells.push_back(made > 0 ? Bytes(row.bytes / made) : "");
    cells.push_back(Printable(name));
    cells.push_back(Printable(SeenAsText(profile, row.seen_as, name)));
    table.Add(cells);
  }
  const std::vector<std::string> title = {
      "copies by bytes: " + Bytes(gpu.whole.bytes) + (gpu.estimated ? " in the records;" : ";"),
      "GB/s = rate while a copy runs"};
  return "\n" + Wrapped(page, title, 2) + table.Render(page.around.screen, page.wide);
}

std::string WaitsText(const Page& page) {
  if (!page.view.waits || page.view.waits->rows.empty()) return "";
  const Profile& profile = page.view.profile;
  const RowTable& waits = *page.view.waits;
  Table table({{"waited", Align::kRight},
               {"%wait", Align::kRight},
               {"call", Align::kLeft, 3},
               {"called from", Align::kLeft, 2, &FitPlace}});
  for (size_t i = 0; i < waits.shown; ++i) {
    const Row& row = waits.rows[i];
    const std::string name = WaitName(profile, waits, row);
    table.Add({Duration(row.self), ShareOf(row.self, waits.whole), Printable(name),
               Printable(SeenAsText(profile, row.seen_as, name))});
  }
  const std::vector<std::string> title = {
      "host threads waiting for the GPU: " +
          TopOf(waits.shown, waits.rows.size(), "call;", "calls;"),
      "%wait = share of " + Duration(waits.whole) + " in all threads together"};
  return Wrapped(page, title, 2) + table.Render(page.around.screen, page.wide) + "\n";
}

std::string GpuLinesText(const Page& page) {
  if (!page.view.gpu_lines) return "";
  const Profile& profile = page.view.profile;
  const GpuTable& gpu = *page.view.gpu_lines;
  if (gpu.whole.samples <= 0 || gpu.rows.empty()) return "";
  const bool wide = page.wide;
  const StallCells stalls(std::span(gpu.rows).first(gpu.shown), !IsRoomy(page), wide);
  Table table({{"samples", Align::kRight},
               {"%PC", Align::kRight},
               {stalls.Title()},
               {"GPU line", Align::kLeft, 2, &FitStart},
               {"function", Align::kLeft, 2, &FitMiddle}});
  for (size_t i = 0; i < gpu.shown; ++i) {
    const GpuRow& row = gpu.rows[i];
    std::string place = "[no line]";
    std::string function = wide ? OperationName(profile, row.kernel)
                                : page.view.kernel_labels.Short(profile, row.kernel);
    if (row.frame && profile.frame(row.frame).kind == FrameKind::kGpuInstruction) {
      const Frame& frame = profile.frame(row.frame);
      const std::string_view file = FrameFile(profile, frame);
      const std::string line = ":" + std::to_string(frame.line);
      place = wide ? std::string(file) + line : PlaceText(file, frame.line);
      if (frame.function) function = FrameName(profile, frame);
    }
    table.Add({ShortCount(row.samples), ShareOf(row.samples, gpu.whole.samples), stalls.Cell(row),
               Printable(place), Printable(function)});
  }
  const std::string base = Grouped(gpu.whole.samples) + " PC samples";
  std::vector<std::string> title = {
      "GPU: " + TopOf(gpu.shown, gpu.rows.size(), "line", "lines") + " by PC samples;",
      "%PC = share of " + base + ";"};
  const std::vector<std::string> legend = stalls.Legend();
  title.insert(title.end(), legend.begin(), legend.end());
  return "\n" + Wrapped(page, title, 2) + table.Render(page.around.screen, wide) +
         RestText(page, gpu.rest, gpu.rows.size(), gpu.whole.samples, base);
}

std::string Tenths(int tenths) {
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

std::vector<std::string> GpuHints(const Page& page) {
  std::vector<std::string> hints = {CommandText(page, "--metric gpu --tree")};
  for (const SampledKernel& kernel : page.view.sampled) {
    const std::string name = NameOrRow(page, kernel.name, "#g", kernel.row);
    if (name.empty()) continue;
    hints.push_back(AnnotateCommand(page, name));
    break;
  }
  return hints;
}

}  // namespace gprofx
