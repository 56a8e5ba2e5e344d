#include "core/compare/key.h"

#include <utility>

#include "core/base/path.h"
#include "core/views/naming/names.h"

namespace gprofx::compare {
namespace {

// Returns the name of a module without its version, because "libtorch_cpu.so.2.4" and
// "libtorch_cpu.so.2.5" are the same module.
std::string_view ModuleKey(std::string_view path) {
  const std::string_view name = BaseName(path);
  const size_t version = name.find(".so.");
  return version == std::string_view::npos ? name : name.substr(0, version + 3);
}

bool IsWork(FrameKind kind) { return kind == FrameKind::kGpuKernel || kind == FrameKind::kGpuCopy; }

}  // namespace

std::string KeyOf(FrameKind kind, std::string_view name, std::string_view file,
                  std::string_view module) {
  std::string key(KindWord(kind, name));
  key += "\n";
  if (!IsWork(kind)) key += kind == FrameKind::kPython ? ShortFile(file) : ModuleKey(module);
  return key.append("\n").append(name);
}

std::string KeyOf(const Label& label) {
  return KeyOf(label.kind, label.name, label.file, label.module);
}

Part PartOf(Label label) {
  Part part;
  part.kind = label.kind;
  part.name = std::move(label.name);
  part.file = std::move(label.file);
  part.line = label.line;
  part.module = std::move(label.module);
  return part;
}

}  // namespace gprofx::compare
