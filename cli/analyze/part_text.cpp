#include "cli/analyze/part_text.h"

#include "cli/report/number.h"

namespace gprofx {

std::string PartText(const Profile& profile) {
  if (!profile.part) return "";
  const ShownPart& part = *profile.part;
  std::string text;
  if (part.phase) {
    text = *part.phase == PhaseKind::kSteady ? "the steady part"
                                             : "the " + std::string(PhaseName(*part.phase));
  } else {
    text = Duration(part.range.begin) + " to " + Duration(part.range.end);
  }
  return text + (part.chosen ? "" : " (--phase all: everything)");
}

}  // namespace gprofx
