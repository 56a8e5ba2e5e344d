// Copies the rows of a recording's chunks into full chunks of another database, and maps their raw
// nodes to final ones (see ProfileWriter::Finish). Used only inside formats/.
//
// Memory: one chunk of rows per stream. Rows are sorted within their chunk. Chunks stay in the
// order of the recording. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/events/events.h"
#include "core/model/profile.h"
#include "formats/database/chunk_table.h"

namespace gprofx {

class TimelineMerger {
 public:
  // `node_of` holds the final node of each raw node, by index; if it is empty, nodes stay
  // unchanged. It must outlive the merger. `from` becomes time 0 of the copied rows; rows that
  // begin earlier are left out.
  TimelineMerger(sqlite3* db, const std::vector<NodeId>& node_of,
                 std::optional<HostNs> from = std::nullopt);

  // Copies the rows of a recorded chunk. Returns false if it is damaged or cannot be written.
  bool Copy(Stream stream, std::span<const std::byte> data);
  // Adds rows that already have final nodes, so `node_of` is not applied. Returns false if they
  // cannot be written.
  bool Add(const EventTable& rows);
  bool Finish();

 private:
  bool CopySamples(std::span<const std::byte> data);
  void Cut(EventTable& rows) const;
  bool CopyEvents(EventTable& buffer, std::span<const std::byte> data);
  bool AddTo(EventTable& buffer, const EventTable& rows);
  bool FlushSamples();
  bool Flush(EventTable& buffer);

  ChunkTable table_;
  const std::vector<NodeId>& node_of_;
  const std::optional<HostNs> from_;
  ChunkReader reader_;
  std::vector<SampleRow> samples_;
  std::vector<EventTable> events_;  // one per stream
  std::map<Stream, int64_t> rows_;
};

}  // namespace gprofx
