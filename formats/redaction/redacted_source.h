// Reads a profile as if it had been redacted (core/redact/redact.h). Tables are redacted when the
// object is made, rows of streams when they are read. Nothing is written to disk, and streams are
// not held in memory. Kernel code, sources and findings are left out, as in a redacted file. The
// hash key is random, and the same for all sources of a process.
//
// Blocking; one thread. An object reads one stream at a time, because redacted texts of rows are
// added to profile(). References to its texts stay valid.
#pragma once

#include <string>

#include "core/redact/redact.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

class RedactedSource final : public ProfileSource {
 public:
  // Returns a redacted view of `source`. `source` and its profile `original` must outlive it. Loads
  // the cubins of the file into `original`.
  static Result<RedactedSource> Make(const ProfileSource& source, Profile& original);

  const Profile& profile() const { return redaction_.profile; }
  Profile& profile() { return redaction_.profile; }
  const NameRedactor& names() const { return redaction_.names; }

  Result<std::optional<PartValues>> Steady(const Profile& profile) const override;
  Result<std::vector<GpuCubin>> Cubins() const override;
  Result<std::vector<SourceText>> Sources() const override;
  Result<std::vector<Finding>> Findings() const override;
  Result<std::vector<KernelCounters>> Counters() const override;
  Result<int64_t> Samples(
      HostNs begin, HostNs end,
      const std::function<void(std::span<const SampleRow>)>& sink) const override;
  Result<int64_t> Events(Stream stream, std::span<const size_t> columns, HostNs begin, HostNs end,
                         const std::function<void(const EventTable&)>& sink) const override;

 private:
  RedactedSource(const ProfileSource& source, const Profile& original, const std::string& key);

  const ProfileSource& source_;
  const Profile& original_;
  mutable Redaction redaction_;
};

}  // namespace gprofx
