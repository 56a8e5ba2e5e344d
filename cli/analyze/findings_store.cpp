#include <algorithm>

#include "cli/analyze/findings.h"
#include "core/slice/choose_part.h"
#include "formats/profile/profile_appender.h"
#include "formats/profile/profile_set.h"
#include "formats/reading/analysis_read.h"
#include "formats/reading/part_read.h"
#include "formats/reading/range_source.h"

namespace gprofx {
namespace {

// Maximum number of operations for which findings are searched when a recording ends. Each
// operation takes up to 600 bytes, and the user must not wait for the analysis of gigabytes.
constexpr int64_t kMaxAtEnd = 1'000'000;

Result<std::vector<Finding>> FindingsOf(const std::string& path) {
  Result<ProfileSet> profiles = ProfileSet::Open({path});
  if (!profiles) return profiles.error();
  Profile& profile = profiles->profile();
  PartQuery part;
  part.all = OnlyEventsHaveTimes(profile);
  Result<RangeSource> source = MiddleOf(*profiles, profile, kMaxAtEnd, part);
  if (!source) return source.error();
  if (part.range) {  // in the table, these would be mistaken for findings of the whole recording
    return Error{ErrorId::kNoSuchPart, "the recording is long and has no steps",
                 "run gprof-x analyze to analyze its middle"};
  }
  if (Status selected = SelectPart(*source, part, profile); !selected) return selected.error();
  const Result<GpuWorkEvents> work = ReadGpuWork(*source, profile);
  if (!work) return work.error();
  const Result<findings::FindingReport> report =
      ReadFindings(*source, analyses::AnalysisContext(profile, *work, path));
  if (!report) return report.error();
  std::vector<Finding> findings;
  for (const findings::Inefficiency& row : report->rows) {
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
