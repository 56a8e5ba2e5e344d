#include "formats/profile/profile_appender.h"

#include <utility>

#include "formats/profile/profile_open.h"

namespace gprofx {
namespace {

bool IsComplete(const ProfileFile& file) {
  sqlite::Statement complete =
      file.Query("SELECT value FROM meta NOT INDEXED WHERE name='complete'");
  return complete.Next() && complete.Text(0) == "yes";
}

bool IsWellFormed(const AddedTable& table) {
  if (!IsTableName(table.name) || IsRecorded(table.name)) return false;
  for (const AddedColumn& column : table.columns) {
    if (!IsTableName(column.name) || column.name == "id") return false;
  }
  for (const std::vector<Cell>& row : table.rows) {
    if (row.size() != table.columns.size()) return false;
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i].index() != static_cast<size_t>(table.columns[i].type)) return false;
    }
  }
  return true;
}

std::string CreateSql(const AddedTable& table) {
  std::string sql = "CREATE TABLE " + table.name + "(id INTEGER PRIMARY KEY";
  for (const AddedColumn& column : table.columns) {
    sql += ", " + column.name + " " + std::string(SqlType(column.type)) + " NOT NULL";
  }
  return sql + ")";
}

std::string InsertSql(const AddedTable& table) {
  std::string names = "id", places = "?";
  for (const AddedColumn& column : table.columns) {
    names += ", " + column.name;
    places += ",?";
  }
  return "INSERT INTO " + table.name + "(" + names + ") VALUES(" + places + ")";
}

// True if the columns of the file's table after `id` begin with those of `table`. A later version
// may have added more columns.
bool HasColumns(const std::vector<SqliteColumn>& found, const AddedTable& table) {
  if (found.size() <= table.columns.size() || found[0].name != "id") return false;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const SqliteColumn& column = found[i + 1];
    if (column.name != table.columns[i].name || column.type != SqlType(table.columns[i].type)) {
      return false;
    }
  }
  return true;
}

void Bind(sqlite::Statement& insert, int column, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    insert.Bind(column, std::string_view(*text));
  } else if (const auto* real = std::get_if<double>(&cell)) {
    insert.Bind(column, *real);
  } else {
    insert.Bind(column, std::get<int64_t>(cell));
  }
}

}  // namespace

ProfileAppender::ProfileAppender(std::unique_ptr<ProfileFile> file) : file_(std::move(file)) {}
ProfileAppender::ProfileAppender(ProfileAppender&&) noexcept = default;
ProfileAppender& ProfileAppender::operator=(ProfileAppender&&) noexcept = default;
ProfileAppender::~ProfileAppender() = default;

Result<ProfileAppender> ProfileAppender::Open(const std::string& path) {
  Result<ProfileFile> file = ProfileFile::Open(path, Access::kAppend);
  if (!file) return file.error();
  if (!IsComplete(*file)) {
    return Error{ErrorId::kUnfinishedRecording,
                 "cannot add to '" + path + "': the recording is unfinished",
                 "wait for its end or record again"};
  }
  return ProfileAppender(std::make_unique<ProfileFile>(std::move(*file)));
}

Status ProfileAppender::Failed(const std::string& table) {
  failed_ = true;
  return file_->AppendError(table);
}

Status ProfileAppender::Append(std::span<const Finding> findings) {
  const size_t nodes = file_->LastId("node");
  AddedTable table = FindingTable();
  for (const Finding& finding : findings) {
    if (finding.node.value > nodes) {
      failed_ = true;
      return Error{ErrorId::kMissingColumn,
                   "a finding names a node that '" + file_->path() + "' does not have",
                   "analyze this file again"};
    }
    table.rows.push_back(
        {finding.rule, int64_t{finding.node.value}, finding.saving_ns, finding.evidence});
  }
  return Append(table);
}

Status ProfileAppender::Append(const AddedTable& table) {
  file_->StartWork();
  if (!IsWellFormed(table)) {
    failed_ = true;
    return Error{ErrorId::kMissingColumn, "cannot add the table '" + table.name + "' to a profile"};
  }
  if (Status made = Make(table); !made) return made;
  return Insert(table);
}

Status ProfileAppender::Make(const AddedTable& table) {
  if (!file_->HasTable(table.name)) {
    sqlite::Statement create = file_->Query(CreateSql(table));
    if (!create.Run()) return Failed(table.name);
    return file_->CheckSchema();
  }
  const Result<std::vector<SqliteColumn>> columns = file_->Columns(table.name);
  if (columns && HasColumns(*columns, table)) return Ok();
  failed_ = true;
  if (!columns) return columns.error();
  return Error{
      ErrorId::kMissingColumn,
      "'" + file_->path() + "' has a table '" + std::string(table.name) + "' with other columns",
      "record again, or use the version of gprof-x that made it"};
}

Status ProfileAppender::Insert(const AddedTable& table) {
  sqlite::Statement insert = file_->Query(InsertSql(table));
  if (!insert) return Failed(table.name);
  auto id = static_cast<int64_t>(file_->LastId(table.name.c_str()));
  for (const std::vector<Cell>& row : table.rows) {
    file_->StartWork();  // the work limit is for untrusted rows, so reset it
    insert.Bind(0, ++id);
    for (size_t i = 0; i < row.size(); ++i) Bind(insert, static_cast<int>(i + 1), row[i]);
    if (!insert.Run()) return Failed(table.name);
  }
  return Ok();
}

Status ProfileAppender::Clear(const std::string& table) {
  if (!IsTableName(table) || IsRecorded(table)) {
    failed_ = true;
    return Error{ErrorId::kMissingColumn, "the table '" + table + "' is not part of a profile"};
  }
  if (!file_->HasTable(table)) return Ok();
  file_->StartWork();
  sqlite::Statement clear = file_->Query("DELETE FROM " + table);
  return clear.Run() ? Ok() : Failed(table);
}

Status ProfileAppender::Commit() {
  if (failed_) {
    return Error{ErrorId::kUnfinishedRecording, "nothing was added to '" + file_->path() + "'"};
  }
  failed_ = true;  // no second commit is allowed
  return file_->Commit();
}

}  // namespace gprofx
