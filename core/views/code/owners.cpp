#include "core/views/code/owners.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/path.h"
#include "core/model/libraries.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

enum class Sort : uint8_t { kOther, kUser, kPackage, kNative };

bool IsNativeCode(FrameKind kind) {
  return kind == FrameKind::kNative || kind == FrameKind::kInlined;
}

// Returns a flag for each module: true for code of the program, false for code of the system or of
// Python.
std::vector<uint8_t> OwnModules(const Profile& profile) {
  constexpr uint32_t kNever = kModuleIsPython | kModuleIsProfiler | kModuleIsVdso;
  std::vector<uint8_t> own;
  for (const Module& module : profile.modules) {
    const bool other = (module.flags & kNever) != 0 || IsSystemLibrary(profile.Text(module.path));
    own.push_back(other ? 0 : 1);
  }
  return own;
}

std::vector<Sort> SortFrames(const Profile& profile) {
  const std::vector<uint8_t> own_modules = OwnModules(profile);
  std::unordered_map<uint32_t, Sort> files;
  const auto sort_file = [&](StringId file) {
    const auto [found, is_new] = files.try_emplace(file.value, Sort::kOther);
    if (!is_new) return found->second;
    const std::string_view path = profile.Text(file);
    if (IsUserPythonFile(path)) return found->second = Sort::kUser;
    return found->second = PackageOf(path).empty() ? Sort::kOther : Sort::kPackage;
  };
  std::vector<Sort> sorts;
  for (const Frame& frame : profile.frames) {
    if (frame.kind == FrameKind::kPython) {
      sorts.push_back(sort_file(FileOf(profile, frame)));
    } else {
      const bool own = IsNativeCode(frame.kind) && frame.function && frame.module &&
                       own_modules[frame.module.index()] != 0;
      sorts.push_back(own ? Sort::kNative : Sort::kOther);
    }
  }
  return sorts;
}

}  // namespace

std::vector<uint8_t> OwnFrames(const Profile& profile) {
  const std::vector<Sort> sorts = SortFrames(profile);
  const auto has = [&](Sort sort) {
    return std::find(sorts.begin(), sorts.end(), sort) != sorts.end();
  };
  const Sort own = has(Sort::kUser)      ? Sort::kUser
                   : has(Sort::kPackage) ? Sort::kPackage
                                         : Sort::kNative;
  std::vector<uint8_t> flags(sorts.size());
  std::transform(sorts.begin(), sorts.end(), flags.begin(),
                 [&](Sort sort) { return sort == own ? 1 : 0; });
  return flags;
}

std::string LibraryOf(std::string_view path) {
  if (const std::string_view package = PackageOf(path); !package.empty())
    return std::string(BaseName(package));
  if (!path.ends_with(".py")) {
    std::string stem = LibraryStem(path);
    stem.resize(std::min(stem.size(), stem.find('.')));
    return stem.starts_with("_") ? stem.substr(1) : stem;
  }
  const std::string_view name = BaseName(path);
  const size_t folders = path.size() - name.size();
  const std::string_view folder = folders == 0 ? "" : BaseName(path.substr(0, folders - 1));
  if (folder.empty()) return std::string(name.substr(0, name.size() - 3));
  if (!folder.starts_with("python")) return std::string(folder);
  return std::string(name.substr(0, name.size() - 3));
}

std::string OwnerOf(const Profile& profile, FrameId id) {
  if (!id) return "";
  const Frame& frame = profile.frame(id);
  if (frame.kind == FrameKind::kPython) {
    const std::string_view file = FrameFile(profile, frame);
    return file.empty() || file.starts_with('<') ? "Python" : LibraryOf(file);
  }
  if (!IsNativeCode(frame.kind) || !frame.module) return "";
  const Module& module = profile.module(frame.module);
  if ((module.flags & kModuleIsPython) != 0) return "Python";
  if ((module.flags & kModuleIsVdso) != 0) return "";
  const std::string_view path = profile.Text(module.path);
  return IsCRuntime(path) ? "C library" : LibraryOf(path);
}

}  // namespace gprofx
