// Reads rows of tables from an untrusted file. Checks that ids are in order and numbers in range,
// and keeps the memory within a budget. Used only inside formats/.
//
// Every row is charged to the budget before it is stored. The budget grows with the file size,
// because each row takes about ten bytes of the file. After a failure, error() describes it. One
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "core/model/ids.h"
#include "formats/profile/profile_open.h"

namespace gprofx {

class TableReader {
 public:
  static constexpr uint64_t kBaseMemory = uint64_t{512} << 20, kMemoryPerByte = 32;
  // Bytes of a row, its hash table entry, and spare capacity.
  static constexpr int64_t kRowCost = 100;

  explicit TableReader(const ProfileFile& file)  // must outlive this object
      : file_(file), budget_(static_cast<int64_t>(kBaseMemory + kMemoryPerByte * file.size())) {}

  const ProfileFile& file() const { return file_; }
  int64_t budget() const { return budget_; }
  const Error& error() const { return *error_; }  // call only after a failure

  // Runs `sql`, a query of `table`, and calls `row(statement, number)` for each row; `number`
  // counts from 1. `row` returns false if the row is invalid. Each row costs `cost` bytes of the
  // budget. Returns false on failure.
  template <class Row>
  bool ForEach(const char* table, const char* sql, Row row, int64_t cost = kRowCost) {
    sqlite::Statement statement = file_.Query(sql);
    int64_t number = 1;
    while (statement.Next()) {
      if (!file_.SpendRow(statement)) return Fail(SQLITE_INTERRUPT, table);
      budget_ -= cost;
      if (budget_ < 0) return Fail(SQLITE_NOMEM, table);
      if (!row(statement, number++)) {
        return Fail(budget_ < 0 ? SQLITE_NOMEM : SQLITE_DONE, table);
      }
    }
    return statement.code() == SQLITE_DONE || Fail(statement.code(), table);
  }

  // Like ForEach, for a query whose first column is the id. The ids must be 1, 2, 3...
  template <class Row>
  bool ForEachId(const char* table, const char* sql, Row row, int64_t cost = kRowCost) {
    return ForEach(
        table, sql,
        [&](const sqlite::Statement& s, int64_t id) {
          return s.Int(0) == id && id < UINT32_MAX && row(s, static_cast<uint32_t>(id));
        },
        cost);
  }

  bool Fail(int code, const char* table) {
    error_ = file_.Damage(code, table);
    return false;
  }

  // Charges the bytes of a text or blob that will be stored. Returns false if they exceed the
  // budget.
  bool Pay(size_t bytes) {
    budget_ -= static_cast<int64_t>(bytes);
    return budget_ >= 0;
  }

  template <class Number>
  static bool Get(const sqlite::Statement& s, int column, int64_t low, int64_t high, Number& out) {
    const int64_t value = s.Int(column);
    out = static_cast<Number>(value);
    return value >= low && value <= high;
  }

  // Reads an id that refers to a table with `count` rows. Returns false unless it is in [low,
  // count]. Pass `low` = 1 if 0 (none) is not allowed.
  template <class Tag>
  static bool Get(const sqlite::Statement& s, int column, int64_t low, size_t count, Id<Tag>& out) {
    return Get(s, column, low, static_cast<int64_t>(count), out.value);
  }

 private:
  const ProfileFile& file_;
  int64_t budget_;
  std::optional<Error> error_;
};

}  // namespace gprofx
