#include "tests/unit/formats/test_support.h"

#include <sqlite3.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gprofx::test {
namespace fs = std::filesystem;

TempFolder::TempFolder() {
  std::string pattern = (fs::temp_directory_path() / "gprofx-test-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> TempFolder::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::string ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteBytes(const std::string& path, std::span<const char> bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void Forge(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  char* message = nullptr;
  sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message);
  const std::string problem = message ? message : "";
  sqlite3_free(message);
  sqlite3_close(db);
  REQUIRE(problem == "");
}

bool SameStrings(const Profile& a, const Profile& b) {
  if (a.string_count() != b.string_count()) return false;
  for (uint32_t i = 1; i <= a.string_count(); ++i) {
    if (a.Text(StringId{i}) != b.Text(StringId{i})) return false;
  }
  return true;
}

void CheckSame(const Profile& a, const Profile& b) {
  CHECK(SameStrings(a, b));
  CHECK(a.processes == b.processes);
  CHECK(a.threads == b.threads);
  CHECK(a.modules == b.modules);
  CHECK(a.ranges == b.ranges);
  CHECK(a.functions == b.functions);
  CHECK(a.frames == b.frames);
  CHECK(a.nodes == b.nodes);
  CHECK(a.quality == b.quality);
  CHECK(a.gpu.devices == b.gpu.devices);
  CHECK(a.gpu.contexts == b.gpu.contexts);
  CHECK(a.gpu.streams == b.gpu.streams);
  CHECK(a.gpu.configs == b.gpu.configs);
  CHECK(a.gpu.wall == b.gpu.wall);
  CHECK(a.gpu.lanes == b.gpu.lanes);
  REQUIRE(a.metrics.size() == b.metrics.size());
  for (size_t i = 0; i < a.metrics.size(); ++i) {
    CHECK(a.metrics[i].name == b.metrics[i].name);
    CHECK(a.metrics[i].unit == b.metrics[i].unit);
    CHECK(a.metrics[i].kind == b.metrics[i].kind);
  }
  REQUIRE(a.values.size() == b.values.size());
  for (size_t i = 0; i < a.values.size(); ++i) {
    const Value &x = a.values[i], &y = b.values[i];
    REQUIRE((x.node == y.node && x.thread == y.thread && x.metric == y.metric && x.self == y.self));
  }
}

FrameId FrameOf(Profile& profile, FrameKind kind, const char* name, const char* file) {
  Function function;
  function.name = profile.Intern(name);
  function.file = profile.Intern(file);
  Frame frame;
  frame.kind = kind;
  frame.function = profile.Intern(function);
  return profile.Intern(frame);
}

std::vector<SampleRow> SomeSamples(const Profile& profile, size_t count, HostNs start) {
  std::vector<SampleRow> rows;
  for (size_t i = 0; i < count; ++i) {
    SampleRow row;
    row.time = start + static_cast<HostNs>(i) * 1000;
    row.thread.value = 1 + static_cast<uint32_t>(i * 7 % profile.threads.size());
    row.node.value = 1 + static_cast<uint32_t>(i * i % profile.nodes.size());
    row.weight = static_cast<uint32_t>(1000000 + i % 77);
    row.state = static_cast<uint8_t>(i % 32);
    rows.push_back(row);
  }
  return rows;
}

EventTable SomeEvents(const Profile& profile, Stream stream, size_t count, HostNs start) {
  const auto rows_of = [&](ColumnRole role) -> size_t {
    switch (role) {
      case ColumnRole::kNode:
        return profile.nodes.size();
      case ColumnRole::kThread:
        return profile.threads.size();
      case ColumnRole::kString:
        return profile.string_count();
      case ColumnRole::kFunction:
        return profile.functions.size();
      case ColumnRole::kProcess:
        return profile.processes.size();
      case ColumnRole::kGpuContext:
        return profile.gpu.contexts.size();
      case ColumnRole::kGpuStream:
        return profile.gpu.streams.size();
      case ColumnRole::kGpuConfig:
        return profile.gpu.configs.size();
      case ColumnRole::kCubin:
        return profile.gpu.cubins.size();
      case ColumnRole::kGpuDevice:
        return profile.gpu.devices.size();
      default:
        return 0;
    }
  };
  EventTable table(stream);
  const EventStream& description = *FindEventStream(stream);
  for (size_t i = 0; i < count; ++i) {
    const size_t row = count - 1 - i;  // not in order
    for (size_t k = 0; k < table.columns(); ++k) {
      const ColumnRole role = description.columns[k].role;
      int64_t value = static_cast<int64_t>(row * (k + 1) * 77 % 100000);
      if (role == ColumnRole::kTime) value = start + static_cast<int64_t>(row * 1000 + k);
      if (const size_t rows = rows_of(role)) value = static_cast<int64_t>((row + k) % (rows + 1));
      table.column(k).push_back(value);
    }
  }
  return table;
}

std::string WriteFinished(const TempFolder& folder, const Profile& profile, size_t samples,
                          size_t events) {
  const std::string path = folder / "profile.gprofx";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  writer->AppendSamples(SomeSamples(profile, samples, 0));
  for (const EventStream& stream : EventStreams()) {
    writer->AppendEvents(SomeEvents(profile, stream.id, events, 0));
  }
  REQUIRE(writer->Commit(profile).ok());
  REQUIRE(writer->Finish(profile, {}).ok());
  return path;
}

Result<int64_t> ReadSamples(const std::string& path, HostNs begin, HostNs end,
                            const std::function<void(std::span<const SampleRow>)>& sink) {
  const auto reader = ProfileReader::Open(path);
  if (!reader) return reader.error();
  return reader->Samples(begin, end, sink);
}

Result<int64_t> ReadEvents(const std::string& path, Stream stream, std::span<const size_t> columns,
                           HostNs begin, HostNs end,
                           const std::function<void(const EventTable&)>& sink) {
  const auto reader = ProfileReader::Open(path);
  if (!reader) return reader.error();
  return reader->Events(stream, columns, begin, end, sink);
}

Result<std::vector<GpuCubin>> ReadCubins(const std::string& path) {
  const auto reader = ProfileReader::Open(path);
  if (!reader) return reader.error();
  return reader->Cubins();
}

Result<std::vector<SourceText>> ReadSources(const std::string& path) {
  const auto reader = ProfileReader::Open(path);
  if (!reader) return reader.error();
  return reader->Sources();
}

std::vector<SampleRow> AllSamples(const std::string& path) {
  std::vector<SampleRow> all;
  const Result<int64_t> rows = ReadSamples(
      path, INT64_MIN, INT64_MAX,
      [&](std::span<const SampleRow> batch) { all.insert(all.end(), batch.begin(), batch.end()); });
  REQUIRE(rows.ok());
  REQUIRE(*rows == static_cast<int64_t>(all.size()));
  std::sort(all.begin(), all.end(),
            [](const SampleRow& a, const SampleRow& b) { return a.time < b.time; });
  return all;
}

}  // namespace gprofx::test
