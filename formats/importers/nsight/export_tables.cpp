#include "formats/importers/nsight/export_tables.h"

#include <algorithm>

#include "formats/importers/nsight/table_names.h"
#include "formats/importers/sqlite_rows.h"

namespace gprofx::importers {
namespace {

using namespace nsight;

constexpr size_t kLongestFact = 1024;

std::vector<const char*> UsedTables() {
  std::vector<const char*> tables = {
      kKernels,   kGraphs,      kCopies, kSets,        kCalls,   kSyncs,  kRanges,  kStrings,
      kProcesses, kThreadNames, kGpus,   kCudaDevices, kCapture, kSystem, kDetails, kSessionStart};
  for (const CallTable& calls : kLibraryCalls) tables.push_back(calls.table);
  for (const char* facts : kFacts) tables.push_back(facts);
  return tables;
}

}  // namespace

Status ExportTables::ReadColumns() {
  for (const char* table : UsedTables()) {
    if (!file_.HasTable(table)) continue;
    const Result<std::vector<SqliteColumn>> columns = file_.Columns(table);
    if (!columns) return columns.error();
    for (const SqliteColumn& column : *columns) columns_[table].push_back(column.name);
  }
  if (!file_.HasTable(kStrings)) return Ok();
  file_.StartWork();
  return file_.QuickCheck(kStrings);
}

bool ExportTables::Has(const std::string& table, const std::string& column) const {
  const auto found = columns_.find(table);
  return found != columns_.end() &&
         std::find(found->second.begin(), found->second.end(), column) != found->second.end();
}

Status ExportTables::Rows(const char* table, const std::vector<const char*>& wanted,
                          size_t required, const std::function<void(const Row&)>& take) {
  if (!file_.HasTable(table)) return Ok();
  std::string columns;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool there = Has(table, wanted[i]);
    if (!there && i < required) {
      return Error{ErrorId::kMissingColumn,
                   "'" + file_.path() + "' has no column " + wanted[i] + " in table " + table,
                   "export the report with nsys of 2023 to 2026"};
    }
    columns += (i == 0 ? "" : ",") + (there ? "\"" + std::string(wanted[i]) + "\"" : "NULL");
  }
  const Status read = ForEachRow(file_, "SELECT " + columns + " FROM " + table, table, take);
  return read && texts_failed_ ? Status(file_.Damage(SQLITE_CORRUPT, kStrings)) : read;
}

std::string ExportTables::TextOf(const Row& row, int column) {
  return row.Type(column) == SQLITE_NULL ? "" : Text(row.Int(column));
}

std::string ExportTables::Text(int64_t id) {
  if (!text_ && file_.HasTable(kStrings)) {
    text_ = file_.Query("SELECT value FROM StringIds WHERE id=?1");
  }
  if (!text_) return "";
  text_.Bind(0, id);
  const bool found = text_.Next();
  if (!found && text_.code() != SQLITE_DONE) texts_failed_ = true;
  std::string text = found ? std::string(text_.Text(0)) : "";
  text_.Reset();
  return text;
}

std::string ExportTables::Fact(const char* table, const char* name) {
  if (!file_.HasTable(table) || !Has(table, "name") || !Has(table, "value")) return "";
  Row row = file_.Query("SELECT value FROM " + std::string(table) + " WHERE name=?1 LIMIT 1");
  if (!row) return "";
  row.Bind(0, std::string_view(name));
  return row.Next() ? std::string(row.Text(0).substr(0, kLongestFact)) : "";
}

int64_t ExportTables::Number(const char* table, const char* column) {
  if (!Has(table, column)) return 0;
  Row row = file_.Query("SELECT " + std::string(column) + " FROM " + table + " LIMIT 1");
  return row && row.Next() ? row.Int(0) : 0;
}

}  // namespace gprofx::importers
