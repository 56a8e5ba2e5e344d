#include "formats/profile/profile_reader.h"

#include "formats/database/added_rows.h"
#include "formats/database/counter_table.h"
#include "formats/database/stream_read.h"
#include "formats/profile/profile_load.h"
#include "formats/profile/profile_open.h"
#include "formats/reading/gpu_load.h"
#include "formats/reading/phase_rows.h"

namespace gprofx {

ProfileReader::ProfileReader(std::unique_ptr<ProfileFile> file) : file_(std::move(file)) {}
ProfileReader::ProfileReader(ProfileReader&&) noexcept = default;
ProfileReader& ProfileReader::operator=(ProfileReader&&) noexcept = default;
ProfileReader::~ProfileReader() = default;

Result<ProfileReader> ProfileReader::Open(const std::string& path) {
  Result<ProfileFile> file = ProfileFile::Open(path);
  if (!file) return file.error();
  return ProfileReader(std::make_unique<ProfileFile>(std::move(*file)));
}

Result<Profile> ProfileReader::Load() const { return LoadTables(*file_); }

Result<Profile> ProfileReader::LoadFor(
    const std::function<bool(const Profile&)>& wants_values) const {
  return LoadTables(*file_, wants_values);
}
Result<std::optional<PartValues>> ProfileReader::Steady(const Profile& profile) const {
  return ReadSteady(*file_, profile);
}
Result<std::vector<GpuCubin>> ProfileReader::Cubins() const { return ReadCubins(*file_); }
Result<std::vector<SourceText>> ProfileReader::Sources() const { return ReadSources(*file_); }
Result<std::vector<Finding>> ProfileReader::Findings() const { return ReadFindings(*file_); }

Result<std::vector<KernelCounters>> ProfileReader::Counters() const {
  const Result<std::optional<AddedTable>> table = Added(kCounterTable);
  if (!table) return table.error();
  if (!*table) return std::vector<KernelCounters>();
  auto counters = CountersOf(**table, file_->LastId("gpu_kernel_config"));
  if (counters) return counters;
  return Error{counters.error().id, "'" + file_->path() + "': " + counters.error().what,
               counters.error().fix};
}

Result<std::optional<AddedTable>> ProfileReader::Added(const std::string& name) const {
  return ReadAdded(*file_, name);
}

Result<int64_t> ProfileReader::Samples(
    HostNs begin, HostNs end, const std::function<void(std::span<const SampleRow>)>& sink) const {
  return ReadSamples(*file_, begin, end, sink);
}

Result<int64_t> ProfileReader::Events(Stream stream, std::span<const size_t> columns, HostNs begin,
                                      HostNs end,
                                      const std::function<void(const EventTable&)>& sink) const {
  return ReadEvents(*file_, stream, columns, begin, end, sink);
}

Result<Profile> LoadProfile(const std::string& path) {
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  if (!reader) return reader.error();
  return reader->Load();
}

}  // namespace gprofx
