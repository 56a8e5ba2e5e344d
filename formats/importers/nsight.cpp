#include "formats/importers/nsight.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/redact/mask_arguments.h"
#include "formats/importers/call_words.h"
#include "formats/importers/nsight_export.h"
#include "formats/sqlite/hardened_sqlite.h"

namespace gprofx::importers {
namespace {

constexpr char kKernels[] = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr char kCopies[] = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr char kSets[] = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr char kCalls[] = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr char kSyncs[] = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
constexpr char kRanges[] = "NVTX_EVENTS";
constexpr char kGraphs[] = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

// Calls of libraries: spans of a host thread.
struct CallTable {
  const char* table;
  const char* name;  // column with the name
};
constexpr CallTable kLibraryCalls[] = {
    {"CUBLAS_EVENTS", "nameId"},          {"CUDNN_EVENTS", "nameId"},
    {"MPI_P2P_EVENTS", "textId"},         {"MPI_START_WAIT_EVENTS", "textId"},
    {"MPI_COLLECTIVES_EVENTS", "textId"}, {"MPI_OTHER_EVENTS", "textId"},
    {"OPENACC_DATA_EVENTS", "nameId"},    {"OPENACC_LAUNCH_EVENTS", "nameId"},
    {"OPENACC_OTHER_EVENTS", "nameId"},   {"UCP_EVENTS", "textId"},
    {"UCP_PROGRESS_EVENTS", "textId"},    {"UCP_SUBMIT_EVENTS", "textId"}};
constexpr const char* kFactTables[] = {"META_DATA_EXPORT", "EXPORT_META_DATA"};

// Every row takes more than this many bytes, which bounds the number of rows of a file.
constexpr uint64_t kMinRowBytes = 8;

int64_t PidOf(int64_t global) { return static_cast<int64_t>((global >> 24) & 0xffffff); }
int64_t TidOf(int64_t global) { return static_cast<int64_t>(global & 0xffffff); }

uint32_t Unsigned(int64_t number) {
  return number >= 0 && number <= UINT32_MAX ? static_cast<uint32_t>(number) : 0;
}

// Converts a memory kind of Nsight Systems to CUPTI's. Pageable memory is 0 in Nsight Systems and 1
// in CUPTI. 7 and above are unknown.
uint8_t MemoryOf(int64_t kind) {
  return kind >= 0 && kind < 7 ? static_cast<uint8_t>(kind + 1) : 0;
}

// Converts a copy kind to CUPTI's. Nsight Systems has its own kinds for migrations of managed
// memory.
uint8_t CopyKindOf(int64_t kind) {
  switch (kind) {
    case 11:
      return 1;
    case 12:
      return 2;
    case 13:
      return 8;
    default:
      return kind > 0 && kind <= 10 ? static_cast<uint8_t>(kind) : 0;
  }
}

class Reader {
 public:
  Reader(const HardenedSqlite& file, TraceGather& gather) : file_(file), gather_(gather) {}

  Status Read() {
    if (Status plain = CheckColumns(); !plain) return plain;
    for (const auto read :
         {&Reader::Devices, &Reader::Kernels, &Reader::Graphs, &Reader::Copies, &Reader::Sets,
          &Reader::Calls, &Reader::LibraryCalls, &Reader::Syncs, &Reader::Ranges, &Reader::Names}) {
      file_.StartWork();
      if (Status done = (this->*read)(); !done) return done;
    }
    LeaveOutTables();
    return Ok();
  }

  // Returns the value of a name in a table of names and values.
  std::string Fact(const char* table, const char* name) {
    if (!file_.HasTable(table) || !Has(table, "name") || !Has(table, "value")) return "";
    sqlite::Statement row =
        file_.Query("SELECT value FROM " + std::string(table) + " WHERE name=?1 LIMIT 1");
    if (!row) return "";
    row.Bind(0, std::string_view(name));
    return row.Next() ? std::string(row.Text(0).substr(0, 1024)) : "";
  }

  int64_t Number(const char* table, const char* column) {
    if (!Has(table, column)) return 0;
    sqlite::Statement row =
        file_.Query("SELECT " + std::string(column) + " FROM " + table + " LIMIT 1");
    return row && row.Next() ? row.Int(0) : 0;
  }

 private:
  // Reads the columns of all tables that are used. Refuses computed columns, which would run code
  // of the file's author.
  Status CheckColumns() {
    std::vector<const char*> tables = {kKernels,
                                       kGraphs,
                                       kCopies,
                                       kSets,
                                       kCalls,
                                       kSyncs,
                                       kRanges,
                                       "StringIds",
                                       "PROCESSES",
                                       "ThreadNames",
                                       "TARGET_INFO_GPU",
                                       "TARGET_INFO_CUDA_DEVICE",
                                       "META_DATA_CAPTURE",
                                       "TARGET_INFO_SYSTEM_ENV",
                                       "TARGET_INFO_SESSION_START_TIME",
                                       "ANALYSIS_DETAILS"};
    for (const CallTable& calls : kLibraryCalls) tables.push_back(calls.table);
    for (const char* facts : kFactTables) tables.push_back(facts);
    for (const char* table : tables) {
      if (!file_.HasTable(table)) continue;
      const Result<std::vector<SqliteColumn>> columns = file_.Columns(table);
      if (!columns) return columns.error();
      for (const SqliteColumn& column : *columns) columns_[table].push_back(column.name);
    }
    if (file_.HasTable("StringIds")) {
      file_.StartWork();
      if (Status check = file_.QuickCheck("StringIds"); !check) return check;
    }
    return Ok();
  }

  bool Has(const std::string& table, const std::string& column) const {
    const auto found = columns_.find(table);
    return found != columns_.end() &&
           std::find(found->second.begin(), found->second.end(), column) != found->second.end();
  }

  // Reads all rows of a table, in no order. Columns that the file lacks are NULL; the first
  // `required` of `wanted` must exist.
  Status Rows(const char* table, const std::vector<const char*>& wanted, size_t required,
              const std::function<void(const sqlite::Statement&)>& take) {
    if (!file_.HasTable(table)) return Ok();
    std::string columns;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const bool there = Has(table, wanted[i]);
      if (!there && i < required) {
        return Error{"'" + file_.path() + "' has no column " + wanted[i] + " in table " + table,
                     "export the report with an nsys of 2023 to 2026"};
      }
      columns += (i == 0 ? "" : ",") + (there ? "\"" + std::string(wanted[i]) + "\"" : "NULL");
    }
    sqlite::Statement rows = file_.Query("SELECT " + columns + " FROM " + table);
    uint64_t count = 0;
    while (rows.Next()) {
      if (++count > file_.size() / kMinRowBytes || !file_.SpendRow(rows)) {
        return file_.Damage(SQLITE_CORRUPT, table);
      }
      take(rows);
    }
    return rows.code() == SQLITE_DONE ? Ok() : Status(file_.Damage(rows.code(), table));
  }

  std::string Text(int64_t id) {
    if (!text_ && file_.HasTable("StringIds")) {
      text_ = file_.Query("SELECT value FROM StringIds WHERE id=?1");
    }
    if (!text_) return "";
    text_.Bind(0, id);
    std::string text = text_.Next() ? std::string(text_.Text(0)) : "";
    text_.Reset();
    return text;
  }

  Status Devices() {
    std::map<int64_t, GpuDeviceFacts> gpus;
    Status read = Rows(
        "TARGET_INFO_GPU",
        {"id", "name", "uuid", "busLocation", "totalMemory", "memoryBandwidth", "clockRate",
         "smCount", "computeMajor", "computeMinor", "maxWarpsPerSm", "threadsPerWarp", "cuDevice"},
        1, [&](const sqlite::Statement& row) {
          GpuDeviceFacts facts;
          facts.name = row.Text(1);
          facts.uuid = row.Text(2);
          facts.pci_bus = row.Text(3);
          facts.memory_bytes = row.Int(4);
          facts.memory_bytes_per_s = row.Int(5);
          facts.clock_hz = row.Int(6);
          facts.multiprocessors = Unsigned(row.Int(7));
          facts.compute_major = Unsigned(row.Int(8));
          facts.compute_minor = Unsigned(row.Int(9));
          facts.warps_per_multiprocessor = Unsigned(row.Int(10));
          facts.threads_per_warp = Unsigned(row.Int(11));
          const std::string driver = Fact("TARGET_INFO_SYSTEM_ENV", "NvDriverVersion");
          facts.driver = driver.substr(0, 40);
          gpus[row.Int(0)] = facts;
          gather_.AddDevice({}, Unsigned(row.Int(0)), facts, Unsigned(row.Int(0)));
        });
    if (!read) return read;
    // A process may number its devices differently (CUDA_VISIBLE_DEVICES).
    return Rows("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"}, 3,
                [&](const sqlite::Statement& row) {
                  const auto gpu = gpus.find(row.Int(0));
                  if (gpu == gpus.end()) return;
                  gather_.AddDevice(gather_.Process(row.Int(2)), Unsigned(row.Int(1)), gpu->second,
                                    Unsigned(row.Int(0)));
                });
  }

  // The columns common to all work come first, in this order.
  TraceWork WorkOf(const sqlite::Statement& row) {
    TraceWork work;
    work.start = row.Int(0);
    if (__builtin_sub_overflow(row.Int(1), work.start, &work.duration)) work.duration = -1;
    work.device = Unsigned(row.Int(2));
    work.context = Unsigned(row.Int(3));
    work.stream = Unsigned(row.Int(4));
    work.correlation = Unsigned(row.Int(5));
    work.process = gather_.Process(PidOf(row.Int(6)));
    return work;
  }
  static std::vector<const char*> WorkColumns(std::initializer_list<const char*> more) {
    std::vector<const char*> columns = {"start",    "end",           "deviceId", "contextId",
                                        "streamId", "correlationId", "globalPid"};
    columns.insert(columns.end(), more);
    return columns;
  }

  Status Kernels() {
    return Rows(kKernels,
                WorkColumns({"demangledName", "gridX", "gridY", "gridZ", "blockX", "blockY",
                             "blockZ", "registersPerThread", "staticSharedMemory",
                             "dynamicSharedMemory", "localMemoryPerThread", "shortName"}),
                8, [&](const sqlite::Statement& row) {
                  GpuKernelConfig config;
                  for (int i = 0; i < 3; ++i) {
                    config.grid[i] = Unsigned(row.Int(8 + i));
                    config.block[i] = Unsigned(row.Int(11 + i));
                  }
                  config.registers = Unsigned(row.Int(14));
                  config.static_shared = Unsigned(row.Int(15));
                  config.dynamic_shared = Unsigned(row.Int(16));
                  config.local = Unsigned(row.Int(17));
                  TraceWork work = WorkOf(row);
                  work.config = gather_.AddConfig(
                      KernelName(row, row.Type(7) == SQLITE_NULL ? 18 : 7), config);
                  gather_.AddWork(work);
                });
  }

  const std::string& KernelName(const sqlite::Statement& row, int column) {
    const int64_t id = row.Type(column) == SQLITE_NULL ? -1 : row.Int(column);
    const auto [found, is_new] = kernels_.try_emplace(id);
    if (is_new) found->second = id == -1 ? "" : Text(id);
    if (found->second.empty()) found->second = "[kernel without a name]";
    return found->second;
  }

  // By default, nsys records a launch of a CUDA graph as a whole, without its kernels.
  Status Graphs() {
    auto columns = WorkColumns({"originalGraphId", "graphId"});
    return Rows(kGraphs, columns, 7, [&](const sqlite::Statement& row) {
      TraceWork work = WorkOf(row);
      const int64_t graph = row.Type(7) == SQLITE_NULL ? row.Int(8) : row.Int(7);
      work.config = gather_.AddConfig("[CUDA graph " + std::to_string(graph) + "]", {});
      gather_.AddWork(work);
      ++gather_.profile().quality["import_whole_graphs"];
    });
  }

  Status Copies() {
    return Rows(kCopies, WorkColumns({"bytes", "copyKind", "srcKind", "dstKind"}), 9,
                [&](const sqlite::Statement& row) {
                  TraceWork work = WorkOf(row);
                  work.kind = TraceWork::kCopy;
                  work.bytes = std::max<int64_t>(row.Int(7), 0);
                  work.copy_kind = CopyKindOf(row.Int(8));
                  work.source = row.Type(9) == SQLITE_NULL ? 0 : MemoryOf(row.Int(9));
                  work.target = row.Type(10) == SQLITE_NULL ? 0 : MemoryOf(row.Int(10));
                  gather_.AddWork(work);
                });
  }

  Status Sets() {
    return Rows(kSets, WorkColumns({"bytes", "memKind"}), 8, [&](const sqlite::Statement& row) {
      TraceWork work = WorkOf(row);
      work.kind = TraceWork::kSet;
      work.bytes = std::max<int64_t>(row.Int(7), 0);
      work.target = row.Type(8) == SQLITE_NULL ? 0 : MemoryOf(row.Int(8));
      gather_.AddWork(work);
    });
  }

  Status Calls() {
    std::unordered_map<int64_t, FrameId> frames;
    return Rows(kCalls, {"start", "end", "globalTid", "nameId", "correlationId"}, 4,
                [&](const sqlite::Statement& row) {
                  AddSpan(row, row.Int(2), CallFrame(row, 3, frames), Unsigned(row.Int(4)));
                });
  }

  Status LibraryCalls() {
    std::unordered_map<int64_t, FrameId> frames;
    for (const CallTable& calls : kLibraryCalls) {
      // A wait for several requests has a row for each.
      std::vector<int64_t> last;
      const auto take = [&](const sqlite::Statement& row) {
        if (row.Type(1) == SQLITE_NULL) return gather_.LeaveOut("calls_without_an_end");
        std::vector<int64_t> here = {row.Int(0), row.Int(1), row.Int(2), row.Int(3)};
        if (here == last) return gather_.LeaveOut("repeated_rows_of_a_call");
        last = std::move(here);
        AddSpan(row, row.Int(2), CallFrame(row, 3, frames), 0);
      };
      Status read = Rows(calls.table, {"start", "end", "globalTid", calls.name}, 3, take);
      if (!read) return read;
    }
    return Ok();
  }

  FrameId CallFrame(const sqlite::Statement& row, int column,
                    std::unordered_map<int64_t, FrameId>& frames) {
    const bool has_name = row.Type(column) != SQLITE_NULL;
    const auto [frame, is_new] = frames.try_emplace(has_name ? row.Int(column) : -1);
    if (!is_new) return frame->second;
    const std::string text = has_name ? Text(row.Int(column)) : "";
    const std::string_view call = WithoutVersion(text);
    return frame->second =
               gather_.Frame(IsWaitingCall(call) ? FrameKind::kCudaApi : FrameKind::kNative,
                             call.empty() ? "[call without a name]" : call);
  }

  void AddSpan(const sqlite::Statement& row, int64_t thread, FrameId frame, uint32_t correlation,
               int64_t sequence = -1, bool is_backward = false, bool is_range = false) {
    HostSpan span;
    span.start = row.Int(0);
    if (__builtin_sub_overflow(row.Int(1), span.start, &span.duration)) span.duration = -1;
    span.frame = frame;
    span.correlation = correlation;
    span.sequence = sequence;
    span.is_backward = is_backward;
    span.is_range = is_range;
    gather_.AddHost(gather_.Thread(PidOf(thread), TidOf(thread)), span);
  }

  Status Syncs() {
    return Rows(kSyncs, {"start", "end", "contextId", "correlationId", "syncType", "globalPid"}, 2,
                [&](const sqlite::Statement& row) {
                  TraceSync sync;
                  sync.start = row.Int(0);
                  if (__builtin_sub_overflow(row.Int(1), sync.start, &sync.duration)) return;
                  sync.context = Unsigned(row.Int(2));
                  sync.correlation = Unsigned(row.Int(3));
                  sync.type = Unsigned(row.Int(4));
                  if (row.Type(5) != SQLITE_NULL) {
                    sync.process = gather_.Process(PidOf(row.Int(5)));
                  }
                  gather_.AddSync(sync);
                });
  }

  // Reads NVTX_EVENTS. The constants are values of ENUM_NSYS_EVENT_TYPE.
  Status Ranges() {
    constexpr int64_t kMark = 34, kPushPop = 59, kStartEnd = 60;
    std::unordered_map<std::string, FrameId> frames;
    return Rows(
        kRanges, {"start", "end", "eventType", "globalTid", "text", "textId"}, 4,
        [&](const sqlite::Statement& row) {
          const int64_t type = row.Int(2);
          if (type != kMark && type != kPushPop && type != kStartEnd) {
            return gather_.LeaveOut("nvtx_records");
          }
          const bool has_end = row.Type(1) != SQLITE_NULL;
          if (!has_end && type != kMark) return gather_.LeaveOut("ranges_without_an_end");
          std::string text(row.Text(4));
          if (text.empty() && row.Type(5) != SQLITE_NULL) text = Text(row.Int(5));
          const int64_t thread = row.Int(3);
          TraceMarker marker;
          marker.start = row.Int(0);
          if (has_end && __builtin_sub_overflow(row.Int(1), marker.start, &marker.duration)) {
            marker.duration = -1;
          }
          marker.thread = gather_.Thread(PidOf(thread), TidOf(thread));
          marker.name = gather_.profile().Intern(text);
          gather_.AddMarker(marker);
          if (type != kPushPop) return;
          const std::string name(WithoutNumbers(text));
          const auto [frame, is_new] = frames.try_emplace(name);
          if (is_new) {
            frame->second =
                gather_.Frame(FrameKind::kOperator, name.empty() ? "[range without a name]" : name);
          }
          AddSpan(row, thread, frame->second, 0, SequenceOf(text), IsBackwardName(name), true);
        });
  }

  Status Names() {
    Status read = Rows("PROCESSES", {"pid", "name"}, 2, [&](const sqlite::Statement& row) {
      gather_.NameKnownProcess(row.Int(0), row.Text(1));
    });
    if (!read) return read;
    return Rows("ThreadNames", {"globalTid", "nameId"}, 2, [&](const sqlite::Statement& row) {
      const int64_t thread = row.Int(0);
      gather_.NameKnownThread(PidOf(thread), TidOf(thread), Text(row.Int(1)));
    });
  }

  // Counts the events of all tables that are not imported, whatever nsys may write in times to
  // come.
  void LeaveOutTables() {
    static constexpr std::pair<std::string_view, const char*> kWords[] = {
        {"OSRT_API", "calls_of_the_system"},
        {"COMPOSITE_EVENTS", "cpu_samples"},
        {"SCHED_EVENTS", "scheduling_events"},
        {"PROFILER_OVERHEAD", "overheads"},
        {"CUPTI_ACTIVITY_KIND_OVERHEAD", "overheads"},
        {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", "cuda_events"},
        {"CUDA_GRAPH_NODE_EVENTS", "graph_nodes"}};
    for (const std::string& table : file_.tables()) {
      if (columns_.contains(table) || !IsTableOfEvents(table)) continue;
      file_.StartWork();
      sqlite::Statement rows = file_.Query("SELECT 1 FROM " + table);
      int64_t count = 0;
      while (rows.Next()) ++count;
      std::string what = table;
      for (char& c : what) c = static_cast<char>(tolower(static_cast<unsigned char>(c)));
      for (const auto& [known, words] : kWords) {
        if (table == known) what = words;
      }
      gather_.LeaveOut(what, count);
    }
  }

  // Tables of events have times; others hold names and facts. Messages of nsys itself do not count.
  bool IsTableOfEvents(const std::string& table) const {
    const bool is_word =
        table.size() <= 100 &&
        table.find_first_not_of(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
    if (!is_word || table == "DIAGNOSTIC_EVENT" || table.starts_with("TARGET_INFO_") ||
        table.starts_with("sqlite_")) {
      return false;
    }
    const Result<std::vector<SqliteColumn>> columns = file_.Columns(table);
    return columns && std::any_of(columns->begin(), columns->end(), [](const SqliteColumn& column) {
             return column.name == "start" || column.name == "timestamp" ||
                    column.name == "rawTimestamp";
           });
  }

  const HardenedSqlite& file_;
  TraceGather& gather_;
  std::map<std::string, std::vector<std::string>, std::less<>> columns_;
  std::unordered_map<int64_t, std::string> kernels_;
  sqlite::Statement text_;
};

// The result is shown to users, so only a plain version number is accepted.
std::string Version(const std::string& text) {
  const bool plain = !text.empty() && text.size() <= 40 &&
                     text.find_first_not_of("0123456789.-") == std::string::npos;
  return plain ? text : "of an unknown version";
}

std::string Command(Reader& reader) {
  std::vector<std::string> words = {reader.Fact("META_DATA_CAPTURE", "PROCESS_0:COMMAND")};
  for (int i = 0; i < 64 && !words[0].empty(); ++i) {
    const std::string name = "PROCESS_0:ARGUMENT_" + std::to_string(i);
    const std::string argument = reader.Fact("META_DATA_CAPTURE", name.c_str());
    if (argument.empty()) break;
    words.push_back(argument);
  }
  std::string command;
  for (const std::string& word : StoredCommand(words))
    command += (command.empty() ? "" : " ") + word;
  return command;
}

// Says what to do if there is nothing to import.
Status CheckContents(const HardenedSqlite& file) {
  const auto has = [&](const char* table) { return file.HasTable(table); };
  const bool has_work = has(kKernels) || has(kGraphs) || has(kCopies) || has(kSets) ||
                        has(kCalls) || has(kRanges) ||
                        std::any_of(std::begin(kLibraryCalls), std::end(kLibraryCalls),
                                    [&](const CallTable& calls) { return has(calls.table); });
  if (has_work && has("StringIds")) return Ok();
  if (has("StringIds") &&
      (has("TARGET_INFO_SYSTEM_ENV") || has("META_DATA_EXPORT") || has("EXPORT_META_DATA"))) {
    return Error{"'" + file.path() + "' is an export of Nsight Systems without CUDA or NVTX events",
                 "record with nsys profile --trace=cuda,nvtx"};
  }
  const auto& tables = file.tables();
  if (std::any_of(tables.begin(), tables.end(),
                  [](const std::string& name) { return name.starts_with("rocpd_"); })) {
    return Error{"'" + file.path() + "' is a recording of rocprofv3, which is not read",
                 "record with torch.profiler, and import its trace"};
  }
  return Error{"'" + file.path() +
                   "' is an SQLite database, but no export of Nsight Systems with CUDA "
                   "or NVTX events",
               kNsightExport.origin};
}

std::string Fact(Reader& reader, const char* name) {
  std::string text;
  for (const char* table : kFactTables) {
    if (text.empty()) text = reader.Fact(table, name);
  }
  return text;
}

}  // namespace

Result<std::string> ReadNsight(const std::string& path, TraceGather& gather) {
  Result<HardenedSqlite> file = HardenedSqlite::Open(path, kNsightExport);
  if (!file) return file.error();
  if (Status plain = file->CheckSchema(); !plain) return plain.error();
  if (Status known = CheckContents(*file); !known) return known.error();
  Reader reader(*file, gather);
  if (Status read = reader.Read(); !read) return read.error();
  Profile& profile = gather.profile();
  if (const std::string command = Command(reader); !command.empty()) {
    profile.meta["command"] = command;
  }
  if (const std::string host = reader.Fact("TARGET_INFO_SYSTEM_ENV", "Hostname"); !host.empty()) {
    profile.meta["host"] = host;
  }
  // Real time at the start of the capture, and the same moment on the events' clock.
  const int64_t realtime = reader.Number("TARGET_INFO_SESSION_START_TIME", "utcEpochNs");
  int64_t zero = 0;
  if (realtime > 0 &&
      !__builtin_sub_overflow(realtime, reader.Number("ANALYSIS_DETAILS", "startTime"), &zero)) {
    gather.SetClock(zero);
  }
  return "Nsight Systems " + Version(Fact(reader, "EXPORT_PRODUCT_VERSION")) + " (SQLite export " +
         Version(Fact(reader, "EXPORT_SCHEMA_VERSION")) + ")";
}

}  // namespace gprofx::importers
