#include "core/views/seen_as.h"

#include "core/views/libraries.h"
#include "core/views/names.h"

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

bool SeenAs::IsSystem(ModuleId module) {
  const auto [found, asked] = is_system_.try_emplace(module.value, false);
  if (asked) {
    const Module& row = profile_.module(module);
    found->second = (row.flags & (kModuleIsPython | kModuleIsProfiler | kModuleIsVdso)) != 0 ||
                    IsSystemLibrary(profile_.Text(row.path));
  }
  return found->second;
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
             frame.function && frame.module && !IsSystem(frame.module)) {
    lines.native = id;
  }
  return lines;
}

}  // namespace gprofx
