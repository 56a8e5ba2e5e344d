#include "formats/profile/recordings.h"

#include <string>
#include <string_view>

namespace gprofx {
namespace {

template <class Entries, class Run>
bool WriteEntries(const Profile& profile, Entries Source::*entries, Run run) {
  uint32_t id = 0, recording = 0;
  for (const Source& source : profile.sources) {
    ++recording;
    for (const auto& [name, value] : source.*entries) {
      if (!run(++id, recording, name, value)) return false;
    }
  }
  return true;
}

bool LoadProcessRecordings(TableReader& reader, Profile& profile) {
  return reader.ForEachId(
      "process_recording", "SELECT id, recording FROM process_recording NOT INDEXED",
      [&](const sqlite::Statement& s, uint32_t id) {
        if (id > profile.processes.size()) return false;
        return TableReader::Get(s, 1, 1, profile.sources.size(), profile.processes[id - 1].source);
      });
}

bool LoadFacts(TableReader& reader, Profile& profile) {
  return reader.ForEachId("recording_fact",
                          "SELECT id, recording, name, value FROM recording_fact NOT INDEXED",
                          [&](const sqlite::Statement& s, uint32_t) {
                            uint32_t recording = 0;
                            if (!TableReader::Get(s, 1, 1, profile.sources.size(), recording) ||
                                !reader.Pay(s.Text(2).size()) || !reader.Pay(s.Text(3).size()))
                              return false;
                            profile.sources[recording - 1].meta.insert_or_assign(
                                std::string(s.Text(2)), std::string(s.Text(3)));
                            return true;
                          });
}

bool LoadCounters(TableReader& reader, Profile& profile) {
  return reader.ForEachId(
      "recording_counter", "SELECT id, recording, name, value FROM recording_counter NOT INDEXED",
      [&](const sqlite::Statement& s, uint32_t) {
        uint32_t recording = 0;
        if (!TableReader::Get(s, 1, 1, profile.sources.size(), recording) ||
            !reader.Pay(s.Text(2).size()))
          return false;
        profile.sources[recording - 1].quality.insert_or_assign(std::string(s.Text(2)), s.Int(3));
        return true;
      });
}

}  // namespace

bool WriteRecordings(sqlite3* db, const Profile& profile) {
  if (profile.sources.empty()) return true;
  sqlite::Statement recording(db, "INSERT INTO recording VALUES(?,?,?,?,?)");
  sqlite::Statement fact(db, "INSERT INTO recording_fact VALUES(?,?,?,?)");
  sqlite::Statement counter(db, "INSERT INTO recording_counter VALUES(?,?,?,?)");
  sqlite::Statement process(db, "INSERT INTO process_recording VALUES(?,?)");
  uint32_t id = 0;
  for (const Source& source : profile.sources) {
    if (!recording.Run(++id, std::string_view(source.host), source.rank, source.start_realtime_ns,
                       source.clock_offset_ns))
      return false;
  }
  id = 0;
  for (const Process& row : profile.processes) {
    if (!process.Run(++id, row.source.value)) return false;
  }
  return WriteEntries(profile, &Source::meta,
                      [&](uint32_t at, uint32_t of, const auto& name, const auto& value) {
                        return fact.Run(at, of, std::string_view(name), std::string_view(value));
                      }) &&
         WriteEntries(profile, &Source::quality,
                      [&](uint32_t at, uint32_t of, const auto& name, int64_t value) {
                        return counter.Run(at, of, std::string_view(name), value);
                      });
}

bool LoadRecordings(TableReader& reader, Profile& profile) {
  if (!reader.file().HasTable("recording")) return true;
  const bool loaded = reader.ForEachId(
      "recording",
      "SELECT id, host, rank, start_realtime_ns, clock_offset_ns FROM recording NOT INDEXED",
      [&](const sqlite::Statement& s, uint32_t) {
        Source& source = profile.sources.emplace_back();
        source.host = s.Text(1);
        source.start_realtime_ns = s.Int(3);
        source.clock_offset_ns = s.Int(4);
        return reader.Pay(source.host.size()) && TableReader::Get(s, 2, -1, INT32_MAX, source.rank);
      });
  if (!loaded) return false;
  using Load = bool (*)(TableReader&, Profile&);
  const std::pair<const char*, Load> tables[] = {{"process_recording", LoadProcessRecordings},
                                                 {"recording_fact", LoadFacts},
                                                 {"recording_counter", LoadCounters}};
  for (const auto& [table, load] : tables) {
    if (reader.file().HasTable(table) && !load(reader, profile)) return false;
  }
  return true;
}

}  // namespace gprofx
