#include "core/views/naming/names.h"

#include <algorithm>

#include "core/base/path.h"
#include "core/base/text.h"
#include "core/model/address_name.h"
#include "core/model/python_files.h"

namespace gprofx {
namespace {

// Returns the name without its brackets: "vdso" for "[vdso]".
std::string_view Bare(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']')) return name.substr(1, name.size() - 2);
  return name;
}

}  // namespace

std::string_view ShortFile(std::string_view path) {
  const std::string_view base = BaseName(path);
  if (base != "__init__.py" && base != "__main__.py") return base;
  const size_t folder = path.size() - base.size();
  if (folder < 2) return base;
  const size_t slash = path.rfind('/', folder - 2);
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string CulpritName(const Profile& profile, ModuleId module) {
  return std::string(Bare(BaseName(profile.Text(profile.module(module).path))));
}

std::string FrameName(const Profile& profile, const Frame& frame) {
  if (frame.function) {
    const std::string_view name = profile.Text(profile.function(frame.function).name);
    if (!name.empty()) return std::string(name);
  }
  switch (frame.kind) {
    case FrameKind::kUnknown:
      return "[code in no file]";
    case FrameKind::kTruncated:
      if (!frame.module) return "[truncated stack]";
      return "[truncated stack: no caller in " + CulpritName(profile, frame.module) + "]";
    case FrameKind::kIdle:
      return "[waiting]";
    case FrameKind::kRoot:
      return "[all]";
    case FrameKind::kGpuKernel:
      return "[kernel without a name]";
    case FrameKind::kGpuInstruction:
      return "[kernel code]";
    case FrameKind::kGpuCopy:
      return "[copy]";
    case FrameKind::kCudaApi:
      return "[CUDA call]";
    default:
      break;
  }
  if (!frame.module) return "[no name]";
  return "[" + std::string(BaseName(profile.Text(profile.module(frame.module).path))) + "]";
}

std::string WithoutLocals(std::string_view name) {
  constexpr std::string_view kLocals = ".<locals>";
  std::string out;
  for (size_t at = name.find(kLocals); at != std::string_view::npos; at = name.find(kLocals)) {
    out += name.substr(0, at);
    name.remove_prefix(at + kLocals.size());
  }
  return out.append(name);
}

std::string_view KindWord(FrameKind kind, std::string_view name) {
  switch (kind) {
    case FrameKind::kPython:
      return "py";
    case FrameKind::kNative:
    case FrameKind::kInlined: {
      if (name.empty() || name.front() == '[' || IsAddressName(name)) return "?";
      const bool cpp = Contains(name, "::") || name.find_first_of("<(~") != std::string_view::npos;
      return cpp ? "c++" : "c";
    }
    case FrameKind::kIdle:
      return "idle";
    case FrameKind::kOperator:
      return "op";
    case FrameKind::kCudaApi:
      return "cuda";
    case FrameKind::kGpuKernel:
    case FrameKind::kGpuInstruction:
    case FrameKind::kGpuCopy:
      return "gpu";
    case FrameKind::kMarker:
      return "mark";
    case FrameKind::kProcess:
      return "proc";
    case FrameKind::kLayer:
      return "layer";
    case FrameKind::kRoot:
      return "all";
    case FrameKind::kUnknown:
    case FrameKind::kTruncated:
      break;
  }
  return "?";
}

}  // namespace gprofx
