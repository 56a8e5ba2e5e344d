#include "cli/report/number.h"
#include "cli/report/text/text.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"
#include "core/views/gpu/gpu_quality.h"

namespace gprofx {
namespace {

std::string StepsText(const View& view) {
  const StepNumbers& steps = *view.steps;
  std::string text = StepsInWords(steps);
  const size_t trains = view.profile.phases.trains.size();
  if (trains > 1) text += " in the first of " + std::to_string(trains) + " processes";
  return text + ",";
}

std::string PhaseText(const View& view, const Phase& phase) {
  const std::string name = PhaseName(phase.kind);
  if (phase.kind == PhaseKind::kWarmUp && view.steps) {
    return name + " " + Grouped(static_cast<int64_t>(view.steps->warm_up)) +
           (view.steps->warm_up == 1 ? " step (" : " steps (") +
           Duration(view.Length(phase.range)) + ")";
  }
  return name + " " + Duration(view.Length(phase.range));
}

// Returns a range in the time of the recording, to the millisecond: "0 s to 3.25 s".
std::string RangeText(TimeRange range) {
  return Format("%.3f s to %.3f s", static_cast<double>(range.begin) / 1e9,
                static_cast<double>(range.end) / 1e9);
}

}  // namespace

std::string PartName(const View& view) {
  const ShownPart& part = *view.profile.part;
  if (part.phase == PhaseKind::kSteady) return "the steady part";
  if (part.phase) return "the " + std::string(PhaseName(*part.phase));
  if (view.query.part.steps) {
    const uint32_t last = part.first_step + part.steps - 1;
    return part.steps <= 1
               ? "step " + std::to_string(part.first_step)
               : "steps " + std::to_string(part.first_step) + " to " + std::to_string(last);
  }
  return RangeText(part.range);
}

std::string PhasesLine(const Page& page) {
  const View& view = page.view;
  const std::vector<Phase>& phases = view.profile.phases.phases;
  std::vector<std::string> parts;
  const bool has_gpu = HasGpuData(view.profile), says_no_steps = !view.steps && has_gpu;
  if (!phases.empty() && (has_gpu || view.steps || view.profile.part || page.verbose)) {
    parts.push_back("phases:");
    if (view.steps) parts.push_back(StepsText(view));
    for (size_t i = 0; i < phases.size(); ++i) {
      parts.push_back(PhaseText(view, phases[i]) +
                      (i + 1 < phases.size() || says_no_steps ? "," : ""));
    }
    if (says_no_steps) parts.push_back("no steps found");
  }
  if (!view.profile.part) return parts.empty() ? "" : Wrapped(page, parts, 8);
  const ShownPart& part = *view.profile.part;
  if (!parts.empty()) parts.back() += ";";
  std::string shown = "shown is " + PartName(view) + ", " + Duration(view.Length(part.range));
  if (part.steps > 0) {
    shown += " in " + Grouped(part.steps) + (part.steps == 1 ? " step" : " steps");
  }
  parts.push_back(Paint(page.around.screen, Ink::kBold, shown));
  parts.push_back("(--phase all: everything)");
  if (part.events_only) {
    parts.push_back("host code of an imported trace has no times, so it is left out");
  }
  if (view.records && view.records->traced_launches == 0 && view.records->launches > 0) {
    parts.push_back("no records were made of its " + Grouped(view.records->launches) +
                    " launches, so their GPU work is unknown");
  }
  if (view.Sum(kMetricPcSamples) > 0) {
    parts.push_back("PC samples have no time; those of its kernels are of the whole recording");
  }
  return Wrapped(page, parts, 8);
}

}  // namespace gprofx
