#include "core/model/layer_path.h"

#include <algorithm>

namespace gprofx {
namespace {

constexpr std::string_view kInside = " > ", kIsA = ": ";

std::string Plain(std::string_view text, std::string_view meaning) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(),
      [&](char c) {
        return static_cast<unsigned char>(c) < ' ' || meaning.find(c) != std::string_view::npos;
      },
      '_');
  return out;
}

}  // namespace

std::vector<LayerStep> SplitLayers(std::string_view path) {
  std::vector<LayerStep> steps;
  while (!path.empty()) {
    const size_t end = path.find(kInside);
    const std::string_view step = path.substr(0, end);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + kInside.size());
    const size_t type = step.rfind(kIsA);
    steps.push_back(type == std::string_view::npos
                        ? LayerStep{step, step}
                        : LayerStep{step.substr(0, type), step.substr(type + kIsA.size())});
  }
  return steps;
}

std::string AppendLayer(std::string_view path, std::string_view name, std::string_view type) {
  const std::string plain_name = Plain(name, ">"), plain_type = Plain(type, ">: ");
  std::string out(path);
  if (!out.empty()) out += kInside;
  out += plain_name;
  if (plain_name != plain_type) out.append(kIsA).append(plain_type);
  return out;
}

std::string DottedLayers(const std::vector<LayerStep>& steps, size_t count) {
  std::string out;
  for (size_t i = 0; i < std::min(count, steps.size()); ++i) {
    if (i != 0) out += '.';
    out += steps[i].name;
  }
  return out;
}

NodeId CodeOf(const Profile& profile, NodeId node) {
  while (node) {
    const FrameId frame = profile.node(node).frame;
    if (!frame || profile.frame(frame).kind != FrameKind::kLayer) break;
    node = profile.node(node).parent;
  }
  return node;
}

}  // namespace gprofx
