#include "cli/analyze/findings.h"
#include "formats/finding_read.h"

namespace gprofx {

Result<FindingReport> ReadFindings(const ProfileSource& source, const AnalysisContext& context) {
  const Result<FindingEvents> events =
      ReadFindingEvents(source, context.profile, context.events, context.counted);
  if (!events) return events.error();
  return FindInefficiencies(context, *events);
}

}  // namespace gprofx
