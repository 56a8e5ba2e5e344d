#include "cli/analyze/findings.h"
#include "formats/reading/finding_read.h"

namespace gprofx {

Result<findings::FindingReport> ReadFindings(const ProfileSource& source,
                                             const analyses::AnalysisContext& context) {
  Result<FindingEvents> events = ReadFindingEvents(source, context.profile, context.events);
  if (!events) return events.error();
  Status samples = Ok();
  events->read_samples = [&](const FindingEvents::TakeSamples& take) {
    samples = ReadFindingSamples(source, context.profile, context.events, context.counted, take);
  };
  findings::FindingReport report = findings::FindInefficiencies(context, *events);
  if (!samples) return samples.error();
  return report;
}

}  // namespace gprofx
