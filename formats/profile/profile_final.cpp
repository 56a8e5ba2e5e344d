#include "formats/profile/profile_final.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "core/slice/choose_part.h"
#include "formats/database/chunk_table.h"
#include "formats/database/value_chunk.h"
#include "formats/profile/profile_reader.h"
#include "formats/profile/profile_rows.h"
#include "formats/profile/profile_setup.h"
#include "formats/profile/recordings.h"
#include "formats/profile/timeline_merger.h"
#include "formats/reading/part_events.h"
#include "formats/reading/phase_events.h"
#include "formats/reading/phase_rows.h"

namespace gprofx {
namespace {

// Stores the values a second time, as chunks, which load faster than rows. The times of these
// chunks have no meaning. Returns false on failure.
bool InsertValueChunks(sqlite::Database& db, std::span<const Value> values) {
  ChunkTable table(db.get());
  for (size_t begin = 0; begin < values.size(); begin += kMaxChunkRows) {
    const auto part = values.subspan(begin, std::min<size_t>(kMaxChunkRows, values.size() - begin));
    if (!table.Insert(Stream::kValues,
                      {0, 0, static_cast<uint32_t>(part.size()), EncodeValues(part)})) {
      return false;
    }
  }
  return table.SetRows(Stream::kValues, static_cast<int64_t>(values.size()));
}

// Passes every stored or waiting row to `merger`. For streams in `replaced`, passes the rows of
// `replaced` instead. Returns false on failure.
bool CopyTimeline(const Recorded& recorded, TimelineMerger& merger,
                  std::span<const EventTable> replaced) {
  const auto copy = [&](Stream stream, std::span<const std::byte> data) {
    // Values are not copied: they are written again from the final profile.
    if (stream == Stream::kValues || stream == Stream::kSteadyValues) return true;
    const bool is_replaced =
        std::any_of(replaced.begin(), replaced.end(),
                    [=](const EventTable& table) { return table.stream() == stream; });
    return is_replaced || merger.Copy(stream, data);
  };
  sqlite::Statement stored(recorded.db.get(),
                           "SELECT stream, data FROM chunk NOT INDEXED ORDER BY id");
  while (stored.Next()) {
    if (!copy(static_cast<Stream>(stored.Int(0)), stored.Blob(1))) return false;
  }
  if (stored.code() != SQLITE_DONE) return false;
  for (const std::deque<StreamChunk>* waiting : recorded.waiting) {
    for (const StreamChunk& chunk : *waiting) {
      if (!copy(chunk.stream, chunk.chunk.data)) return false;
    }
  }
  for (const EventTable& table : replaced) {
    if (!merger.Add(table)) return false;
  }
  return merger.Finish();
}

}  // namespace

Status WriteFinal(const std::string& file_name, const Recorded& recorded,
                  const Profile& final_profile, const std::vector<NodeId>& node_of,
                  std::span<const EventTable> replaced) {
  const auto began = std::chrono::steady_clock::now();
  sqlite::Database file = sqlite::Database::Open(file_name, sqlite::Opening::kWrite);
  bool done = SetUp(file) && file.Execute("BEGIN");
  if (done) {
    ProfileRows final_rows(file.get());
    TimelineMerger merger(file.get(), node_of, recorded.from);
    done = final_rows.Write(final_profile) && WriteRecordings(file.get(), final_profile) &&
           CopyTimeline(recorded, merger, replaced) &&
           InsertValueChunks(file, final_profile.values) &&
           final_rows.WriteMeta("complete", recorded.ended ? "yes" : "no");
    for (const auto& [name, dropped] : recorded.dropped) {
      done = done && final_rows.WriteQuality(name, dropped);
    }
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
    // Merged profiles do not get this entry: the time says nothing about the recordings, and the
    // same inputs must give the same bytes.
    done = done && (!final_profile.sources.empty() ||
                    final_rows.WriteMeta("recorder_ns_final_write", std::to_string(took.count())));
  }
  if (!done || !file.Execute("COMMIT")) {
    // The error may come from the new file or from the old one.
    if (file.HasError()) return SqliteError(file_name, file);
    if (recorded.db.HasError()) return SqliteError(recorded.path, recorded.db);
    return Error{ErrorId::kDamaged, "cannot read the timeline back from '" + recorded.path + "'",
                 "the file has all that was recorded: run gprof-x report"};
  }
  return Ok();
}

Status AddPhases(const std::string& file_name, const Profile& final_profile) {
  Phases phases;
  std::optional<PartValues> steady;
  {
    const Result<ProfileReader> reader = ProfileReader::Open(file_name);
    if (!reader) return reader.error();
    Result<PartEvents> events = ReadPartEvents(*reader, final_profile);
    if (!events) return events.error();
    // A profile that is rewritten keeps its phases: with changed names, they might not be found
    // again.
    Result<Phases> found = final_profile.phases.phases.empty()
                               ? FindPhasesOf(*reader, final_profile, *events)
                               : Result<Phases>(final_profile.phases);
    if (!found) return found.error();
    phases = std::move(*found);
    if (const Phase* phase = phases.Find(PhaseKind::kSteady)) {
      Result<PartValues> values = AddUpPart(*reader, final_profile, *events, phase->range);
      if (!values) return values.error();
      steady = std::move(*values);
    }
  }
  sqlite::Database file = sqlite::Database::Open(file_name, sqlite::Opening::kWrite);
  const bool done = file.Execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN") &&
                    WritePhases(file, phases, steady ? &*steady : nullptr) &&
                    file.Execute("COMMIT");
  if (!done) return SqliteError(file_name, file);
  return Ok();
}

}  // namespace gprofx
