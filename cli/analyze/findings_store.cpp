#include <algorithm>

#include "cli/analyze/findings.h"
#include "core/choose_part.h"
#include "formats/analysis_read.h"
#include "formats/part_read.h"
#include "formats/profile_appender.h"
#include "formats/profile_set.h"

namespace gprofx {
namespace {

// To look for findings takes 125 bytes for each: nobody waits for gigabytes at the end of a recording.
constexpr int64_t kMostLaunches = 16'000'000;

int64_t LaunchesOf(const Profile& profile) {
  const auto found = profile.quality.find("gpu_launches");
  return found == profile.quality.end() ? 0 : found->second;
}

Result<std::vector<Finding>> FindingsOf(const std::string& path) {
  Result<ProfileSet> profiles = ProfileSet::Open({path});
  if (!profiles) return profiles.error();
  Profile& profile = profiles->profile();
  if (LaunchesOf(profile) > kMostLaunches)
    return Error{"too many launches; gprof-x analyze looks for them, with 125 bytes of memory for each"};
  PartQuery part;
  part.all = OnlyEventsHaveTimes(profile);
  if (Status selected = SelectPart(*profiles, part, profile); !selected) return selected.error();
  const Result<GpuWorkEvents> work = ReadGpuWork(*profiles, profile);
  if (!work) return work.error();
  const Result<FindingReport> report =
      ReadFindings(*profiles, AnalysisContext(profile, *work, path));
  if (!report) return report.error();
  std::vector<Finding> findings;
  for (const Inefficiency& row : report->rows) {
    std::string evidence = row.summary;
    for (const std::string& each : row.evidence) evidence += "; " + each;
    findings.push_back({row.rule->id, row.node, row.saving_ns, std::move(evidence)});
  }
  return findings;
}

}  // namespace

Status StoreFindings(const std::string& path) {
  const Result<std::vector<Finding>> findings = FindingsOf(path);
  if (!findings) return findings.error();
  if (findings->empty()) return Ok();
  Result<ProfileAppender> file = ProfileAppender::Open(path);
  if (!file) return file.error();
  if (Status cleared = file->Clear("finding"); !cleared) return cleared.error();
  if (Status added = file->Append(*findings); !added) return added.error();
  return file->Commit();
}

}  // namespace gprofx
