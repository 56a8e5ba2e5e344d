#include "formats/database/added_rows.h"

#include <utility>

#include "formats/database/table_reader.h"

namespace gprofx {
namespace {

std::optional<CellType> TypeOf(const std::string& declared) {
  for (const CellType type : {CellType::kInteger, CellType::kReal, CellType::kText}) {
    if (declared == SqlType(type)) return type;
  }
  return std::nullopt;
}

// Returns the value in a column of the current row. No value if it is not of the type `type`, which
// the column declares.
std::optional<Cell> CellOf(const sqlite::Statement& row, int column, CellType type) {
  const int stored = row.Type(column);
  if (type == CellType::kInteger && stored == SQLITE_INTEGER) return row.Int(column);
  if (type == CellType::kReal && stored == SQLITE_FLOAT) return row.Real(column);
  if (type == CellType::kText && stored == SQLITE_TEXT) return std::string(row.Text(column));
  return std::nullopt;
}

bool TakeColumns(const std::vector<SqliteColumn>& found, AddedTable& table) {
  if (found.empty() || found[0].name != "id") return false;
  for (size_t i = 1; i < found.size(); ++i) {
    const std::optional<CellType> type = TypeOf(found[i].type);
    if (!type || !IsTableName(found[i].name)) return false;
    table.columns.push_back({found[i].name, *type});
  }
  return true;
}

bool TakeRow(TableReader& reader, const sqlite::Statement& row, AddedTable& table) {
  constexpr size_t kCellCost = 2 * sizeof(Cell);
  std::vector<Cell>& cells = table.rows.emplace_back();
  if (!reader.Pay(row.RowBytes() + kCellCost * table.columns.size())) return false;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    std::optional<Cell> cell = CellOf(row, static_cast<int>(i + 1), table.columns[i].type);
    if (!cell) return false;
    cells.push_back(std::move(*cell));
  }
  return true;
}

}  // namespace

Result<std::vector<Finding>> ReadFindings(const ProfileFile& file) {
  std::vector<Finding> findings;
  if (!file.HasTable("finding")) return findings;
  file.StartWork();
  if (Status check = file.QuickCheck("finding"); !check) return check.error();
  TableReader reader(file);
  const size_t nodes = file.LastId("node");
  const bool is_read = reader.ForEachId(
      "finding", "SELECT id, rule, node, saving_ns, evidence FROM finding NOT INDEXED",
      [&](const sqlite::Statement& s, uint32_t) {
        Finding& finding = findings.emplace_back();
        if (!reader.Pay(s.RowBytes())) return false;
        finding.rule = s.Text(1);
        finding.saving_ns = s.Int(3);
        finding.evidence = s.Text(4);
        return TableReader::Get(s, 2, 0, nodes, finding.node);
      });
  if (!is_read) return reader.error();
  return findings;
}

Result<std::optional<AddedTable>> ReadAdded(const ProfileFile& file, const std::string& name) {
  if (!IsTableName(name) || IsRecorded(name) || !file.HasTable(name)) return {std::nullopt};
  file.StartWork();
  AddedTable table;
  table.name = name;
  const auto columns = file.Columns(name);
  if (!columns) return columns.error();
  if (!TakeColumns(*columns, table)) return file.Damage(SQLITE_DONE, name);
  if (Status check = file.QuickCheck(name.c_str()); !check) return check.error();
  TableReader reader(file);
  const std::string select = "SELECT * FROM " + name + " NOT INDEXED";
  const bool is_read = reader.ForEachId(
      name.c_str(), select.c_str(),
      [&](const sqlite::Statement& s, uint32_t) { return TakeRow(reader, s, table); });
  if (!is_read) return reader.error();
  return {std::move(table)};
}

}  // namespace gprofx
