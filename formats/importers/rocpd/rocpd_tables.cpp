#include "formats/importers/rocpd/rocpd_tables.h"

#include <algorithm>
#include <utility>

#include "formats/importers/sqlite_rows.h"

namespace gprofx::importers {
namespace {

constexpr const char* kTables[] = {
    "metadata",       "string",     "info_node",       "info_process",
    "info_thread",    "info_agent", "info_stream",     "info_kernel_symbol",
    "track",          "timestamp",  "event",           "pmc_event",
    "region",         "sample",     "kernel_dispatch", "memory_copy",
    "memory_allocate"};

// Tables with long texts, which SQLite stores on overflow pages. In a hostile file, several rows
// could point to the same overflow pages, so these tables are checked with PRAGMA quick_check.
constexpr const char* kTextTables[] = {"string", "event", "info_process", "info_agent",
                                       "info_kernel_symbol"};

std::string Quoted(const std::string& name) { return HardenedSqlite::QuotedName(name); }

}  // namespace

RocpdTables::RocpdTables(const HardenedSqlite& file, std::string suffix)
    : file_(file), suffix_(std::move(suffix)) {}

Status RocpdTables::Learn() {
  for (const char* table : kTables) {
    const std::string name = Name(table);
    if (!file_.HasTable(name)) continue;
    const Result<std::vector<SqliteColumn>> columns = file_.Columns(name);
    if (!columns) return columns.error();
    for (const SqliteColumn& column : *columns) columns_[table].push_back(column.name);
  }
  for (const char* table : kTextTables) {
    if (!columns_.contains(table)) continue;
    file_.StartWork();
    if (Status whole = file_.QuickCheck(Quoted(Name(table)).c_str()); !whole) return whole;
  }
  return Ok();
}

bool RocpdTables::Has(const std::string& table, std::string_view column) const {
  const auto found = columns_.find(table);
  return found != columns_.end() &&
         std::find(found->second.begin(), found->second.end(), column) != found->second.end();
}

std::string RocpdTables::Column(const char* alias, const std::string& table,
                                const char* column) const {
  return Has(table, column) ? std::string(alias) + "." + Quoted(column) : "NULL";
}

// Returns the SQL expression for a time. Depending on the layout, the time is in a column of the
// row itself, or in the row of rocpd_timestamp to which it refers.
std::string RocpdTables::Time(const std::string& table, const char* column,
                              const char* joined) const {
  return Has(table, column) ? Column("t", table, column) : Column(joined, "timestamp", "value");
}

Status RocpdTables::Rows(const std::string& sql, const std::string& table, const Take& take) {
  file_.StartWork();
  return ForEachRow(file_, sql, Name(table), take);
}

Status RocpdTables::Facts(const char* table, const std::vector<const char*>& columns,
                          const Take& take) {
  const std::string name = "info_" + std::string(table);
  if (!columns_.contains(name)) return Ok();
  std::string list;
  for (const char* column : columns) list += (list.empty() ? "" : ",") + Column("t", name, column);
  return Rows("SELECT " + list + " FROM " + Quoted(Name(name)) + " t", name, take);
}

Status RocpdTables::Events(const char* table, const std::vector<const char*>& more,
                           const Take& take) {
  if (!columns_.contains(table)) return Ok();
  const bool by_track = Has(table, "track_id") && columns_.contains("track");
  const bool is_moment = Has(table, "timestamp") || Has(table, "timestamp_id");
  const char* begin = is_moment ? "timestamp" : "start";
  const char* end = is_moment ? "timestamp" : "end";
  const auto place = [&](const char* column) {
    return by_track && !Has(table, column) ? Column("k", "track", column)
                                           : Column("t", table, column);
  };
  std::string sql = "SELECT " + Time(table, begin, "a") + "," + Time(table, end, "b");
  for (const char* column : {"pid", "tid", "agent_id", "queue_id", "stream_id"})
    sql += "," + place(column);
  for (const char* column : {"stack_id", "category_id", "extdata", "call_stack"})
    sql += "," + Column("e", "event", column);
  for (const char* column : more) sql += "," + Column("t", table, column);
  sql += " FROM " + Quoted(Name(table)) + " t";
  const auto join = [&](const char* joined, const char* alias, const std::string& id) {
    if (!columns_.contains(joined) || !Has(table, id)) return;
    sql += " LEFT JOIN " + Quoted(Name(joined)) + " " + alias + " ON " + alias + ".id=t." + id;
  };
  join("event", "e", "event_id");
  if (by_track) join("track", "k", "track_id");
  join("timestamp", "a", std::string(begin) + "_id");
  join("timestamp", "b", std::string(end) + "_id");
  return Rows(sql, table, take);
}

Result<int64_t> RocpdTables::Count(const char* table) const {
  if (!columns_.contains(table)) return int64_t{0};
  return CountRows(file_, Name(table));
}

std::string RocpdTables::Text(int64_t id) {
  if (!columns_.contains("string")) return "";
  if (!text_) text_ = file_.Query("SELECT string FROM " + Quoted(Name("string")) + " WHERE id=?1");
  if (!text_) return "";
  text_.Bind(0, id);
  std::string text = text_.Next() ? std::string(text_.Text(0)) : "";
  text_.Reset();
  return text;
}

}  // namespace gprofx::importers
