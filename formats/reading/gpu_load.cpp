#include "formats/reading/gpu_load.h"

#include <charconv>
#include <utility>

namespace gprofx {
namespace {

bool GetText(const sqlite::Statement& s, int column, const Profile& profile, StringId& out) {
  return TableReader::Get(s, column, 0, profile.string_count(), out);
}

bool GetNumber(const sqlite::Statement& s, int column, uint32_t& out) {
  return TableReader::Get(s, column, 0, UINT32_MAX, out);
}

bool LoadDevices(TableReader& reader, Profile& profile) {
  return reader.ForEachId(
      "gpu_device",
      "SELECT id, name, uuid, pci_bus, driver, compute_major, compute_minor, multiprocessors,"
      " clock_hz, memory_bytes, memory_bytes_per_s FROM gpu_device NOT INDEXED",
      [&](const sqlite::Statement& s, uint32_t) {
        GpuDevice& d = profile.gpu.devices.emplace_back();
        return GetText(s, 1, profile, d.name) && GetText(s, 2, profile, d.uuid) &&
               GetText(s, 3, profile, d.pci_bus) && GetText(s, 4, profile, d.driver) &&
               GetNumber(s, 5, d.compute_major) && GetNumber(s, 6, d.compute_minor) &&
               GetNumber(s, 7, d.multiprocessors) &&
               TableReader::Get(s, 8, 0, INT64_MAX, d.clock_hz) &&
               TableReader::Get(s, 9, 0, INT64_MAX, d.memory_bytes) &&
               TableReader::Get(s, 10, 0, INT64_MAX, d.memory_bytes_per_s);
      });
}

bool LoadContexts(TableReader& reader, Profile& profile) {
  return reader.ForEachId(
      "gpu_context", "SELECT id, process, device, number FROM gpu_context NOT INDEXED",
      [&](const sqlite::Statement& s, uint32_t) {
        GpuContext& c = profile.gpu.contexts.emplace_back();
        return TableReader::Get(s, 1, 0, profile.processes.size(), c.process) &&
               TableReader::Get(s, 2, 0, profile.gpu.devices.size(), c.device) &&
               GetNumber(s, 3, c.number);
      });
}

bool LoadStreams(TableReader& reader, Profile& profile) {
  return reader.ForEachId(
      "gpu_stream", "SELECT id, context, number, priority FROM gpu_stream NOT INDEXED",
      [&](const sqlite::Statement& s, uint32_t) {
        GpuStreamRow& row = profile.gpu.streams.emplace_back();
        return TableReader::Get(s, 1, 0, profile.gpu.contexts.size(), row.context) &&
               GetNumber(s, 2, row.number) &&
               TableReader::Get(s, 3, INT32_MIN, INT32_MAX, row.priority);
      });
}

bool LoadConfigs(TableReader& reader, Profile& profile) {
  return reader.ForEachId(
      "gpu_kernel_config",
      "SELECT id, function, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers,"
      " static_shared_bytes, dynamic_shared_bytes, local_bytes FROM gpu_kernel_config NOT INDEXED",
      [&](const sqlite::Statement& s, uint32_t) {
        GpuKernelConfig& c = profile.gpu.configs.emplace_back();
        uint32_t* const numbers[] = {&c.grid[0],        &c.grid[1],  &c.grid[2],   &c.block[0],
                                     &c.block[1],       &c.block[2], &c.registers, &c.static_shared,
                                     &c.dynamic_shared, &c.local};
        int column = 2;
        for (uint32_t* number : numbers) {
          if (!GetNumber(s, column++, *number)) return false;
        }
        return TableReader::Get(s, 1, 0, profile.functions.size(), c.function);
      });
}

bool LoadWall(TableReader& reader, Profile& profile) {
  return ReadWallParts(reader, "wall_part", profile.gpu.wall);
}

bool LoadLanes(TableReader& reader, Profile& profile) {
  return ReadWallLanes(reader, "wall_lane", profile, profile.gpu.lanes);
}

bool LoadLaneParts(TableReader& reader, Profile& profile) {
  return ReadLaneParts(reader, "wall_lane_part", profile.gpu.lanes);
}

// Returns the SQL expression for the margin of a wall part. Profiles before schema 1.5 do not have
// the column; for them the expression is 0.
std::string MarginColumn(const TableReader& reader, const char* table) {
  const Result<std::vector<SqliteColumn>> columns = reader.file().Columns(table);
  const bool has = columns && std::any_of(columns->begin(), columns->end(), [](const auto& column) {
                     return column.name == "margin_ns";
                   });
  return has ? "margin_ns" : "0";
}

bool GetHash(std::string_view text, uint64_t& hash) {
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, hash, 16);
  return text.size() == 16 && error == std::errc() && at == end;
}

}  // namespace

bool ReadWallParts(TableReader& reader, const char* table, std::vector<WallPart>& parts) {
  const std::string select = "SELECT id, name, ns, " + MarginColumn(reader, table) + " FROM " +
                             std::string(table) + " NOT INDEXED";
  return reader.ForEachId(table, select.c_str(), [&](const sqlite::Statement& s, uint32_t) {
    WallPart& part = parts.emplace_back();
    part.name = s.Text(1);
    return reader.Pay(part.name.size()) && TableReader::Get(s, 2, 0, INT64_MAX, part.ns) &&
           TableReader::Get(s, 3, 0, INT64_MAX, part.margin_ns);
  });
}

bool ReadWallLanes(TableReader& reader, const char* table, const Profile& profile,
                   std::vector<WallLane>& lanes) {
  const std::string select =
      "SELECT id, process, device, begin_ns, end_ns, hidden_communication_ns FROM " +
      std::string(table) + " NOT INDEXED";
  return reader.ForEachId(table, select.c_str(), [&](const sqlite::Statement& s, uint32_t) {
    WallLane& lane = lanes.emplace_back();
    return TableReader::Get(s, 1, 0, profile.processes.size(), lane.process) &&
           TableReader::Get(s, 2, 0, profile.gpu.devices.size(), lane.device) &&
           TableReader::Get(s, 3, 0, INT64_MAX, lane.begin) &&
           TableReader::Get(s, 4, lane.begin, INT64_MAX, lane.end) &&
           TableReader::Get(s, 5, 0, INT64_MAX, lane.hidden_communication_ns);
  });
}

bool ReadLaneParts(TableReader& reader, const char* table, std::vector<WallLane>& lanes) {
  const std::string select = "SELECT id, lane, name, ns, " + MarginColumn(reader, table) +
                             " FROM " + std::string(table) + " NOT INDEXED";
  return reader.ForEachId(table, select.c_str(), [&](const sqlite::Statement& s, uint32_t) {
    uint32_t lane = 0;
    if (!TableReader::Get(s, 1, 1, static_cast<int64_t>(lanes.size()), lane)) return false;
    WallPart& part = lanes[lane - 1].parts.emplace_back();
    part.name = s.Text(2);
    return reader.Pay(part.name.size()) && TableReader::Get(s, 3, 0, INT64_MAX, part.ns) &&
           TableReader::Get(s, 4, 0, INT64_MAX, part.margin_ns);
  });
}

bool LoadGpuTables(TableReader& reader, Profile& profile) {
  using Load = bool (*)(TableReader&, Profile&);
  const std::pair<const char*, Load> tables[] = {
      {"gpu_device", LoadDevices},      {"gpu_context", LoadContexts},
      {"gpu_stream", LoadStreams},      {"gpu_kernel_config", LoadConfigs},
      {"wall_part", LoadWall},          {"wall_lane", LoadLanes},
      {"wall_lane_part", LoadLaneParts}};
  for (const auto& [table, load] : tables) {
    if (reader.file().HasTable(table) && !load(reader, profile)) return false;
  }
  return true;
}

Result<std::vector<GpuCubin>> ReadCubins(const ProfileFile& file) {
  std::vector<GpuCubin> cubins;
  if (!file.HasTable("cubin")) return cubins;
  file.StartWork();
  if (Status check = file.QuickCheck("cubin"); !check) return check.error();
  TableReader reader(file);
  const bool is_read =
      reader.ForEachId("cubin", "SELECT id, hash, data FROM cubin NOT INDEXED",
                       [&](const sqlite::Statement& s, uint32_t) {
                         const std::span<const std::byte> data = s.Blob(2);
                         GpuCubin& cubin = cubins.emplace_back();
                         if (!GetHash(s.Text(1), cubin.hash) || !reader.Pay(data.size()))
                           return false;
                         cubin.data.assign(data.begin(), data.end());
                         return true;
                       });
  if (!is_read) return reader.error();
  return cubins;
}

Result<std::vector<SourceText>> ReadSources(const ProfileFile& file) {
  std::vector<SourceText> sources;
  if (!file.HasTable("source")) return sources;
  file.StartWork();
  if (Status check = file.QuickCheck("source"); !check) return check.error();
  TableReader reader(file);
  const size_t strings = file.LastId("string");
  size_t left = kMaxSourceBytes;
  bool full = false;
  const auto take = [&](const sqlite::Statement& s, uint32_t) {
    SourceText source;
    if (!TableReader::Get(s, 1, 0, strings, source.path)) return false;
    if (full) return true;
    const std::string_view text = s.Text(2);
    if (!reader.Pay(text.size())) return false;
    full = text.size() > left || sources.size() >= kMaxSources;
    if (full) return true;
    left -= text.size();
    source.text = text;
    sources.push_back(std::move(source));
    return true;
  };
  const bool is_read =
      reader.ForEachId("source", "SELECT id, path, text FROM source NOT INDEXED", take);
  if (!is_read) return reader.error();
  return sources;
}

}  // namespace gprofx
