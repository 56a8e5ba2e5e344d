#include "cli/report/seen_as.h"

#include "cli/report/names.h"

namespace gprofx {

void SeenAs::Visit(size_t node, size_t parent, FrameId frame_id) {
  user_lines_[node] = user_lines_[parent];
  any_lines_[node] = any_lines_[parent];
  if (!frame_id) return;
  const Frame& frame = profile_.frame(frame_id);
  if (frame.kind != FrameKind::kPython) return;
  any_lines_[node] = frame_id;
  const StringId file = frame.file       ? frame.file
                        : frame.function ? profile_.function(frame.function).file
                                         : StringId{};
  const auto [found, asked] = is_user_file_.try_emplace(file.value, false);
  if (asked) found->second = IsUserPythonFile(profile_.Text(file));
  if (found->second) user_lines_[node] = frame_id;
}

}  // namespace gprofx
