#include "formats/importers/rocpd/rocpd.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/redact/mask_arguments.h"
#include "formats/importers/call_words.h"
#include "formats/importers/rocpd/rocpd_tables.h"
#include "formats/importers/sqlite_rows.h"
#include "formats/sqlite/hardened_sqlite.h"

namespace gprofx::importers {
namespace {

using Column = RocpdTables::EventColumn;
using nlohmann::json;

constexpr FileKind kRocpd = {.noun = "rocpd file",
                             .word = "rocpd file",
                             .application_id = 0,
                             .origin = "rocprofv3 --output-format rocpd -- PROGRAM writes one",
                             .missing_fix = "rocprofv3 --output-format rocpd -- PROGRAM writes one",
                             .empty_fix = "record again",
                             .copy_fix = "copy the file again",
                             .damage_fix = "copy the file again, or record again",
                             .has_views = true};

constexpr std::string_view kDispatches = "rocpd_kernel_dispatch", kRegions = "rocpd_region",
                           kCopies = "rocpd_memory_copy", kStrings = "rocpd_string";
constexpr size_t kMaxRecordings = 1024;
constexpr size_t kMaxDeviceFacts = 4096;
constexpr char kWithoutDevice[] = "gpu_work_without_a_device";
constexpr size_t kMaxJson = size_t{1} << 20;

int64_t DurationOf(const sqlite::Statement& row) {
  int64_t duration = 0;
  const bool whole =
      row.Type(Column::kStart) != SQLITE_NULL && row.Type(Column::kEnd) != SQLITE_NULL &&
      !__builtin_sub_overflow(row.Int(Column::kEnd), row.Int(Column::kStart), &duration);
  return whole ? duration : -1;
}

json ParseObject(std::string_view text) {
  if (text.size() <= 2 || text.size() > kMaxJson) return json::object();
  json parsed = json::parse(text, nullptr, false);
  return parsed.is_object() ? parsed : json::object();
}

std::string TextIn(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

int64_t NumberIn(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() && found->get<uint64_t>() <= INT64_MAX
             ? found->get<int64_t>()
             : 0;
}

// By id of a name: the frame.
using Frames = std::unordered_map<int64_t, FrameId>;

class Recording {
 public:
  Recording(RocpdTables& tables, TraceGather& gather) : tables_(tables), gather_(gather) {}

  Status Read() {
    for (const auto read :
         {&Recording::Processes, &Recording::Threads, &Recording::Agents, &Recording::Streams,
          &Recording::Symbols, &Recording::Kernels, &Recording::Copies, &Recording::Regions,
          &Recording::Moments, &Recording::Names}) {
      if (Status done = (this->*read)(); !done) return done;
    }
    for (const auto& [table, what] : {std::pair{"memory_allocate", "memory_allocations"},
                                      std::pair{"pmc_event", "counter_values"}}) {
      const Result<int64_t> count = tables_.Count(table);
      if (!count) return count.error();
      gather_.LeaveOut(what, *count);
    }
    return Ok();
  }

 private:
  struct Agent {
    bool is_gpu = false;
    uint32_t device = 0;
  };
  struct Symbol {
    std::string name;
    uint32_t registers = 0;
  };

  Profile& profile() { return gather_.profile(); }

  Status Processes() {
    Status read =
        tables_.Facts("process", {"id", "pid", "command"}, [&](const sqlite::Statement& row) {
          processes_[row.Int(0)] = row.Int(1);
          const std::string command = Command(row.Text(2));
          commands_[row.Int(1)] = command;
          if (!command.empty()) profile().meta.try_emplace("command", command);
        });
    if (!read) return read;
    return tables_.Facts("node", {"hostname"}, [&](const sqlite::Statement& row) {
      const std::string host(row.Text(0).substr(0, 256));
      if (!host.empty()) profile().meta.try_emplace("host", host);
    });
  }

  Status Threads() {
    return tables_.Facts("thread", {"id", "tid"},
                         [&](const sqlite::Statement& row) { threads_[row.Int(0)] = row.Int(1); });
  }

  // Returns the pid of the process to whose row an event refers. In files of rocprofv3, the number
  // of that row is the pid; rocprof-sys numbers the rows from 1 on.
  int64_t PidOf(int64_t row) const {
    const auto found = processes_.find(row);
    return found == processes_.end() ? row : found->second;
  }

  // Returns the command line, with secrets in its arguments masked. The file does not distinguish
  // blanks within an argument from those between arguments.
  static std::string Command(std::string_view text) {
    std::vector<std::string> words;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find(' ', begin), text.size());
      if (end > begin) words.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    std::string command;
    for (const std::string& word : StoredCommand(words))
      command += (command.empty() ? "" : " ") + word;
    return command;
  }

  Status Agents() {
    return tables_.Facts("agent",
                         {"id", "type", "type_index", "product_name", "name", "uuid", "extdata"},
                         [&](const sqlite::Statement& row) { AddAgent(row); });
  }

  void AddAgent(const sqlite::Statement& row) {
    Agent& agent = agents_[row.Int(0)];
    agent.is_gpu = row.Text(1) == "GPU";
    agent.device = Unsigned(row.Int(2));
    if (!agent.is_gpu) return;
    const json more = ParseObject(row.Text(6));
    GpuDeviceFacts facts;
    facts.name = row.Text(row.Text(3).empty() ? 4 : 3);
    facts.multiprocessors = Unsigned(NumberIn(more, "cu_count"));
    facts.threads_per_warp = Unsigned(NumberIn(more, "wave_front_size"));
    facts.clock_hz =
        std::min<int64_t>(NumberIn(more, "max_engine_clk_fcompute"), 100'000) * 1'000'000;
    for (const auto& [_, pid] : processes_) {
      if (++device_facts_ > kMaxDeviceFacts) return;
      gather_.AddDevice(gather_.Process(pid), agent.device, facts, agent.device);
    }
  }

  // Decides how work is shown: by the streams of HIP, which are those that the program uses, or by
  // hardware queue if the file has only one stream.
  Status Streams() {
    int64_t streams = 0;
    Status read = tables_.Facts("stream", {"id"}, [&](const sqlite::Statement&) { ++streams; });
    by_stream_ = streams > 1;
    return read;
  }

  Status Symbols() {
    return tables_.Facts(
        "kernel_symbol",
        {"id", "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count"},
        [&](const sqlite::Statement& row) {
          symbols_[row.Int(0)] = {std::string(row.Text(row.Text(1).empty() ? 2 : 1)),
                                  Unsigned(row.Int(3)) + Unsigned(row.Int(4))};
        });
  }

  // Returns the values of the columns that all work has.
  TraceWork WorkOf(const sqlite::Statement& row, uint32_t device) {
    if (row.Text(Column::kCallStack).size() > 2) gather_.LeaveOut("call_stacks");
    TraceWork work;
    work.start = row.Int(Column::kStart);
    work.duration = DurationOf(row);
    work.device = device;
    work.stream = Unsigned(row.Int(by_stream_ ? Column::kStream : Column::kQueue));
    work.correlation = Unsigned(row.Int(Column::kStackId));
    work.process = gather_.Process(PidOf(row.Int(Column::kProcess)));
    return work;
  }

  Status Kernels() {
    return tables_.Events(
        "kernel_dispatch",
        {"kernel_id", "grid_size_x", "grid_size_y", "grid_size_z", "workgroup_size_x",
         "workgroup_size_y", "workgroup_size_z", "group_segment_size", "private_segment_size"},
        [&](const sqlite::Statement& row) {
          const Agent* gpu = GpuOf(row.Int(Column::kAgent));
          if (gpu == nullptr) return gather_.LeaveOut(kWithoutDevice);
          TraceWork work = WorkOf(row, gpu->device);
          const Symbol& symbol = symbols_[row.Int(Column::kEventColumns)];
          work.config = gather_.AddConfig(
              symbol.name.empty() ? "[kernel without a name]" : symbol.name, Shape(row, symbol));
          gather_.AddWork(work);
        });
  }

  // Returns the configuration of a launch. The file gives the size of the grid in work-items, not
  // in blocks.
  static GpuKernelConfig Shape(const sqlite::Statement& row, const Symbol& symbol) {
    constexpr int kGrid = Column::kEventColumns + 1, kBlock = kGrid + 3, kShared = kBlock + 3;
    GpuKernelConfig shape;
    for (int i = 0; i < 3; ++i) {
      shape.block[i] = Unsigned(row.Int(kBlock + i));
      const uint64_t items = Unsigned(row.Int(kGrid + i)), group = std::max(shape.block[i], 1u);
      shape.grid[i] = static_cast<uint32_t>((items + group - 1) / group);
    }
    shape.registers = symbol.registers;
    shape.static_shared = Unsigned(row.Int(kShared));
    shape.local = Unsigned(row.Int(kShared + 1));
    return shape;
  }

  const Agent* GpuOf(int64_t agent) const {
    const auto found = agents_.find(agent);
    return found == agents_.end() || !found->second.is_gpu ? nullptr : &found->second;
  }

  // Reads the copies. A copy belongs to the GPU to which it goes or, if it goes to the host, to the
  // GPU from which it comes.
  Status Copies() {
    constexpr int kTo = Column::kEventColumns, kFrom = kTo + 1, kBytes = kTo + 2;
    return tables_.Events(
        "memory_copy", {"dst_agent_id", "src_agent_id", "size"}, [&](const sqlite::Statement& row) {
          const Agent* to = GpuOf(row.Int(kTo));
          const Agent* from = GpuOf(row.Int(kFrom));
          if (to == nullptr && from == nullptr) return gather_.LeaveOut(kWithoutDevice);
          TraceWork work = WorkOf(row, (to != nullptr ? to : from)->device);
          work.kind = TraceWork::kCopy;
          work.bytes = std::max<int64_t>(row.Int(kBytes), 0);
          work.copy_kind = CopyKindBetween(from != nullptr, to != nullptr, from != to);
          gather_.AddWork(work);
        });
  }

  // Returns the CUpti_ActivityMemcpyKind of a copy.
  static uint8_t CopyKindBetween(bool from_gpu, bool to_gpu, bool differ) {
    constexpr uint8_t kToDevice = 1, kToHost = 2, kOnDevice = 8, kPeers = 10;
    if (from_gpu && to_gpu) return differ ? kPeers : kOnDevice;
    return from_gpu ? kToHost : kToDevice;
  }

  Status Regions() {
    Frames calls;
    return tables_.Events("region", {"name_id"}, [&](const sqlite::Statement& row) {
      const int64_t name = row.Int(Column::kEventColumns);
      if (IsMarker(row)) return AddRange(row, tables_.Text(name));
      const auto [frame, is_new] = calls.try_emplace(name);
      if (is_new) frame->second = CallFrame(tables_.Text(name));
      AddSpan(row, frame->second, false);
    });
  }

  FrameId CallFrame(const std::string& call) {
    return gather_.Frame(IsWaitingCall(call) ? FrameKind::kCudaApi : FrameKind::kNative,
                         call.empty() ? "[call without a name]" : call);
  }

  void AddSpan(const sqlite::Statement& row, FrameId frame, bool is_range) {
    HostSpan span;
    span.start = row.Int(Column::kStart);
    span.duration = DurationOf(row);
    span.frame = frame;
    span.correlation = is_range ? 0 : Unsigned(row.Int(Column::kStackId));
    span.is_range = is_range;
    gather_.AddHost(ThreadOf(row), span);
  }

  ThreadId ThreadOf(const sqlite::Statement& row) {
    const int64_t thread = row.Int(Column::kThread);
    const auto found = threads_.find(thread);
    return gather_.Thread(PidOf(row.Int(Column::kProcess)),
                          found == threads_.end() ? thread : found->second);
  }

  bool IsMarker(const sqlite::Statement& row) {
    const int64_t category = row.Int(Column::kCategory);
    const auto [found, is_new] = is_marker_.try_emplace(category, false);
    if (is_new) found->second = tables_.Text(category).starts_with("MARKER");
    return found->second;
  }

  // Returns the text of a marker; "" for other calls of roctx. `call` is the name of the called
  // function.
  static std::string Message(const sqlite::Statement& row, const std::string& call) {
    const std::string message = TextIn(ParseObject(row.Text(Column::kEventText)), "message");
    return !message.empty() || call.starts_with("roctx") ? message : call;
  }

  void AddRange(const sqlite::Statement& row, const std::string& call) {
    const std::string message = Message(row, call);
    if (message.empty() || message == call) {
      if (call.starts_with("roctx")) return gather_.LeaveOut("calls_of_roctx");
    }
    AddMarker(row, message);
    // A range of roctxRangeStart may end on another thread, so it cannot be a frame.
    if (call.starts_with("roctxRangeStart")) return;
    const std::string name(WithoutNumbers(message));
    AddSpan(row,
            gather_.Frame(FrameKind::kOperator, name.empty() ? "[range without a name]" : name),
            true);
  }

  void AddMarker(const sqlite::Statement& row, const std::string& message) {
    gather_.AddMarker({.start = row.Int(Column::kStart),
                       .duration = DurationOf(row),
                       .thread = ThreadOf(row),
                       .name = profile().Intern(message)});
  }

  // Reads rocpd_sample, which has a row for each call without a duration.
  Status Moments() {
    return tables_.Events("sample", {}, [&](const sqlite::Statement& row) {
      const std::string message = IsMarker(row) ? Message(row, "roctxMark") : "";
      if (message.empty()) return gather_.LeaveOut("calls_of_no_duration");
      AddMarker(row, message);
    });
  }

  Status Names() {
    for (const auto& [pid, command] : commands_)
      gather_.NameKnownProcess(pid, command.substr(0, command.find(' ')));
    return tables_.Facts("thread", {"pid", "tid", "name"}, [&](const sqlite::Statement& row) {
      if (!row.Text(2).empty()) gather_.NameKnownThread(PidOf(row.Int(0)), row.Int(1), row.Text(2));
    });
  }

  RocpdTables& tables_;
  TraceGather& gather_;
  std::map<int64_t, int64_t> processes_;     // by row: pid
  std::map<int64_t, int64_t> threads_;       // by row: tid
  std::map<int64_t, std::string> commands_;  // by pid
  std::unordered_map<int64_t, Agent> agents_;
  std::unordered_map<int64_t, Symbol> symbols_;
  std::unordered_map<int64_t, bool> is_marker_;  // by category
  bool by_stream_ = false;
  size_t device_facts_ = 0;
};

bool IsWord(std::string_view text) {
  return text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
         std::string_view::npos;
}

// Returns the suffixes of the table names: one for each recording in the file.
std::set<std::string> Suffixes(const HardenedSqlite& file) {
  std::set<std::string> suffixes;
  for (const std::string& table : file.tables()) {
    for (const std::string_view known : {kDispatches, kCopies, kRegions}) {
      const std::string_view suffix =
          std::string_view(table).substr(table.starts_with(known) ? known.size() : table.size());
      const bool fits = table.starts_with(known) && IsWord(suffix) &&
                        file.HasTable(std::string(kStrings) + std::string(suffix));
      if (fits && suffixes.size() < kMaxRecordings) suffixes.emplace(suffix);
    }
  }
  return suffixes;
}

}  // namespace

RocmDatabase RocmDatabaseOf(const std::string& path) {
  Result<HardenedSqlite> file = HardenedSqlite::Open(path, kRocpd);
  if (!file || !file->CheckSchema()) return RocmDatabase::kNone;
  if (!Suffixes(*file).empty()) return RocmDatabase::kRocpd;
  const bool is_older = file->HasTable("rocpd_api") || file->HasTable("rocpd_op");
  return is_older ? RocmDatabase::kRocmProfileData : RocmDatabase::kNone;
}

Result<std::string> ReadRocpd(const std::string& path, TraceGather& gather) {
  Result<HardenedSqlite> file = HardenedSqlite::Open(path, kRocpd);
  if (!file) return file.error();
  if (Status plain = file->CheckSchema(); !plain) return plain.error();
  const std::set<std::string> suffixes = Suffixes(*file);
  if (suffixes.empty()) {
    return Error{
        ErrorId::kOtherFormat,
        "'" + path + "' is an SQLite database, but not a rocpd file with kernels, copies or calls",
        kRocpd.origin};
  }
  std::set<std::string> machines;
  for (const std::string& suffix : suffixes) {
    RocpdTables tables(*file, suffix);
    if (Status learnt = tables.Learn(); !learnt) return learnt.error();
    Status read = tables.Facts("node", {"machine_id"}, [&](const sqlite::Statement& row) {
      machines.emplace(row.Text(0));
    });
    if (!read) return read.error();
    if (machines.size() > 1) {
      return Error{ErrorId::kOtherFormat,
                   "'" + path + "' has recordings of several machines, whose clocks differ",
                   "import the file of each machine, then combine them with gprof-x merge"};
    }
    if (Status done = Recording(tables, gather).Read(); !done) return done.error();
  }
  return std::string("rocprofv3 (rocpd)");
}

}  // namespace gprofx::importers
