// Reads and builds layer paths, the names of kLayer frames. A layer path lists the nested modules
// of a model, outermost first: "GPT > transformer.h.3: Block > attn: Attention".
//
// A step of the path is one module. It has two parts: the name by which the enclosing module refers
// to the module, and its class. The name contains the names of containers in between, such as
// "transformer" above, because they are not called themselves. The step is only the class if name
// and class are equal, or if it is the outermost module and the first of its class. A module
// without a name gets its class and a number in order of first appearance: "Linear#2". Pure; views
// live as long as the argument.
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

// Returns `path` with one module appended. Characters of `name` and `type` that have a meaning in a
// path become '_'.
std::string AppendLayer(std::string_view path, std::string_view name, std::string_view type);

// Returns the names of the first `count` steps: "GPT.transformer.h.3.attn".
std::string DottedLayers(const std::vector<LayerStep>& steps, size_t count);

// Returns the nearest node that is not a layer frame: `node` itself or an ancestor.
NodeId CodeOf(const Profile& profile, NodeId node);

}  // namespace gprofx
