#include "formats/analysis_read.h"

#include <array>
#include <utility>

#include "formats/part_events.h"

namespace gprofx {

Result<GpuWorkEvents> ReadGpuWork(const ProfileSource& source, const Profile& profile) {
  Result<PartEvents> events = ReadPartEvents(source, profile);
  if (!events) return events.error();
  GpuWorkEvents out;
  out.operations = std::move(events->events.operations);
  static constexpr std::array<size_t, 1> kConfig = {column::kKernelConfig};
  const Result<int64_t> read = source.Events(
      Stream::kKernels, kConfig, kEarliest, kLatest, [&](const EventTable& rows) {
        for (const int64_t config : rows.column(column::kKernelConfig)) {
          out.configs.push_back(GpuConfigId{static_cast<uint32_t>(config)});
        }
      });
  if (!read) return read.error();
  return out;
}

}  // namespace gprofx
