// ProfileReader on any bytes, everything that it reads, and the promises that a loaded profile
// makes to its readers.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "formats/profile/profile_appender.h"
#include "formats/profile/profile_reader.h"

namespace {

using namespace gprofx;

void Require(bool condition) {
  if (!condition) abort();
}

void CheckPromises(const Profile& profile) {
  Require(!profile.nodes.empty() && !profile.nodes[0].parent);
  for (size_t i = 1; i < profile.nodes.size(); ++i) {
    Require(profile.nodes[i].parent.value >= 1 && profile.nodes[i].parent.value <= i);
    Require(profile.nodes[i].frame && profile.nodes[i].frame.index() < profile.frames.size());
  }
  for (const Frame& frame : profile.frames) {
    Require(frame.function.value <= profile.functions.size());
    Require(frame.module.value <= profile.modules.size());
    profile.Text(frame.file);
  }
  for (const Value& value : profile.values) {
    Require(value.node && value.node.index() < profile.nodes.size());
    Require(value.thread && value.thread.index() < profile.threads.size());
    Require(value.metric && value.metric.index() < profile.metrics.size());
  }
}

void CheckGpuPromises(const Profile& profile) {
  const GpuTables& gpu = profile.gpu;
  Require(gpu.cubins.empty() && gpu.sources.empty());
  for (const GpuDevice& device : gpu.devices) {
    profile.Text(device.name);
    profile.Text(device.driver);
  }
  for (const GpuContext& context : gpu.contexts) {
    Require(context.process.value <= profile.processes.size());
    Require(context.device.value <= gpu.devices.size());
  }
  for (const GpuStreamRow& stream : gpu.streams) {
    Require(stream.context.value <= gpu.contexts.size());
  }
  for (const GpuKernelConfig& config : gpu.configs) {
    Require(config.function.value <= profile.functions.size());
  }
  for (const WallPart& part : gpu.wall) Require(part.ns >= 0);
}

// All columns of each stream; the ids in them must be those of `profile` where that could be read.
void CheckEvents(const ProfileReader& reader, const Profile* profile) {
  for (const EventStream& stream : EventStreams()) {
    std::vector<size_t> columns(stream.columns.size());
    std::iota(columns.begin(), columns.end(), size_t{0});
    reader
        .Events(stream.id, columns, INT64_MIN, INT64_MAX,
                [&](const EventTable& rows) {
                  for (size_t i = 0; i < rows.columns(); ++i) {
                    Require(rows.column(i).size() == rows.rows());
                    if (!profile || stream.columns[i].role != ColumnRole::kNode) continue;
                    for (const int64_t node : rows.column(i)) {
                      Require(node >= 0 && node <= static_cast<int64_t>(profile->nodes.size()));
                    }
                  }
                })
        .ok();
  }
}

// What was added to a file that is read comes back from it.
void CheckAppending(const std::string& path) {
  const Finding finding{"rule", NodeId{1}, 5, "evidence"};
  {
    Result<ProfileAppender> appender = ProfileAppender::Open(path);
    if (!appender || !appender->Clear("finding") || !appender->Append({&finding, 1}) ||
        !appender->Commit()) {
      return;
    }
  }
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  if (!reader) return;  // the file was damaged elsewhere
  if (const Result<std::vector<Finding>> findings = reader->Findings()) {
    Require(*findings == std::vector{finding});
  }
}

struct ScratchFile {
  ScratchFile() : file(mkstemp(path.data())) { Require(file >= 0); }
  ~ScratchFile() { unlink(path.c_str()); }
  bool Fill(const uint8_t* data, size_t size) const {
    return ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size);
  }

  std::string path = "/dev/shm/gprofx-fuzz-XXXXXX";
  int file;
};

void ReadAll(const std::string& path) {
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  if (!reader) return;
  const Result<Profile> profile = reader->Load();
  if (profile) {
    CheckPromises(*profile);
    CheckGpuPromises(*profile);
  }
  CheckEvents(*reader, profile ? &*profile : nullptr);
  reader->Cubins().ok();
  if (const Result<std::vector<Finding>> findings = reader->Findings(); findings && profile) {
    for (const Finding& finding : *findings) Require(finding.node.value <= profile->nodes.size());
  }
  reader->Added("forecast").ok();
  if (const Result<std::vector<SourceText>> sources = reader->Sources(); sources && profile) {
    for (const SourceText& source : *sources) profile->Text(source.path);
  }
  reader
      ->Samples(0, INT64_MAX,
                [&](std::span<const SampleRow> rows) {
                  for (const SampleRow& row : rows)
                    Require(row.thread.value >= 1 && row.node.value >= 1);
                })
      .ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The reader wants a path and opens it itself.
  static const ScratchFile scratch;
  if (!scratch.Fill(data, size)) return 0;
  const std::string& path = scratch.path;
  ReadAll(path);
  CheckAppending(path);
  unlink((path + "-journal").c_str());
  return 0;
}
