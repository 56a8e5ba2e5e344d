#include "core/views/seen_as.h"

#include "core/views/names.h"

namespace gprofx {

SeenAs::Lines SeenAs::operator()(Lines above, FrameId id) {
  if (!id) return above;
  const Frame& frame = profile_.frame(id);
  if (frame.kind != FrameKind::kPython) return above;
  const StringId file = FileOf(profile_, frame);
  const auto [found, asked] = is_user_file_.try_emplace(file.value, false);
  if (asked) found->second = IsUserPythonFile(profile_.Text(file));
  return {found->second ? id : above.user, id};
}

}  // namespace gprofx
