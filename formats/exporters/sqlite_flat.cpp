// Writes a plain SQLite file with one row for each sample, piece of GPU work, CUDA call and range
// that the program named, with their names. It takes about 30 bytes per event, six times the size
// of the profile. The views function_self and gpu_by_name answer the most common questions. The
// tables are described in gprof-x-export(1).
#include <sqlite3.h>

#include <cerrno>
#include <unordered_map>

#include "core/cost/profiling_time.h"
#include "core/views/naming/names.h"
#include "formats/exporters/exporter.h"
#include "formats/exporters/gpu_work.h"
#include "formats/exporters/stacks.h"
#include "formats/exporters/text.h"
#include "formats/exporters/values.h"
#include "formats/exporters/who.h"
#include "formats/sqlite/output_file.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx::exporters {
namespace {

constexpr char kSetUp[] = R"(
PRAGMA page_size = 16384;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
BEGIN;
CREATE TABLE meta (name TEXT, value TEXT);
CREATE TABLE quality (name TEXT, value INTEGER);
CREATE TABLE process (id INTEGER PRIMARY KEY, pid INTEGER, name TEXT, command TEXT,
  start_ns INTEGER, end_ns INTEGER);
CREATE TABLE thread (id INTEGER PRIMARY KEY, process INTEGER, tid INTEGER, name TEXT,
  start_ns INTEGER, end_ns INTEGER);
CREATE TABLE function (id INTEGER PRIMARY KEY, kind TEXT, name TEXT, file TEXT, line INTEGER,
  module TEXT);
CREATE TABLE stack (id INTEGER PRIMARY KEY, parent INTEGER, function INTEGER, file TEXT,
  line INTEGER);  -- 0 = the root, which has no row; the last call is `function` at file:line
CREATE TABLE metric (id INTEGER PRIMARY KEY, name TEXT, unit TEXT);
CREATE TABLE value (thread INTEGER, stack INTEGER, metric INTEGER, self INTEGER);
CREATE TABLE sample (time_ns INTEGER, thread INTEGER, stack INTEGER, weight_ns INTEGER,
  state INTEGER);
CREATE TABLE gpu_stream (id INTEGER PRIMARY KEY, process INTEGER, gpu INTEGER, context INTEGER,
  number INTEGER);
CREATE TABLE gpu_config (id INTEGER PRIMARY KEY, grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,
  block_x INTEGER, block_y INTEGER, block_z INTEGER, registers INTEGER, static_shared INTEGER,
  dynamic_shared INTEGER, local INTEGER);
CREATE TABLE gpu_name (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE gpu_work (kind INTEGER, start_ns INTEGER, duration_ns INTEGER, launch_ns INTEGER,
  thread INTEGER, stack INTEGER, stream INTEGER, name INTEGER, config INTEGER, bytes INTEGER,
  correlation INTEGER);  -- kind 0 = kernel, 1 = copy, 2 = memset; launch_ns 0 = unknown
CREATE TABLE cuda_call (start_ns INTEGER, duration_ns INTEGER, thread INTEGER, stack INTEGER,
  name TEXT, waits INTEGER);  -- waits 1 = the thread waited in it for the GPU
CREATE TABLE marker (start_ns INTEGER, duration_ns INTEGER, thread INTEGER, name TEXT,
  domain TEXT);  -- a range that the program has named
CREATE VIEW function_self AS
  SELECT metric.name AS metric, function.kind AS kind, function.name AS name,
         function.module AS module, sum(value.self) AS self
  FROM value JOIN metric ON metric.id = value.metric
    LEFT JOIN stack ON stack.id = value.stack LEFT JOIN function ON function.id = stack.function
  GROUP BY metric.id, function.id;
CREATE VIEW gpu_by_name AS
  SELECT gpu_name.name AS name, count(*) AS count, sum(duration_ns) AS ns, sum(bytes) AS bytes
  FROM gpu_work JOIN gpu_name ON gpu_name.id = gpu_work.name GROUP BY gpu_work.name;
)";

std::string Plain(std::string_view text) {
  std::string out;
  AppendUtf8(out, text);
  return out;
}

class FlatWriter {
 public:
  FlatWriter(const ExportJob& job, const std::string& path)
      : job_(job),
        profile_(job.profile),
        path_(path),
        stacks_(job.profile, Stacks::Detail::kLines, job.all_frames),
        who_(WhoIsWho(job.profile)) {}

  Status Write() {
    db_ = sqlite::Database::Open(path_, sqlite::Opening::kWrite);
    good_ = db_.code() == SQLITE_OK && db_.Execute(kSetUp);
    WriteFacts();
    WriteThreads();
    WriteStacks();
    WriteValues();
    WriteGpuTables();
    if (Status samples = WriteSamples(); !samples) return samples;
    if (Status work = WriteWork(); !work) return work;
    if (Status marks = WriteMarks(); !marks) return marks;
    if (good_ && db_.Execute("COMMIT")) return Ok();
    const int code = db_.code() & 0xFF;
    const int number = code == SQLITE_FULL ? ENOSPC : code == SQLITE_IOERR ? system_error_ : 0;
    return WriteError(path_, number, db_.Message());
  }

 private:
  sqlite::Statement Insert(const std::string& table, int columns) {
    std::string sql = "INSERT INTO " + table + " VALUES (?";
    for (int i = 1; i < columns; ++i) sql += ",?";
    return {db_.get(), sql + ")"};
  }

  // Inserts one row. After an error, later rows are dropped.
  template <class... Args>
  void Put(sqlite::Statement& statement, const Args&... args) {
    if (!good_) return;
    good_ = statement.Run(args...);
    if (!good_) system_error_ = sqlite3_system_errno(db_.get());
  }

  void WriteFacts() {
    sqlite::Statement meta = Insert("meta", 2), quality = Insert("quality", 2);
    for (const auto& [name, value] : profile_.meta) {
      const std::string key = Plain(name), text = Plain(value);
      Put(meta, std::string_view(key), std::string_view(text));
    }
    for (const auto& [name, value] : profile_.quality) {
      const std::string key = Plain(name);
      Put(quality, std::string_view(key), value);
    }
    sqlite::Statement metric = Insert("metric", 3);
    for (size_t i = 0; i < profile_.metrics.size(); ++i) {
      const std::string name = Plain(profile_.metrics[i].name),
                        unit = Plain(profile_.metrics[i].unit);
      Put(metric, static_cast<int64_t>(i + 1), std::string_view(name), std::string_view(unit));
    }
  }

  void WriteThreads() {
    sqlite::Statement process = Insert("process", 6), thread = Insert("thread", 6);
    for (size_t i = 0; i < who_.processes.size(); ++i) {
      const ShownProcess& row = who_.processes[i];
      const std::string name = Plain(row.name), command = Plain(row.command);
      Put(process, static_cast<int64_t>(i), row.pid, std::string_view(name),
          std::string_view(command), row.start, row.end);
    }
    for (uint32_t i = 0; i < who_.threads.size(); ++i) {
      if (IsLeftOut(profile_, ThreadId{i})) continue;
      const ShownThread& row = who_.threads[i];
      const std::string name = Plain(row.name);
      Put(thread, static_cast<int64_t>(i), row.process, row.tid, std::string_view(name), row.start,
          row.end);
    }
  }

  void WriteStacks() {
    sqlite::Statement insert = Insert("function", 6), stack = Insert("stack", 5);
    for (size_t i = 0; i < stacks_.functions().size(); ++i) {
      const Stacks::Function& row = stacks_.functions()[i];
      const std::string name = Plain(stacks_.Name(row)), file = Plain(stacks_.File(row));
      const std::string module = Plain(stacks_.Module(row));
      Put(insert, static_cast<int64_t>(i + 1), KindWord(stacks_.Kind(row), name),
          std::string_view(name), std::string_view(file), stacks_.FirstLine(row),
          std::string_view(module));
    }
    for (size_t i = 1; i < stacks_.stacks().size(); ++i) {
      const Stacks::Stack& row = stacks_.stacks()[i];
      const Stacks::Call& call = stacks_.calls()[row.call];
      const std::string file = Plain(stacks_.File(call));
      Put(stack, static_cast<int64_t>(i), row.parent, call.function + 1, std::string_view(file),
          stacks_.Line(call));
    }
  }

  void WriteValues() {
    sqlite::Statement value = Insert("value", 4);
    for (const StackValue& row : ValuesByStack(profile_, stacks_)) {
      Put(value, row.thread.value, row.stack, row.metric.value, row.self);
    }
  }

  void WriteGpuTables() {
    sqlite::Statement stream = Insert("gpu_stream", 5), config = Insert("gpu_config", 11);
    const std::vector<ShownStream> streams = ShownStreams(profile_, who_);
    for (size_t i = 1; i < streams.size(); ++i) {
      const ShownStream& row = streams[i];
      Put(stream, static_cast<int64_t>(i), row.process, row.gpu, row.context, row.number);
    }
    for (size_t i = 0; i < profile_.gpu.configs.size(); ++i) {
      const GpuKernelConfig& c = profile_.gpu.configs[i];
      Put(config, static_cast<int64_t>(i + 1), c.grid[0], c.grid[1], c.grid[2], c.block[0],
          c.block[1], c.block[2], c.registers, c.static_shared, c.dynamic_shared, c.local);
    }
  }

  Status WriteSamples() {
    sqlite::Statement sample = Insert("sample", 5);
    const auto write = [&](std::span<const SampleRow> rows) {
      for (const SampleRow& row : rows) {
        Put(sample, row.time, row.thread.value, stacks_.OfNode(row.node.value), row.weight,
            uint32_t{row.state});
      }
    };
    const Result<int64_t> read =
        job_.reader.Samples(job_.begin, job_.end, WithoutLeftOut(profile_, write));
    return read ? Ok() : Status(read.error());
  }

  Status WriteWork() {
    sqlite::Statement insert = Insert("gpu_work", 11), named = Insert("gpu_name", 2);
    std::unordered_map<std::string, int64_t> names;
    return ForEachGpuWork(job_, [&](const GpuWork& work) {
      const auto [found, made] =
          names.try_emplace(WorkName(profile_, work), static_cast<int64_t>(names.size() + 1));
      if (made) {
        const std::string name = Plain(found->first);
        Put(named, found->second, std::string_view(name));
      }
      Put(insert, static_cast<int>(work.kind), work.start, work.duration, work.launch, work.thread,
          stacks_.OfNode(work.node), work.stream, found->second, work.config, work.bytes,
          work.correlation);
    });
  }

  Status WriteMarks() {
    sqlite::Statement call = Insert("cuda_call", 6), marker = Insert("marker", 5);
    return ForEachHostMark(job_, [&](const HostMark& mark) {
      const std::string name = Plain(profile_.Text(mark.name));
      if (mark.kind == HostMark::Kind::kRange) {
        const std::string domain = Plain(profile_.Text(mark.domain));
        Put(marker, mark.start, mark.duration, mark.thread, std::string_view(name),
            std::string_view(domain));
        return;
      }
      Put(call, mark.start, mark.duration, mark.thread, stacks_.OfNode(mark.node),
          std::string_view(name), mark.kind == HostMark::Kind::kWait ? 1 : 0);
    });
  }

  const ExportJob& job_;
  const Profile& profile_;
  const std::string& path_;
  sqlite::Database db_;
  Stacks stacks_;
  Who who_;
  bool good_ = false;
  int system_error_ = 0;
};

}  // namespace

Status WriteSqliteFlat(const ExportJob& job, const std::string& path) {
  return FlatWriter(job, path).Write();
}

}  // namespace gprofx::exporters
