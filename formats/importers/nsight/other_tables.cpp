// Counts the events of tables that are not read, by the name of the table.
#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "formats/importers/nsight/readers.h"
#include "formats/importers/sqlite_rows.h"

namespace gprofx::importers::nsight {
namespace {

constexpr size_t kLongestName = 100;

bool IsPlainName(const std::string& table) {
  return table.size() <= kLongestName &&
         table.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
             std::string::npos;
}

// True for the name of a column with times, such as "start", "timestamp", "rawTimestamp" or "tsNs".
bool IsTime(const SqliteColumn& column) {
  const std::string name = AsciiLower(column.name);
  return IsOneOf(name, {"start", "startns", "ts", "tsns", "time", "timens"}) ||
         name.ends_with("timestamp");
}

// True if a table contains events: it has a column with times. Other tables hold names and facts,
// and messages of nsys itself are not events.
bool IsTableOfEvents(const HardenedSqlite& file, const std::string& table) {
  if (table == "DIAGNOSTIC_EVENT" || table.starts_with("TARGET_INFO_") ||
      table.starts_with("sqlite_")) {
    return false;
  }
  const Result<std::vector<SqliteColumn>> columns = file.Columns(table);
  return columns && std::any_of(columns->begin(), columns->end(), IsTime);
}

std::string WordsFor(const std::string& table) {
  static constexpr std::pair<std::string_view, const char*> kWords[] = {
      {"OSRT_API", "calls_of_the_system"},
      {"COMPOSITE_EVENTS", "cpu_samples"},
      {"SCHED_EVENTS", "scheduling_events"},
      {"PROFILER_OVERHEAD", "overheads"},
      {"CUPTI_ACTIVITY_KIND_OVERHEAD", "overheads"},
      {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", "cuda_events"},
      {"CUDA_GRAPH_NODE_EVENTS", "graph_nodes"}};
  for (const auto& [known, words] : kWords) {
    if (table == known) return words;
  }
  return IsPlainName(table) ? AsciiLower(table) : "events_of_tables_with_odd_names";
}

}  // namespace

Status CountOtherTables(const ExportTables& tables, TraceGather& gather) {
  const HardenedSqlite& file = tables.file();
  for (const std::string& table : file.tables()) {
    if (tables.IsUsed(table) || !IsTableOfEvents(file, table)) continue;
    const Result<int64_t> count = CountRows(file, table);
    if (!count) return count.error();
    gather.LeaveOut(WordsFor(table), *count);
  }
  return Ok();
}

}  // namespace gprofx::importers::nsight
