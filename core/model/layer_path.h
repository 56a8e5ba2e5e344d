// The name of a kLayer frame: the nested modules of a model, outermost first, such as
// "GPT > transformer.h.3: Block > attn: Attention". Each step has the name by which the enclosing
// module refers to it (this may pass through containers that are not called) and its class. Only
// the class is given if both are equal, or if the outermost module is the first of its class. A
// module without a name has its class and a number in order of first appearance: "Linear#2". Pure;
// views live as long as the argument.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

struct LayerStep {
  std::string_view name;  // "transformer.h.3"
  std::string_view type;  // "Block"
};

std::vector<LayerStep> SplitLayers(std::string_view path);

// Returns `path` with one module appended. Characters with a meaning in a path become '_'.
std::string AppendLayer(std::string_view path, std::string_view name, std::string_view type);

// Returns the names of the first `count` steps: "GPT.transformer.h.3.attn".
std::string DottedLayers(const std::vector<LayerStep>& steps, size_t count);

// Returns the nearest node, `node` itself or above it, that is not a layer frame.
NodeId CodeOf(const Profile& profile, NodeId node);

}  // namespace gprofx
