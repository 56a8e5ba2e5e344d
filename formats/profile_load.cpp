// The reading half of profile_db.h.
//
// Every id is checked against the table that it points into, which therefore is read first; rows
// must be numbered 1, 2, 3... and be distinct, so that a Profile built by interning has the same
// ids as the file. Memory is bounded by a budget that every row is charged to before it is kept.

#include "formats/chunk.h"
#include "formats/profile_db.h"
#include "formats/profile_open.h"
#include "formats/sample_chunk.h"
#include "formats/schema.h"
#include "formats/value_chunk.h"

namespace gprofx {
namespace {

constexpr int64_t kMemoryBudget = int64_t{512} << 20;
constexpr int64_t kRowCost = 100;   // a row, its place in a hash table, and growth
constexpr int64_t kValueCost = 32;  // values are not indexed

class Loader {
 public:
  explicit Loader(const ProfileFile& file) : file_(file) {}

  Result<Profile> Run() && {
    if (Status check = file_.QuickCheck(); !check) return check.error();
    const bool is_read = Facts() && Strings() && Modules() && Processes() && Threads() &&
                         Ranges() && Functions() && Frames() && Nodes() && Metrics() && Streams() &&
                         (value_rows_ > 0 ? ValueChunks() : Values());
    if (!is_read) return error_;
    if (file_.unknown_tables() > 0) out_.quality["unknown_tables"] = file_.unknown_tables();
    return std::move(out_);
  }

 private:
  // Runs `row(statement)` for each row of `table`; the row answers false if it makes no sense.
  template <class Row>
  bool ForEach(const char* table, const char* sql, Row row, int64_t cost = kRowCost) {
    sqlite::Statement statement = file_.Query(sql);
    int64_t expected_id = 1;
    while (statement.Next()) {
      budget_ -= cost;
      if (budget_ < 0) return Fail(SQLITE_NOMEM, table);
      if (!row(statement, expected_id++)) return Fail(SQLITE_DONE, table);
    }
    return statement.code() == SQLITE_DONE || Fail(statement.code(), table);
  }

  // The same for tables whose first column is the id: 1, 2, 3...
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

  template <class Number>
  static bool Get(const sqlite::Statement& s, int column, int64_t low, int64_t high, Number& out) {
    const int64_t value = s.Int(column);
    out = static_cast<Number>(value);
    return value >= low && value <= high;
  }

  // An id of a table with `count` rows; `low` is 1 where none is not allowed.
  template <class Tag>
  static bool Get(const sqlite::Statement& s, int column, int64_t low, size_t count, Id<Tag>& out) {
    return Get(s, column, low, static_cast<int64_t>(count), out.value);
  }
  bool GetText(const sqlite::Statement& s, int column, StringId& out) const {
    return Get(s, column, 0, out_.string_count(), out);
  }

  bool Pay(std::string_view text) {
    budget_ -= static_cast<int64_t>(text.size());
    return budget_ >= 0;
  }

  bool Facts();
  bool Strings();
  bool Modules();
  bool Processes();
  bool Threads();
  bool Ranges();
  bool Functions();
  bool Frames();
  bool Nodes();
  bool Metrics();
  bool Values();
  bool ValueChunks();
  bool Streams();

  const ProfileFile& file_;
  Profile out_;
  int64_t value_rows_ = 0;  // of the stream of values
  int64_t budget_ = kMemoryBudget;
  Error error_;
};

bool Loader::Facts() {
  return ForEach("meta", "SELECT name, value FROM meta NOT INDEXED",
                 [this](const sqlite::Statement& s, int64_t) {
                   if (!Pay(s.Text(0)) || !Pay(s.Text(1))) return false;
                   out_.meta.insert_or_assign(std::string(s.Text(0)), std::string(s.Text(1)));
                   return true;
                 }) &&
         ForEach("quality", "SELECT name, value FROM quality NOT INDEXED",
                 [this](const sqlite::Statement& s, int64_t) {
                   if (!Pay(s.Text(0))) return false;
                   out_.quality.insert_or_assign(std::string(s.Text(0)), s.Int(1));
                   return true;
                 });
}

bool Loader::Strings() {
  return ForEachId("string", "SELECT id, text FROM string NOT INDEXED",
                   [this](const sqlite::Statement& s, uint32_t id) {
                     const std::string_view text = s.Text(1);
                     return Pay(text) && out_.Intern(text).value == id;
                   });
}

bool Loader::Modules() {
  return ForEachId("module", "SELECT id, path, build_id, flags FROM module NOT INDEXED",
                   [this](const sqlite::Statement& s, uint32_t) {
                     Module& m = out_.modules.emplace_back();
                     return GetText(s, 1, m.path) && GetText(s, 2, m.build_id) &&
                            Get(s, 3, 0, UINT32_MAX, m.flags);
                   });
}

bool Loader::Processes() {
  return ForEachId("process",
                   "SELECT id, pid, parent_pid, name, command, start_ns, end_ns, exit_status"
                   " FROM process NOT INDEXED",
                   [this](const sqlite::Statement& s, uint32_t) {
                     Process& p = out_.processes.emplace_back();
                     p.pid = s.Int(1);
                     p.parent_pid = s.Int(2);
                     p.start = s.Int(5);
                     p.end = s.Int(6);
                     return GetText(s, 3, p.name) && GetText(s, 4, p.command) &&
                            Get(s, 7, INT32_MIN, INT32_MAX, p.exit_status);
                   });
}

bool Loader::Threads() {
  return ForEachId("thread",
                   "SELECT id, process, tid, name, start_ns, end_ns, cpu_ns, lost_ns"
                   " FROM thread NOT INDEXED",
                   [this](const sqlite::Statement& s, uint32_t) {
                     Thread& t = out_.threads.emplace_back();
                     t.tid = s.Int(2);
                     t.start = s.Int(4);
                     t.end = s.Int(5);
                     t.cpu_ns = s.Int(6);
                     t.lost_ns = s.Int(7);
                     return Get(s, 1, 1, out_.processes.size(), t.process) && GetText(s, 3, t.name);
                   });
}

bool Loader::Ranges() {
  return ForEachId("load_range",
                   "SELECT id, process, module, base, begin_address, end_address"
                   " FROM load_range NOT INDEXED",
                   [this](const sqlite::Statement& s, uint32_t) {
                     LoadRange& r = out_.ranges.emplace_back();
                     r.base = static_cast<uint64_t>(s.Int(3));
                     r.begin = static_cast<uint64_t>(s.Int(4));
                     r.end = static_cast<uint64_t>(s.Int(5));
                     return Get(s, 1, 1, out_.processes.size(), r.process) &&
                            Get(s, 2, 1, out_.modules.size(), r.module);
                   });
}

bool Loader::Functions() {
  return ForEachId(
      "function", "SELECT id, name, file, first_line, module FROM function NOT INDEXED",
      [this](const sqlite::Statement& s, uint32_t id) {
        Function f;
        return GetText(s, 1, f.name) && GetText(s, 2, f.file) &&
               Get(s, 3, 0, UINT32_MAX, f.first_line) &&
               Get(s, 4, 0, out_.modules.size(), f.module) && out_.Intern(f).value == id;
      });
}

bool Loader::Frames() {
  return ForEachId(
      "frame", "SELECT id, kind, function, file, line, module, address FROM frame NOT INDEXED",
      [this](const sqlite::Statement& s, uint32_t id) {
        Frame f;
        f.address = static_cast<uint64_t>(s.Int(6));
        return Get(s, 1, 0, static_cast<int64_t>(FrameKind::kMarker), f.kind) &&
               Get(s, 2, 0, out_.functions.size(), f.function) && GetText(s, 3, f.file) &&
               Get(s, 4, 0, UINT32_MAX, f.line) && Get(s, 5, 0, out_.modules.size(), f.module) &&
               out_.Intern(f).value == id;
      });
}

bool Loader::Nodes() {
  return ForEachId("node", "SELECT id, parent, frame FROM node NOT INDEXED",
                   [this](const sqlite::Statement& s, uint32_t id) {
                     NodeId parent;
                     FrameId frame;
                     return Get(s, 1, id == 1 ? 0 : 1, size_t{id - 1}, parent) &&
                            Get(s, 2, 1, out_.frames.size(), frame) &&
                            out_.Child(parent, frame).value == id;
                   });
}

bool Loader::Metrics() {
  return ForEachId("metric", "SELECT id, name, unit, kind FROM metric NOT INDEXED",
                   [this](const sqlite::Statement& s, uint32_t id) {
                     MetricKind kind;
                     // A profile has a handful; each costs a pass over the values.
                     return id <= 1000 && Pay(s.Text(1)) && Pay(s.Text(2)) &&
                            Get(s, 3, 0, 1, kind) &&
                            out_.AddMetric(s.Text(1), s.Text(2), kind).value == id;
                   });
}

bool Loader::Values() {
  return ForEachId(
      "value", "SELECT id, node, thread, metric, self FROM value NOT INDEXED",
      [this](const sqlite::Statement& s, uint32_t) {
        Value& v = out_.values.emplace_back();
        v.self = s.Int(4);
        return Get(s, 1, 1, out_.nodes.size(), v.node) &&
               Get(s, 2, 1, out_.threads.size(), v.thread) &&
               Get(s, 3, 1, out_.metrics.size(), v.metric);
      },
      kValueCost);
}

bool Loader::ValueChunks() {
  if (value_rows_ > budget_ / kValueCost) return Fail(SQLITE_NOMEM, "chunk");
  out_.values.reserve(static_cast<size_t>(value_rows_));
  const ValueLimits limits{out_.nodes.size(), out_.threads.size(), out_.metrics.size()};
  sqlite::Statement chunks =
      file_.Query("SELECT codec, data FROM chunk NOT INDEXED WHERE stream=2");
  while (chunks.Next()) {
    if (chunks.Int(0) != kChunkCodec || !DecodeValues(chunks.Blob(1), limits, out_.values) ||
        out_.values.size() > static_cast<size_t>(value_rows_)) {
      return Fail(SQLITE_DONE, "chunk");
    }
  }
  if (chunks.code() != SQLITE_DONE) return Fail(chunks.code(), "chunk");
  return out_.values.size() == static_cast<size_t>(value_rows_) || Fail(SQLITE_DONE, "chunk");
}

bool Loader::Streams() {
  return ForEach("stream", "SELECT id, rows FROM stream NOT INDEXED",
                 [this](const sqlite::Statement& s, int64_t) {
                   if (s.Int(0) == kCpuSampleStream) out_.sample_rows = s.Int(1);
                   if (s.Int(0) == kValueStream) value_rows_ = s.Int(1);
                   return s.Int(1) >= 0;
                 });
}

// Rows of `table`, whose ids count from 1: the largest id.
size_t CountRows(const ProfileFile& file, const char* sql) {
  sqlite::Statement last = file.Query(sql);
  const int64_t id = last.Next() ? last.Int(0) : 0;
  return id > 0 && id <= UINT32_MAX ? static_cast<size_t>(id) : 0;
}

}  // namespace

Result<Profile> LoadProfile(const std::string& path) {
  Result<ProfileFile> file = ProfileFile::Open(path);
  if (!file) return file.error();
  return Loader(*file).Run();
}

Result<int64_t> ReadSamples(const std::string& path, HostNs begin, HostNs end,
                            const std::function<void(std::span<const SampleRow>)>& sink) {
  Result<ProfileFile> file = ProfileFile::Open(path);
  if (!file) return file.error();
  const SampleLimits limits{CountRows(*file, "SELECT id FROM thread ORDER BY id DESC LIMIT 1"),
                            CountRows(*file, "SELECT id FROM node ORDER BY id DESC LIMIT 1")};
  sqlite::Statement chunks =
      file->Query("SELECT stream, t_begin, t_end, codec, data FROM chunk NOT INDEXED");
  int64_t given = 0;
  std::vector<SampleRow> rows;
  while (chunks.Next()) {
    if (chunks.Int(0) != kCpuSampleStream || chunks.Int(1) >= end || chunks.Int(2) < begin)
      continue;
    rows.clear();
    if (chunks.Int(3) != kChunkCodec || !DecodeSamples(chunks.Blob(4), limits, rows)) {
      return file->Damage(SQLITE_DONE, "chunk");
    }
    std::erase_if(rows, [&](const SampleRow& row) { return row.time < begin || row.time >= end; });
    given += static_cast<int64_t>(rows.size());
    // The caller's time does not count against the file.
    const auto before = std::chrono::steady_clock::now();
    if (!rows.empty()) sink(rows);
    file->Extend(std::chrono::steady_clock::now() - before);
    if (file->IsLate()) return file->Damage(SQLITE_INTERRUPT, "chunk");
  }
  if (chunks.code() != SQLITE_DONE) return file->Damage(chunks.code(), "chunk");
  return given;
}

}  // namespace gprofx
