#include "core/variability/steps.h"

#include <algorithm>
#include <cctype>

#include "core/model/profile.h"
#include "core/steps/step_finders.h"

namespace gprofx::variability {

bool MayNameStep(std::string_view name) {
  if (name.size() > 200) return false;
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("step") != std::string::npos || lower.find("iter") != std::string::npos ||
         lower.find("batch") != std::string::npos;
}

ProcessSteps StepsFromRanges(int64_t process, const std::vector<NamedRange>& ranges) {
  Profile names;
  std::vector<PhaseMarker> markers;
  for (const NamedRange& range : ranges) {
    PhaseMarker marker;
    marker.begin = range.begin;
    marker.end = range.end;
    marker.name = names.Intern(range.name);
    markers.push_back(marker);
  }
  std::sort(markers.begin(), markers.end(), [](const PhaseMarker& a, const PhaseMarker& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  ProcessSteps steps;
  steps.process = process;
  steps.steps = StepsByMarkers(names, markers);
  // The first step is not typical, because it compiles, tunes and fills caches.
  if (steps.steps.size() > 1) steps.warm_up = 1;
  return steps;
}

}  // namespace gprofx::variability
