#include "core/replay/named_nodes.h"

#include <charconv>
#include <string_view>

#include "core/kernels/kernel_family.h"
#include "core/levels/levels.h"
#include "core/model/inherit.h"

namespace gprofx {
namespace {

// Returns the last part of a name: "step" for "Trainer.step", "call" for "at::_ops::mm::call".
std::string_view LastPart(std::string_view name) {
  const size_t at = name.find_last_of(".:");
  return at == std::string_view::npos ? name : name.substr(at + 1);
}

class Names {
 public:
  Names(const Profile& profile, std::string_view name) : profile_(profile), name_(name) {
    const size_t colon = name.rfind(':');
    uint32_t line = 0;
    if (colon != std::string_view::npos && colon > 0) {
      const std::string_view digits = name.substr(colon + 1);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
      if (error == std::errc() && end == digits.data() + digits.size() && line > 0) {
        file_ = name.substr(0, colon);
        line_ = line;
      }
    }
  }

  bool Fits(const Frame& frame) const {
    const Function* function = frame.function ? &profile_.function(frame.function) : nullptr;
    if (line_ != 0) {
      if (frame.line != line_) return false;
      const StringId id = frame.file            ? frame.file
                          : function != nullptr ? function->file
                                                : StringId{};
      const std::string_view file = profile_.Text(id);
      return file == file_ || (file.size() > file_.size() && file.ends_with(file_) &&
                               file[file.size() - file_.size() - 1] == '/');
    }
    if (function == nullptr) return false;
    const std::string_view text = profile_.Text(function->name);
    if (text == name_ || LastPart(text) == name_) return true;
    // Matches at::_ops::gelu::call and aten::gelu, if `name_` is "gelu".
    const std::string op = "::" + std::string(name_);
    if (text.ends_with(op) || text.ends_with(op + "::call")) return true;
    return frame.kind == FrameKind::kGpuKernel &&
           (text.find(name_) != std::string_view::npos ||
            ShortKernelName(text).find(name_) != std::string::npos);
  }

 private:
  const Profile& profile_;
  std::string_view name_, file_;
  uint32_t line_ = 0;
};

}  // namespace

std::vector<bool> NamedNodes(const Profile& profile, const std::string& name) {
  std::vector<bool> named(profile.nodes.size(), name.empty());
  if (name.empty()) return named;
  const Names names(profile, name);
  std::vector<bool> fits;
  fits.reserve(profile.frames.size());
  for (const Frame& frame : profile.frames) fits.push_back(names.Fits(frame));
  named = InheritDown<bool>(profile.nodes, [&](bool above, FrameId frame) {
    return above || (frame && fits[frame.index()]);
  });
  const Levels levels = FindLevels(profile);
  std::vector<bool> in_layer(levels.paths.size() + 1);
  for (size_t i = 0; i < levels.paths.size(); ++i) {
    const Levels::Path& path = levels.paths[i];
    const Layer* layer = path.layer != 0 ? &levels.layer(path.layer) : nullptr;
    in_layer[i + 1] = (path.parent <= i && in_layer[path.parent]) ||
                      (layer != nullptr && (layer->type == name || layer->Name() == name));
  }
  for (size_t i = 0; i < named.size() && i < levels.of_node.size(); ++i) {
    if (in_layer[levels.of_node[i].layer_path]) named[i] = true;
  }
  return named;
}

}  // namespace gprofx
