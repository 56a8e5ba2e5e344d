// Loads the tables of a profile for profile_reader.h.
//
// Tables are read before those that refer to them, because every id is checked against its table.
// Rows must be numbered 1, 2, 3... and be distinct. A Profile that interns them in this order then
// has the same ids as the file.
#include "formats/profile/profile_load.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/events/events.h"
#include "formats/database/chunk.h"
#include "formats/database/table_reader.h"
#include "formats/database/value_chunk.h"
#include "formats/profile/recordings.h"
#include "formats/reading/gpu_load.h"
#include "formats/reading/phase_rows.h"

namespace gprofx {
namespace {

constexpr int64_t kValueCost = 32;  // bytes; less than kRowCost, because values have no index

class Loader : private TableReader {
 public:
  explicit Loader(const ProfileFile& file) : TableReader(file) {}

  Result<Profile> Run(const WantsValues& wants_values) && {
    file().StartWork();
    if (Status check = file().QuickCheckTexts(); !check) return check.error();
    const bool is_read = Facts() && Strings() && Modules() && Processes() &&
                         LoadRecordings(*this, out_) && Threads() && Ranges() && Functions() &&
                         Frames() && Nodes() && Metrics() && Streams() &&
                         LoadGpuTables(*this, out_) && LoadPhases(*this, out_) &&
                         ((wants_values && !wants_values(out_)) || AllValues());
    if (!is_read) return error();
    MapMetrics();
    CountUnknown();
    return std::move(out_);
  }

 private:
  bool GetText(const sqlite::Statement& s, int column, StringId& out) const {
    return Get(s, column, 0, out_.string_count(), out);
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
  bool AllValues() { return value_rows_ > 0 ? ValueChunks() : Values(); }
  bool Values();
  bool ValueChunks();
  bool Streams();

  void CountUnknown();
  void MapMetrics();

  Profile out_;
  int64_t value_rows_ = 0;           // number of rows in the stream of values
  std::vector<MetricId> metric_of_;  // by id in the file; 0 = metric of an unknown kind
  int64_t unknown_streams_ = 0, unknown_metrics_ = 0;
};

void Loader::CountUnknown() {
  const auto unknown_frames =
      std::count_if(out_.frames.begin(), out_.frames.end(),
                    [](const Frame& frame) { return frame.kind > kLastFrameKind; });
  const std::pair<const char*, int64_t> counts[] = {{"unknown_tables", file().unknown_tables()},
                                                    {"unknown_streams", unknown_streams_},
                                                    {"unknown_frame_kinds", unknown_frames},
                                                    {"unknown_metrics", unknown_metrics_}};
  for (const auto& [name, count] : counts) {
    if (count > 0) out_.quality[name] = count;
  }
}

bool Loader::Facts() {
  return ForEach("meta", "SELECT name, value FROM meta NOT INDEXED",
                 [this](const sqlite::Statement& s, int64_t) {
                   if (!Pay(s.Text(0).size()) || !Pay(s.Text(1).size())) return false;
                   out_.meta.insert_or_assign(std::string(s.Text(0)), std::string(s.Text(1)));
                   return true;
                 }) &&
         ForEach("quality", "SELECT name, value FROM quality NOT INDEXED",
                 [this](const sqlite::Statement& s, int64_t) {
                   if (!Pay(s.Text(0).size())) return false;
                   out_.quality.insert_or_assign(std::string(s.Text(0)), s.Int(1));
                   return true;
                 });
}

bool Loader::Strings() {
  return ForEachId("string", "SELECT id, text FROM string NOT INDEXED",
                   [this](const sqlite::Statement& s, uint32_t id) {
                     const std::string_view text = s.Text(1);
                     return Pay(text.size()) && out_.Intern(text).value == id;
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
        return Get(s, 1, 0, UINT8_MAX, f.kind) && Get(s, 2, 0, out_.functions.size(), f.function) &&
               GetText(s, 3, f.file) && Get(s, 4, 0, UINT32_MAX, f.line) &&
               Get(s, 5, 0, out_.modules.size(), f.module) && out_.Intern(f).value == id;
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
  return ForEachId(
      "metric", "SELECT id, name, unit, kind FROM metric NOT INDEXED",
      [this](const sqlite::Statement& s, uint32_t id) {
        uint8_t kind = 0;
        // Limits the number of metrics, because each costs a pass over the values. Real profiles
        // have few.
        if (id > 1000 || !Get(s, 3, 0, UINT8_MAX, kind) || !Pay(s.Text(1).size()) ||
            !Pay(s.Text(2).size())) {
          return false;
        }
        if (kind > static_cast<uint8_t>(MetricKind::kExact)) {
          ++unknown_metrics_;
          metric_of_.emplace_back();
          return true;
        }
        const size_t before = out_.metrics.size();
        metric_of_.push_back(out_.AddMetric(s.Text(1), s.Text(2), static_cast<MetricKind>(kind)));
        return out_.metrics.size() > before;  // names must be unique
      });
}

bool Loader::Values() {
  return ForEachId(
      "value", "SELECT id, node, thread, metric, self FROM value NOT INDEXED",
      [this](const sqlite::Statement& s, uint32_t) {
        Value v;
        v.self = s.Int(4);
        const bool fits = Get(s, 1, 1, out_.nodes.size(), v.node) &&
                          Get(s, 2, 1, out_.threads.size(), v.thread) &&
                          Get(s, 3, 1, metric_of_.size(), v.metric);
        if (fits) out_.values.push_back(v);
        return fits;
      },
      kValueCost);
}

// Drops the values of unknown metrics, and changes the metric ids of the other values from those of
// the file to those of `out_`.
void Loader::MapMetrics() {
  if (unknown_metrics_ == 0) return;
  std::erase_if(out_.values, [this](const Value& v) { return !metric_of_[v.metric.index()]; });
  for (Value& v : out_.values) v.metric = metric_of_[v.metric.index()];
}

bool Loader::ValueChunks() {
  if (value_rows_ > budget() / kValueCost) return Fail(SQLITE_NOMEM, "chunk");
  out_.values.reserve(static_cast<size_t>(value_rows_));
  ChunkReader reader;
  const ValueLimits limits{out_.nodes.size(), out_.threads.size(), metric_of_.size()};
  sqlite::Statement chunks =
      file().Query("SELECT codec, data FROM chunk NOT INDEXED WHERE stream=2");
  while (chunks.Next()) {
    if (!file().SpendRow(chunks)) return Fail(SQLITE_INTERRUPT, "chunk");
    if (chunks.Int(0) != kChunkCodec ||
        !DecodeValues(reader, chunks.Blob(1), limits, out_.values) ||
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
                   const auto stream = static_cast<Stream>(s.Int(0));
                   if (stream == Stream::kCpuSamples) {
                     out_.sample_rows = s.Int(1);
                   } else if (stream == Stream::kValues) {
                     value_rows_ = s.Int(1);
                   } else if (!FindEventStream(stream) && stream != Stream::kSteadyValues) {
                     ++unknown_streams_;
                   }
                   return s.Int(1) >= 0;
                 });
}

}  // namespace

Result<Profile> LoadTables(const ProfileFile& file, const WantsValues& wants_values) {
  return Loader(file).Run(wants_values);
}

}  // namespace gprofx
