#include "core/views/naming/seen_as.h"

#include "core/model/libraries.h"
#include "core/views/naming/names.h"

namespace gprofx {

uint32_t SeenAs::SortOf(StringId file) {
  const auto [found, asked] = sort_of_file_.try_emplace(file.value, 0);
  if (!asked) return found->second;
  const std::string_view path = profile_.Text(file);
  if (IsUserPythonFile(path)) return found->second = kUserFile;
  const std::string_view package = PackageOf(path);
  if (package.empty()) return 0;
  const auto next = static_cast<uint32_t>(packages_.size() + 1);
  return found->second = packages_.try_emplace(package, next).first->second;
}

SeenAs::SeenAs(const Profile& profile) : profile_(profile) {
  constexpr uint32_t kNoUsers = kModuleIsPython | kModuleIsProfiler | kModuleIsVdso;
  for (const Module& module : profile.modules) {
    const bool system =
        (module.flags & kNoUsers) != 0 || IsSystemLibrary(profile.Text(module.path));
    is_system_.push_back(system ? 1 : 0);
  }
}

SeenAs::Lines SeenAs::operator()(Lines above, FrameId id) {
  if (!id) return above;
  const Frame& frame = profile_.frame(id);
  Lines lines = above;
  if (frame.kind == FrameKind::kPython) {
    lines.any = id;
    const uint32_t sort = SortOf(FileOf(profile_, frame));
    if (sort == kUserFile) {
      lines.user = id;
    } else if (sort != 0) {
      if (lines.package == 0) lines.package = sort;
      if (lines.package == sort) lines.main = id;
    }
  } else if ((frame.kind == FrameKind::kNative || frame.kind == FrameKind::kInlined) &&
             frame.function && frame.module && is_system_[frame.module.index()] == 0) {
    lines.native = id;
  }
  return lines;
}

}  // namespace gprofx
