#include "cli/report/names.h"

#include <vector>

#include "cli/terminal/text.h"

namespace gprofx {
namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Length of "operator<<", "operator->", "operator()" and the like at `pos`, so that their
// characters are no brackets.
size_t OperatorLength(std::string_view name, size_t pos) {
  constexpr std::string_view kWord = "operator";
  if (name.substr(pos, kWord.size()) != kWord) return 0;
  static constexpr std::string_view kSigns[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>",
                                                "<=",  ">=",  "->",  "()",  "<",  ">"};
  const std::string_view rest = name.substr(pos + kWord.size());
  for (const std::string_view sign : kSigns) {
    if (rest.substr(0, sign.size()) == sign) return kWord.size() + sign.size();
  }
  return 0;
}

// `name` with the content of each outermost `open`...`close` pair left out where `drop` says so.
template <class Drop>
std::string WithoutInside(std::string_view name, char open, char close, const Drop& drop) {
  std::string out;
  for (size_t i = 0; i < name.size();) {
    if (const size_t length = OperatorLength(name, i)) {
      out += name.substr(i, length);
      i += length;
      continue;
    }
    out += name[i];
    if (name[i++] != open) continue;
    int depth = 1;
    size_t end = i;
    while (end < name.size() && depth > 0) {
      if (const size_t length = OperatorLength(name, end)) {
        end += length;
        continue;
      }
      if (name[end] == open) ++depth;
      // The arrow of a trailing return type closes nothing.
      if (name[end] == close && !(close == '>' && end > 0 && name[end - 1] == '-')) --depth;
      ++end;
    }
    if (depth != 0) return std::string(name);  // unbalanced: not a name that we understand
    if (!drop(name.substr(i, end - 1 - i))) out += name.substr(i, end - 1 - i);
    out += close;
    i = end;
  }
  return out;
}

// Positions of the top-level blanks and "::" of a name without bracket contents.
std::string WithoutReturnType(std::string_view name) {
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (const size_t length = OperatorLength(name, i)) {
      i += length - 1;
      continue;
    }
    if (name[i] == '(' || name[i] == '<') ++depth;
    if (name[i] == ')' || name[i] == '>') --depth;
    if (name[i] == ' ' && depth == 0) {
      if (name.substr(0, i).size() >= 8 && name.substr(i - 8, 8) == "operator") break;
      if (name.substr(i + 1) == "const") break;
      start = i + 1;
    }
  }
  return std::string(name.substr(start));
}

std::string WithoutOuterNamespace(std::string_view name) {
  int depth = 0;
  for (size_t i = 0; i + 2 < name.size(); ++i) {
    if (name[i] == '(' || name[i] == '<' || name[i] == '{') ++depth;
    if (name[i] == ')' || name[i] == '>' || name[i] == '}') --depth;
    if (depth == 0 && name[i] == ':' && name[i + 1] == ':') return std::string(name.substr(i + 2));
  }
  return std::string(name);
}

// "[vdso]" -> "vdso"
std::string_view Bare(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']')) return name.substr(1, name.size() - 2);
  return name;
}

}  // namespace

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

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
      return "[truncated stack: no caller in " +
             CulpritName(profile, frame.module) + "]";
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

std::string_view KindWord(FrameKind kind, std::string_view name) {
  switch (kind) {
    case FrameKind::kPython:
      return "py";
    case FrameKind::kNative:
    case FrameKind::kInlined: {
      if (name.empty() || name.front() == '[') return "?";
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
    case FrameKind::kRoot:
      return "all";
    case FrameKind::kUnknown:
    case FrameKind::kTruncated:
      break;
  }
  return "?";
}

std::string_view FrameFile(const Profile& profile, const Frame& frame) {
  if (frame.file) return profile.Text(frame.file);
  return frame.function ? profile.Text(profile.function(frame.function).file) : std::string_view();
}

bool IsUserPythonFile(std::string_view path) {
  if (path.empty() || path.front() == '<') return false;
  if (Contains(path, "/site-packages/") || Contains(path, "/dist-packages/")) return false;
  for (const std::string_view lib : {"/lib/python", "/lib64/python"}) {
    const size_t found = path.find(lib);
    if (found == std::string_view::npos) continue;
    const std::string_view rest = path.substr(found + lib.size());
    if (!rest.empty() && rest.front() >= '2' && rest.front() <= '9') return false;
  }
  return true;
}

std::string ShortenName(std::string_view printable, int columns) {
  if (Columns(printable) <= columns) return std::string(printable);
  // A parenthesis that belongs to the name, as in "(anonymous namespace)" or "{lambda(int)#1}",
  // stays.
  std::string name = WithoutInside(
      printable, '(', ')', [](std::string_view inside) { return inside != "anonymous namespace"; });
  if (Columns(name) <= columns) return name;
  name = WithoutInside(name, '<', '>', [](std::string_view) { return true; });
  if (Columns(name) <= columns) return name;
  if (Contains(name, "(")) name = WithoutReturnType(name);
  while (Columns(name) > columns) {
    std::string shorter = WithoutOuterNamespace(name);
    if (shorter.size() == name.size()) break;
    // "call()" alone says nothing: the end of its class does.
    if (Columns(shorter) < columns / 2) return FitStart(name, columns);
    name = std::move(shorter);
  }
  return FitEnd(name, columns);
}

}  // namespace gprofx
