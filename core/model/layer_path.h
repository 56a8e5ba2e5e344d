// Reads and builds layer paths, the names of kLayer frames. A layer path lists the nested modules
// of a model, outermost first: "GPT > transformer.h.3: Block > attn: Attention".
//
// Each step has two parts: the name by which the enclosing module refers to the module, and its
// class. The name may pass through containers that are not called. A step is only the class if name
// and class are equal, or if the outermost module is the first of its class. A module without a
// name gets its class and a number in order of first appearance: "Linear#2". Pure; views live as
// long as the argument.
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

// Returns `path` with one module appended. Characters that have a meaning in a path are replaced by
// '_'.
std::string AppendLayer(std::string_view path, std::string_view name, std::string_view type);

// Returns the names of the first `count` steps: "GPT.transformer.h.3.attn".
std::string DottedLayers(const std::vector<LayerStep>& steps, size_t count);

// Returns `node`, or its nearest ancestor, that is not a layer frame.
NodeId CodeOf(const Profile& profile, NodeId node);

}  // namespace gprofx
