// Implements stream_read.h. Reads only the chunks of the requested stream that overlap the time
// range.
#include "formats/database/stream_read.h"

#include <algorithm>
#include <utility>

#include "core/base/in_background.h"
#include "formats/database/event_chunk.h"
#include "formats/database/sample_chunk.h"

namespace gprofx {
namespace {

constexpr char kSelectChunks[] =
    "SELECT codec, data FROM chunk NOT INDEXED WHERE stream=? AND t_begin<? AND t_end>=?";

// Calls `read` with each chunk of `stream` that may overlap [begin, end). If `read` returns false,
// the chunk is damaged, and the result is an error.
template <class Read>
Status ForEachChunk(const ProfileFile& file, Stream stream, HostNs begin, HostNs end, Read read) {
  file.StartWork();
  sqlite::Statement chunks = file.Query(kSelectChunks);
  if (!chunks) return file.Damage(chunks.code(), "chunk");
  chunks.Bind(0, static_cast<uint32_t>(stream));
  chunks.Bind(1, end);
  chunks.Bind(2, begin);
  while (chunks.Next()) {
    if (!file.SpendRow(chunks)) return file.Damage(SQLITE_INTERRUPT, "chunk");
    if (chunks.Int(0) != kChunkCodec || !read(chunks.Blob(1))) {
      const bool is_damage = file.Spend(0);
      return file.Damage(is_damage ? SQLITE_DONE : SQLITE_INTERRUPT, "chunk");
    }
  }
  if (chunks.code() != SQLITE_DONE) return file.Damage(chunks.code(), "chunk");
  return Ok();
}

// Removes the rows whose time (the first column) is outside [begin, end). Columns that were not
// decoded are empty and stay empty.
void KeepRange(EventTable& rows, HostNs begin, HostNs end) {
  const auto is_within = [=](HostNs time) { return time >= begin && time < end; };
  if (std::all_of(rows.column(0).begin(), rows.column(0).end(), is_within)) return;
  const std::vector<int64_t> times(rows.column(0));
  for (size_t i = 0; i < rows.columns(); ++i) {
    std::vector<int64_t>& column = rows.column(i);
    if (column.size() != times.size()) continue;
    size_t kept = 0;
    for (size_t k = 0; k < times.size(); ++k) {
      if (is_within(times[k])) column[kept++] = column[k];
    }
    column.resize(kept);
  }
}

template <class Rows>
struct Decoded {
  Rows rows;
  uint64_t cost = 0;  // work to charge with ProfileFile::Spend
};
using SampleChunk = Decoded<std::vector<SampleRow>>;
using EventChunk = Decoded<EventTable>;

// Decodes a chunk in another thread while the caller's thread uses the previous one, because both
// take about the same time. Only the caller's thread reads the file and calls `use`.
template <class Chunk>
class Ahead {
 public:
  using Decode = std::function<bool(std::span<const std::byte>, Chunk&)>;
  using Use = std::function<void(Chunk&)>;

  Ahead(const ProfileFile& file, const Chunk& empty, Decode decode, Use use)
      : file_(file),
        ready_(empty),
        next_(empty),
        decode_(std::move(decode)),
        use_(std::move(use)) {}

  // Returns the callback `read` for ForEachChunk.
  auto Add() {
    return [this](std::span<const std::byte> data) { return AddChunk(data); };
  }
  // Passes the last decoded chunk to `use`. Call it at the end, also after a damaged chunk.
  void Finish() {
    if (std::exchange(is_ready_, false)) use_(ready_);
  }

 private:
  bool AddChunk(std::span<const std::byte> data) {
    if (!is_ready_) return Take(decode_(data, next_));
    // Copied, because the blob belongs to a statement of the caller's thread.
    data_.assign(data.begin(), data.end());
    auto decoded = InBackground([this] { return decode_(data_, next_); });
    Finish();
    return Take(decoded.get());
  }

  bool Take(bool is_sound) {
    if (!is_sound || !file_.Spend(next_.cost)) return false;
    std::swap(ready_, next_);
    is_ready_ = true;
    return true;
  }

  const ProfileFile& file_;
  std::vector<std::byte> data_;
  Chunk ready_, next_;
  bool is_ready_ = false;
  const Decode decode_;
  const Use use_;
};

}  // namespace

EventLimits EventLimitsOf(const ProfileFile& file) {
  using enum ColumnRole;
  constexpr std::pair<ColumnRole, const char*> kTables[] = {{kNode, "node"},
                                                            {kThread, "thread"},
                                                            {kString, "string"},
                                                            {kFunction, "function"},
                                                            {kProcess, "process"},
                                                            {kGpuContext, "gpu_context"},
                                                            {kGpuStream, "gpu_stream"},
                                                            {kGpuConfig, "gpu_kernel_config"},
                                                            {kCubin, "cubin"},
                                                            {kGpuDevice, "gpu_device"}};
  EventLimits limits{};
  for (const auto& [role, table] : kTables) {
    limits[static_cast<size_t>(role)] = static_cast<int64_t>(file.LastId(table));
  }
  return limits;
}

Result<int64_t> ReadSamples(const ProfileFile& file, HostNs begin, HostNs end,
                            const std::function<void(std::span<const SampleRow>)>& sink) {
  constexpr uint64_t kColumns = 5;
  const SampleLimits limits{file.LastId("thread"), file.LastId("node")};
  int64_t given = 0;
  ChunkReader reader;
  const auto decode = [&](std::span<const std::byte> data, SampleChunk& out) {
    out.rows.clear();
    if (!DecodeSamples(reader, data, limits, out.rows)) return false;
    out.cost = kColumns * out.rows.size();
    std::erase_if(out.rows,
                  [=](const SampleRow& row) { return row.time < begin || row.time >= end; });
    return true;
  };
  const auto use = [&](const SampleChunk& chunk) {
    given += static_cast<int64_t>(chunk.rows.size());
    if (!chunk.rows.empty()) sink(chunk.rows);
  };
  Ahead<SampleChunk> ahead(file, SampleChunk(), decode, use);
  const Status done = ForEachChunk(file, Stream::kCpuSamples, begin, end, ahead.Add());
  ahead.Finish();
  if (!done) return done.error();
  return given;
}

Result<int64_t> ReadEvents(const ProfileFile& file, Stream stream, std::span<const size_t> columns,
                           HostNs begin, HostNs end,
                           const std::function<void(const EventTable&)>& sink) {
  const EventStream* description = FindEventStream(stream);
  const bool has_columns =
      description && std::all_of(columns.begin(), columns.end(), [&](size_t column) {
        return column < description->columns.size();
      });
  if (!has_columns) {
    return Error{ErrorId::kMissingColumn, "there is no such stream or column of events"};
  }
  if (!description->has_times) {  // chunks without times are stored with the time 0
    begin = 0;
    end = 1;
  }
  const EventLimits limits = EventLimitsOf(file);
  // Rows are counted and selected by the first column, so decode it even if it was not requested.
  std::vector<size_t> decoded(columns.begin(), columns.end());
  const bool wants_first = std::find(decoded.begin(), decoded.end(), size_t{0}) != decoded.end();
  if (!wants_first) decoded.push_back(0);
  int64_t given = 0;
  ChunkReader reader;
  const auto decode = [&](std::span<const std::byte> data, EventChunk& out) {
    if (!DecodeEvents(reader, data, decoded, limits, out.rows)) return false;
    out.cost = decoded.size() * out.rows.rows();
    if (description->has_times) KeepRange(out.rows, begin, end);
    return true;
  };
  const auto use = [&](EventChunk& chunk) {
    const size_t count = chunk.rows.column(0).size();
    given += static_cast<int64_t>(count);
    if (!wants_first) chunk.rows.column(0).clear();
    if (count != 0) sink(chunk.rows);
  };
  Ahead<EventChunk> ahead(file, EventChunk{EventTable(stream)}, decode, use);
  const Status done = ForEachChunk(file, stream, begin, end, ahead.Add());
  ahead.Finish();
  if (!done) return done.error();
  return given;
}

}  // namespace gprofx
