// Reads exports of Nsight Systems, table by table in ranges of rowids. The files have no index on
// times, and this code adds none. Columns are found by name. A missing table means that its events
// are unknown, not that there were none. Rows are read directly from the pages of the file, or by
// SQL if that is not possible (sqlite_scan.h).
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/kernels/cupti_kinds.h"
#include "core/kernels/kernel_family.h"
#include "core/kernels/work_names.h"
#include "core/variability/steps.h"
#include "formats/importers/nsight/nsight_export.h"
#include "formats/sqlite/hardened_sqlite.h"
#include "formats/sqlite/sqlite_scan.h"
#include "formats/variability/files.h"

namespace gprofx {
namespace {

using namespace variability;

constexpr const char* kTables[] = {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                   "CUPTI_ACTIVITY_KIND_MEMSET"};
enum Table : uint32_t { kKernels, kCopies, kSets };
constexpr int64_t kRowsAtOnce = 65536;
constexpr uint64_t kMinRowBytes = 8;

// The columns that all work has; after these, the additional columns of each table.
constexpr const char* kWork[] = {"start", "end", "deviceId", "streamId", "globalPid"};
constexpr size_t kNeeded = 2;  // start and end; the others may be missing
constexpr const char* kKernelColumns[] = {"demangledName", "gridX",  "gridY", "gridZ",
                                          "blockX",        "blockY", "blockZ"};
constexpr const char* kCopyColumns[] = {"bytes", "copyKind", "srcKind", "dstKind"};
constexpr const char* kSetColumns[] = {"bytes", "memKind"};

int64_t PidOf(int64_t global) { return (global >> 24) & 0xffffff; }

// Converts a memory kind of Nsight Systems to CUPTI's. Pageable memory is 0 in Nsight Systems and 1
// in CUPTI.
uint32_t MemoryOf(int64_t kind) {
  const bool is_known = kind >= 0 && kind < cupti::kManagedStatic;
  return is_known ? static_cast<uint32_t>(kind + cupti::kPageable) : 0;
}

// Converts a copy kind of Nsight Systems (ENUM_CUDA_MEMCPY_OPER) to CUPTI's. Nsight Systems has
// further kinds for migrations of managed memory.
uint32_t CopyKindOf(int64_t kind) {
  enum : int64_t { kManagedToDevice = cupti::kPeerToPeer + 1, kManagedToHost, kManagedOnDevice };
  if (kind == kManagedToDevice) return cupti::kHostToDevice;
  if (kind == kManagedToHost) return cupti::kDeviceToHost;
  if (kind == kManagedOnDevice) return cupti::kDeviceToDevice;
  return kind > 0 && kind <= cupti::kPeerToPeer ? static_cast<uint32_t>(kind) : 0;
}

class NsightEvents final : public EventFile {
 public:
  explicit NsightEvents(HardenedSqlite file) : file_(std::move(file)) {}

  Status Prepare() {
    facts_.format = "Nsight Systems";
    for (uint32_t table = 0; table < std::size(kTables); ++table) {
      if (Status ready = PrepareTable(table); !ready) return ready;
    }
    for (const auto read : {&NsightEvents::Devices, &NsightEvents::Clock, &NsightEvents::Steps}) {
      file_.StartWork();
      if (Status done = (this->*read)(); !done) return done;
    }
    return Ok();
  }

  const FileFacts& facts() const override { return facts_; }
  std::span<const GroupKey> groups() const override { return groups_; }
  std::span<const LaneId> lanes() const override { return lanes_; }

  Status ReadPart(size_t part, size_t parts, const BlockSink& sink) override {
    const size_t first = blocks_.size() * part / parts, last = blocks_.size() * (part + 1) / parts;
    return ReadBlocks(std::span(blocks_).subspan(first, last - first), sink);
  }

  Status ReadBlocks(std::span<const BlockId> blocks, const BlockSink& sink) override {
    file_.StartWork();
    for (const BlockId& block : blocks) {
      if (Status read = ReadBlock(block, sink); !read) return read;
    }
    return Ok();
  }

 private:
  Result<std::vector<std::string>> ColumnsOf(const char* table) {
    std::vector<std::string> names;
    const Result<std::vector<SqliteColumn>> columns = file_.Columns(table);
    if (!columns) return columns.error();
    for (const SqliteColumn& column : *columns) names.push_back(column.name);
    return names;
  }
  static bool Has(const std::vector<std::string>& columns, const char* name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  }

  Status PrepareTable(uint32_t table) {
    if (!file_.HasTable(kTables[table])) {
      if (table != kSets)
        facts_.notes.push_back(
            table == kKernels ? "it has no table of kernels"
                              : "it has no table of copies, so their effect on kernels is unknown");
      return Ok();
    }
    const Result<std::vector<std::string>> columns = ColumnsOf(kTables[table]);
    if (!columns) return columns.error();
    const std::span<const char* const> own =
        table == kKernels  ? std::span<const char* const>(kKernelColumns)
        : table == kCopies ? std::span<const char* const>(kCopyColumns)
                           : std::span<const char* const>(kSetColumns);
    std::vector<const char*> wanted(std::begin(kWork), std::end(kWork));
    wanted.insert(wanted.end(), own.begin(), own.end());
    std::string list;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const char* name = wanted[i];
      const bool is_there = Has(*columns, name);
      if (!is_there && i < kNeeded) {
        return Error{ErrorId::kMissingColumn,
                     "'" + file_.path() + "' has no column " + name + " in table " + kTables[table],
                     "export the report with nsys of 2023 to 2026"};
      }
      list += (list.empty() ? "" : ",") + (is_there ? '"' + std::string(name) + '"' : "NULL");
    }
    scans_[table] = TableScan(file_, kTables[table], wanted);
    columns_[table] = wanted.size();
    select_[table] = "SELECT " + list + " FROM " + kTables[table] + " WHERE rowid>=?1 AND rowid<?2";
    sqlite::Statement last = file_.Query("SELECT rowid FROM " + std::string(kTables[table]) +
                                         " ORDER BY rowid DESC LIMIT 1");
    if (!last.Next())
      return last.code() == SQLITE_DONE ? Ok() : Status(file_.Damage(last.code(), kTables[table]));
    const int64_t rows = last.Int(0);
    if (rows < 0 || static_cast<uint64_t>(rows) > file_.size() / kMinRowBytes) {
      return file_.Damage(SQLITE_DONE, kTables[table]);
    }
    for (int64_t at = 0; at <= rows; at += kRowsAtOnce) blocks_.push_back({table, at, kRowsAtOnce});
    return Ok();
  }

  Status Devices() {
    if (!file_.HasTable("TARGET_INFO_GPU")) return Ok();
    sqlite::Statement rows = file_.Query("SELECT id, name FROM TARGET_INFO_GPU");
    while (rows && rows.Next()) device_names_[rows.Int(0)] = rows.Text(1);
    return Ok();
  }

  int64_t Number(const char* table, const char* column) {
    if (!file_.HasTable(table)) return 0;
    sqlite::Statement row =
        file_.Query(std::string("SELECT ") + column + " FROM " + table + " LIMIT 1");
    return row && row.Next() ? row.Int(0) : 0;
  }
  Status Clock() {
    const int64_t real = Number("TARGET_INFO_SESSION_START_TIME", "utcEpochNs");
    const int64_t start = Number("ANALYSIS_DETAILS", "startTime");
    int64_t zero = 0;
    if (real > 0 && !__builtin_sub_overflow(real, start, &zero)) facts_.clock_zero = zero;
    return Ok();
  }

  // Reads, for each process, the named ranges that may be steps.
  Status Steps() {
    if (!file_.HasTable("NVTX_EVENTS") || !file_.HasTable("StringIds")) return Ok();
    const Result<std::vector<std::string>> columns = ColumnsOf("NVTX_EVENTS");
    if (!columns) return columns.error();
    for (const char* name : {"start", "end", "globalTid", "text", "textId"}) {
      if (!Has(*columns, name)) return Ok();
    }
    if (Status check = file_.QuickCheck("StringIds"); !check) return check;
    file_.StartWork();
    std::unordered_map<int64_t, std::string> names;
    sqlite::Statement texts = file_.Query("SELECT id, value FROM StringIds");
    while (texts && texts.Next()) {
      if (!file_.SpendRow(texts)) return file_.Damage(SQLITE_CORRUPT, "StringIds");
      if (MayNameStep(texts.Text(1))) names.emplace(texts.Int(0), texts.Text(1));
    }
    std::map<int64_t, std::vector<NamedRange>> ranges;
    sqlite::Statement rows =
        file_.Query("SELECT start, \"end\", globalTid, text, textId FROM NVTX_EVENTS");
    while (rows && rows.Next()) {
      if (!file_.SpendRow(rows)) return file_.Damage(SQLITE_CORRUPT, "NVTX_EVENTS");
      if (rows.Type(1) == SQLITE_NULL || rows.Int(1) <= rows.Int(0)) continue;
      std::string_view name = rows.Text(3);
      if (rows.Type(3) == SQLITE_NULL) {
        const auto text = names.find(rows.Int(4));
        if (text == names.end()) continue;
        name = text->second;
      }
      if (!MayNameStep(name)) continue;
      ranges[PidOf(rows.Int(2))].push_back(
          {Bounded(rows.Int(0)), Bounded(rows.Int(1)), std::string(name)});
    }
    for (const auto& [process, some] : ranges) {
      ProcessSteps steps = StepsFromRanges(process, some);
      if (!steps.steps.empty()) facts_.processes.push_back(std::move(steps));
    }
    return Ok();
  }

  std::string Text(int64_t id) {
    if (!text_ && file_.HasTable("StringIds"))
      text_ = file_.Query("SELECT value FROM StringIds WHERE id=?1");
    if (!text_) return "";
    text_.Bind(0, id);
    std::string text = text_.Next() ? std::string(text_.Text(0)) : "";
    text_.Reset();
    return text;
  }

  Status ReadBlock(const BlockId& block, const BlockSink& sink) {
    if (block.table >= std::size(kTables) || select_[block.table].empty()) return Ok();
    events_.clear();
    const int64_t end = block.first + block.count;
    const auto take = [&](const IntegerRow& row) { events_.push_back(EventOf(block.table, row)); };
    if (!scans_[block.table].Read(block.first, end, take)) {
      if (Status read = ReadBySql(block, end); !read) return read;
    }
    sink(block, events_);
    return Ok();
  }

  Status ReadBySql(const BlockId& block, int64_t end) {
    sqlite::Statement& rows = statements_[block.table];
    if (!rows) rows = file_.Query(select_[block.table]);
    if (!rows) return file_.Damage(rows.code(), kTables[block.table]);
    rows.Reset();
    rows.Bind(0, block.first);
    rows.Bind(1, end);
    events_.clear();
    while (rows.Next()) {
      IntegerRow row;
      for (size_t i = 0; i < columns_[block.table]; ++i) {
        row.values[i] = rows.Int(static_cast<int>(i));
        if (rows.Type(static_cast<int>(i)) == SQLITE_NULL) row.nulls |= 1u << i;
      }
      events_.push_back(EventOf(block.table, row));
    }
    return rows.code() == SQLITE_DONE ? Ok()
                                      : Status(file_.Damage(rows.code(), kTables[block.table]));
  }

  Event EventOf(uint32_t table, const IntegerRow& row) {
    Event event;
    event.start = Bounded(row.Int(0));
    event.duration = DurationWithin(row.Int(0), row.Int(1));
    const int64_t device = row.Int(2);
    event.stream = static_cast<uint32_t>(row.Int(3));
    event.lane = LaneOf(PidOf(row.Int(4)), device);
    std::array<int64_t, 9> key{table, device};
    constexpr size_t kOwn = std::size(kWork);
    for (size_t i = 0; i < columns_[table] - kOwn; ++i) {
      const bool is_null = table != kKernels && i > 0 && row.IsNull(kOwn + i);
      key[i + 2] = is_null ? -1 : row.Int(kOwn + i);
    }
    const auto [found, is_new] = group_of_.try_emplace(key, groups_.size());
    if (is_new) groups_.push_back(KeyOfRow(key));
    event.group = found->second;
    event.kind = groups_[event.group].kind;
    return event;
  }

  uint32_t LaneOf(int64_t process, int64_t device) {
    if (!lanes_.empty() && lanes_[last_lane_].process == process &&
        lanes_[last_lane_].device == device) {
      return last_lane_;
    }
    const auto [found, is_new] = lane_of_.try_emplace({process, device}, lanes_.size());
    if (is_new) lanes_.push_back({0, process, device});
    return last_lane_ = found->second;
  }

  GroupKey KeyOfRow(const std::array<int64_t, 9>& row) {
    const auto size = [](int64_t n) {
      return n >= 0 && n <= UINT32_MAX ? static_cast<uint32_t>(n) : 0;
    };
    GroupKey key;
    if (const auto name = device_names_.find(row[1]); name != device_names_.end()) {
      key.device = name->second;
    }
    if (row[0] == kKernels) {
      key.name = Text(row[2]);
      key.kind = IsCommunicationKernel(key.name) ? Kind::kCollective : Kind::kCompute;
      for (size_t i = 0; i < 3; ++i) {
        key.grid[i] = size(row[3 + i]);
        key.block[i] = size(row[6 + i]);
      }
      return key;
    }
    key.kind = row[0] == kCopies ? Kind::kCopy : Kind::kSet;
    key.name = row[0] == kCopies ? CopyName(CopyKindOf(row[3]), MemoryOf(row[4]), MemoryOf(row[5]))
                                 : SetName(MemoryOf(row[3]));
    key.shape = std::to_string(row[2]) + " B";
    return key;
  }

  HardenedSqlite file_;
  FileFacts facts_;
  std::string select_[std::size(kTables)];
  size_t columns_[std::size(kTables)] = {};
  TableScan scans_[std::size(kTables)];
  sqlite::Statement statements_[std::size(kTables)];
  std::vector<BlockId> blocks_;
  std::map<int64_t, std::string> device_names_;
  std::vector<GroupKey> groups_;
  std::vector<LaneId> lanes_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> lane_of_;
  uint32_t last_lane_ = 0;
  std::unordered_map<std::array<int64_t, 9>, uint32_t, NumbersHash> group_of_;
  std::vector<Event> events_;
  sqlite::Statement text_;
};

}  // namespace

OpenedEvents OpenNsightEvents(const std::string& path) {
  Result<HardenedSqlite> file = HardenedSqlite::Open(path, kNsightExport);
  if (!file) return file.error();
  if (Status plain = file->CheckSchema(); !plain) return plain.error();
  if (!file->HasTable(kTables[kKernels]) && !file->HasTable(kTables[kCopies])) {
    return Error{
        ErrorId::kOtherFormat,
        "'" + path +
            "' is an SQLite database, but not an export of Nsight Systems with CUDA events",
        kNsightExport.origin};
  }
  auto events = std::make_unique<NsightEvents>(std::move(*file));
  if (Status ready = events->Prepare(); !ready) return ready.error();
  return std::unique_ptr<EventFile>(std::move(events));
}

}  // namespace gprofx
