#include "cli/analyze/read.h"

#include <optional>
#include <utility>

#include "cli/analyze/part_text.h"
#include "core/analyses/runs.h"
#include "core/slice/choose_part.h"
#include "core/views/gpu/kernel_labels.h"
#include "formats/profile/profile_set.h"
#include "formats/reading/analysis_read.h"
#include "formats/reading/part_read.h"
#include "formats/reading/range_source.h"
#include "formats/redaction/redacted_source.h"

namespace gprofx {
namespace {

std::string LabelOf(const Profile& profile, const std::string& file) {
  const auto label = profile.meta.find("label");
  if (label != profile.meta.end() && !label->second.empty()) return label->second;
  return file;
}

struct AnalyzedFile {
  std::string name;  // file name
  std::vector<analyses::Analysis> analyses;
  std::optional<findings::FindingReport> findings;
  std::string part;
  std::unordered_map<std::string, std::string> kernel_names;
};

Result<AnalyzedFile> AnalyzeFile(const std::string& file, const AnalysisRequest& command) {
  Result<ProfileSet> profiles = ProfileSet::Open({file});
  if (!profiles) return profiles.error();
  Profile& profile = profiles->profile();
  PartQuery part = command.part;
  // If host code has no times, it would be missing from every range. Analyze the whole recording
  // then.
  if (!part.IsPart() && OnlyEventsHaveTimes(profile)) part.all = true;
  const Result<RangeSource> some = MiddleOf(*profiles, profile, kMaxLookedAt, part);
  if (!some) return some.error();
  if (Status selected = SelectPart(*some, part, profile); !selected) return selected.error();
  std::optional<RedactedSource> redacted;
  if (command.redact) {
    Result<RedactedSource> made = RedactedSource::Make(*some, profile);
    if (!made) return made.error();
    redacted.emplace(std::move(*made));
  }
  const ProfileSource& source = redacted ? static_cast<const ProfileSource&>(*redacted) : *some;
  const Profile& shown = redacted ? redacted->profile() : profile;
  const Result<GpuWorkEvents> events = ReadGpuWork(source, shown);
  if (!events) return events.error();
  AnalyzedFile run;
  run.name = redacted ? redacted->names().Path(file) : file;
  const analyses::AnalysisContext context(shown, *events, LabelOf(shown, run.name));
  run.kernel_names = KernelLabels(shown).ByFullName(shown);
  run.part = PartText(shown, some->is_part());
  for (const analyses::AnalysisKind* kind : command.kinds) {
    run.analyses.push_back(analyses::MakeAnalysis(*kind, context));
  }
  if (command.findings) {
    Result<findings::FindingReport> findings = ReadFindings(source, context);
    if (!findings) return findings.error();
    run.findings = std::move(*findings);
  }
  return run;
}

}  // namespace

Result<AnalysisReport> ReadAnalyses(const AnalysisRequest& request,
                                    const std::function<void(const std::string&)>& reading) {
  AnalysisReport report;
  std::vector<std::vector<analyses::Analysis>> runs;
  for (const std::string& file : request.files) {
    reading(file);
    Result<AnalyzedFile> run = AnalyzeFile(file, request);
    if (!run) return run.error();
    runs.push_back(std::move(run->analyses));
    report.kernel_names.merge(run->kernel_names);
    report.part = request.files.size() == 1 ? run->part : "";
    report.files.push_back(run->name);
    if (run->findings) report.findings.push_back({report.files.back(), std::move(*run->findings)});
  }
  report.analyses = analyses::JoinRuns(std::move(runs));
  return report;
}

}  // namespace gprofx
