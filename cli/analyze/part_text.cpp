#include "cli/analyze/part_text.h"

#include "cli/report/number.h"

namespace gprofx {

std::string PartText(const Profile& profile, bool is_middle) {
  if (!profile.part) return "";
  const ShownPart& part = *profile.part;
  std::string text;
  if (part.phase) {
    text = *part.phase == PhaseKind::kSteady ? "the steady part"
                                             : "the " + std::string(PhaseName(*part.phase));
  } else {
    text = Duration(part.range.begin) + " to " + Duration(part.range.end);
  }
  if (!part.chosen) return text + " (--phase all: everything)";
  return text +
         (is_middle
              ? ", in the middle (--phase, --steps or --range select another part of any length)"
              : "");
}

}  // namespace gprofx
