#include "cli/report/html/analyses.h"
#include "core/model/gpu_numbers.h"

#include <algorithm>

#include "cli/analyze/cell_text.h"
#include "cli/analyze/part_text.h"
#include "cli/report/html/page_text.h"
#include "cli/report/number.h"

namespace gprofx {
namespace {

// The analyses that a page contains, in this order.
constexpr const char* kShown[] = {"A1", "A3", "A13", "A11", "A6", "A10", "A9", "A14"};
constexpr size_t kMaxRows = 200;  // maximum rows of each table; `gprof-x analyze` shows all
constexpr size_t kMemoryBins = 300, kMaxAllocators = 8;
constexpr int kLongestCell = 300, kLongestKernel = 600;

bool IsText(analyses::CellUnit unit) {
  return unit == analyses::CellUnit::kText || unit == analyses::CellUnit::kPath ||
         unit == analyses::CellUnit::kKernel;
}

Json NumberJson(const analyses::AnalysisCell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return *whole;
  if (const auto* number = std::get_if<double>(&cell)) return FiniteJson(*number);
  return nullptr;
}

// Returns the indices of the columns in which at least one row has a value.
std::vector<size_t> KnownColumns(const analyses::Analysis& analysis) {
  std::vector<size_t> known;
  for (size_t i = 0; i < analysis.columns.size(); ++i) {
    if (std::any_of(analysis.rows.begin(), analysis.rows.end(), [&](const auto& row) {
          return !std::holds_alternative<std::monostate>(row[i]);
        })) {
      known.push_back(i);
    }
  }
  return known;
}

// Returns a row as JSON. It has each cell as text and, if the cell is a number, also as a number.
// Kernels have the short name that the whole page uses; the row also contains their full name.
Json RowJson(const analyses::Analysis& analysis, const std::vector<analyses::AnalysisCell>& row,
             const std::vector<size_t>& columns,
             const std::unordered_map<std::string, std::string>& short_names) {
  Json texts = Json::array(), numbers = Json::array(), json = Json::object();
  for (const size_t i : columns) {
    const analyses::CellUnit unit = analysis.columns[i].unit;
    std::string text = CellText(row[i], unit);
    const auto* name = std::get_if<std::string>(&row[i]);
    if (unit == analyses::CellUnit::kKernel && name != nullptr) {
      json["name"] = PageText(*name, kLongestKernel);
      const auto found = short_names.find(*name);
      if (found != short_names.end()) text = found->second;
    }
    texts.push_back(PageText(text, kLongestCell));
    numbers.push_back(NumberJson(row[i]));
  }
  json["texts"] = std::move(texts);
  json["numbers"] = std::move(numbers);
  return json;
}

Json TableJson(const analyses::Analysis& analysis,
               const std::unordered_map<std::string, std::string>& short_names) {
  const std::vector<size_t> known = KnownColumns(analysis);
  Json columns = Json::array(), rows = Json::array(), notes = Json::array();
  for (const size_t i : known) {
    const analyses::AnalysisColumn& column = analysis.columns[i];
    columns.push_back(
        {{"id", column.id}, {"title", column.title}, {"is_text", IsText(column.unit)}});
  }
  for (size_t i = 0; i < std::min(analysis.rows.size(), kMaxRows); ++i) {
    rows.push_back(RowJson(analysis, analysis.rows[i], known, short_names));
  }
  for (const std::string& note : analysis.notes) notes.push_back(PageText(note));
  return {{"name", analysis.name},
          {"id", analysis.id},
          {"title", analysis.title},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)},
          {"rows_total", analysis.rows.size()},
          {"reason", PageText(analysis.reason)},
          {"notes", std::move(notes)},
          {"degraded", analysis.degraded}};
}

}  // namespace

bool HasModel(const Levels& levels) {
  return std::any_of(levels.of_node.begin(), levels.of_node.end(), [](const NodeLevel& level) {
    return level.operation && (level.layer_path != 0 || level.op != 0);
  });
}

PageAnalyses MakePageAnalyses(const analyses::AnalysisContext& context) {
  PageAnalyses page;
  page.part = PartText(context.profile);
  for (const char* name : kShown) {
    page.analyses.push_back(analyses::MakeAnalysis(*analyses::FindAnalysis(name), context));
  }
  page.roofs = analyses::RoofsOf(context);
  page.memory = PageMemoryJson(
      MakeMemoryTable(context.profile, context.events.memory, kMemoryBins, 0), context.profile);
  return page;
}

Json PageMemoryJson(const MemoryTable& memory, const Profile& profile) {
  Json rows = Json::array();
  for (size_t i = 0; i < std::min(memory.allocators.size(), kMaxAllocators); ++i) {
    const AllocatorMemory& row = memory.allocators[i];
    const std::string gpu =
        row.device ? std::to_string(GpuNumbers(profile)[row.device.index()]) : "?";
    std::string name =
        "GPU " + gpu + ", " + (row.is_framework ? "the framework's allocator" : "the driver");
    if (profile.processes.size() > 1 && row.process) {
      name += ", process " + std::to_string(profile.process(row.process).pid);
    }
    std::string words = "peak " + Bytes(row.peak) + " at " + Duration(row.peak_time);
    if (row.most_reserved >= 0) words += ", held at most " + Bytes(row.most_reserved);
    words += ", at the end " + Bytes(row.at_end) + "; " + Grouped(row.allocations) + " allocations";
    rows.push_back({{"name", PageText(name)},
                    {"words", words},
                    {"live", row.live},
                    {"reserved", row.most_reserved >= 0 ? Json(row.reserved) : Json(nullptr)}});
  }
  return {{"begin_ns", memory.range.begin},
          {"end_ns", memory.range.end},
          {"rows", std::move(rows)},
          {"rows_total", memory.allocators.size()}};
}

Json PageAnalysesJson(const PageAnalyses& page,
                      const std::unordered_map<std::string, std::string>& short_names) {
  Json tables = Json::array(), compute = Json::array();
  for (const analyses::Analysis& analysis : page.analyses) {
    tables.push_back(TableJson(analysis, short_names));
  }
  for (const analyses::Roof& roof : page.roofs.compute) {
    compute.push_back({{"type", roof.type}, {"flop_per_s", roof.flop_per_s}});
  }
  return {{"part", PageText(page.part)},
          {"filtered", page.filtered},
          {"tables", std::move(tables)},
          {"memory", page.memory},
          {"roofs", {{"compute", std::move(compute)}, {"bytes_per_s", page.roofs.bytes_per_s}}}};
}

}  // namespace gprofx
