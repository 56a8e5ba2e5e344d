#include "formats/reading/phase_rows.h"

#include <algorithm>
#include <string_view>

#include "core/cost/profiling_time.h"
#include "formats/database/chunk_table.h"
#include "formats/database/value_chunk.h"
#include "formats/reading/gpu_load.h"

namespace gprofx {
namespace {

bool WriteTrains(sqlite::Database& db, const std::vector<StepTrain>& trains) {
  sqlite::Statement train(db.get(), "INSERT INTO step_train VALUES(?,?,?,?)");
  sqlite::Statement step(db.get(), "INSERT INTO step VALUES(?,?,?,?)");
  uint32_t trains_put = 0, steps_put = 0;
  for (const StepTrain& row : trains) {
    if (!train.Run(++trains_put, row.process.value, static_cast<int>(row.source), row.warm_up)) {
      return false;
    }
    for (const TimeRange& range : row.steps) {
      if (!step.Run(++steps_put, trains_put, range.begin, range.end)) return false;
    }
  }
  return true;
}

bool WriteWall(sqlite::Database& db, const PartValues& steady) {
  sqlite::Statement part(db.get(), "INSERT INTO steady_wall_part VALUES(?,?,?,?)");
  sqlite::Statement lane(db.get(), "INSERT INTO steady_lane VALUES(?,?,?,?,?,?)");
  sqlite::Statement lane_part(db.get(), "INSERT INTO steady_lane_part VALUES(?,?,?,?,?)");
  uint32_t parts = 0, lanes = 0, lane_parts = 0;
  for (const WallPart& row : steady.wall) {
    if (!part.Run(++parts, std::string_view(row.name), row.ns, row.margin_ns)) return false;
  }
  for (const WallLane& row : steady.lanes) {
    if (!lane.Run(++lanes, row.process.value, row.device.value, row.begin, row.end,
                  row.hidden_communication_ns)) {
      return false;
    }
    for (const WallPart& of_lane : row.parts) {
      if (!lane_part.Run(++lane_parts, lanes, std::string_view(of_lane.name), of_lane.ns,
                         of_lane.margin_ns)) {
        return false;
      }
    }
  }
  return true;
}

bool WriteValues(sqlite::Database& db, std::span<const Value> values) {
  ChunkTable table(db.get());
  for (size_t begin = 0; begin < values.size(); begin += kMaxChunkRows) {
    const auto part = values.subspan(begin, std::min<size_t>(kMaxChunkRows, values.size() - begin));
    if (!table.Insert(Stream::kSteadyValues,
                      {0, 0, static_cast<uint32_t>(part.size()), EncodeValues(part)})) {
      return false;
    }
  }
  return table.SetRows(Stream::kSteadyValues, static_cast<int64_t>(values.size()));
}

bool LoadSteps(TableReader& reader, std::vector<StepTrain>& trains) {
  return reader.ForEachId(
      "step", "SELECT id, train, begin_ns, end_ns FROM step NOT INDEXED",
      [&](const sqlite::Statement& s, uint32_t) {
        uint32_t train = 0;
        if (!TableReader::Get(s, 1, 1, static_cast<int64_t>(trains.size()), train)) return false;
        std::vector<TimeRange>& steps = trains[train - 1].steps;
        const HostNs earliest = steps.empty() ? 0 : steps.back().end;
        TimeRange& step = steps.emplace_back();
        return TableReader::Get(s, 2, earliest, INT64_MAX, step.begin) &&
               TableReader::Get(s, 3, step.begin, INT64_MAX, step.end);
      });
}

bool LoadTrains(TableReader& reader, Profile& profile) {
  std::vector<StepTrain>& trains = profile.phases.trains;
  return reader.ForEachId(
             "step_train", "SELECT id, process, source, warm_up FROM step_train NOT INDEXED",
             [&](const sqlite::Statement& s, uint32_t) {
               StepTrain& train = trains.emplace_back();
               return TableReader::Get(s, 1, 1, profile.processes.size(), train.process) &&
                      TableReader::Get(s, 2, 1, UINT8_MAX, train.source) &&
                      TableReader::Get(s, 3, 0, UINT32_MAX, train.warm_up);
             }) &&
         LoadSteps(reader, trains) &&
         (std::all_of(trains.begin(), trains.end(),
                      [](const StepTrain& train) {
                        return !train.steps.empty() && train.warm_up <= train.steps.size();
                      }) ||
          reader.Fail(SQLITE_DONE, "step_train"));
}

}  // namespace

bool WritePhases(sqlite::Database& db, const Phases& phases, const PartValues* steady) {
  sqlite::Statement phase(db.get(), "INSERT INTO phase VALUES(?,?,?,?)");
  uint32_t put = 0;
  for (const Phase& row : phases.phases) {
    if (!phase.Run(++put, static_cast<int>(row.kind), row.range.begin, row.range.end)) return false;
  }
  sqlite::Statement fact(db.get(), "INSERT OR REPLACE INTO meta VALUES(?,'yes')");
  return WriteTrains(db, phases.trains) &&
         (steady == nullptr || (WriteWall(db, *steady) && WriteValues(db, steady->values))) &&
         fact.Run(std::string_view(kPhasesFact));
}

bool LoadPhases(TableReader& reader, Profile& profile) {
  for (const char* table : {"phase", "step_train", "step"}) {
    if (!reader.file().HasTable(table)) return true;
  }
  HostNs end = 0;
  return reader.ForEachId(
             "phase", "SELECT id, kind, begin_ns, end_ns FROM phase NOT INDEXED",
             [&](const sqlite::Statement& s, uint32_t) {
               Phase& phase = profile.phases.phases.emplace_back();
               if (!TableReader::Get(s, 1, 1, UINT8_MAX, phase.kind) ||
                   !TableReader::Get(s, 2, end, INT64_MAX, phase.range.begin) ||
                   !TableReader::Get(s, 3, phase.range.begin, INT64_MAX, phase.range.end)) {
                 return false;
               }
               end = phase.range.end;
               return true;
             }) &&
         LoadTrains(reader, profile);
}

Result<std::optional<PartValues>> ReadSteady(const ProfileFile& file, const Profile& profile) {
  const bool has_tables = file.HasTable("steady_wall_part") && file.HasTable("steady_lane") &&
                          file.HasTable("steady_lane_part");
  // If metrics of unknown kinds were left out, metrics have other ids in `profile` than in the
  // file.
  if (!has_tables || profile.quality.contains("unknown_metrics")) return {std::nullopt};
  file.StartWork();
  PartValues steady;
  // Reserve memory: while a vector grows, its elements are in memory twice. A range has at most as
  // many values as the whole recording.
  steady.values.reserve(profile.values.size());
  TableReader reader(file);
  ChunkReader decoder;
  const ValueLimits limits{profile.nodes.size(), profile.threads.size(), profile.metrics.size()};
  sqlite::Statement chunks =
      file.Query("SELECT codec, data FROM chunk NOT INDEXED WHERE stream=11");
  while (chunks.Next()) {
    if (!file.SpendRow(chunks)) return file.Damage(SQLITE_INTERRUPT, "chunk");
    const size_t before = steady.values.size();
    if (chunks.Int(0) != kChunkCodec ||
        !DecodeValues(decoder, chunks.Blob(1), limits, steady.values)) {
      return file.Damage(SQLITE_DONE, "chunk");
    }
    if (!reader.Pay(sizeof(Value) * (steady.values.size() - before))) {
      return file.Damage(SQLITE_NOMEM, "chunk");
    }
  }
  if (chunks.code() != SQLITE_DONE) return file.Damage(chunks.code(), "chunk");
  if (!ReadWallParts(reader, "steady_wall_part", steady.wall) ||
      !ReadWallLanes(reader, "steady_lane", profile, steady.lanes) ||
      !ReadLaneParts(reader, "steady_lane_part", steady.lanes)) {
    return reader.error();
  }
  if (steady.values.empty()) return {std::nullopt};
  TakeLeftOut(profile, steady.values);
  return {std::optional<PartValues>(std::move(steady))};
}

}  // namespace gprofx
