#include "formats/redaction/redacted_source.h"

#include <utility>

#include "formats/redaction/redaction_key.h"

namespace gprofx {

RedactedSource::RedactedSource(const ProfileSource& source, const Profile& original,
                               const std::string& key)
    : source_(source), original_(original), redaction_(Redact(original, key)) {}

Result<RedactedSource> RedactedSource::Make(const ProfileSource& source, Profile& original) {
  Result<std::vector<GpuCubin>> cubins = source.Cubins();
  if (!cubins) return cubins.error();
  original.gpu.cubins = std::move(*cubins);
  const Result<std::string> key = RandomKey();
  if (!key) return key.error();
  return RedactedSource(source, original, *key);
}

// Returns no value, because the file's values cannot be mapped to those of the redacted profile.
Result<std::optional<PartValues>> RedactedSource::Steady(const Profile&) const {
  return std::optional<PartValues>();
}

Result<std::vector<GpuCubin>> RedactedSource::Cubins() const { return profile().gpu.cubins; }
Result<std::vector<SourceText>> RedactedSource::Sources() const {
  return std::vector<SourceText>();
}
Result<std::vector<Finding>> RedactedSource::Findings() const { return std::vector<Finding>(); }

Result<std::vector<KernelCounters>> RedactedSource::Counters() const {
  Result<std::vector<KernelCounters>> counters = source_.Counters();
  if (!counters) return counters.error();
  for (KernelCounters& row : *counters) row.config = redaction_.maps.configs[row.config.index()];
  std::erase_if(*counters, [](const KernelCounters& row) { return !row.config; });
  return counters;
}

Result<int64_t> RedactedSource::Samples(
    HostNs begin, HostNs end, const std::function<void(std::span<const SampleRow>)>& sink) const {
  std::vector<SampleRow> translated;
  return source_.Samples(begin, end, [&](std::span<const SampleRow> rows) {
    translated.assign(rows.begin(), rows.end());
    for (SampleRow& row : translated) redaction_.maps.Translate(row);
    sink(translated);
  });
}

Result<int64_t> RedactedSource::Events(Stream stream, std::span<const size_t> columns, HostNs begin,
                                       HostNs end,
                                       const std::function<void(const EventTable&)>& sink) const {
  return source_.Events(stream, columns, begin, end, [&](const EventTable& rows) {
    EventTable translated = rows;
    redaction_.Translate(original_, translated);
    sink(translated);
  });
}

}  // namespace gprofx
