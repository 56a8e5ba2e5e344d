#include "formats/profile/profile_open.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "formats/database/schema.h"
#include "formats/profile/profile_db.h"

namespace gprofx {
namespace {

constexpr FileKind kProfile = {
    "gprof-x profile",
    "profile",
    kApplicationId,
    "gprof-x record writes profiles; gprof-x import makes them from traces",
    "record one with gprof-x record -- COMMAND",
    "record again: the recording ended before it began",
    "copy it again from where it was recorded",
    "copy it again from where it was recorded, or record again"};

// Tables that every profile has. Tables of the first group hold texts, which may be on overflow
// pages. Only quick_check detects that two texts share such pages. Tables of the second group hold
// only numbers, in rows that are numbered without gaps. A b-tree with missing, shared or circular
// pages cannot have such rows, so it is enough to check the numbers while reading.
constexpr std::array kTextTables = {"meta",   "quality", "string", "process",
                                    "thread", "module",  "metric", "stream"};
constexpr std::array kNumberTables = {"load_range", "function", "frame", "node", "value", "chunk"};
// Name of a table of schema 1.0, which was always empty.
constexpr std::string_view kOldTable = "pc_sample";

using TableColumns = std::map<std::string, std::vector<std::string>, std::less<>>;

std::string WithoutComments(std::string_view sql) {
  std::string out;
  while (!sql.empty()) {
    const std::string_view line = sql.substr(0, sql.find('\n'));
    out += line.substr(0, line.find("--"));
    sql.remove_prefix(std::min(line.size() + 1, sql.size()));
  }
  return out;
}

// Returns the names of the columns of each table in kSchemaSql. It relies on the form of that text:
// columns are separated by commas, and each begins with its name.
TableColumns ColumnsOfSchema() {
  constexpr std::string_view kCreate = "CREATE TABLE ";
  const std::string text = WithoutComments(kSchemaSql);
  std::string_view sql = text;
  TableColumns columns;
  for (size_t at; (at = sql.find(kCreate)) != std::string_view::npos;) {
    sql.remove_prefix(at + kCreate.size());
    const size_t open = sql.find('('), close = sql.find(')');
    std::vector<std::string>& names = columns[std::string(sql.substr(0, open))];
    std::string_view list = sql.substr(open + 1, close - open - 1);
    while (!list.empty()) {
      std::string_view column = list.substr(0, list.find(','));
      list.remove_prefix(std::min(column.size() + 1, list.size()));
      column.remove_prefix(column.find_first_not_of(' '));
      names.emplace_back(column.substr(0, column.find(' ')));
    }
  }
  return columns;
}

const TableColumns& Schema() {
  static const TableColumns columns = ColumnsOfSchema();
  return columns;
}

// True if `text` can be the version of the writer, which is shown to users: at most 40 harmless
// characters.
bool IsVersion(std::string_view text) {
  return !text.empty() && text.size() <= 40 &&
         text.find_first_not_of(
             "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
             ".+-~_") == std::string_view::npos;
}

}  // namespace

bool IsRecorded(const std::string& table) {
  return table != "finding" && (table == kOldTable || Schema().contains(table));
}

Result<ProfileFile> ProfileFile::Open(const std::string& path, Access access) {
  Result<HardenedSqlite> opened = HardenedSqlite::Open(path, kProfile, access);
  if (!opened) return opened.error();
  ProfileFile file(std::move(*opened));
  if (Status plain = file.CheckSchema(); !plain) return plain.error();
  if (const auto plain = file.Columns("meta"); !plain) return plain.error();
  if (Status version = file.CheckVersion(); !version) return version.error();
  if (Status tables = file.CheckTables(); !tables) return tables.error();
  return file;
}

Status ProfileFile::CheckTables() {
  for (const auto& required : {std::span<const char* const>(kTextTables), {kNumberTables}}) {
    for (const char* table : required) {
      if (!HasTable(table)) {
        return Error{ErrorId::kDamaged,
                     "'" + path() + "' is damaged (table " + table + " is missing)",
                     kProfile.damage_fix};
      }
    }
  }
  for (const std::string& table : tables()) {
    if (Schema().contains(table)) {
      if (Status columns = CheckColumns(table); !columns) return columns;
    } else if (table != kOldTable) {
      ++unknown_tables_;
    }
  }
  return Ok();
}

// Returns an error if the known columns of a table are not in the order of the schema. Later
// versions append columns at the end. An unknown column before the known ones is refused: it could
// be large, and SQLite would read it again for each known column.
Status ProfileFile::CheckColumns(const std::string& table) const {
  const Result<std::vector<SqliteColumn>> found = Columns(table);
  if (!found) return found.error();
  const std::vector<std::string>& known = Schema().at(table);
  for (size_t i = 0; i < std::min(found->size(), known.size()); ++i) {
    if ((*found)[i].name != known[i]) return Damage(SQLITE_DONE, table);
  }
  return Ok();
}

Status ProfileFile::CheckVersion() const {
  const uint32_t version = header().user_version, major = version / 1000;
  if (major == kSchemaMajor) return Ok();
  if (major < kSchemaMajor) {
    return Error{ErrorId::kDamaged, "'" + path() + "' has no valid schema version",
                 kProfile.damage_fix};
  }
  std::string writer = "a newer gprof-x";
  sqlite::Statement tool = Query("SELECT value FROM meta NOT INDEXED WHERE name='tool_version'");
  if (tool.Next() && IsVersion(tool.Text(0))) writer = "gprof-x " + std::string(tool.Text(0));
  return Error{ErrorId::kNewerVersion,
               "'" + path() + "' was written by " + writer + " (schema " + std::to_string(major) +
                   "." + std::to_string(version % 1000) + "); this version reads up to schema " +
                   std::to_string(kSchemaMajor),
               "install a newer gprof-x"};
}

Status ProfileFile::QuickCheckTexts() const {
  for (const char* table : kTextTables) {
    if (Status check = QuickCheck(table); !check) return check;
  }
  for (const char* table : {"wall_part", "wall_lane_part", "recording", "recording_fact",
                            "recording_counter", "steady_wall_part", "steady_lane_part"}) {
    if (!HasTable(table)) continue;
    if (Status check = QuickCheck(table); !check) return check;
  }
  return Ok();
}

}  // namespace gprofx
